//! NVIDIA's GPUs as linkspec reads them, against a stand-in for NVML.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use linkspec::{
    facts::{FabricState, Fact, Facts, LinkClass, NvLinkRemoteKind, Origin},
    probe::{self, Libraries, Site},
    units::Size,
};
use serde_json::{Value, json};

use crate::{
    library::stand_in,
    machines::{Machine, guest_h200, hgx_h100},
};

/// Reads a machine through a library.
fn read_machine(machine: &Machine, nvml: PathBuf) -> Facts {
    let rebuilt = machine.build();
    let site = Site {
        root: rebuilt.root().to_path_buf(),
        home: None,
        environment: BTreeMap::new(),
        pins: [("LINKSPEC_FAKE_NVML".to_owned(), rebuilt.nvml().to_str().unwrap().to_owned())].into(),
        libraries: Libraries { nvml: Some(nvml), ..Libraries::default() },
        program: env!("CARGO_BIN_EXE_linkspec").into(),
        deadline: Duration::from_secs(4),
    };
    probe::live(&site)
}

/// Reads the guest, through a stand-in with faults.
fn read(library: &str, faults: &Value) -> Facts {
    let mut machine = guest_h200();
    machine.nvml["faults"] = faults.clone();
    read_machine(&machine, stand_in(library))
}

fn line(facts: &Facts) -> &str {
    &facts.sources["NVIDIA GPUs"]
}

fn why<T>(fact: &Fact<T>) -> &str {
    fact.reason().unwrap()
}

#[test]
fn a_healthy_guest() {
    let facts = read("fake_nvml", &json!([]));
    assert_eq!(line(&facts), "2 GPUs through NVML (driver 580.159.04)");
    assert_eq!((&facts.origin, facts.cuda.value().unwrap().as_str()), (&Origin::Fake, "13.0"));
    let (gpu, pair) = (facts.gpu(1).unwrap(), facts.pair(0, 1).unwrap());
    assert_eq!(pair.class.value(), Some(&LinkClass::NvLink(18)));
    assert_eq!(pair.ancestor.value(), Some(&LinkClass::Phb));
    assert_eq!(gpu.pci_address.value().unwrap(), "0000:00:07.0");
    assert_eq!(gpu.memory.value(), Some(&Size(150_754_820_096)));
    assert_eq!(gpu.cpus.value().unwrap().to_string(), "0-31");
    assert_eq!((gpu.numa_id.value(), gpu.fabric_state.value()), (Some(&None), Some(&FabricState::Completed)));
    assert_eq!(gpu.throttle_reasons.value().unwrap(), &["idle"]);
    let link = &gpu.nvlinks.value().unwrap()[17];
    assert!((link.speed.unwrap().gigabytes_per_second() - 26.562).abs() < 1e-9);
    assert_eq!(link.remote.as_ref().unwrap().kind, NvLinkRemoteKind::Switch);
    assert_eq!(gpu.nvlink_errors.value().unwrap()[17].counters["CRC Errors"], 0);
}

#[test]
fn a_library_as_old_as_2018_lacks_what_is_newer_and_tells_the_rest() {
    let facts = read("fake_nvml_old", &json!([]));
    let gpu = facts.gpu(0).unwrap();
    assert_eq!(why(&gpu.fabric_state), "libnvidia-ml.so.1 has no nvmlDeviceGetGpuFabricInfoV");
    assert_eq!(why(&gpu.numa_id), "libnvidia-ml.so.1 has no nvmlDeviceGetNumaNodeId");
    assert_eq!(why(&gpu.retired_pages), "nvmlDeviceGetRetiredPages: not supported");
    assert_eq!(gpu.memory.value(), Some(&Size(150_754_820_096)));
    let link = &gpu.nvlinks.value().unwrap()[0];
    assert!(link.active && link.speed.is_none());
    assert_eq!(gpu.nvlink_errors.value().unwrap()[0].counters["Replay Errors"], 0);
}

#[test]
fn a_call_that_hangs_or_crashes_costs_one_gpu_and_is_named() {
    for (kind, end) in [("hang", "gave no answer within 4 s"), ("crash", "ended by SIGSEGV")] {
        // The other GPU is given time: a crash ends both.
        let slow = json!({"call": "nvmlDeviceGetSerial", "gpu": 1, "kind": {"slow": 500}});
        let facts = read("fake_nvml", &json!([slow, {"call": "nvmlDeviceGetMigMode", "gpu": 1, "kind": kind}]));
        assert!(line(&facts).ends_with("; not read to the end: GPU1"), "{}", line(&facts));
        let gpu = facts.gpu(1).unwrap();
        assert_eq!(gpu.pcie.width.value(), Some(&16));
        assert!(why(&gpu.mig).starts_with("the state of GPU1: "), "{}", why(&gpu.mig));
        assert!(why(&gpu.mig).ends_with(end), "{}", why(&gpu.mig));
        assert!(
            why(&facts.pair(0, 1).unwrap().class).starts_with("the NVLinks of GPU1 are unknown: the state of GPU1")
        );
        assert!(facts.gpu(0).unwrap().nvlink_errors.value().is_some());
        assert_eq!(facts.gpu_count.value(), Some(&2));
    }
}

#[test]
fn a_gpu_that_is_lost_is_named() {
    let facts = read("fake_nvml", &json!([{"call": "nvmlDeviceGetHandleByIndex_v2", "gpu": 1, "kind": "gone"}]));
    assert_eq!(facts.lost_gpus[0].pci_address, "0000:00:07.0");
    assert_eq!(facts.lost_gpus[0].quote, "GPU1: nvmlDeviceGetHandleByIndex_v2: the GPU is lost");
    let gpu = facts.gpu(1).unwrap();
    let reason = "nvmlDeviceGetHandleByIndex_v2: the GPU is lost";
    assert_eq!((why(&gpu.nvlinks), why(&gpu.nvlink_errors)), (reason, reason));
    assert_eq!(facts.gpu_count.value(), Some(&2));
}

#[test]
fn a_count_that_changes_is_a_conflict() {
    let facts = read("fake_nvml", &json!([{"call": "nvmlDeviceGetCount_v2", "after": 1, "kind": {"count": 1}}]));
    assert_eq!(why(&facts.gpu_count), "NVML counted 2 GPUs before it read them, and 1 afterwards");
    let facts = read("fake_nvml", &json!([{"call": "nvmlDeviceGetCount_v2", "kind": {"count": 1000}}]));
    assert_eq!(why(&facts.gpu_count), "nvmlDeviceGetCount_v2: answered 1000, which no machine has");
    assert_eq!(facts.gpus.len(), 0);
}

#[test]
fn nothing_is_known_where_nvml_does_not_start() {
    let init = |kind: Value| read("fake_nvml", &json!([{"call": "nvmlInit_v2", "kind": kind}]));
    let mismatch = "libnvidia-ml.so.1 is of another version than the loaded driver (that is 580.159.04): reload the driver or reboot";
    let crash = "NVML was not read: nvmlInit_v2: the process that read it was ended by SIGSEGV";
    for (facts, told) in [
        (init(json!({"error": 18})), mismatch),
        (init(json!({"error": 9})), "no NVIDIA driver: the kernel module is not loaded"),
        (init(json!("crash")), crash),
        (
            read_machine(&guest_h200(), Path::new("/no/such/libnvidia-ml.so.1").to_path_buf()),
            "the NVIDIA driver 580.159.04 is loaded, but libnvidia-ml.so.1 cannot be loaded",
        ),
    ] {
        assert_eq!(line(&facts), format!("{told}; the PCI bus has 2"));
        assert_eq!((facts.vendor.value(), facts.gpu_count.value(), facts.gpus.len()), (None, None, 0));
    }
}

#[test]
fn counters_that_hang_cost_nothing_else() {
    let refused = json!({"call": "nvmlDeviceGetFieldValues", "kind": {"error": 3}});
    let hang = json!({"call": "nvmlDeviceGetNvLinkErrorCounter", "gpu": 1, "kind": "hang"});
    let facts = read("fake_nvml", &json!([refused, hang]));
    assert!(line(&facts).ends_with("; not read to the end: NVLink errors of GPU1"), "{}", line(&facts));
    let gpu = facts.gpu(1).unwrap();
    assert_eq!(why(&gpu.nvlink_errors), "the NVLink errors of GPU1: gave no answer within 4 s");
    assert_eq!(gpu.nvlinks.value().unwrap().len(), 18);
    assert_eq!(facts.pair(0, 1).unwrap().class.value(), Some(&LinkClass::NvLink(18)));
    assert_eq!(facts.gpu(0).unwrap().nvlink_errors.value().unwrap().len(), 18);
}

#[test]
fn what_is_not_permitted_and_what_a_field_refuses() {
    let facts = read(
        "fake_nvml",
        &json!([
            {"call": "nvmlDeviceGetVbiosVersion", "kind": {"error": 4}},
            {"call": "nvmlDeviceGetFieldValues", "kind": {"error": 3}},
        ]),
    );
    let gpu = facts.gpu(0).unwrap();
    assert_eq!(why(&gpu.vbios), "nvmlDeviceGetVbiosVersion: no permission (more privilege is needed)");
    assert_eq!(gpu.nvlinks.value().unwrap().len(), 18);
    assert_eq!(gpu.nvlink_errors.value().unwrap().len(), 18);
}

#[test]
fn a_link_that_is_down_is_missing_from_each_of_its_pairs() {
    let mut machine = hgx_h100();
    machine.nvlink_down(3, 7);
    machine.nvml["pairs"][0]["p2p"] = json!([0, 0, 0, 6, 5]);
    machine.gpu(5)["nvlinks"][2]["speed"] = 0.into();
    let facts = read_machine(&machine, stand_in("fake_nvml"));
    assert_eq!((facts.gpu_count.value(), facts.gpu_pairs.len()), (Some(&8), 28));
    for pair in &facts.gpu_pairs {
        let links = if pair.a == 3 || pair.b == 3 { 17 } else { 18 };
        assert_eq!(pair.class.value(), Some(&LinkClass::NvLink(links)), "{pair:?}");
    }
    assert_eq!(why(&facts.gpu_pairs[0].p2p_atomics), "nvmlDeviceGetP2PStatus: unknown to the driver");
    // No speed is what a driver says that does not know it.
    let links = facts.gpu(5).unwrap().nvlinks.value().unwrap();
    assert!(links[1].speed.is_some() && links[2].active && links[2].speed.is_none());
}

#[test]
fn what_a_library_prints_costs_no_answer() {
    let healthy = read("fake_nvml", &json!([]));
    let everywhere = |kind: Value| read("fake_nvml", &json!([{ "kind": kind }]));
    // Without an end of line, with the end of one only, as a line of linkspec's own, and with nowhere left to print.
    for kind in [json!({"print": "NVML: odd"}), json!({"print": "\"done\"\n"}), json!("close-output")] {
        let facts = everywhere(kind.clone());
        assert_eq!(facts, healthy, "{kind}");
    }
}

#[test]
fn a_library_that_ends_the_process_is_told() {
    let facts = read("fake_nvml", &json!([{"call": "nvmlDeviceGetMigMode", "gpu": 1, "kind": {"exit": 0}}]));
    let mig = &facts.gpu(1).unwrap().mig;
    assert_eq!(why(mig), "the state of GPU1: the process that read it ended with exit code 0");
    assert!(facts.gpu(0).unwrap().nvlink_errors.value().is_some());
}

#[test]
fn a_gpu_that_is_lost_while_it_is_read_is_named() {
    // It is asked for its handle by its own lane, by GPU0's, and by its own at the end.
    let slow = json!({"call": "nvmlDeviceGetSerial", "gpu": 1, "kind": {"slow": 500}});
    let gone = json!({"call": "nvmlDeviceGetHandleByIndex_v2", "gpu": 1, "after": 2, "kind": "gone"});
    let facts = read("fake_nvml", &json!([slow, gone]));
    assert_eq!(facts.lost_gpus.len(), 1);
    assert_eq!(facts.lost_gpus[0].pci_address, "0000:00:07.0");
    assert_eq!(facts.pair(0, 1).unwrap().class.value(), Some(&LinkClass::NvLink(18)));
}
