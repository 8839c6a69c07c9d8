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
        // SAFETY: as the caller promises; chunks and shares begin at multiples of an element's size.
        let target = unsafe { std::slice::from_raw_parts_mut(target.cast::<T>(), self.count) };
        for (number, source) in sources.iter().enumerate() {
            // SAFETY: as above.
            let source = unsafe { std::slice::from_raw_parts(source.cast::<T>(), self.count) };
            match (self.reduction, number) {
                (Reduction::Avg, 0) => join(target, source, |_, one| one.share(self.ranks)),
                (Reduction::Avg, _) => join(target, source, |all, one| all.plus(one.share(self.ranks))),
                (_, 0) => target.copy_from_slice(source),
                (Reduction::Sum, _) => join(target, source, T::plus),
                (Reduction::Prod, _) => join(target, source, T::times),
                (Reduction::Max, _) => join(target, source, T::larger),
                (Reduction::Min, _) => join(target, source, T::smaller),
            }
        }
        if self.reduction == Reduction::Avg {
            target.iter_mut().for_each(|all| *all = all.mean(self.ranks));
        }
    }
}

/// Joins what one rank sent to what there is. A plain loop, and small functions that are always put in place: this is
/// built without optimisation, and is where the time goes.
#[inline(always)]
fn join<T: Copy>(target: &mut [T], source: &[T], join: impl Fn(T, T) -> T) {
    let count = target.len().min(source.len());
    let mut at = 0;
    while at < count {
        target[at] = join(target[at], source[at]);
        at += 1;
    }
}
