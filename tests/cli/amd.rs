//! A server with GPUs of AMD, whose amd-smi is a script.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

use crate::support::{Bench, Ran};

const SPEC: &str = "\
linkspec: 1
suite: server
machine: { vendor: amd, gpus: 2 }
tests:
  - { name: fabric, topology: { between: [gpu, gpu], require: XGMI } }
  - { name: boards, gpu: { name: AMD Instinct MI300X } }
";

/// Two GPUs, of which KFD shows the addresses and the link.
fn server(amd_smi: &str) -> Bench {
    let mut bench = Bench::new().file("spec.yaml", SPEC);
    for (node, bus, other) in [(1, 0x0c, 2), (2, 0x22, 1)] {
        let folder = format!("root/sys/class/kfd/kfd/topology/nodes/{node}");
        bench = bench
            .file(&format!("{folder}/gpu_id"), "51000\n")
            .file(&format!("{folder}/properties"), &format!("simd_count 1216\ndomain 0\nlocation_id {}\n", bus << 8))
            .file(&format!("{folder}/io_links/0/properties"), &format!("type 11\nnode_to {other}\nweight 15\n"))
            .file(&format!("{folder}/mem_banks/0/properties"), "heap_type 1\nsize_in_bytes 206141652992\n");
    }
    let bench = bench.file("root/opt/rocm/bin/amd-smi", &format!("#!/bin/sh\n{amd_smi}\n"));
    fs::set_permissions(bench.path("root/opt/rocm/bin/amd-smi"), fs::Permissions::from_mode(0o755)).unwrap();
    bench
}

/// What the child tells.
fn told(amd_smi: &str) -> Ran {
    let parent = std::process::id().to_string();
    server(amd_smi).run(&["probe-source", "amd", "--parent", &parent, "--sysroot", "root", "--probe-deadline", "20"])
}

const STATIC: &str = r#"
case "$1" in
    static) echo '[{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X"}, "bus": {"bdf": "0000:0c:00.0"}},
                   {"gpu": 1, "asic": {"market_name": "AMD Instinct MI300X"}, "bus": {"bdf": "0000:22:00.0"}}]' ;;
    *) echo "not here" >&2; exit 4 ;;
esac"#;

#[test]
fn each_command_is_told_by_itself() {
    let ran = told(STATIC);
    let text = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, 0, "{text}");
    for part in ["MI300X", "amd-smi topology --json: it ended with exit status: 4: not here", "\"done\""] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn what_amd_smi_prints_is_judged() {
    let ran = server(STATIC).run(&["spec.yaml", "--sysroot", "root", "--probe-deadline", "20"]);
    ran.expect(0, &["3 passed"]);
}

#[test]
fn garbage_gives_nothing_and_is_quoted() {
    let ran = server("echo Segmentation fault").run(&["spec.yaml", "--sysroot", "root", "--probe-deadline", "20"]);
    ran.expect(3, &["name is unknown: amd-smi static --json printed no list of GPUs", "Segmentation fault"]);
}

#[test]
fn one_that_hangs_costs_its_own_facts_and_is_ended() {
    let bench = server("echo $$ >> \"${0%/*}/pids\"; exec sleep 300");
    let began = Instant::now();
    bench
        .run(&["spec.yaml", "--sysroot", "root", "--probe-deadline", "3"])
        .expect(3, &["2 passed", "name is unknown: amd-smi static --json: gave no answer within 3 s"]);
    assert!(began.elapsed() < Duration::from_secs(60));
    let running = |pid: &str| {
        // One that nobody has waited for yet has ended all the same.
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    };
    let pids = bench.read("root/opt/rocm/bin/pids");
    assert_eq!(pids.lines().count(), 3);
    assert_eq!(pids.lines().find(|pid| running(pid)), None);
}
