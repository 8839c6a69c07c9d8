//! A stand-in for libibverbs: answers from the file that LINKSPEC_FAKE_VERBS names, with faults on demand.
//!
//! ```json
//! {"devices": {"mlx5_0": {"ports": {"1": {"state": 4, "max_mtu": 5, "active_mtu": 5}}, "fault": {"call": "open", "as": "hang"}}}}
//! ```
//!
//! `call` is `open` or `query`; `as` is `hang`, `crash`, or the errno of an error. A device that is left out is not
//! listed.

#![expect(unsafe_code, reason = "it exports C functions")]
#![expect(clippy::missing_safety_doc, reason = "the contracts are those of libibverbs")]

use std::{
    collections::BTreeMap,
    ffi::{CString, c_char, c_int},
    ptr, thread,
    time::Duration,
};

use serde::Deserialize;

#[derive(Deserialize)]
struct Machine {
    devices: BTreeMap<String, Described>,
}

#[derive(Clone, Deserialize)]
struct Described {
    ports: BTreeMap<u8, Port>,
    fault: Option<Fault>,
}

#[derive(Clone, Deserialize)]
struct Port {
    state: u32,
    max_mtu: u32,
    active_mtu: u32,
}

#[derive(Clone, Deserialize)]
struct Fault {
    call: String,
    r#as: Way,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Way {
    Errno(c_int),
    Word(String),
}

/// What the callers see as `struct ibv_device` and as `struct ibv_context`.
#[derive(Clone)]
pub struct Device {
    name: CString,
    described: Described,
}

impl Device {
    /// Does what a call is to suffer; the errno of one that is to fail.
    fn suffer(&self, call: &str) -> c_int {
        let Some(fault) = self.described.fault.as_ref().filter(|fault| fault.call == call) else { return 0 };
        match &fault.r#as {
            Way::Errno(errno) => *errno,
            Way::Word(word) if word == "hang" => loop {
                thread::sleep(Duration::from_secs(60));
            },
            Way::Word(_) => std::process::abort(),
        }
    }
}

/// Says that this is a stand-in.
#[unsafe(no_mangle)]
pub extern "C" fn linkspec_fake() {}

/// The devices of the machine: null with an errno where the file does not say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_get_device_list(count: *mut c_int) -> *mut *mut Device {
    let text = std::env::var_os("LINKSPEC_FAKE_VERBS").and_then(|path| std::fs::read_to_string(path).ok());
    let Some(machine) = text.and_then(|text| serde_json::from_str::<Machine>(&text).ok()) else {
        nix::errno::Errno::ENOSYS.set();
        return ptr::null_mut();
    };
    let mut list: Vec<*mut Device> = Vec::new();
    for (name, described) in machine.devices {
        let name = CString::new(name).unwrap_or_default();
        list.push(Box::into_raw(Box::new(Device { name, described })));
    }
    if !count.is_null() {
        // SAFETY: the caller's pointer is valid, as libibverbs asks.
        unsafe { *count = c_int::try_from(list.len()).unwrap_or(0) };
    }
    list.push(ptr::null_mut());
    Box::leak(list.into_boxed_slice()).as_mut_ptr()
}

/// Leaves the list where it is: a test's process is short.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_free_device_list(_list: *mut *mut Device) {}

/// The name of a listed device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_get_device_name(device: *mut Device) -> *const c_char {
    // SAFETY: the device is of the list.
    unsafe { device.as_ref() }.map_or(ptr::null(), |device| device.name.as_ptr())
}

/// Opens a device: null with an errno where that is to fail.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_open_device(device: *mut Device) -> *mut Device {
    // SAFETY: the device is of the list.
    let Some(device) = (unsafe { device.as_ref() }) else { return ptr::null_mut() };
    match device.suffer("open") {
        0 => Box::into_raw(Box::new(device.clone())),
        errno => {
            nix::errno::Errno::from_raw(errno).set();
            ptr::null_mut()
        }
    }
}

/// Closes a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_close_device(context: *mut Device) -> c_int {
    // SAFETY: the context is of `ibv_open_device` and is not used again.
    drop(unsafe { Box::from_raw(context) });
    0
}

/// Fills the first 48 bytes of `struct ibv_port_attr`, as the exported function of libibverbs does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_query_port(context: *mut Device, number: u8, attributes: *mut u32) -> c_int {
    // SAFETY: the context is open.
    let Some(device) = (unsafe { context.as_ref() }) else { return nix::errno::Errno::EINVAL as c_int };
    let errno = device.suffer("query");
    let Some(port) = device.described.ports.get(&number).filter(|_| errno == 0) else {
        return if errno == 0 { nix::errno::Errno::EINVAL as c_int } else { errno };
    };
    // SAFETY: the caller gives room for the structure.
    let words = unsafe { std::slice::from_raw_parts_mut(attributes, 12) };
    words.fill(0);
    words[..3].copy_from_slice(&[port.state, port.max_mtu, port.active_mtu]);
    0
}
