use std::{
    fs::File,
    hint, io,
    num::NonZeroUsize,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use nix::sys::memfd::{MFdFlags, memfd_create};

use super::Phase;
use crate::{sys::SharedWords, units::Size};

/// Words of the board before the ranks' own, a cache line each.
const HEAD: usize = 3 * LINE;
/// Words of a cache line pair: processors fetch two lines of 64 bytes at once.
const LINE: usize = 16;
/// Words of one rank.
const SLOT: usize = LINE;

const ARRIVED: usize = 0;
const ROUND: usize = LINE;
const STOPPED: usize = 2 * LINE;

const PHASE: usize = 0;
const SIZE: usize = 1;
const ITERATION: usize = 2;
const BEAT: usize = 3;

/// How often a rank looks before it lets others run, where each rank has a CPU of its own.
const SPINS: u32 = 20_000;

/// Memory that the ranks of a session and their supervisor share: the barrier, and what each rank is at.
///
/// Nothing on it is waited for by a system call, so that ranks leave the barrier within a microsecond of each other, and
/// the supervisor sees what a rank that hangs was doing.
#[derive(Debug)]
pub struct Board {
    words: SharedWords,
    ranks: u32,
}

/// What a rank is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// The phase.
    pub phase: Phase,
    /// The size at hand, in bytes.
    pub size: u64,
    /// The iteration at hand.
    pub iteration: u64,
    /// A count that its process raises four times a second as long as it runs.
    pub beat: u64,
}

impl At {
    /// What the rank is at, in words: `in the timed loop (64M, iteration 7)`.
    pub fn words(&self) -> String {
        let words = self.phase.words();
        match (self.size, self.iteration) {
            (0, _) => words.to_owned(),
            (size, 0) => format!("{words} ({})", Size(size)),
            (size, iteration) => format!("{words} ({}, iteration {iteration})", Size(size)),
        }
    }
}

/// The supervisor has called the session off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl Board {
    /// A new board, and the file that the ranks' processes inherit: it has no name and is gone with the last of them.
    pub fn create(ranks: u32) -> io::Result<(Self, File)> {
        // Not closed on exec: the ranks open it by its number.
        let file = File::from(memfd_create("linkspec-board", MFdFlags::empty())?);
        // usize is at most 64 bits wide.
        file.set_len((words(ranks).get() * size_of::<u64>()) as u64)?;
        Ok((Self::map(&file, ranks)?, file))
    }

    /// The board of the session that this process is a rank of.
    pub fn inherited(descriptor: i32, ranks: u32) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(format!("/proc/self/fd/{descriptor}"))?;
        Self::map(&file, ranks)
    }

    fn map(file: &File, ranks: u32) -> io::Result<Self> {
        Ok(Self { words: SharedWords::map(file, words(ranks))?, ranks })
    }

    fn own(&self, rank: u32, what: usize) -> &AtomicU64 {
        self.words.word(HEAD + rank as usize * SLOT + what)
    }

    /// Waits until every rank has come here. `patient` where there are more ranks than CPUs: then the others need this
    /// one's CPU.
    pub fn meet(&self, patient: bool) -> Result<(), Stopped> {
        let (arrived, round) = (self.words.word(ARRIVED), self.words.word(ROUND));
        let mine = round.load(Ordering::Acquire);
        if arrived.fetch_add(1, Ordering::AcqRel) + 1 == u64::from(self.ranks) {
            arrived.store(0, Ordering::Relaxed);
            round.store(mine.wrapping_add(1), Ordering::Release);
            return Ok(());
        }
        let mut looked = 0;
        while round.load(Ordering::Acquire) == mine {
            if self.is_stopped() {
                return Err(Stopped);
            }
            looked += 1;
            if patient || looked > SPINS {
                thread::yield_now();
            } else {
                hint::spin_loop();
            }
        }
        Ok(())
    }

    /// Calls the session off: nobody waits at the barrier any more.
    pub fn stop(&self) {
        self.words.word(STOPPED).store(1, Ordering::Release);
    }

    /// Whether the session is called off.
    pub fn is_stopped(&self) -> bool {
        self.words.word(STOPPED).load(Ordering::Acquire) != 0
    }

    /// Says what a rank is at.
    pub fn enter(&self, rank: u32, phase: Phase, size: u64) {
        self.own(rank, SIZE).store(size, Ordering::Relaxed);
        self.own(rank, ITERATION).store(0, Ordering::Relaxed);
        self.own(rank, PHASE).store(u64::from(phase.number()), Ordering::Release);
    }

    /// Says which iteration a rank is at: one store, cheap enough for the timed loop.
    pub fn iterate(&self, rank: u32, iteration: u64) {
        self.own(rank, ITERATION).store(iteration, Ordering::Relaxed);
    }

    /// Says that a rank's process runs.
    pub fn beat(&self, rank: u32) {
        self.own(rank, BEAT).fetch_add(1, Ordering::Relaxed);
    }

    /// What a rank is at.
    pub fn at(&self, rank: u32) -> At {
        let load = |what| self.own(rank, what).load(Ordering::Acquire);
        let phase = u32::try_from(load(PHASE)).map_or(Phase::Spawned, Phase::of_number);
        At { phase, size: load(SIZE), iteration: load(ITERATION), beat: load(BEAT) }
    }
}

fn words(ranks: u32) -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(HEAD + ranks as usize * SLOT)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn ranks_meet_and_none_is_a_round_ahead() {
        const RANKS: u32 = 4;
        let (board, file) = Board::create(RANKS).unwrap();
        let furthest = AtomicU64::new(0);
        thread::scope(|scope| {
            for rank in 0..RANKS {
                let board = Board::inherited(file.as_raw_fd(), RANKS).unwrap();
                let furthest = &furthest;
                scope.spawn(move || {
                    for round in 0..200 {
                        board.iterate(rank, round);
                        furthest.fetch_max(round, Ordering::SeqCst);
                        board.meet(true).unwrap();
                        assert_eq!(furthest.load(Ordering::SeqCst), round);
                        board.meet(true).unwrap();
                    }
                });
            }
        });
        assert!((0..RANKS).all(|rank| board.at(rank).iteration == 199));
    }

    #[test]
    fn a_session_that_is_called_off_holds_nobody() {
        let (board, _file) = Board::create(2).unwrap();
        board.stop();
        assert_eq!(board.meet(false), Err(Stopped));
    }

    #[test]
    fn each_rank_has_its_own_place() {
        let (board, _file) = Board::create(2).unwrap();
        board.enter(1, Phase::Timed, 1024);
        board.iterate(1, 7);
        board.beat(1);
        assert_eq!(board.at(1), At { phase: Phase::Timed, size: 1024, iteration: 7, beat: 1 });
        assert_eq!(board.at(0), At::default());
    }
}
