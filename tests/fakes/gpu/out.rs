//! How answers get out: text into a caller's buffer, a value behind a caller's pointer.

use std::ffi::{c_char, c_int};

/// Writes a text with its zero byte, cut to the buffer; `false` where there is none.
///
/// # Safety
///
/// The pointer is null, or points to so many bytes.
pub unsafe fn text(text: &str, to: *mut c_char, length: c_int) -> bool {
    let Ok(length) = usize::try_from(length) else { return false };
    if to.is_null() || length == 0 {
        return false;
    }
    let count = text.len().min(length - 1);
    // SAFETY: as the caller promises; the text and its end fit.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), count);
        *to.add(count) = 0;
    }
    true
}

/// Writes a value; `false` where there is no place for it.
///
/// # Safety
///
/// The pointer is null, or points to a place for the value.
pub unsafe fn value<T>(value: T, to: *mut T) -> bool {
    if to.is_null() {
        return false;
    }
    // SAFETY: as the caller promises.
    unsafe { to.write(value) };
    true
}
