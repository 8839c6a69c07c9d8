//! What the stand-in of a driver gives the stand-in of a collective library: both are loaded into one process, each
//! without the other's symbols.

use std::ffi::{c_char, c_int, c_void};

/// The symbol of the function that gives the [`Runtime`].
pub const SYMBOL: &[u8] = b"linkspec_fake_runtime\0";

/// The type of that function.
pub type GiveRuntime = unsafe extern "C" fn() -> *const Runtime;

/// A piece of work of a stream.
pub type Work = unsafe extern "C" fn(*mut c_void);

/// The functions; results are 0 or the driver's codes.
#[repr(C)]
pub struct Runtime {
    /// The GPU that is current in the calling thread.
    pub current: unsafe extern "C" fn(*mut Current) -> c_int,
    /// Memory of the current GPU, as the driver's own call gives it.
    pub allocate: unsafe extern "C" fn(u64, *mut u64) -> c_int,
    /// Gives such memory back.
    pub free: unsafe extern "C" fn(u64) -> c_int,
    /// Whether so many bytes from an address on lie in one piece of GPU memory.
    pub holds: unsafe extern "C" fn(u64, u64) -> bool,
    /// Puts work behind all that the stream holds already.
    pub enqueue: unsafe extern "C" fn(*mut c_void, Work, *mut c_void) -> c_int,
}

/// The GPU that is current in a thread.
#[repr(C)]
pub struct Current {
    /// Its number among the visible ones.
    pub device: c_int,
    /// Its PCI address with a zero byte behind it.
    pub address: [c_char; 16],
}
