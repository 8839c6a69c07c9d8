use std::{
    mem,
    path::{Path, PathBuf},
};

use nvml_wrapper::{
    Device, Nvml,
    error::{NvmlError, nvml_try, nvml_try_count},
};
use nvml_wrapper_sys::bindings::{
    nvmlDevice_t, nvmlFieldValue_t, nvmlGpuFabricInfo_t, nvmlGpuFabricInfo_v2_t, nvmlGpuFabricInfoV_t, nvmlMemory_t,
};

use super::mapped;

/// Whether a library is a stand-in that says so itself. The error is the loader's, without the library's name.
pub(crate) fn is_fake(path: &Path) -> Result<bool, String> {
    // SAFETY: the library is NVML or what the command line names in its place; to load it runs its initialisers, which
    // is what the caller asks for. It is never unloaded while in use: the loader counts its users.
    let library = unsafe { libloading::Library::new(path) }.map_err(|error| error.to_string())?;
    // SAFETY: the symbol is only looked for, never called or read.
    let fake = unsafe { library.get::<*const ()>(b"linkspec_fake\0") }.is_ok();
    // It stays loaded: NVML is opened next, and an unloaded library may have left threads.
    mem::forget(library);
    Ok(fake)
}

/// The file that NVML was loaded from, with links resolved.
pub(crate) fn real_path(nvml: &Nvml) -> Option<PathBuf> {
    let function = nvml.lib().nvmlInit_v2.as_ref().ok()?;
    mapped::file_at(*function as usize)
}

/// The fabric as a GPU sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fabric {
    /// `nvmlGpuFabricState_t`.
    pub(crate) state: u32,
    /// `nvmlReturn_t` of the registration.
    pub(crate) status: u32,
    pub(crate) cluster: [u8; 16],
    pub(crate) clique: u32,
    /// The mask of health, where the driver has one.
    pub(crate) health_mask: Option<u32>,
    /// The summary of health, where the driver has one.
    pub(crate) health_summary: Option<u32>,
}

/// `nvmlDeviceGetGpuFabricInfoV` with the third version of its structure.
pub(crate) fn fabric_v3(nvml: &Nvml, device: &Device<'_>) -> Result<Fabric, NvmlError> {
    let info = versioned_fabric(nvml, device, version(size_of::<nvmlGpuFabricInfoV_t>(), 3))?;
    Ok(Fabric { health_summary: Some(info.healthSummary.into()), ..with_mask(&info) })
}

/// `nvmlDeviceGetGpuFabricInfoV` with the second version of its structure, for drivers that know no third.
pub(crate) fn fabric_v2(nvml: &Nvml, device: &Device<'_>) -> Result<Fabric, NvmlError> {
    let info = versioned_fabric(nvml, device, version(size_of::<nvmlGpuFabricInfo_v2_t>(), 2))?;
    Ok(with_mask(&info))
}

fn versioned_fabric(nvml: &Nvml, device: &Device<'_>, version: u32) -> Result<nvmlGpuFabricInfoV_t, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetGpuFabricInfoV.as_ref())?;
    // SAFETY: a C structure of integers, for which zero is a value.
    let mut info: nvmlGpuFabricInfoV_t = unsafe { mem::zeroed() };
    info.version = version;
    // SAFETY: the function has the header's signature, the handle is NVML's own, and the structure lives through the
    // call. It is of the third version; the second is the same without the last member, so that a driver that is told
    // the second writes less than the structure holds.
    nvml_try(unsafe { function(handle(device), &raw mut info) })?;
    Ok(info)
}

/// What the second version has.
fn with_mask(info: &nvmlGpuFabricInfoV_t) -> Fabric {
    Fabric {
        state: info.state.into(),
        status: info.status,
        cluster: info.clusterUuid,
        clique: info.cliqueId,
        health_mask: Some(info.healthMask),
        health_summary: None,
    }
}

/// `nvmlDeviceGetGpuFabricInfo`, for drivers without versions of the structure.
pub(crate) fn fabric_v1(nvml: &Nvml, device: &Device<'_>) -> Result<Fabric, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetGpuFabricInfo.as_ref())?;
    // SAFETY: a C structure of integers, for which zero is a value.
    let mut info: nvmlGpuFabricInfo_t = unsafe { mem::zeroed() };
    // SAFETY: the function has the header's signature, the handle is NVML's own, and the structure lives through the
    // call.
    nvml_try(unsafe { function(handle(device), &raw mut info) })?;
    Ok(Fabric {
        state: info.state.into(),
        status: info.status,
        cluster: info.clusterUuid,
        clique: info.cliqueId,
        health_mask: None,
        health_summary: None,
    })
}

/// Rows of memory that were remapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) correctable: u32,
    pub(crate) uncorrectable: u32,
    pub(crate) pending: u32,
    pub(crate) failure: u32,
}

/// `nvmlDeviceGetRemappedRows`.
pub(crate) fn remapped_rows(nvml: &Nvml, device: &Device<'_>) -> Result<Rows, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetRemappedRows.as_ref())?;
    let (mut correctable, mut uncorrectable, mut pending, mut failure) = (0, 0, 0, 0);
    // SAFETY: the function has the header's signature, the handle is NVML's own, and the four integers live through
    // the call.
    nvml_try(unsafe {
        function(handle(device), &raw mut correctable, &raw mut uncorrectable, &raw mut pending, &raw mut failure)
    })?;
    Ok(Rows { correctable, uncorrectable, pending, failure })
}

/// `nvmlDeviceGetMemoryInfo`: the size of the memory in bytes.
pub(crate) fn memory(nvml: &Nvml, device: &Device<'_>) -> Result<u64, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetMemoryInfo.as_ref())?;
    // SAFETY: a C structure of integers, for which zero is a value.
    let mut memory: nvmlMemory_t = unsafe { mem::zeroed() };
    // SAFETY: the function has the header's signature, the handle is NVML's own, and the structure lives through the
    // call.
    nvml_try(unsafe { function(handle(device), &raw mut memory) })?;
    Ok(memory.total)
}

/// `nvmlDeviceGetRetiredPages`: how many pages were retired for a cause, 0 for single bit errors and 1 for double.
pub(crate) fn retired_pages(nvml: &Nvml, device: &Device<'_>, cause: u32) -> Result<u32, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetRetiredPages.as_ref())?;
    let (mut count, mut address) = (0, 0);
    // SAFETY: the function has the header's signature, the handle is NVML's own, both integers live through the call,
    // and with a count of 0 the function writes no address: it only tells how many there are.
    nvml_try_count(unsafe { function(handle(device), cause, &raw mut count, &raw mut address) })?;
    Ok(count)
}

/// `nvmlDeviceGetNvLinkRemoteDeviceType`, as the integer that NVML gives.
pub(crate) fn nvlink_remote_type(nvml: &Nvml, device: &Device<'_>, link: u32) -> Result<u32, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetNvLinkRemoteDeviceType.as_ref())?;
    let mut kind = 0;
    // SAFETY: the function has the header's signature, the handle is NVML's own, and the integer lives through the
    // call.
    nvml_try(unsafe { function(handle(device), link, &raw mut kind) })?;
    Ok(kind)
}

/// `nvmlDeviceGetP2PStatus`, as the integer that NVML gives.
pub(crate) fn p2p_status(nvml: &Nvml, a: &Device<'_>, b: &Device<'_>, capability: u32) -> Result<u32, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetP2PStatus.as_ref())?;
    let mut status = 0;
    // SAFETY: the function has the header's signature, both handles are NVML's own, and the integer lives through the
    // call.
    nvml_try(unsafe { function(handle(a), handle(b), capability, &raw mut status) })?;
    Ok(status)
}

/// `nvmlDeviceGetFieldValues` for fields and their scopes, in one call; each value or its own error, in order.
pub(crate) fn fields(
    nvml: &Nvml,
    device: &Device<'_>,
    wanted: &[(u32, u32)],
) -> Result<Vec<Result<u64, NvmlError>>, NvmlError> {
    let function = symbol(nvml.lib().nvmlDeviceGetFieldValues.as_ref())?;
    let blank = |&(field, scope): &(u32, u32)| {
        // SAFETY: a C structure of integers and a union of numbers, for which zero is a value.
        let mut value: nvmlFieldValue_t = unsafe { mem::zeroed() };
        (value.fieldId, value.scopeId) = (field, scope);
        // A driver that leaves an entry as it is has not answered it.
        value.nvmlReturn = nvml_wrapper_sys::bindings::nvmlReturn_enum_NVML_ERROR_NO_DATA;
        value
    };
    let mut values: Vec<nvmlFieldValue_t> = wanted.iter().map(blank).collect();
    let count = i32::try_from(values.len()).map_err(|_| NvmlError::InvalidArg)?;
    // SAFETY: the function has the header's signature, the handle is NVML's own, and the array lives through the call
    // and has as many entries as it is told.
    nvml_try(unsafe { function(handle(device), count, values.as_mut_ptr()) })?;
    Ok(values.iter().map(field).collect())
}

/// A count by the type that the driver says it has; what is no count is an error.
fn field(value: &nvmlFieldValue_t) -> Result<u64, NvmlError> {
    use nvml_wrapper_sys::bindings as c;
    nvml_try(value.nvmlReturn)?;
    let odd = || NvmlError::UnexpectedVariant(value.valueType);
    // SAFETY: every member of the union is a plain number, so that any bytes are a value of each.
    let (unsigned, long, long_long, signed_long_long, signed, short) = unsafe {
        let number = &value.value;
        (number.uiVal, number.ulVal, number.ullVal, number.sllVal, number.siVal, number.usVal)
    };
    match value.valueType {
        c::nvmlValueType_enum_NVML_VALUE_TYPE_UNSIGNED_INT => Ok(unsigned.into()),
        c::nvmlValueType_enum_NVML_VALUE_TYPE_UNSIGNED_LONG => Ok(long),
        c::nvmlValueType_enum_NVML_VALUE_TYPE_UNSIGNED_LONG_LONG => Ok(long_long),
        c::nvmlValueType_enum_NVML_VALUE_TYPE_SIGNED_LONG_LONG => u64::try_from(signed_long_long).map_err(|_| odd()),
        c::nvmlValueType_enum_NVML_VALUE_TYPE_SIGNED_INT => u64::try_from(signed).map_err(|_| odd()),
        c::nvmlValueType_enum_NVML_VALUE_TYPE_UNSIGNED_SHORT => Ok(short.into()),
        _ => Err(odd()),
    }
}

/// `NVML_STRUCT_VERSION`: the size of the structure and its version above it.
pub(super) fn version(size: usize, version: u32) -> u32 {
    u32::try_from(size).unwrap_or_default() | version << 24
}

pub(super) fn handle(device: &Device<'_>) -> nvmlDevice_t {
    // SAFETY: the handle is used for one call only, while the borrow of the device, and with it NVML, lives.
    unsafe { device.handle() }
}

pub(super) fn symbol<'a, F>(found: Result<&'a F, &libloading::Error>) -> Result<&'a F, NvmlError> {
    found.map_err(|error| NvmlError::FailedToLoadSymbol(error.to_string()))
}
