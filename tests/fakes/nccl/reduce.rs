//! The reductions over what the ranks sent.

use super::number::element::{Bfloat16, Element, Fp8E4m3, Fp8E5m2, Half};

/// `ncclRedOp_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum.
    Sum,
    /// The product.
    Prod,
    /// The largest.
    Max,
    /// The least.
    Min,
    /// The mean.
    Avg,
}

impl Reduction {
    /// The reduction of a code.
    pub fn of(code: i32) -> Option<Self> {
        const ALL: [Reduction; 5] = [Reduction::Sum, Reduction::Prod, Reduction::Max, Reduction::Min, Reduction::Avg];
        usize::try_from(code).ok().and_then(|code| ALL.get(code).copied())
    }
}

/// Bytes of one element of an `ncclDataType_t`.
pub fn bytes_of(datatype: i32) -> Option<usize> {
    match datatype {
        0 | 1 | 10 | 11 => Some(1),
        6 | 9 => Some(2),
        2 | 3 | 7 => Some(4),
        4 | 5 | 8 => Some(8),
        _ => None,
    }
}

/// One reduction of so many elements: those of all ranks into one place, rank by rank.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// `ncclDataType_t`.
    pub datatype: i32,
    /// What is done.
    pub reduction: Reduction,
    /// The number of ranks, which a mean divides by.
    pub ranks: u32,
    /// How many elements.
    pub count: usize,
}

impl Task {
    /// Reduces.
    ///
    /// # Safety
    ///
    /// Every source holds the elements, the target has room for them, and nobody else writes to any of them.
    pub unsafe fn run(self, sources: &[*const u8], target: *mut u8) {
        // SAFETY: as the caller promises.
        unsafe {
            match self.datatype {
                0 => self.typed::<i8>(sources, target),
                1 => self.typed::<u8>(sources, target),
                2 => self.typed::<i32>(sources, target),
                3 => self.typed::<u32>(sources, target),
                4 => self.typed::<i64>(sources, target),
                5 => self.typed::<u64>(sources, target),
                6 => self.typed::<Half>(sources, target),
                7 => self.typed::<f32>(sources, target),
                8 => self.typed::<f64>(sources, target),
                9 => self.typed::<Bfloat16>(sources, target),
                10 => self.typed::<Fp8E4m3>(sources, target),
                11 => self.typed::<Fp8E5m2>(sources, target),
                _ => {}
            }
        }
    }

    /// # Safety
    ///
    /// As of [`Self::run`].
    unsafe fn typed<T: Element>(self, sources: &[*const u8], target: *mut u8) {
        // SAFETY: as the caller promises.
        unsafe {
            match self.reduction {
                Reduction::Sum => self.fold(sources, target, T::plus, |one| one, |all| all),
                Reduction::Prod => self.fold(sources, target, T::times, |one| one, |all| all),
                Reduction::Max => self.fold(sources, target, T::larger, |one| one, |all| all),
                Reduction::Min => self.fold(sources, target, T::smaller, |one| one, |all| all),
                Reduction::Avg => {
                    self.fold(sources, target, T::plus, |one| one.share(self.ranks), |all| all.mean(self.ranks));
                }
            }
        }
    }

    /// # Safety
    ///
    /// As of [`Self::run`].
    unsafe fn fold<T: Element>(
        self,
        sources: &[*const u8],
        target: *mut u8,
        join: impl Fn(T, T) -> T,
        before: impl Fn(T) -> T,
        after: impl Fn(T) -> T,
    ) {
        let Some((first, rest)) = sources.split_first() else { return };
        let mut at = 0;
        // A plain loop: this is built without optimisation, and is where the time goes.
        while at < self.count {
            // SAFETY: within the elements that the caller promises. Addresses need not be aligned.
            unsafe {
                let mut all = before(first.cast::<T>().add(at).read_unaligned());
                for source in rest {
                    all = join(all, before(source.cast::<T>().add(at).read_unaligned()));
                }
                target.cast::<T>().add(at).write_unaligned(after(all));
            }
            at += 1;
        }
    }
}
