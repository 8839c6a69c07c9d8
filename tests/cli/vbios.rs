//! A key from the tool's output to the exit code: every GPU has the VBIOS that the spec names.

use crate::support::Bench;

const SPEC: &str = "\
linkspec: 1
suite: boards
tests:
  - { name: vbios, gpu: { vbios: \"96.00.A5.*\" } }
";

/// The text of `nvidia-smi -q`, cut to what is asked, of two GPUs of which the second has this VBIOS.
fn judged(second: &str) -> Bench {
    let gpu = |address: &str, vbios: &str| {
        format!("GPU {address}\n    Product Name : NVIDIA H200\n    VBIOS Version : {vbios}\n")
    };
    let gpus = gpu("00000000:0F:00.0", "96.00.A5.00.1A") + &gpu("00000000:1F:00.0", second);
    let head = "==============NVSMI LOG==============\n\nDriver Version : 550.54.15\nAttached GPUs : 2\n";
    Bench::new().file("spec.yaml", SPEC).file("host/nvidia-smi-q.txt", &format!("{head}{gpus}"))
}

fn run(second: &str, code: i32, texts: &[&str]) {
    judged(second).run(&["spec.yaml", "--host", "host"]).expect(code, texts);
}

#[test]
fn the_same_on_every_gpu_passes_and_another_fails() {
    run("96.00.A5.00.03", 0, &["1 passed"]);
    run("96.00.74.00.1C", 1, &["fail[vbios]: GPU1 has VBIOS 96.00.74.00.1C, expected 96.00.A5.*"]);
}

#[test]
fn none_is_unknown_and_so_is_one_that_was_cut() {
    run("N/A", 3, &["GPU1: VBIOS version is unknown: N/A in nvidia-smi-q.txt"]);
    run("00.00.00.00.00", 3, &["a virtual GPU shows none"]);
    run("96.00.A5", 3, &["GPU1: VBIOS version is unknown: not a value that can stand here in nvidia-smi-q.txt"]);
}
