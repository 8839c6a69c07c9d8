//! What can't be right in a suite that can be read: warnings with their place and reason.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::Arc,
};

use super::{
    BoundBase, BoundValue, Collective, CollectiveExpect, Kind, Operation, Place, Suite, Test, Unchecked,
    cells::{self, Cell},
    decoder::Errors,
    library_words, link_rate,
    references::bounds,
};

/// A ring reaches about this share of its links' rate at best: the rest goes to the protocol.
const RING_LIMIT: f64 = 0.8;

/// Something that can't be right, though it can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What, and why, as a fragment.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "warning: {}: {}", self.place, self.message)
    }
}

/// The warnings of a suite, in the order of its tests, each once.
pub(super) fn lint(suite: &Suite) -> Vec<Warning> {
    let mut warnings = Warnings::default();
    let mut used = BTreeSet::new();
    for test in &suite.tests {
        let kinds = test.every_kind(&mut Errors::default());
        for kind in kinds.iter().chain([&test.kind]) {
            let sources = bounds(kind).into_iter().filter_map(|bound| bound.source);
            used.extend(sources.map(|source| source.value.clone()));
            lint_kind(suite, test, kind, &mut warnings);
        }
        library_words::lint(test, |place, message| warnings.add(place, message));
        lint_rings(test, &mut warnings);
    }
    for (name, source) in suite.sources.iter().filter(|(name, _)| !used.contains(*name)) {
        warnings.add(&source.place, format!("no bound names the source `{name}`"));
    }
    warnings.0
}

#[derive(Default)]
struct Warnings(Vec<Warning>);

impl Warnings {
    fn add(&mut self, place: &Place, message: impl Into<String>) {
        let warning = Warning { place: place.clone(), message: message.into() };
        if !self.0.contains(&warning) {
            self.0.push(warning);
        }
    }
}

fn lint_kind(suite: &Suite, test: &Test, kind: &Kind, warnings: &mut Warnings) {
    for bound in bounds(kind).into_iter().filter(|bound| bound.is_floor && bound.source.is_none()) {
        warnings.add(bound.place, "a floor without `source`: nobody can tell where the figure is from");
    }
    let Kind::Collective(collective) = kind else { return };
    if never_fails(&collective.expect) {
        let message =
            format!("`{}` can never fail: data and ranks are unchecked, and nothing else is expected", test.name);
        warnings.add(&test.place, message);
    }
    let Some(limit) = limit(suite, test, collective) else { return };
    for bound in collective.expect.busbw.values() {
        if let BoundValue::Limits { min: Some(floor), .. } = bound.value
            && floor.gigabytes_per_second() > limit.rate
        {
            warnings.add(&bound.place, format!("the floor {floor} is above {}", limit.reason));
        }
    }
}

/// Whether nothing that a run shows could fail it.
fn never_fails(expect: &CollectiveExpect) -> bool {
    let unchecked =
        |value: &Option<super::Placed<Unchecked>>| value.as_ref().is_some_and(|v| v.value == Unchecked::Yes);
    let rest = CollectiveExpect { wrong: None, ranks: None, ..expect.clone() };
    unchecked(&expect.wrong) && unchecked(&expect.ranks) && rest == CollectiveExpect::default()
}

struct Limit {
    rate: f64,
    reason: String,
}

/// The bus bandwidth that the links of the suite's GPU cannot exceed, where the GPU is known.
fn limit(suite: &Suite, test: &Test, collective: &Collective) -> Option<Limit> {
    let gpu = suite.machine.as_ref()?.value.gpu.as_ref()?;
    let links = link_rate::of(gpu.as_str())?;
    let reason = format!("the {} GB/s that the links of one GPU carry per direction", links.rate);
    if !links.nvls || collective.operation.value != Operation::AllReduce {
        return Some(Limit { rate: links.rate, reason });
    }
    // With NVLS the switch reduces: a rank sends its data once, where bus bandwidth counts 2(n-1)/n times.
    let rate = match ranks(suite, test) {
        Some(ranks) => links.rate * 2.0 * (f64::from(ranks) - 1.0) / f64::from(ranks),
        None => links.rate * 2.0,
    };
    Some(Limit { rate, reason: format!("the {rate:.1} GB/s that an all_reduce can reach with NVLS on these links") })
}

/// The largest number of ranks that a case of the test can have.
fn ranks(suite: &Suite, test: &Test) -> Option<u32> {
    let machine = suite.machine.as_ref()?.value.gpus.as_ref()?.value;
    let crossed = test.matrix.iter().any(|matrix| {
        let axis = matrix.axes.iter().any(|axis| axis.key == super::AxisKey::Gpus);
        axis || matrix.include.iter().any(|cell| cell.contains_key("gpus"))
    });
    let ranks = match &test.gpus {
        _ if crossed => machine,
        super::GpuSelection::All => machine,
        super::GpuSelection::Count(count) => *count,
        super::GpuSelection::List(list) => u32::try_from(list.0.len()).ok()?,
    };
    (ranks > 1).then_some(ranks)
}

/// A share of the links that no ring reaches.
fn lint_rings(test: &Test, warnings: &mut Warnings) {
    let mut known: HashMap<Vec<usize>, HashMap<Cell, Option<Arc<Kind>>>> = HashMap::new();
    for cell in cells::cells(test.matrix.as_ref()).into_iter().filter(|cell| library_words::is_ring(test, cell)) {
        let overrides = test.overrides.iter().enumerate();
        let decided = overrides.filter(|(_, entry)| entry.machine.is_empty() && cells::matches(&cell, &entry.cell));
        let decided: Vec<usize> = decided.map(|(at, _)| at).collect();
        let fields = super::cell_kinds::fields(&cell);
        let kinds = known.entry(decided.clone()).or_default();
        let kind = kinds.entry(fields).or_insert_with_key(|fields| test.kind_for_cell(fields, &decided).ok());
        let Some(Kind::Collective(collective)) = kind.as_deref() else { continue };
        for bound in collective.expect.busbw.values() {
            if let BoundValue::Share { at_least, of: BoundBase::Link } = bound.value
                && at_least > RING_LIMIT
            {
                let share = at_least * 100.0;
                warnings
                    .add(&bound.place, format!("a ring stays below 80 % of its links, and {share:.0} % is asked for"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{
        resolve::{Resolved, ResolvedTest},
        testing::flow,
    };

    /// The warnings of a suite with one test of 8 GPUs.
    fn warnings(gpu: &str, test: &str) -> Vec<String> {
        let source = flow("{ date: 2026-05 }");
        let resolved = Resolved {
            root: flow(&format!("{{ linkspec: 1, suite: s, machine: {{ gpu: \"{gpu}\", gpus: 8 }} }}")),
            tests: vec![ResolvedTest { node: flow(test), defaults: None }],
            sources: vec![("azure".to_owned(), source.place.clone(), source)],
            is_fragment: false,
            unreadable: Vec::new(),
        };
        let mut errors = Errors::default();
        let suite = Suite::decode(&resolved, &"t.yaml".into(), &mut errors);
        assert_eq!(errors.0, [], "{test}");
        let warnings = lint(&suite.expect("a suite")).into_iter().map(|warning| warning.message);
        warnings.filter(|message| !message.contains("the source `azure`")).collect()
    }

    fn with_bound(op: &str, bound: &str, rest: &str) -> String {
        let expect = format!("expect: {{ busbw: {{ 1G: {bound} }} }}");
        format!("{{ name: t, collective: {{ op: {op}, sizes: [1G], {expect} }} {rest} }}")
    }

    #[test]
    fn a_floor_above_the_links_is_warned_of() {
        let floor = |figure: &str| format!("{{ min: {figure} GB/s, source: azure }}");
        let h100 = "NVIDIA H100 80GB HBM3";
        assert!(warnings(h100, &with_bound("all_reduce", &floor("787"), "")).is_empty());
        let above = warnings(h100, &with_bound("all_reduce", &floor("788"), ""));
        assert_eq!(
            above,
            ["the floor 788 GB/s is above the 787.5 GB/s that an all_reduce can reach with NVLS on these links"]
        );
        // Two ranks: 2(n-1)/n is 1.
        assert_eq!(warnings(h100, &with_bound("all_reduce", &floor("460"), ", gpus: 2")).len(), 1);
        assert_eq!(warnings(h100, &with_bound("all_gather", &floor("460"), "")).len(), 1);
        assert_eq!(warnings("NVIDIA A100-SXM4-80GB", &with_bound("all_reduce", &floor("301"), "")).len(), 1);
        assert!(warnings("NVIDIA H100 PCIe", &with_bound("all_reduce", &floor("900"), "")).is_empty());
    }

    #[test]
    fn a_floor_needs_a_source_and_a_ceiling_does_not() {
        let found = warnings("x", &with_bound("all_reduce", "40 GB/s", ""));
        assert_eq!(found, ["a floor without `source`: nobody can tell where the figure is from"]);
        assert!(warnings("x", &with_bound("all_reduce", "{ max: 40 GB/s }", "")).is_empty());
    }

    #[test]
    fn a_source_that_nothing_names_is_warned_of() {
        let resolved = Resolved {
            root: flow("{ linkspec: 1, suite: s }"),
            tests: vec![ResolvedTest { node: flow("{ name: t, p2p: { read: ok } }"), defaults: None }],
            sources: vec![("old".to_owned(), flow("~").place, flow("{ date: 2026 }"))],
            is_fragment: false,
            unreadable: Vec::new(),
        };
        let suite = Suite::decode(&resolved, &"t.yaml".into(), &mut Errors::default()).expect("a suite");
        let shown: Vec<String> = lint(&suite).iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["warning: test.yaml:1:1: no bound names the source `old`"]);
    }

    #[test]
    fn a_collective_that_expects_nothing_is_warned_of() {
        let test =
            |expect: &str| format!("{{ name: t, collective: {{ op: reduce, sizes: [8], expect: {{ {expect} }} }} }}");
        let found = warnings("x", &test("wrong: unchecked, ranks: unchecked"));
        assert_eq!(found, ["`t` can never fail: data and ranks are unchecked, and nothing else is expected"]);
        assert!(warnings("x", &test("wrong: unchecked")).is_empty());
        assert!(warnings("x", &test("wrong: unchecked, ranks: unchecked, warnings: none")).is_empty());
    }

    #[test]
    fn a_share_of_the_links_is_too_much_for_a_ring_only() {
        let bound = "{ at_least: 85%, of: link }";
        let ring = ["a ring stays below 80 % of its links, and 85 % is asked for"];
        assert_eq!(warnings("x", &with_bound("all_reduce", bound, ", env: { NCCL_ALGO: ring }")), ring);
        assert_eq!(
            warnings("x", &with_bound("all_reduce", bound, ", matrix: { env: { NCCL_ALGO: [~, Ring] } }")),
            ring
        );
        for rest in ["", ", env: { NCCL_ALGO: ^Ring }", ", matrix: { env: { NCCL_ALGO: [~, Tree] } }"] {
            assert!(warnings("x", &with_bound("all_reduce", bound, rest)).is_empty(), "{rest}");
        }
        let over = ", matrix: { env: { NCCL_ALGO: [~, Ring] }, \
                    override: [{ when: { NCCL_ALGO: Ring }, expect: { busbw: { 1G: ~ } } }] }";
        assert!(warnings("x", &with_bound("all_reduce", bound, over)).is_empty());
    }

    #[test]
    fn words_that_no_library_knows_are_warned_of() {
        let algo = |value: &str| {
            warnings("x", &format!("{{ name: t, p2p: {{ read: ok }}, env: {{ NCCL_ALGO: \"{value}\" }} }}"))
        };
        assert_eq!(algo("Rign,Tree"), ["no version of the library knows the algorithm `Rign` of NCCL_ALGO"]);
        for good in ["Ring", "^nvls,NVLSTree", "allreduce:tree;broadcast:^ring", "CollnetDirect", "CollNet"] {
            assert!(algo(good).is_empty(), "{good}");
        }
        let test = "{ name: t, p2p: { read: ok }, matrix: { env: { NCCL_PROTO: [~, LL128, LL256] } } }";
        assert_eq!(warnings("x", test), ["no version of the library knows the protocol `LL256` of NCCL_PROTO"]);
    }
}
