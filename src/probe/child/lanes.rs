use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
    thread,
};

use serde::Serialize;

use super::{Manner, protocol::Line};

/// The child's side: where lanes are opened.
///
/// Lines are written whole, each with one call, so that a child that is killed leaves no half line but its last.
pub(in crate::probe) struct Lanes<A> {
    out: Mutex<Box<dyn Write + Send>>,
    manner: Manner,
    answers: std::marker::PhantomData<fn(A)>,
}

impl<A: Serialize> Lanes<A> {
    pub(super) fn new(out: Box<dyn Write + Send>, manner: Manner) -> Self {
        Self { out: Mutex::new(out), manner, answers: std::marker::PhantomData }
    }

    /// Opens a lane; it is through when it is dropped.
    pub(in crate::probe) fn open(&self, name: impl Into<String>) -> Lane<'_, A> {
        self.open_lane(name.into(), false)
    }

    fn open_lane(&self, name: String, apart: bool) -> Lane<'_, A> {
        self.say(&Line::Open { lane: name.clone(), apart });
        Lane { lanes: self, name }
    }

    /// How many of so many items [`Self::each`] reads at once.
    pub(in crate::probe) fn at_once(&self, items: usize) -> usize {
        if self.manner.alone { items.min(1) } else { items }
    }

    /// Reads every item in a lane of its own, side by side; `name` gives the lane's. All are opened before the first
    /// is read, so that a child that ends early is known not to have reached them.
    ///
    /// After a crash they are read again one after another, without those at fault.
    pub(in crate::probe) fn each<T: Send>(
        &self,
        items: impl IntoIterator<Item = T>,
        name: impl Fn(&T) -> String,
        read: impl Fn(&Lane<'_, A>, T) + Sync,
    ) {
        let named = items.into_iter().map(|item| (name(&item), item));
        let kept = named.filter(|(name, _)| !self.manner.without.contains(name));
        let lanes: Vec<(Lane<'_, A>, T)> = kept.map(|(name, item)| (self.open_lane(name, true), item)).collect();
        if self.manner.alone {
            return lanes.into_iter().for_each(|(lane, item)| read(&lane, item));
        }
        let threads = lanes.len();
        let left = Mutex::new(lanes.into_iter());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((lane, item)) = next() {
                read(&lane, item);
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                // Where no more threads are to be had, those that are there read the rest.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
    }

    pub(super) fn done(&self) {
        self.say(&Line::Done);
    }

    /// A parent that is gone wants nothing more: it ends the child too.
    fn say(&self, line: &Line<A>) {
        let Ok(bytes) = line.write() else { return };
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _: io::Result<()> = out.write_all(&bytes).and_then(|()| out.flush());
    }
}

/// One lane of a child.
pub(in crate::probe) struct Lane<'a, A: Serialize> {
    lanes: &'a Lanes<A>,
    name: String,
}

impl<A: Serialize> Lane<'_, A> {
    /// Says what is read next: named if it gives no answer.
    pub(in crate::probe) fn begin(&self, what: impl Into<String>) {
        self.lanes.say(&Line::Begin { lane: self.name.clone(), what: what.into() });
    }

    /// Tells the parent an answer.
    pub(in crate::probe) fn tell(&self, answer: A) {
        self.lanes.say(&Line::Told { lane: self.name.clone(), answer });
    }
}

impl<A: Serialize> Drop for Lane<'_, A> {
    fn drop(&mut self) {
        // A lane that panicked is not through.
        if !thread::panicking() {
            self.lanes.say(&Line::End { lane: self.name.clone() });
        }
    }
}
