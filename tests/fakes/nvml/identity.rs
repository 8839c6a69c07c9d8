//! What a GPU is and where it is plugged in.

use std::ffi::{c_char, c_uint};

use crate::codes::{Code, INVALID_ARGUMENT, NOT_SUPPORTED, UNKNOWN, code};
use crate::out::{self, gpu_calls};
use crate::state::{Device, on_gpu};

/// `nvmlPciInfo_t`.
#[repr(C)]
#[derive(Debug)]
pub struct PciInfo {
    bus_id_legacy: [c_char; 16],
    domain: c_uint,
    bus: c_uint,
    device: c_uint,
    device_id: c_uint,
    subsystem_id: c_uint,
    bus_id: [c_char; 32],
}

/// What a guest is told of a device that it does not see.
pub const HIDDEN: &str = "FFFFFFFF:FF:FF.0";

/// An address as NVML writes it: eight digits of the domain, four to seven in the legacy form.
pub fn pci_info(address: &str, device_id: u32, subsystem_id: u32) -> Option<PciInfo> {
    let mut parts = address.split([':', '.']).map(|part| u32::from_str_radix(part, 16));
    let mut next = || parts.next()?.ok();
    let (domain, bus, device) = (next()?, next()?, next()?);
    Some(PciInfo {
        bus_id_legacy: out::array(&format!("{:04X}:{bus:02X}:{device:02X}.0", domain & 0x0FFF_FFFF)),
        domain,
        bus,
        device,
        device_id,
        subsystem_id,
        bus_id: out::array(&format!("{domain:08X}:{bus:02X}:{device:02X}.0")),
    })
}

/// The texts: null where the GPU has none.
macro_rules! texts {
    ($(fn $name:ident = $answer:expr;)+) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("`", stringify!($name), "` of NVML.")]
        pub unsafe extern "C" fn $name(device: Device, text: *mut c_char, length: c_uint) -> Code {
            let answer: fn(&crate::model::Gpu) -> Option<&String> = $answer;
            code(on_gpu(stringify!($name), device, |gpu| {
                // SAFETY: the caller of a C function passes a place of the length that it says.
                unsafe { out::text(answer(gpu).ok_or(NOT_SUPPORTED)?, text, length) }
            }))
        }
    )+};
}

texts! {
    fn nvmlDeviceGetName = |gpu| Some(&gpu.name);
    fn nvmlDeviceGetUUID = |gpu| Some(&gpu.uuid);
    fn nvmlDeviceGetSerial = |gpu| gpu.serial.as_ref();
    fn nvmlDeviceGetVbiosVersion = |gpu| gpu.vbios.as_ref();
}

gpu_calls! {
    fn nvmlDeviceGetMinorNumber() -> c_uint: minor = |gpu| Ok([gpu.minor]);
    fn nvmlDeviceGetBoardId() -> c_uint: board = |gpu| Ok([gpu.minor]);
    fn nvmlDeviceGetPciInfo_v3() -> PciInfo: pci = |gpu| {
        Ok([pci_info(&gpu.pci, gpu.device_id, gpu.subsystem_id).ok_or(UNKNOWN)?])
    };
    fn nvmlDeviceGetMemoryInfo() -> Memory: memory = |gpu| {
        let used = gpu.used + gpu.reserved;
        Ok([Memory { total: gpu.memory, free: gpu.memory.saturating_sub(used), used }])
    };
}

/// `nvmlMemory_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Memory {
    total: u64,
    free: u64,
    used: u64,
}

/// `nvmlDeviceGetPciInfo_v2` of NVML: the structure of before `busId`, which it then was the end of.
///
/// # Safety
///
/// `pci` is null or points to the structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPciInfo_v2(device: Device, pci: *mut PciInfo) -> Code {
    if pci.is_null() {
        return INVALID_ARGUMENT;
    }
    let size = std::mem::offset_of!(PciInfo, bus_id);
    code(on_gpu("nvmlDeviceGetPciInfo_v2", device, |gpu| {
        let info = pci_info(&gpu.pci, gpu.device_id, gpu.subsystem_id).ok_or(UNKNOWN)?;
        // SAFETY: not null; only what the older structure has is written.
        unsafe { pci.cast::<u8>().copy_from_nonoverlapping((&raw const info).cast(), size) }
        Ok(())
    }))
}
