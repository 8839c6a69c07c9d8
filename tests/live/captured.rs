//! A capture is judged as its machine is: every case, with the same findings in the same words.

use std::fs;

use linkspec::{
    capture::without_identifiers,
    facts::{Facts, Origin},
};
use regex::Regex;
use serde_json::{Value, json};

use crate::{
    machines::{Machine, gb200_tray, guest_h200, hgx_h100, mi300x, pcie_l40s},
    seat::Seat,
};

/// Every kind and key that asks something of a machine.
const ALL_KINDS: &str = include_str!("captured.yaml");

/// Forms of identifiers, and of the stand-ins for them.
const IDENTIFIERS: &str = r"(?:[0-9a-f]{4}:){7}[0-9a-f]{4}|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}|0x[0-9a-f]{16}|10\.[0-9.]+|192\.0\.2\.[0-9]+|rocex[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/// A machine with a change, and files that are written once it is built.
struct Case {
    name: &'static str,
    machine: Machine,
    files: Vec<(String, String)>,
}

fn changed(name: &'static str, mut machine: Machine, change: impl FnOnce(&mut Machine)) -> Case {
    change(&mut machine);
    Case { name, machine, files: Vec::new() }
}

impl Case {
    fn file(mut self, path: &str, text: &str) -> Self {
        self.files.push((path.to_owned(), text.to_owned()));
        self
    }
}

/// One machine has as many faults as it has GPUs that none hides another's.
fn gpus_of_an_hgx(machine: &mut Machine) {
    machine.nvlink_down(3, 7);
    machine.fabric_in_progress(2);
    let cluster = "0123456789abcdef0123456789abcdef";
    machine.gpu(1)["fabric"] =
        json!({"state": 3, "cluster": cluster, "health_mask": 1, "clique": 7, "health_summary": 2});
    machine.gpu(4)["ecc"] = json!({"mode": [1, 0], "corrected": [11, 12], "uncorrected": [1, 2]});
    machine.gpu(5)["remapped"] = json!([1, 2, 1, 1]);
    machine.gpu(5)["throttle"] = 0x68.into();
    machine.gpu(6)["nvlinks"][3]["speed"] = 19_922.into();
    machine.gpu(6)["pcie"]["width"] = 8.into();
    machine.gpu(7)["pcie"]["gen"] = 1.into();
    machine.gpu(7)["mig"] = json!([1, 0]);
    machine.gpu(7)["persistence"] = 0.into();
    machine.nvml["pairs"][9]["p2p"] = json!([1, 2, 3, 6, 5]);
    machine.gpu_gone_from_nvml(0);
}

fn two_of_one_identity_and_no_answers(machine: &mut Machine) {
    for key in ["uuid", "serial"] {
        machine.gpu(1)[key] = machine.gpu(0)[key].clone();
    }
    for key in ["pcie", "ecc", "remapped", "throttle", "persistence", "mig", "fabric", "cpus", "vbios"] {
        machine.gpu(0)[key] = Value::Null;
    }
}

#[test]
fn gpus_at_fault() {
    let fault = |name, fault: Value| changed(name, guest_h200(), |machine| machine.nvml_fault(fault));
    are_judged_alike(&[
        changed("gpus of an HGX", hgx_h100(), gpus_of_an_hgx),
        changed("two of one identity", guest_h200(), two_of_one_identity_and_no_answers),
        fault("no driver", json!({"call": "nvmlInit_v2", "kind": {"error": 9}})),
        fault("mismatch", json!({"call": "nvmlInit_v2", "kind": {"error": 18}})),
        fault("lost", json!({"call": "nvmlDeviceGetHandleByIndex_v2", "gpu": 1, "kind": "gone"})),
        fault("lost later", json!({"gpu": 1, "after": 9, "kind": "gone"})),
        fault("count", json!({"call": "nvmlDeviceGetCount_v2", "after": 1, "kind": {"count": 1}})),
        changed("xgmi", mi300x(), |machine| machine.amd.as_mut().unwrap().xgmi_down.push([0, 5])),
        changed("amd-smi fails", mi300x(), |_| {})
            .file("usr/bin/amd-smi", "#!/bin/sh\necho 'no host node17 at 10.1.2.3' >&2; exit 3\n"),
    ]);
}

fn settings(machine: &mut Machine) {
    let host = &mut machine.host;
    host.command_line = "ro root=UUID=5f3a9c01-2b1d-4f7b-9f9c-0b1c2d3e4f50 iommu=pt pci=noacs \
                         ip=10.2.3.4::10.2.3.1:255.255.255.0:hgx-h100:eth0 rd.iscsi.password=hunter2";
    (host.numa_balancing, host.shm, host.iommu, host.fabric_manager) = (1, "65536k", Some("DMA"), Some("580.95.04"));
    host.services = Some(vec!["user@1000", r"systemd-fsck@dev-disk-by\x2duuid-5F3A\x2d9C01"]);
    host.kernel_log = [
        "NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        "NVRM: GPU at PCI:0000:1b:00: GPU-00000000-0000-0000-0000-000000000001",
        "NVRM: Xid (PCI:0000:43:00): 13, pid=1234, name=hgx-h100, Graphics Exception: ESR 0x504648=0x1c000e",
        "nvidia-nvswitch0: SXid (PCI:0000:06:00.0): 12028, Non-fatal, Link 40 egress non-posted PRIV error",
        "pcieport 0000:15:01.0: AER: Uncorrected (Fatal) error received: 0000:16:00.0",
        "microcode: Current revision: 0x2b000590",
        "BAR 1: 131072 MiB at 10.2.3.4",
        "hgx-h100 kernel: AER: hgx-h100 0xb83fd20300ab1234 b8:3f:d2:ab:12:34",
    ]
    .map(str::to_owned)
    .into();
    machine.pci("0000:15:01.0").config.acs = Some(0x1d);
    machine.pci("0000:3d:01.0").config.size = 64;
}

#[test]
fn hosts_at_fault() {
    // Words of the machine that the spec asks for.
    let named = |name| changed(name, pcie_l40s(), |machine| machine.host.name = name);
    are_judged_alike(&[
        named("l40s"),
        named("NVIDIA"),
        named("pt"),
        named("active"),
        named("persistenced"),
        changed("settings", hgx_h100(), settings),
        changed("no systemd, no modules", hgx_h100(), |machine| {
            (machine.host.services, machine.host.fabric_manager) = (None, None);
            machine.host.modules = vec!["nvidia"];
        }),
        changed("nothing of use", guest_h200(), |_| {})
            .file("dev/kmsg", "6,900,1,-;late\nnothing\n")
            .file("sys/devices/system/node/online", "x\n")
            .file("proc/cmdline", "\u{fffd}")
            .file("proc/self/limits", "Max locked memory  many\n"),
        changed("variables, no log", guest_h200(), |_| {})
            .file("dev/kmsg", "")
            .file("etc/nccl.conf", "NCCL_DEBUG=INFO\nNCCL_IB_HCA=mlx5_0\nNCCL_COMM_ID=10.1.2.3:77\n"),
    ]);
}

/// Each port with a fault of its own.
#[test]
fn ports_at_fault() {
    let mut case = changed("ports", hgx_h100(), |machine| {
        machine.port_down("mlx5_4");
        // Devices that are named by their hardware addresses.
        machine.rdma("mlx5_1").name = "rocexb83fd2ab1234".to_owned();
        machine.rdma("mlx5_2").name = "rocexb83fd2ab1233".to_owned();
    });
    let at = |number: u32, file: &str| format!("sys/class/infiniband/mlx5_{number}/ports/1/{file}");
    for (number, gid) in [
        (0, "2a01:04f8:0000:0000:0000:0000:0000:0017"),
        (3, "0000:0000:0000:0000:0000:ffff:0a02:0304"),
        (5, "0000:0000:0000:0000:0000:ffff:a9fe:0304"),
        (6, "fec0:0000:0000:0000:0000:0000:0000:0001"),
        (7, "ff0e:0000:0000:0000:0000:0000:0000:0001"),
        (8, "0000:0000:0000:0000:0000:0000:0a02:0304"),
        (9, "fd00:0000:0000:0000:0000:0000:0a02:0304"),
    ] {
        case = case.file(&at(number, "gids/1"), &format!("{gid}\n"));
        case = case.file(&at(number, "gid_attrs/types/1"), "RoCE v2\n");
    }
    for (number, file, text) in [
        (0, "state", "ACTIVE?"),
        (3, "rate", "fast"),
        (5, "counters/symbol_error", "N/A (no PMA)"),
        (6, "counters/link_error_recovery", "18446744073709551615"),
        (7, "counters/link_downed", "-1"),
        (10, "gids/0", "none"),
    ] {
        case = case.file(&at(number, file), &format!("{text}\n"));
    }
    are_judged_alike(&[case]);
}

#[test]
fn machines_as_they_should_be() {
    are_judged_alike(&[hgx_h100(), gb200_tray()].map(|machine| changed(machine.host.name, machine, |_| {})));
}

fn are_judged_alike(cases: &[Case]) {
    let failed: Vec<String> = cases.iter().flat_map(differences).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// Runs the spec on the machine, and on what was saved of it: with its identifiers and without. Tells what differs.
fn differences(Case { name, machine, files }: &Case) -> Vec<String> {
    let seat = Seat::new(machine);
    for (path, text) in files {
        fs::create_dir_all(seat.root().join(path).parent().unwrap()).unwrap();
        fs::write(seat.root().join(path), text).unwrap();
    }
    fs::write(seat.path("all.yaml"), ALL_KINDS.replace("ROOT", seat.root().to_str().unwrap())).unwrap();
    let record = |out: &str, text: &str| -> Value {
        let read = fs::read(seat.path(&format!("{out}/all-kinds/run.json")));
        serde_json::from_slice(&read.unwrap_or_else(|_| panic!("{name}: {text}"))).unwrap()
    };
    let live = seat.live(&["all.yaml", "--level", "soak", "--out", "live"]);
    let live = record("live", &live.text);
    fs::create_dir(seat.path("saved")).unwrap();
    for (file, facts) in [("facts.json", &live["header"]["facts"]), ("facts-after.json", &live["facts_after"])] {
        let facts: Facts = serde_json::from_value(facts.clone()).unwrap();
        assert_eq!(facts.origin, Origin::Fake);
        let facts = serde_json::to_string(&without_identifiers(facts)).unwrap();
        fs::write(seat.path(&format!("saved/{file}")), facts).unwrap();
    }
    let mut differ = Vec::new();
    for (out, host) in [("kept", "live/all-kinds/run.json"), ("replaced", "saved")] {
        let ran = seat.saved(&["all.yaml", "--level", "soak", "--out", out, "--host", host]);
        let (expected, found) = (verdicts(&live, host == "saved"), verdicts(&record(out, &ran.text), host == "saved"));
        assert_eq!(expected.len(), found.len(), "{name}: {host}");
        let differing = expected.iter().zip(&found).filter(|(expected, found)| expected != found);
        differ.extend(differing.map(|(expected, found)| format!("{name}: {host}: {}", difference(expected, found))));
    }
    differ
}

/// A case, and the lines of its verdicts from the first that differ on.
fn difference(expected: &str, found: &str) -> String {
    let same = expected.lines().zip(found.lines()).take_while(|(expected, found)| expected == found).count();
    let from = |text: &str| text.lines().skip(same).take(6).collect::<Vec<_>>().join("\n");
    let case = expected.lines().next().unwrap_or_default();
    format!("{case}\nexpected:\n{}\nfound:\n{}", from(expected), from(found))
}

/// The verdict of each case that is about the machine's state, without the hints: what to do next differs.
fn verdicts(run: &Value, masked: bool) -> Vec<String> {
    let host = run.pointer("/header/facts/host/name/known/value").and_then(Value::as_str).unwrap_or_default();
    let identifiers = Regex::new(IDENTIFIERS).unwrap();
    let cases = run["cases"].as_array().unwrap().iter();
    let cases = cases.filter(|case| case["kind"] != "command" && case["kind"] != "collective");
    cases
        .map(|case| {
            let mut verdict = case["verdict"].clone();
            for finding in verdict["findings"].as_array_mut().unwrap() {
                finding.as_object_mut().unwrap().remove("hint");
            }
            let text = format!("{} {verdict:#}", case["name"]);
            if !masked {
                return text;
            }
            // A source says so where it is of what was replaced.
            let text = text.replace(" (identifiers replaced)", "");
            // A name with a hyphen is no word of the machine.
            let text = if host.contains('-') { text.replace(host, "IDENTIFIER") } else { text };
            identifiers.replace_all(&text, "IDENTIFIER").into_owned()
        })
        .collect()
}
