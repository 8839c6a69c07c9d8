//! `skip_when`: the spec itself says on which machines a test makes no sense.

use super::{Finding, FindingCode, Severity, Verdict, want::meets};
use crate::{
    facts::{Fact, Facts},
    spec::{Place, Placed, SkipWhen, Wanted},
};

/// Whether one condition holds: `Err` where the fact is unknown.
type Condition = Result<bool, (Place, String)>;

/// A skip where every condition holds, an error where one is unknown, nothing where one does not hold.
///
/// An unknown fact is an error even beside a condition that does not hold: whether the test belongs to this machine
/// would otherwise depend on the order in which facts happen to be known.
pub(super) fn verdict(skip_when: &Placed<SkipWhen>, facts: &Facts) -> Option<Verdict> {
    let numa_nodes = facts.host.numa_nodes.clone().map(|nodes| u32::try_from(nodes.len()).unwrap_or(u32::MAX));
    let conditions: Vec<Condition> = [
        condition("number of GPUs", &skip_when.gpus, &facts.gpu_count),
        condition("number of NUMA nodes", &skip_when.numa_nodes, &numa_nodes),
        condition("number of RDMA devices", &skip_when.rdma_devices, &facts.rdma_count),
        equal("GPU vendor", skip_when.vendor.as_ref(), &facts.vendor, |wanted, found| match wanted {
            Wanted::Exact(vendor) => vendor == found,
            Wanted::OneOf(vendors) => vendors.contains(found),
            Wanted::Range { .. } => false,
        }),
        equal("kind of machine", skip_when.virtual_machine.as_ref(), &facts.host.virtual_machine, |wanted, found| {
            wanted == found
        }),
        gpu_name(skip_when, facts),
    ]
    .into_iter()
    .flatten()
    .collect();
    let unknown: Vec<Finding> = conditions.iter().filter_map(|condition| condition.as_ref().err()).map(unknown).collect();
    if !unknown.is_empty() {
        return Some(Verdict::from_findings(unknown, Vec::new()));
    }
    let holds = !conditions.is_empty() && conditions.iter().all(|condition| matches!(condition, Ok(true)));
    holds.then(|| Verdict::skipped(skip_when.reason.clone()))
}

fn condition(what: &str, wanted: &Option<Placed<Wanted<u32>>>, fact: &Fact<u32>) -> Option<Condition> {
    equal(what, wanted.as_ref(), fact, |wanted, found| meets(wanted, found))
}

fn equal<W, T>(
    what: &str,
    wanted: Option<&Placed<W>>,
    fact: &Fact<T>,
    holds: impl Fn(&W, &T) -> bool,
) -> Option<Condition> {
    let wanted = wanted?;
    Some(match fact.require() {
        Ok(found) => Ok(holds(&wanted.value, found)),
        Err(reason) => Err((wanted.place.clone(), format!("the {what} is unknown: {reason}"))),
    })
}

/// Holds where every GPU has such a name.
fn gpu_name(skip_when: &SkipWhen, facts: &Facts) -> Option<Condition> {
    let wanted = skip_when.gpu.as_ref()?;
    let matches = |name: &String| match &wanted.value {
        Wanted::Exact(glob) => glob.matches(name),
        Wanted::OneOf(globs) => globs.iter().any(|glob| glob.matches(name)),
        Wanted::Range { .. } => false,
    };
    let names: Result<Vec<bool>, &str> = facts.gpus.iter().map(|gpu| gpu.name.require().map(matches)).collect();
    Some(match names {
        Ok(names) if names.is_empty() => Err((wanted.place.clone(), "no GPU is known".to_owned())),
        Ok(names) => Ok(names.into_iter().all(|name| name)),
        Err(reason) => Err((wanted.place.clone(), format!("the GPU's name is unknown: {reason}"))),
    })
}

fn unknown((place, reason): &(Place, String)) -> Finding {
    let message = format!("whether to skip cannot be said: {reason}");
    Finding { place: Some(place.clone()), ..Finding::new(FindingCode::Unknown, Severity::Error, message) }
}
