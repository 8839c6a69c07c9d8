//! The exchange itself, on the stream's thread: chunk by chunk through the shared memory, each rank reducing its share.

use std::{sync::atomic::Ordering, thread, time::Duration};

use super::{
    communicator::Communicator,
    fault::{self, Moment},
    meeting::{Aborted, CHUNK, Meeting},
    reduce::Task,
    runtime,
};

/// One rank's side of a collective.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The address of what it sends.
    pub send: u64,
    /// The address of what it receives.
    pub receive: u64,
    /// Bytes of one element.
    pub element: usize,
    /// The reduction.
    pub task: Task,
}

impl Exchange {
    /// Bytes that are sent, and received.
    pub fn bytes(&self) -> u64 {
        (self.task.count as u64).saturating_mul(self.element as u64)
    }

    /// What is wrong with the addresses. In place they are the same; the library takes no others that overlap.
    pub fn check(&self) -> Result<(), &'static str> {
        let bytes = self.bytes();
        if !runtime::holds(self.send, bytes) {
            return Err("AllReduce : sendbuff is not a valid pointer, or goes beyond its memory");
        }
        if !runtime::holds(self.receive, bytes) {
            return Err("AllReduce : recvbuff is not a valid pointer, or goes beyond its memory");
        }
        let distance = self.send.abs_diff(self.receive);
        if distance > 0 && distance < bytes {
            return Err("AllReduce : sendbuff and recvbuff overlap");
        }
        Ok(())
    }

    /// Does it, with the faults that are asked for.
    pub fn run(mut self, communicator: &Communicator, moment: &Moment) {
        let Some((meeting, _)) = communicator.met.get() else { return };
        if let Some(fault) = fault::of("slow", moment) {
            thread::sleep(Duration::from_millis(fault.number("ms").unwrap_or(1)));
        }
        if fault::at("hang", moment).is_some() || communicator.state.load(Ordering::Acquire) != 0 {
            return communicator.hang();
        }
        let count = self.task.count;
        let shorter = fault::of("short", moment);
        let is_stale = shorter.is_some() || fault::of("stale", moment).is_some();
        let kept = if is_stale { count / 2 } else { count };
        // All ranks have to move as much; a rank that falls short alone drops what comes.
        if shorter.is_some_and(|fault| fault.number("rank").is_none()) {
            self.task.count = kept;
        }
        if self.all(communicator, meeting, moment, kept).is_ok() {
            self.task.count = count;
            self.spoil(moment);
        }
    }

    fn all(&self, communicator: &Communicator, meeting: &Meeting, moment: &Moment, kept: usize) -> Result<(), Aborted> {
        let (rank, element) = (communicator.rank, self.element);
        let sources: Vec<*const u8> = (0..meeting.ranks)
            .filter(|rank| fault::of("drop-rank", &Moment { rank: Some(*rank as u64), ..*moment }).is_none())
            .map(|rank| meeting.data(rank).cast_const())
            .collect();
        let result = meeting.data(meeting.ranks);
        let step = CHUNK / element;
        for start in (0..self.task.count).step_by(step) {
            let count = step.min(self.task.count - start);
            let offset = start * element;
            // SAFETY: the chunk lies within what is sent, which was checked, and within the rank's own place.
            unsafe {
                let from = (self.send as *const u8).add(offset);
                std::ptr::copy_nonoverlapping(from, meeting.data(rank), count * element);
            }
            meeting.barrier(&communicator.aborted)?;
            let (first, end) = (count * rank / meeting.ranks, count * (rank + 1) / meeting.ranks);
            let at = |place: *const u8| place.wrapping_add(first * element);
            let own: Vec<*const u8> = sources.iter().map(|source| at(*source)).collect();
            // SAFETY: the share lies within the chunks, nobody writes to them between the two barriers, and no other
            // rank writes to this share of the result.
            unsafe { Task { count: end - first, ..self.task }.run(&own, at(result).cast_mut()) };
            meeting.barrier(&communicator.aborted)?;
            let wanted = kept.saturating_sub(start).min(count);
            // SAFETY: as above; the result is not written to before the next barrier.
            unsafe {
                let to = (self.receive as *mut u8).add(offset);
                std::ptr::copy_nonoverlapping(result.cast_const(), to, wanted * element);
            }
        }
        Ok(())
    }

    /// Changes what was received, or what lies behind it.
    fn spoil(&self, moment: &Moment) {
        let (count, element) = (self.task.count, self.element);
        for fault in fault::every("wrong", moment) {
            let offset = fault.number("offset").unwrap_or(0) as usize;
            if offset < count {
                // The last byte holds the exponent of floating point and the highest digits of integers.
                self.turn(offset * element + element - 1, 0x40);
            }
        }
        if fault::of("overrun", moment).is_some() {
            (0..element).for_each(|byte| self.turn(count * element + byte, 0x55));
        }
    }

    /// Turns bits of a byte of what was received.
    fn turn(&self, at: usize, bits: u8) {
        // SAFETY: within what is received, or within the bytes that the driver leaves free behind every piece.
        unsafe { *(self.receive as *mut u8).add(at) ^= bits };
    }
}
