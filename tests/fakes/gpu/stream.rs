//! Streams: each a thread that does one piece of work after the other.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use super::device;

/// What a stream does.
pub type Work = Box<dyn FnOnce() + Send>;

struct Stream {
    /// The GPU that was current when it was made.
    device: usize,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    work: VecDeque<Work>,
    /// What is not done yet: what waits, and what is being done.
    pending: usize,
    is_closed: bool,
}

/// Streams by their handles.
static STREAMS: Mutex<BTreeMap<usize, Arc<Stream>>> = Mutex::new(BTreeMap::new());
/// Handles are never used twice, so that an old one is found out.
static NEXT: AtomicUsize = AtomicUsize::new(0x5000);
/// More GPUs share the last count.
const MOST: usize = 64;
/// What is not done yet, in all streams of each GPU, those that were destroyed too.
static PENDING: [AtomicUsize; MOST] = [const { AtomicUsize::new(0) }; MOST];

fn pending(device: usize) -> &'static AtomicUsize {
    &PENDING[device.min(MOST - 1)]
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new stream's handle.
pub fn create() -> usize {
    let handle = NEXT.fetch_add(16, Ordering::Relaxed);
    let device = device::current().unwrap_or(0);
    let stream = Arc::new(Stream { device, queue: Mutex::default(), changed: Condvar::new() });
    held(&STREAMS).insert(handle, Arc::clone(&stream));
    thread::spawn(move || stream.serve());
    handle
}

/// Ends a stream once its work is done, without waiting for it; `false` where there is no such stream.
pub fn destroy(handle: usize) -> bool {
    let Some(stream) = held(&STREAMS).remove(&handle) else { return false };
    held(&stream.queue).is_closed = true;
    stream.changed.notify_all();
    true
}

/// Puts work behind all that the stream holds; `false` where there is no such stream.
pub fn enqueue(handle: usize, work: Work) -> bool {
    let Some(stream) = held(&STREAMS).get(&handle).cloned() else { return false };
    pending(stream.device).fetch_add(1, Ordering::AcqRel);
    let mut queue = held(&stream.queue);
    queue.pending += 1;
    queue.work.push_back(work);
    drop(queue);
    stream.changed.notify_all();
    true
}

/// Whether all that was put into a stream is done; `None` where there is no such stream. One that is not done rests for
/// a moment: callers ask again and again, and the streams' threads share their CPUs.
pub fn is_done(handle: usize) -> Option<bool> {
    const REST: Duration = Duration::from_micros(20);
    let stream = held(&STREAMS).get(&handle).cloned()?;
    let is_done = held(&stream.queue).pending == 0;
    if !is_done {
        thread::sleep(REST);
    }
    Some(is_done)
}

/// Waits until no stream of a GPU has work: for ever, where one hangs, as the driver does.
pub fn wait_for_all(device: usize) {
    const REST: Duration = Duration::from_micros(50);
    while pending(device).load(Ordering::Acquire) > 0 {
        thread::sleep(REST);
    }
}

impl Stream {
    fn serve(&self) {
        while let Some(work) = self.next() {
            work();
            held(&self.queue).pending -= 1;
            pending(self.device).fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// What is to be done next; `None` once the stream is closed and empty.
    fn next(&self) -> Option<Work> {
        let mut queue = held(&self.queue);
        loop {
            if let Some(work) = queue.work.pop_front() {
                return Some(work);
            }
            if queue.is_closed {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
