use crate::{
    collective::{Datatype, Reduction, Sweep},
    spec::{Bound, BoundValue, Collective, Engine, InPlace, Operation},
    units::{Bandwidth, Size},
};

/// Timed iterations where the spec writes none, as in nccl-tests.
const ITERATIONS: u32 = 20;
/// Iterations before the timed ones where the spec writes none, as in nccl-tests since 2.16.9.
const WARMUP: u32 = 1;
/// Data up to this size is checked whole: on each GPU it takes some 50 ms. Above, windows are.
const WHOLE_CHECK: u64 = 256 << 20;

/// What the ranks run for a collective, its data checked or not; `None` for what this version does not measure.
pub(in crate::run) fn sweep(collective: &Collective, checked: bool) -> Option<Sweep> {
    let operation = collective.operation.value;
    let foreign = collective.engine.as_ref().is_some_and(|engine| engine.value == Engine::NcclTests);
    if foreign || operation != Operation::AllReduce {
        return None;
    }
    let in_place = collective.in_place.as_ref().map_or(InPlace::Both, |in_place| in_place.value);
    let datatype = collective.datatype.as_ref().map_or(Some(Datatype::Float), |name| Datatype::named(&name.value))?;
    Some(Sweep {
        operation: operation.name().to_owned(),
        datatype,
        reduction: collective.redop.as_ref().map_or(Some(Reduction::Sum), |name| Reduction::named(&name.value))?,
        root: collective.root.as_ref().map_or(0, |root| root.value),
        sizes: whole(&collective.sizes.all(), datatype),
        iterations: collective.iterations.as_ref().map_or(ITERATIONS, |iterations| iterations.value),
        warmup: collective.warmup.as_ref().map_or(WARMUP, |warmup| warmup.value),
        out_of_place: in_place != InPlace::Only,
        in_place: in_place != InPlace::Never,
        checked,
        whole_check: WHOLE_CHECK,
        ablations: Vec::new(),
    })
}

/// Sizes in whole elements, each once: what would be measured twice would be no figure of either. One that is smaller
/// than an element is not measured.
fn whole(sizes: &[Size], datatype: Datatype) -> Vec<u64> {
    let mut whole: Vec<u64> = sizes.iter().map(|size| size.0 - size.0 % datatype.bytes()).collect();
    whole.dedup();
    whole.retain(|size| *size > 0);
    whole
}

/// The bandwidth, in bytes per second, below which a link counts as stuck: the least that the case asks of any size. A
/// size that is slower by far is a failure, and one that is slower by twenty times a hang.
pub(super) fn floor(collective: &Collective) -> Option<f64> {
    let least = |bound: &Bound<Bandwidth>| match bound.value {
        BoundValue::Limits { min, .. } => min.map(|min| min.gigabytes_per_second() * 1e9),
        BoundValue::Share { .. } => None,
    };
    collective.expect.busbw.values().filter_map(least).filter(|floor| *floor > 0.0).reduce(f64::min)
}

/// The short run that shows what the library chooses: its log prints a line for each call, which no timed run may have.
pub(super) fn choices(sweep: &Sweep) -> Sweep {
    Sweep { iterations: 1, warmup: 0, in_place: false, out_of_place: true, checked: false, ..sweep.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::testing::collective;

    #[test]
    fn what_is_not_written_is_as_in_nccl_tests() {
        let sweep = sweep(&collective("{ op: all_reduce, sizes: [8, 1M] }"), true).unwrap();
        assert_eq!((sweep.iterations, sweep.warmup, sweep.sizes.as_slice()), (20, 1, &[8, 1 << 20][..]));
        assert_eq!((sweep.out_of_place, sweep.in_place, sweep.checked), (true, true, true));
        assert_eq!((sweep.datatype, sweep.reduction), (Datatype::Float, Reduction::Sum));
    }

    #[test]
    fn what_is_written_is_run() {
        let text =
            "{ op: all_reduce, sizes: [8], datatype: bfloat16, redop: max, iterations: 5, warmup: 0, in_place: only }";
        let sweep = sweep(&collective(text), false).unwrap();
        assert_eq!((sweep.iterations, sweep.warmup), (5, 0));
        assert_eq!((sweep.out_of_place, sweep.in_place, sweep.checked), (false, true, false));
        assert_eq!((sweep.datatype, sweep.reduction), (Datatype::Bfloat16, Reduction::Max));
    }

    #[test]
    fn sizes_are_whole_elements_each_once() {
        let sweep = sweep(&collective("{ op: all_reduce, sizes: [1, 3, 8, 10, 13, 64] }"), true).unwrap();
        assert_eq!(sweep.sizes, [8, 12, 64]);
    }

    #[test]
    fn what_this_version_does_not_measure() {
        assert_eq!(sweep(&collective("{ op: broadcast, sizes: [8] }"), true), None);
        assert_eq!(sweep(&collective("{ op: all_reduce, sizes: [8], engine: nccl-tests }"), true), None);
    }

    #[test]
    fn a_link_is_stuck_below_the_least_that_is_asked() {
        let of = |expect: &str| {
            let text = format!("{{ op: all_reduce, sizes: [8, 1M], expect: {{ {expect} }} }}");
            floor(&collective(&text))
        };
        assert_eq!(of("busbw: { 8: { min: 2 GB/s }, 1M: 300 GB/s }"), Some(2e9));
        assert_eq!(of("busbw: { 1M: { max: 300 GB/s } }"), None);
        assert_eq!(of("latency: { 8: 20 us }"), None);
    }
}
