//! Writing answers where the caller wants them.

use std::ffi::{c_char, c_ulong};

use crate::codes::{Code, INSUFFICIENT_SIZE, INVALID_ARGUMENT};

/// Functions on one GPU whose answers are plain numbers, all of one type.
///
/// `fn NAME(arguments) -> TYPE: outputs = |gpu, arguments| Ok([values])`
macro_rules! gpu_calls {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) -> $value:ty: $($out:ident),+ = $answer:expr;)+) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("`", stringify!($name), "` of NVML.")]
        pub unsafe extern "C" fn $name(device: $crate::state::Device, $($argument: $kind,)* $($out: *mut $value),+) -> $crate::codes::Code {
            if [$($out),+].iter().any(|out| out.is_null()) {
                return $crate::codes::INVALID_ARGUMENT;
            }
            let answer: fn(&$crate::model::Gpu $(, $kind)*) -> Result<_, $crate::codes::Code> = $answer;
            let answer = $crate::state::on_gpu(stringify!($name), device, |gpu| answer(gpu $(, $argument)*));
            $crate::codes::code(answer.map(|values| {
                for (out, value) in [$($out),+].into_iter().zip(values) {
                    // SAFETY: not null (checked above), and the caller of a C function passes a place for the type.
                    unsafe { out.write(value) }
                }
            }))
        }
    )+};
}

pub(crate) use gpu_calls;

/// A text with its closing zero.
///
/// # Safety
///
/// `out` is null or has room for `length` bytes.
pub unsafe fn text(text: &str, out: *mut c_char, length: u32) -> Result<(), Code> {
    if out.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    if text.len() >= length as usize {
        return Err(INSUFFICIENT_SIZE);
    }
    // SAFETY: the room is there, as the caller promises and the length shows; source and target do not overlap.
    unsafe {
        out.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
        out.add(text.len()).write(0);
    }
    Ok(())
}

/// A set of numbers as a bit mask of words; what does not fit is left out, as NVML does.
///
/// # Safety
///
/// `out` is null or has room for `words` words.
pub unsafe fn bits(list: &str, out: *mut c_ulong, words: u32) -> Result<(), Code> {
    if out.is_null() || words == 0 {
        return Err(INVALID_ARGUMENT);
    }
    // SAFETY: the caller promises the room.
    let out = unsafe { std::slice::from_raw_parts_mut(out, words as usize) };
    out.fill(0);
    for number in numbers(list) {
        if let Some(word) = out.get_mut(number / c_ulong::BITS as usize) {
            *word |= 1 << (number % c_ulong::BITS as usize);
        }
    }
    Ok(())
}

/// The numbers of a list such as `0-3,8`.
fn numbers(list: &str) -> impl Iterator<Item = usize> + '_ {
    list.split(',')
        .filter_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
        })
        .flatten()
}

/// An array of bytes that holds a text and zeros.
pub fn array<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    for (place, byte) in array.iter_mut().take(N - 1).zip(text.bytes()) {
        *place = byte.cast_signed() as c_char;
    }
    array
}
