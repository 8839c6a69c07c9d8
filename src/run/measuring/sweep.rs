use crate::{
    collective::{Datatype, Reduction, Sweep},
    spec::{Collective, Engine, InPlace, Operation},
    units::Size,
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

/// The short run that shows what the library chooses: its log prints a line for each call, which no timed run may have.
pub(super) fn choices(sweep: &Sweep) -> Sweep {
    Sweep { iterations: 1, warmup: 0, in_place: false, out_of_place: true, checked: false, ..sweep.clone() }
}
