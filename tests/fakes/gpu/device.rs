//! The GPUs, from the variables `LINKSPEC_FAKE_GPUS` and `LINKSPEC_FAKE_GPU_NAME`, and which one a thread uses.

use std::{
    cell::Cell,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

/// The memory of a GPU where `LINKSPEC_FAKE_GPU_MEMORY` does not say otherwise, in bytes: an H200's.
const MEMORY: u64 = 143_771 << 20;

thread_local! {
    static CURRENT: Cell<Option<usize>> = const { Cell::new(None) };
}

static IS_OPEN: AtomicBool = AtomicBool::new(false);
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// The PCI addresses in the runtime's order.
pub fn addresses() -> &'static [String] {
    static ADDRESSES: OnceLock<Vec<String>> = OnceLock::new();
    ADDRESSES.get_or_init(|| {
        let list = std::env::var("LINKSPEC_FAKE_GPUS").unwrap_or_default();
        list.split(',').map(|address| address.trim().to_owned()).filter(|address| !address.is_empty()).collect()
    })
}

/// The name of every GPU.
pub fn name(default: &str) -> String {
    std::env::var("LINKSPEC_FAKE_GPU_NAME").unwrap_or_else(|_| default.to_owned())
}

/// A GPU by the number that a caller gives.
pub fn numbered(device: i32) -> Option<usize> {
    usize::try_from(device).ok().filter(|device| *device < addresses().len())
}

/// Memory of one GPU and how much of it is free, in bytes. All GPUs of a process share what was taken.
pub fn memory() -> (u64, u64) {
    static TOTAL: OnceLock<u64> = OnceLock::new();
    let named = || std::env::var("LINKSPEC_FAKE_GPU_MEMORY").ok().and_then(|bytes| bytes.parse().ok());
    let total = *TOTAL.get_or_init(|| named().unwrap_or(MEMORY));
    (total.saturating_sub(TAKEN.load(Ordering::Relaxed)), total)
}

/// Counts memory that was taken.
pub fn take(bytes: u64) {
    TAKEN.fetch_add(bytes, Ordering::Relaxed);
}

/// Counts memory that was given back.
pub fn give_back(bytes: u64) {
    TAKEN.fetch_sub(bytes, Ordering::Relaxed);
}

/// The library was initialised.
pub fn open() {
    IS_OPEN.store(true, Ordering::Relaxed);
}

/// Whether it was.
pub fn is_open() -> bool {
    IS_OPEN.load(Ordering::Relaxed)
}

/// Makes a GPU the calling thread's, or none.
pub fn set_current(device: Option<usize>) {
    CURRENT.set(device);
}

/// The calling thread's GPU.
pub fn current() -> Option<usize> {
    CURRENT.get()
}
