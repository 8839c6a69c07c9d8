use std::{fs::File, io, num::NonZeroUsize, ptr::NonNull, sync::atomic::AtomicU64};

use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

/// Words of 64 bits in memory that several processes share, all of them atomic.
#[derive(Debug)]
pub(crate) struct SharedWords {
    start: NonNull<AtomicU64>,
    count: NonZeroUsize,
}

// SAFETY: the memory is reached through atomics only, and stays mapped as long as the value lives.
unsafe impl Send for SharedWords {}
// SAFETY: as above.
unsafe impl Sync for SharedWords {}

/// Bytes of a word.
const WORD: usize = size_of::<AtomicU64>();

impl SharedWords {
    /// Maps a file of at least so many words.
    pub(crate) fn map(file: &File, count: NonZeroUsize) -> io::Result<Self> {
        let bytes = count.checked_mul(NonZeroUsize::MIN.saturating_add(WORD - 1)).ok_or(io::ErrorKind::InvalidInput)?;
        // A page beyond the file's end would end the process with a bus error.
        if usize::try_from(file.metadata()?.len()).is_ok_and(|length| length < bytes.get()) {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the shared file is too short"));
        }
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory of this process. The file is as
        // long as the mapping; it is linkspec's own and nobody makes it shorter.
        let mapped =
            unsafe { mmap(None, bytes, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_SHARED, file, 0) }?;
        Ok(Self { start: mapped.cast(), count })
    }

    /// A word; the last one where there is none of this number.
    pub(crate) fn word(&self, at: usize) -> &AtomicU64 {
        let at = at.min(self.count.get() - 1);
        // SAFETY: `at` is within the mapping, which is aligned to a page and lives as long as `self`. Any bits are a
        // valid `AtomicU64`, and every process reaches the word through atomics only.
        unsafe { self.start.add(at).as_ref() }
    }
}

impl Drop for SharedWords {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, of this length, and no reference into it outlives `self`.
        let _ = unsafe { munmap(self.start.cast(), self.count.get() * WORD) };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn two_mappings_are_one_memory() {
        let file = tempfile::tempfile().unwrap();
        let count = NonZeroUsize::new(16).unwrap();
        assert!(SharedWords::map(&file, count).is_err());
        file.set_len(4096).unwrap();
        let (one, other) = (SharedWords::map(&file, count).unwrap(), SharedWords::map(&file, count).unwrap());
        one.word(3).store(7, Ordering::Relaxed);
        assert_eq!(other.word(3).load(Ordering::Relaxed), 7);
        assert_eq!(other.word(1000).load(Ordering::Relaxed), 0);
    }
}
