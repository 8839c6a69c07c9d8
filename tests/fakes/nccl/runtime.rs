//! The driver's stand-in, which this process has loaded by whatever name.

use std::{
    collections::BTreeSet,
    ffi::{CString, c_int, c_void},
    fs,
    sync::OnceLock,
};

use nix::libc;

use super::interface::{Current, GiveRuntime, Runtime, SYMBOL, Work};

/// The driver's functions; `None` as long as no stand-in of one is loaded.
pub fn get() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<&'static Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Some(runtime);
    }
    let found = find()?;
    Some(RUNTIME.get_or_init(|| found))
}

/// Looks through the libraries that are mapped: the driver's symbols need not be global.
fn find() -> Option<&'static Runtime> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let paths = maps.lines().filter_map(|line| line.find('/').and_then(|at| line.get(at..)));
    let libraries: BTreeSet<&str> = paths.filter(|path| path.contains(".so")).collect();
    libraries.into_iter().find_map(of)
}

fn of(path: &str) -> Option<&'static Runtime> {
    let path = CString::new(path).ok()?;
    // SAFETY: nothing is loaded that is not loaded already, and the handle is never given back.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return None;
        }
        let symbol = libc::dlsym(library, SYMBOL.as_ptr().cast());
        if symbol.is_null() {
            return None;
        }
        let give = std::mem::transmute::<*mut c_void, GiveRuntime>(symbol);
        give().as_ref()
    }
}

/// The GPU that is current in this thread: its number, and its PCI address as NCCL writes it.
pub fn current() -> Option<(u32, u64)> {
    let mut current = Current { device: 0, address: [0; 16] };
    // SAFETY: the pointer is good.
    let code = unsafe { (get()?.current)(&raw mut current) };
    let address: String =
        current.address.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8 as char).collect();
    let bus = bus(&address)?;
    (code == 0).then_some((u32::try_from(current.device).ok()?, bus))
}

/// That GPU's number.
pub fn device() -> Option<u32> {
    current().map(|(device, _)| device)
}

/// `0000:1b:00.0` is 1b000: domain, bus, device and function, without the marks between them.
fn bus(address: &str) -> Option<u64> {
    let (domain, rest) = address.split_once(':')?;
    let digits: String = rest.chars().filter(char::is_ascii_hexdigit).collect();
    let rest = u64::from_str_radix(&digits, 16).ok()?;
    Some(u64::from_str_radix(domain, 16).ok()? << 20 | rest)
}

/// Whether so many bytes from an address on lie in one piece of GPU memory.
pub fn holds(address: u64, bytes: u64) -> bool {
    // SAFETY: the function only looks at its table.
    get().is_some_and(|runtime| unsafe { (runtime.holds)(address, bytes) })
}

/// Memory of the current GPU; the error is the driver's code.
pub fn allocate(bytes: u64) -> Result<u64, c_int> {
    let runtime = get().ok_or(999)?;
    let mut address = 0;
    // SAFETY: the pointer is good.
    match unsafe { (runtime.allocate)(bytes, &raw mut address) } {
        0 => Ok(address),
        code => Err(code),
    }
}

/// Gives such memory back.
pub fn free(address: u64) -> bool {
    // SAFETY: the function checks the address.
    get().is_some_and(|runtime| unsafe { (runtime.free)(address) } == 0)
}

/// Puts work behind all that a stream holds.
pub fn enqueue(stream: usize, work: Box<dyn FnOnce() + Send>) -> bool {
    unsafe extern "C" fn run(data: *mut c_void) {
        // SAFETY: the pointer is the one that was made of a box below, and comes back once.
        let work = unsafe { Box::from_raw(data.cast::<Box<dyn FnOnce() + Send>>()) };
        work();
    }
    let run: Work = run;
    let Some(runtime) = get() else { return false };
    let data = Box::into_raw(Box::new(work));
    // SAFETY: the function takes the data if it accepts the work.
    if unsafe { (runtime.enqueue)(stream as *mut c_void, run, data.cast()) } == 0 {
        return true;
    }
    // SAFETY: the work was not accepted, so the box is still this one's.
    drop(unsafe { Box::from_raw(data) });
    false
}
