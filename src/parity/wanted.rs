use std::path::Path;

use crate::{
    collective::{Ablation, Datatype, Reduction, Sweep},
    spec::Operation,
};

/// Up to this size linkspec checks data whole: 256 MiB. nccl-tests checks all; neither is within the timed loop.
const WHOLE_CHECK: u64 = 256 << 20;

/// The sweep that both sides run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The operation.
    pub operation: Operation,
    /// The type of the elements.
    pub datatype: Datatype,
    /// The reduction.
    pub reduction: Reduction,
    /// The least size in bytes.
    pub from: u64,
    /// The largest size in bytes, which also decides the buffers.
    pub to: u64,
    /// What each size is multiplied with for the next: 2 or more.
    pub factor: u64,
    /// Timed iterations.
    pub iterations: u32,
    /// Iterations before.
    pub warmup: u32,
}

impl Wanted {
    /// The sizes in bytes.
    pub fn sizes(&self) -> Vec<u64> {
        let next = |size: &u64| size.checked_mul(self.factor.max(2));
        std::iter::successors(Some(self.from), next).take_while(|size| (1..=self.to).contains(size)).collect()
    }

    /// Whether the steps arrive at the largest size. nccl-tests makes buffers of that size in any case, and the size of the
    /// buffers decides a figure: where the steps miss it the two sides do not compare.
    pub fn arrives(&self) -> bool {
        self.sizes().last() == Some(&self.to)
    }

    /// As linkspec runs it.
    pub fn sweep(&self, ablations: &[Ablation]) -> Sweep {
        Sweep {
            operation: self.operation.name().to_owned(),
            datatype: self.datatype,
            reduction: self.reduction,
            root: 0,
            sizes: self.sizes(),
            iterations: self.iterations,
            warmup: self.warmup,
            out_of_place: true,
            in_place: true,
            checked: true,
            whole_check: WHOLE_CHECK,
            ablations: ablations.to_vec(),
        }
    }

    /// The name of nccl-tests' program.
    pub fn program(&self) -> String {
        format!("{}_perf", self.operation.name())
    }

    /// nccl-tests' arguments: one GPU per process, checked, figures into `json`.
    pub fn arguments(&self, json: &Path) -> Vec<String> {
        let options = [
            ("-b", self.from.to_string()),
            ("-e", self.to.to_string()),
            ("-f", self.factor.to_string()),
            ("-g", "1".to_owned()),
            ("-n", self.iterations.to_string()),
            ("-w", self.warmup.to_string()),
            ("-c", "1".to_owned()),
            ("-d", self.datatype.name().to_owned()),
            ("-o", self.reduction.name().to_owned()),
            ("-J", json.display().to_string()),
        ];
        options.into_iter().flat_map(|(option, value)| [option.to_owned(), value]).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub const WANTED: Wanted = Wanted {
        operation: Operation::AllReduce,
        datatype: Datatype::Float,
        reduction: Reduction::Sum,
        from: 8,
        to: 32,
        factor: 2,
        iterations: 20,
        warmup: 1,
    };

    #[test]
    fn sizes_go_on_by_the_factor() {
        assert_eq!(WANTED.sizes(), [8, 16, 32]);
        assert_eq!(Wanted { to: 31, factor: 3, ..WANTED }.sizes(), [8, 24]);
        assert!(Wanted { to: 7, ..WANTED }.sizes().is_empty());
        assert_eq!(Wanted { from: 1 << 63, to: u64::MAX, ..WANTED }.sizes(), [1 << 63]);
        assert!(Wanted { from: 0, ..WANTED }.sizes().is_empty());
    }

    #[test]
    fn steps_must_arrive_at_the_largest_size() {
        assert!(WANTED.arrives() && Wanted { to: 8, ..WANTED }.arrives());
        assert!(!Wanted { to: 33, ..WANTED }.arrives() && !Wanted { to: 7, ..WANTED }.arrives());
    }

    #[test]
    fn both_sides_are_told_the_same() {
        let arguments = WANTED.arguments(Path::new("/tmp/a b.json")).join(" ");
        assert_eq!(arguments, "-b 8 -e 32 -f 2 -g 1 -n 20 -w 1 -c 1 -d float -o sum -J /tmp/a b.json");
        let sweep = WANTED.sweep(&[Ablation::Data]);
        assert_eq!((sweep.iterations, sweep.warmup, sweep.sizes.as_slice()), (20, 1, &[8, 16, 32][..]));
        assert!(sweep.out_of_place && sweep.in_place && sweep.checked && sweep.without(Ablation::Data));
    }
}
