//! The machine that is played, and the way of every call to it: faults first, then the answer.

use std::ffi::c_void;
use std::io::Write as _;
use std::os::fd::FromRawFd as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once, PoisonError, RwLock};
use std::time::Duration;

use crate::codes::{Code, DRIVER_NOT_LOADED, GPU_IS_LOST, INVALID_ARGUMENT, UNINITIALIZED, UNKNOWN};
use crate::model::{Fault, Gpu, Kind, Machine};

/// NVML's handle of a GPU. Here: its index and one, never read through.
pub type Device = *mut c_void;

/// The machine, and how often each of its faults was asked for.
#[derive(Debug)]
pub struct Played {
    /// What the file says.
    pub machine: Machine,
    asked: Vec<AtomicU64>,
}

/// How many `nvmlInit` are open, and the machine while there is one.
static STATE: RwLock<(u32, Option<Arc<Played>>)> = RwLock::new((0, None));

/// `nvmlInit`: reads the file. A file that does not read is a fault of the test: said on standard error.
pub fn init(call: &str) -> Result<(), Code> {
    let mut state = STATE.write().unwrap_or_else(PoisonError::into_inner);
    if state.1.is_none() {
        let machine = read().map_err(|reason| {
            drop(writeln!(std::io::stderr(), "fake NVML: {reason}"));
            UNKNOWN
        })?;
        let machine = machine.ok_or(DRIVER_NOT_LOADED)?;
        let asked = machine.faults.iter().map(|_| AtomicU64::new(0)).collect();
        state.1 = Some(Arc::new(Played { machine, asked }));
    }
    let played = state.1.clone().ok_or(UNKNOWN)?;
    drop(state);
    played.stumble(call, &[])?;
    STATE.write().unwrap_or_else(PoisonError::into_inner).0 += 1;
    Ok(())
}

/// `nvmlShutdown`: the file stays read, as the counts of calls go on.
pub fn shutdown() -> Result<(), Code> {
    on_machine("nvmlShutdown", |_| Ok(()))?;
    STATE.write().unwrap_or_else(PoisonError::into_inner).0 -= 1;
    Ok(())
}

/// `null` is a machine without the driver.
fn read() -> Result<Option<Machine>, String> {
    let path = std::env::var("LINKSPEC_FAKE_NVML").map_err(|_| "LINKSPEC_FAKE_NVML names no file".to_owned())?;
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))
}

fn played() -> Result<Arc<Played>, Code> {
    let state = STATE.read().unwrap_or_else(PoisonError::into_inner);
    if state.0 == 0 {
        return Err(UNINITIALIZED);
    }
    state.1.clone().ok_or(UNINITIALIZED)
}

/// A call that names no GPU.
pub fn on_machine<T>(call: &str, answer: impl FnOnce(&Machine) -> Result<T, Code>) -> Result<T, Code> {
    let played = played()?;
    played.stumble(call, &[])?;
    answer(&played.machine)
}

/// A call on one GPU.
pub fn on_gpu<T>(call: &str, device: Device, answer: impl FnOnce(&Gpu) -> Result<T, Code>) -> Result<T, Code> {
    let played = played()?;
    let index = index_of(&played.machine, device)?;
    played.stumble(call, &[index])?;
    answer(&played.machine.gpus[index])
}

/// A call on two GPUs.
pub fn on_pair<T>(
    call: &str,
    devices: [Device; 2],
    answer: impl FnOnce(&Machine, [usize; 2]) -> Result<T, Code>,
) -> Result<T, Code> {
    let played = played()?;
    let pair = [index_of(&played.machine, devices[0])?, index_of(&played.machine, devices[1])?];
    played.stumble(call, &pair)?;
    answer(&played.machine, pair)
}

/// The handle of a GPU by its index, or why there is none.
pub fn handle(call: &str, index: u32) -> Result<Device, Code> {
    let played = played()?;
    let index = index as usize;
    if index >= played.machine.gpus.len() {
        return Err(INVALID_ARGUMENT);
    }
    played.stumble(call, &[index])?;
    Ok(std::ptr::without_provenance_mut(index + 1))
}

/// The number of GPUs, which a fault can change.
pub fn count(call: &str) -> Result<u32, Code> {
    let played = played()?;
    let other = played.stumble(call, &[])?;
    Ok(other.unwrap_or(u32::try_from(played.machine.gpus.len()).unwrap_or(u32::MAX)))
}

fn index_of(machine: &Machine, device: Device) -> Result<usize, Code> {
    device.addr().checked_sub(1).filter(|&index| index < machine.gpus.len()).ok_or(INVALID_ARGUMENT)
}

impl Played {
    /// Goes through the faults that match a call. Says the other number of GPUs where a fault has one.
    fn stumble(&self, call: &str, gpus: &[usize]) -> Result<Option<u32>, Code> {
        let mut count = None;
        for (fault, asked) in self.machine.faults.iter().zip(&self.asked) {
            if !fault.meets(call, gpus) || asked.fetch_add(1, Ordering::SeqCst) < fault.after {
                continue;
            }
            match &fault.kind {
                Kind::Hang => hang(),
                Kind::Crash => crash(),
                Kind::Abort => std::process::abort(),
                Kind::Gone => return Err(GPU_IS_LOST),
                Kind::Error(code) => return Err(*code),
                Kind::Slow(milliseconds) => std::thread::sleep(Duration::from_millis(*milliseconds)),
                Kind::Count(other) => count = Some(*other),
                Kind::Print(text) => print(text),
                Kind::CloseOutput => close_output(),
                Kind::Exit(code) => std::process::exit(*code),
            }
        }
        Ok(count)
    }
}

impl Fault {
    fn meets(&self, call: &str, gpus: &[usize]) -> bool {
        self.call.as_ref().is_none_or(|name| name == call) && self.gpu.is_none_or(|gpu| gpus.contains(&gpu))
    }
}

fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// Past the buffer of lines, as a library's own `write` is.
fn print(text: &str) {
    let mut out = std::io::stdout();
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

fn close_output() {
    static ONCE: Once = Once::new();
    // SAFETY: not sound by intent: the test wants to see what a program does whose library closes what is not its own.
    // Once only, so that nothing else is closed that has got the number since.
    ONCE.call_once(|| drop(unsafe { std::fs::File::from_raw_fd(1) }));
}

fn crash() -> ! {
    // SAFETY: not sound by intent: the test wants the process to die of SIGSEGV. `read_volatile` of an unmapped page
    // is what the processor faults on; nothing runs after it.
    unsafe {
        std::ptr::read_volatile(std::ptr::without_provenance::<u8>(64));
    }
    std::process::abort()
}
