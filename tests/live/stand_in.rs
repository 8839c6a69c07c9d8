//! The stand-ins for libnvidia-ml, each asked in a process of its own, as they read their file once.
#![expect(unsafe_code, reason = "a C library is loaded and called")]

use std::{
    env,
    ffi::{c_char, c_uint, c_void},
    process::{Command, Output},
};

use libloading::Library;
use serde_json::json;

use crate::{
    library::stand_in,
    machines::{Machine, gb200_tray, guest_h200, hgx_h100, mi300x, pcie_l40s},
};

/// The library that a process of this test is to ask; not set in the test's own process.
const ASK: &str = "LINKSPEC_TEST_ASK";

/// Asks a stand-in that plays a machine.
fn ask(name: &str, machine: &Machine) -> Output {
    let rebuilt = machine.build();
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "stand_in::questions", "--nocapture"])
        .env(ASK, stand_in(name))
        .env("LINKSPEC_FAKE_NVML", rebuilt.nvml())
        .output()
        .unwrap()
}

/// The line that a process said, after the word `said`.
fn said(name: &str, machine: &Machine) -> String {
    let output = ask(name, machine);
    let text = String::from_utf8(output.stdout).unwrap();
    let said = text.lines().find_map(|line| line.split_once("said ")).map(|(_, said)| said.to_owned());
    said.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// What the other process asks: codes and answers in one line.
#[test]
fn questions() {
    let Some(path) = env::var_os(ASK) else { return };
    // SAFETY: a stand-in has no code that runs when it is loaded.
    let library = unsafe { Library::new(path) }.unwrap();
    // SAFETY: the signatures are those of nvml.h; every pointer is to a place of the type that is written.
    unsafe {
        let init = library.get::<unsafe extern "C" fn() -> c_uint>(b"nvmlInit_v2").unwrap()();
        let mut count: c_uint = 0;
        let get = library.get::<unsafe extern "C" fn(*mut c_uint) -> c_uint>(b"nvmlDeviceGetCount_v2").unwrap();
        let counted = get(&raw mut count);
        let mut gpu: *mut c_void = std::ptr::null_mut();
        let get =
            library.get::<unsafe extern "C" fn(c_uint, *mut *mut c_void) -> c_uint>(b"nvmlDeviceGetHandleByIndex_v2");
        let handle = get.unwrap()(0, &raw mut gpu);
        let mut name = [0_u8; 96];
        let get = library.get::<unsafe extern "C" fn(*mut c_void, *mut c_char, c_uint) -> c_uint>(b"nvmlDeviceGetName");
        let named = get.unwrap()(gpu, name.as_mut_ptr().cast(), 96);
        let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
        let get = library
            .get::<unsafe extern "C" fn(*mut c_void, c_uint, *mut c_uint) -> c_uint>(b"nvmlDeviceGetNvLinkState");
        let state = get.unwrap();
        let mut up: c_uint = 0;
        let links = [0, 17, 18].map(|slot| state(gpu, slot, &raw mut up));
        let fabric = library.get::<*const c_void>(b"nvmlDeviceGetGpuFabricInfoV").is_ok();
        let fake = library.get::<*const i32>(b"linkspec_fake").is_ok();
        println!("\nsaid {init} {counted}:{count} {handle} {named}:{name} links {links:?} fabric {fabric} fake {fake}");
    }
}

#[test]
fn plays_each_machine() {
    let h100 = "0 0:8 0 0:NVIDIA H100 80GB HBM3 links [0, 0, 2] fabric true fake true";
    assert_eq!(said("fake_nvml", &hgx_h100()), h100);
    assert_eq!(said("fake_nvml_old", &hgx_h100()), h100.replace("fabric true", "fabric false"));
    let h200 = "0 0:2 0 0:NVIDIA H200 links [0, 0, 2] fabric true fake true";
    assert_eq!(said("fake_nvml", &guest_h200()), h200);
    let gb200 = "0 0:4 0 0:NVIDIA GB200 links [0, 0, 2] fabric true fake true";
    assert_eq!(said("fake_nvml", &gb200_tray()), gb200);
    assert!(said("fake_nvml", &pcie_l40s()).starts_with("0 0:4 0 0:NVIDIA L40S links [2, 2, 2]"));
    // No driver of NVIDIA.
    assert!(said("fake_nvml", &mi300x()).starts_with("9 1:0 1 1: "));
}

#[test]
fn faults_on_demand() {
    let with = |fault: serde_json::Value| {
        let mut machine = hgx_h100();
        machine.nvml_fault(fault);
        machine
    };
    let mismatch = with(json!({"call": "nvmlInit_v2", "kind": {"error": 18}}));
    // Without a driver every other call says that there was no initialization.
    assert!(said("fake_nvml", &mismatch).starts_with("18 1:0 1 1: links [1, 1, 1]"));
    let lost = with(json!({"gpu": 0, "after": 1, "kind": "gone"}));
    assert!(said("fake_nvml", &lost).starts_with("0 0:8 0 15: links [15, 15, 15]"));
    let fewer = with(json!({"call": "nvmlDeviceGetCount_v2", "kind": {"count": 7}}));
    assert!(said("fake_nvml", &fewer).starts_with("0 0:7 0 0:"));
    let crash = ask("fake_nvml", &with(json!({"call": "nvmlDeviceGetName", "gpu": 0, "kind": "crash"})));
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&crash.status), Some(11));
}
