//! Who is on the GPUs, as linkspec reads it before it measures.

use std::{collections::BTreeMap, fs, path::PathBuf, time::Duration};

use linkspec::{
    facts::Vendor,
    ground::{busy, not_free},
    probe::{self, GpuUse, Libraries, Site},
};
use serde_json::json;

use crate::{
    library::stand_in,
    machines::{AmdProcess, Machine, Rebuilt, guest_h200, mi300x},
};

const GIB: u64 = 1 << 30;

fn read(rebuilt: &Rebuilt, nvml: PathBuf, vendor: Vendor) -> Result<Vec<GpuUse>, String> {
    let site = Site {
        root: rebuilt.root().to_path_buf(),
        home: None,
        environment: BTreeMap::new(),
        pins: [("LINKSPEC_FAKE_NVML".to_owned(), rebuilt.nvml().to_str().unwrap().to_owned())].into(),
        libraries: Libraries { nvml: Some(nvml), ..Libraries::default() },
        program: env!("CARGO_BIN_EXE_linkspec").into(),
        deadline: Duration::from_secs(4),
    };
    probe::occupancy(&site, vendor)
}

/// A program's name, as the kernel shows it.
fn comm(rebuilt: &Rebuilt, pid: u32, name: &str) {
    let folder = rebuilt.root().join(format!("proc/{pid}"));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("comm"), format!("{name}\n")).unwrap();
}

fn busy_guest() -> Machine {
    let mut machine = guest_h200();
    for gpu in [0, 1] {
        machine.gpu(gpu)["reserved"] = 644_939_776_u64.into();
    }
    machine.gpu(0)["used"] = (13 * GIB).into();
    machine.gpu(0)["processes"] = json!([
        {"pid": 4711, "kind": "compute", "memory": 12 * GIB + (400 << 20)},
        {"pid": 812, "kind": "graphics", "memory": 96 << 20},
        {"pid": 4711, "kind": "graphics", "memory": 12 * GIB},
        {"pid": 5000, "kind": "mps", "memory": null},
    ]);
    machine
}

fn guest_gpus() -> Vec<(u32, String)> {
    vec![(0, "0000:00:06.0".to_owned()), (1, "0000:00:07.0".to_owned())]
}

const PYTHON: &str = "GPU0 is in use by PID 4711 (python3, 12.3 GiB): end it, or leave the GPU out with `gpus`";

#[test]
fn who_is_on_nvidias_gpus_is_named() {
    let rebuilt = busy_guest().build();
    comm(&rebuilt, 4711, "python3");
    comm(&rebuilt, 812, "Xorg");
    let uses = read(&rebuilt, stand_in("fake_nvml"), Vendor::Nvidia).unwrap();
    assert_eq!(uses.len(), 2);
    assert_eq!((uses[0].used.clone(), uses[0].reserved), (Ok(13 * GIB), Some(644_939_776)));
    let remarks = busy(&uses, &guest_gpus(), &[]);
    let client = "GPU0 is in use by PID 5000: end it, or leave the GPU out with `gpus`";
    assert_eq!(remarks.problems, [PYTHON, client]);
    assert_eq!(remarks.warnings, ["GPU0 also serves PID 812 (Xorg, 96 MiB), which does not compute"]);
    // The other GPU is free, and what the driver keeps for itself is nobody's.
    assert_eq!(busy(&uses, &guest_gpus()[1..], &[]), Default::default());
    assert_eq!(not_free(&uses, &uses, &guest_gpus(), &[]), Default::default());
}

#[test]
fn a_driver_of_2018_tells_the_processes_too() {
    let rebuilt = busy_guest().build();
    comm(&rebuilt, 4711, "python3");
    let uses = read(&rebuilt, stand_in("fake_nvml_old"), Vendor::Nvidia).unwrap();
    assert_eq!((uses[1].used.clone(), uses[1].reserved), (Ok(644_939_776), None));
    let remarks = busy(&uses, &guest_gpus(), &[]);
    assert_eq!((remarks.problems.as_slice(), remarks.warnings.len()), ([PYTHON.to_owned()].as_slice(), 1));
}

#[test]
fn many_processes_are_all_listed() {
    let mut machine = guest_h200();
    machine.gpu(1)["processes"] =
        (1..=200).map(|pid| json!({"pid": pid, "kind": "compute", "memory": 1})).collect::<Vec<_>>().into();
    let uses = read(&machine.build(), stand_in("fake_nvml"), Vendor::Nvidia).unwrap();
    assert_eq!(uses[1].processes.as_ref().map(Vec::len), Ok(200));
}

#[test]
fn what_nvml_does_not_tell_is_a_warning() {
    let mut machine = guest_h200();
    let list = "nvmlDeviceGetComputeRunningProcesses_v3";
    machine.nvml_fault(json!({"call": list, "gpu": 0, "kind": {"error": 4}}));
    machine.nvml_fault(json!({"call": "nvmlDeviceGetMemoryInfo_v2", "gpu": 1, "kind": "hang"}));
    let uses = read(&machine.build(), stand_in("fake_nvml"), Vendor::Nvidia).unwrap();
    let remarks = busy(&uses, &guest_gpus(), &[]);
    assert_eq!(
        remarks.warnings,
        [
            "whether other processes use GPU0 is not known: nvmlDeviceGetComputeRunningProcesses: no permission (more \
             privilege is needed)",
            "whether GPU1 is free is not known: the driver says nothing of 0000:00:07.0",
        ]
    );
    let absent = read(&guest_h200().build(), "/no/such/library".into(), Vendor::Nvidia).unwrap_err();
    assert!(absent.contains("cannot be loaded"), "{absent}");
}

#[test]
fn who_is_on_amds_gpus_is_named() {
    let mut machine = mi300x();
    let amd = machine.amd.as_mut().unwrap();
    let gpus: Vec<(u32, String)> = amd.gpus.iter().zip(0..).map(|(gpu, index)| (index, gpu.pci.clone())).collect();
    let mut memory = [0; 8];
    (memory[2], memory[3]) = (5 * GIB, 4 << 20);
    amd.processes = vec![AmdProcess { pid: 4711, memory, queues: vec![2] }];
    let rebuilt = machine.build();
    comm(&rebuilt, 4711, "python3");
    let uses = read(&rebuilt, "/no/such/library".into(), Vendor::Amd).unwrap();
    assert_eq!((uses.len(), uses[0].total.clone()), (8, Ok(196_592 << 20)));
    let remarks = busy(&uses, &gpus, &[]);
    let wanted = "GPU2 is in use by PID 4711 (python3, 5.0 GiB): end it, or leave the GPU out with `gpus`";
    assert_eq!(remarks.problems, [wanted]);
    // KFD shows it on every GPU; it has a little memory on this one, and computes on another.
    assert_eq!(remarks.warnings, ["GPU3 also serves PID 4711 (python3, 4 MiB), which does not compute"]);
    let no_driver = read(&guest_h200().build(), "/no/such/library".into(), Vendor::Amd).unwrap_err();
    assert_eq!(no_driver, "no AMD driver is loaded (/sys/class/kfd is not there)");
}
