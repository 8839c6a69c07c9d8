use std::ffi::{CStr, c_char, c_int};

/// Room for a name or an address with its zero; the vendors' own tools take 256.
const ROOM: usize = 256;

/// What a driver's function of this type wrote, and its result code.
///
/// # Safety
///
/// The function writes at most as many bytes as it is told.
pub(super) unsafe fn text(
    function: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int,
    device: c_int,
) -> (c_int, String) {
    let mut text = [0_u8; ROOM];
    // SAFETY: as the caller promises; the last byte stays 0.
    let code = unsafe { function(text.as_mut_ptr().cast(), (ROOM - 1) as c_int, device) };
    let read = CStr::from_bytes_until_nul(&text).map(|text| text.to_string_lossy().into_owned());
    (code, read.unwrap_or_default())
}

/// A device's number as the drivers take it; one that there cannot be is one that there is not.
pub(super) fn ordinal(device: u32) -> c_int {
    c_int::try_from(device).unwrap_or(c_int::MAX)
}
