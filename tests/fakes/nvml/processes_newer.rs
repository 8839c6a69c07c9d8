//! Who is on a GPU, as drivers tell it since R510, by partition too.

use std::ffi::{c_uint, c_ulonglong};

use crate::model::{Process, ProcessKind};
use crate::processes::{memory, process_calls};

/// `nvmlProcessInfo_v2_t`, which the third version of the calls fills too.
#[repr(C)]
#[derive(Debug)]
pub struct ProcessV2 {
    pid: c_uint,
    memory: c_ulonglong,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

/// On no partition of the GPU.
const WHOLE: c_uint = c_uint::MAX;

fn second(process: &Process) -> ProcessV2 {
    ProcessV2 { pid: process.pid, memory: memory(process), gpu_instance: WHOLE, compute_instance: WHOLE }
}

process_calls! {
    fn nvmlDeviceGetComputeRunningProcesses_v3 = ProcessKind::Compute, ProcessV2: second;
    fn nvmlDeviceGetGraphicsRunningProcesses_v3 = ProcessKind::Graphics, ProcessV2: second;
    fn nvmlDeviceGetMPSComputeRunningProcesses_v3 = ProcessKind::Mps, ProcessV2: second;
}
