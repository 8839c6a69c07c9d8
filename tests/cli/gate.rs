//! The main job: a recorded server judged, and what the gate reads.

use crate::support::Bench;

const RUN: [&str; 3] = ["spec.yaml", "--host", "host"];

#[test]
fn a_healthy_server_passes() {
    let bench = Bench::new().with_h200();
    bench.run(&RUN).expect(0, &["h200-x2::nvlink-mesh", "NV18"]);
    let junit = bench.read("linkspec-out/h200-x2/junit.xml");
    assert!(junit.contains("failures=\"0\"") && junit.contains("errors=\"0\""), "{junit}");
}

#[test]
fn a_narrower_link_than_asked_fails_and_names_the_pair() {
    let bench = Bench::new().with_h200().replace("spec.yaml", "require: NV18", "require: NV12");
    bench.run(&RUN).expect(1, &["GPU0-GPU1", "NV18", "NV12", "spec.yaml:"]);
    let junit = bench.read("linkspec-out/h200-x2/junit.xml");
    assert!(junit.contains("<failure") && junit.contains("link-class"), "{junit}");
}

#[test]
fn a_missing_source_is_no_pass_and_is_named() {
    let bench = Bench::new().with_h200().remove("host/nvidia-smi-topo-m.txt");
    bench.run(&RUN).expect(3, &["nvidia-smi-topo-m.txt"]);
}

#[test]
fn a_misspelt_key_shows_its_line() {
    let bench = Bench::new().with_h200().replace("spec.yaml", "between:", "betwen:");
    let ran = bench.run(&RUN).expect(2, &["betwen", "did you mean `between`?", "spec.yaml:"]);
    assert_eq!(ran.stderr.matches("error:").count(), 1, "told once: {}", ran.stderr);
    assert!(!bench.path("linkspec-out").exists());
}

#[test]
fn an_empty_folder_holds_no_facts() {
    let bench = Bench::new().with_h200().file("empty/README", "");
    bench.run(&["spec.yaml", "--host", "empty"]).expect(3, &["nvidia-smi-topo-m.txt"]);
}

#[test]
fn a_host_that_is_not_there_is_a_usage_error() {
    Bench::new().with_h200().run(&["spec.yaml", "--host", "nowhere"]).expect(2, &["nowhere"]);
}

#[test]
fn a_cut_matrix_cannot_pass() {
    let bench = Bench::new().with_h200();
    let text = bench.read("host/nvidia-smi-topo-m.txt");
    let cut = text.find("GPU1\tNV18").unwrap() + 6;
    let bench = bench.file("host/nvidia-smi-topo-m.txt", &text[..cut]);
    bench.run(&[&RUN[..], &["nvlink-mesh"]].concat()).expect(3, &["GPU0-GPU1"]);
}

#[test]
fn files_that_disagree_make_a_fact_unknown_and_are_both_named() {
    let bench = Bench::new().with_h200();
    let xml = bench.read("host/nvidia-smi-q.xml").replace("<product_name>NVIDIA H200<", "<product_name>NVIDIA H100<");
    let bench = bench.file("host/nvidia-smi-q.xml", &xml);
    bench.run(&[&RUN[..], &["machine"]].concat()).expect(3, &["nvidia-smi-q.xml", "nvidia-smi-nvlink-s.txt"]);
}

#[test]
fn another_machine_makes_every_case_an_error() {
    let bench = Bench::new().with_h200().replace("spec.yaml", "gpu: \"NVIDIA H200\"", "gpu: \"NVIDIA B200\"");
    let ran = bench.run(&RUN).expect(3, &["NVIDIA B200"]);
    assert!(!ran.stdout.contains("pass  "), "{}", ran.stdout);
}

#[test]
fn a_gpu_count_that_differs_fails_the_machine_case() {
    let bench = Bench::new().with_h200().replace("spec.yaml", "gpus: 2", "gpus: 8");
    bench.run(&RUN).expect(1, &["h200-x2::machine", "machine has 2 GPUs, expected 8", "worst -75.00 %"]);
}

#[test]
fn a_machine_without_gpus_says_of_each_source_what_was_not_looked_for() {
    let bench = Bench::new().with_h200().file("root/proc/sys/kernel/hostname", "bare\n");
    let began = std::time::Instant::now();
    bench
        .run(&["spec.yaml", "--sysroot", "root"])
        .expect(3, &["no NVIDIA driver:", "no AMD driver is loaded", "no RDMA driver is loaded"]);
    // A tenth of a second, where nothing else is at work.
    assert!(began.elapsed().as_secs() < 5);
}

#[test]
fn a_run_can_be_judged_again_from_its_record() {
    let bench = Bench::new().with_h200();
    bench.run(&RUN).expect(0, &[]);
    let bench = bench.replace("spec.yaml", "require: NV18", "require: NV12");
    bench
        .run(&["spec.yaml", "--host", "linkspec-out/h200-x2/run.json", "--out", "again"])
        .expect(1, &["GPU0-GPU1", "NV12"]);
}

#[test]
fn several_specs_run_as_one_gate_with_a_folder_each() {
    let bench = Bench::new().with_h200();
    let other = bench.read("spec.yaml").replace("suite: h200-x2", "suite: other").replace("NV18", "NV12");
    let bench = bench.file("other.yaml", &other);
    bench
        .run(&["spec.yaml", "other.yaml", "--host", "host"])
        .expect(1, &["h200-x2::nvlink-mesh", "other::nvlink-mesh"]);
    assert!(bench.read("linkspec-out/h200-x2/junit.xml").contains("failures=\"0\""));
    assert!(bench.read("linkspec-out/other/junit.xml").contains("failures=\"1\""));
}
