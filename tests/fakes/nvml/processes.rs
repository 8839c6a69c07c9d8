//! Who is on a GPU, as 2018's drivers told it.

use std::ffi::{c_uint, c_ulonglong};

use crate::codes::{Code, INSUFFICIENT_SIZE, INVALID_ARGUMENT, code};
use crate::model::{Process, ProcessKind};
use crate::state::{Device, on_gpu};

/// `nvmlProcessInfo_v1_t`.
#[repr(C)]
#[derive(Debug)]
pub struct ProcessV1 {
    pid: c_uint,
    memory: c_ulonglong,
}

/// Writes a list of processes: how many there are, and each where there is room for all.
///
/// # Safety
///
/// `count` is null or points to how many entries `list` has room for.
pub unsafe fn write<T>(
    call: &str,
    device: Device,
    kind: ProcessKind,
    (count, list): (*mut c_uint, *mut T),
    entry: fn(&Process) -> T,
) -> Code {
    code(on_gpu(call, device, |gpu| {
        let found: Vec<&Process> = gpu.processes.iter().filter(|process| process.kind == kind).collect();
        if count.is_null() {
            return Err(INVALID_ARGUMENT);
        }
        // SAFETY: not null, as the caller promises.
        let room = unsafe { count.replace(u32::try_from(found.len()).unwrap_or(u32::MAX)) };
        if (room as usize) < found.len() {
            return Err(INSUFFICIENT_SIZE);
        }
        for (place, process) in found.into_iter().enumerate() {
            // SAFETY: within the room that the caller promises.
            unsafe { list.add(place).write(entry(process)) }
        }
        Ok(())
    }))
}

/// A process's memory, where `NVML_VALUE_NOT_AVAILABLE` is none.
pub fn memory(process: &Process) -> u64 {
    process.memory.unwrap_or(u64::MAX)
}

/// Functions that list processes.
macro_rules! process_calls {
    ($(fn $name:ident = $kind:expr, $entry:ty: $make:expr;)+) => {$(
        #[doc = concat!("`", stringify!($name), "` of NVML.")]
        ///
        /// # Safety
        ///
        /// `count` is null or points to how many entries `list` has room for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            device: $crate::state::Device,
            count: *mut std::ffi::c_uint,
            list: *mut $entry,
        ) -> $crate::codes::Code {
            // SAFETY: as the caller promises.
            unsafe { $crate::processes::write(stringify!($name), device, $kind, (count, list), $make) }
        }
    )+};
}

pub(crate) use process_calls;

fn first(process: &Process) -> ProcessV1 {
    ProcessV1 { pid: process.pid, memory: memory(process) }
}

self::process_calls! {
    fn nvmlDeviceGetComputeRunningProcesses = ProcessKind::Compute, ProcessV1: first;
    fn nvmlDeviceGetGraphicsRunningProcesses = ProcessKind::Graphics, ProcessV1: first;
}
