use std::thread;

use crate::collective::data::{Check, Expected};

/// Less than this is compared by one thread: starting one takes as long.
const PART: usize = 1 << 20;
/// More threads than this read no faster.
const MOST: usize = 4;

/// Compares received data, which begins at an element, side by side: one thread reads memory slower than the bus brings
/// it.
pub(super) fn compare(expected: &Expected, data: &[u8], first: u64, width: u64, threads: usize, check: &mut Check) {
    let parts = threads.min(MOST).min(data.len() / PART).max(1);
    // Whole elements: the last part takes what is left.
    let length = (data.len() / parts / width as usize).max(1) * width as usize;
    let at = |part: usize| part * length;
    let end = |part: usize| if part + 1 == parts { data.len() } else { at(part + 1) };
    let compare = |part: usize| {
        let mut found = Check::default();
        expected.compare(&data[at(part)..end(part)], first + at(part) as u64 / width, &mut found);
        found
    };
    thread::scope(|scope| {
        let others: Vec<_> =
            (1..parts).map(|part| (part, thread::Builder::new().spawn_scoped(scope, move || compare(part)))).collect();
        check.add(compare(0));
        for (part, other) in others {
            // Where no more threads are to be had, this one does their part.
            check.add(match other {
                Ok(other) => other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => compare(part),
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::{Datatype, Reduction, data::Pattern};

    #[test]
    fn parts_say_together_what_the_whole_says() {
        let expected = Pattern::new(Datatype::Float, Reduction::Sum, 2, 7).expected();
        let mut data: Vec<u8> = expected.bytes().iter().copied().cycle().take(5 * PART + 12).collect();
        for element in [0, 1_000_000, data.len() / 4 - 1] {
            data[element * 4] ^= 1;
        }
        let mut whole = Check::default();
        expected.compare(&data, 0, &mut whole);
        assert_eq!((whole.wrong, whole.checked), (3, data.len() as u64));
        for threads in 1..6 {
            let mut parts = Check::default();
            compare(&expected, &data, 0, 4, threads, &mut parts);
            assert_eq!(parts, whole, "{threads}");
        }
    }
}
