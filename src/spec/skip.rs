use super::{
    Glob, Node, Placed, Wanted,
    decoder::{Errors, MapReader},
    rule::Rule,
    shape::{Key, Shape, key, required},
    values, words,
};
use crate::facts::Vendor;

/// `skip_when`: the test is skipped on a machine for which all of these hold. An unknown fact is an error.
#[derive(Clone, Debug, PartialEq)]
pub struct SkipWhen {
    /// Why, for the report.
    pub reason: String,
    /// The number of GPUs.
    pub gpus: Option<Placed<Wanted<u32>>>,
    /// The number of NUMA nodes.
    pub numa_nodes: Option<Placed<Wanted<u32>>>,
    /// The vendor.
    pub vendor: Option<Placed<Wanted<Vendor>>>,
    /// The GPU's name.
    pub gpu: Option<Placed<Wanted<Glob>>>,
    /// Whether the machine is virtual.
    pub virtual_machine: Option<Placed<bool>>,
    /// The number of RDMA devices.
    pub rdma_devices: Option<Placed<Wanted<u32>>>,
}

const COUNT: Shape = Shape::Wanted(&Shape::Integer);

/// The keys of `skip_when`.
pub(super) const KEYS: &[Key] = &[
    required("reason", Shape::Text, "why the test is skipped, for the report"),
    key("gpus", COUNT, "the number of GPUs"),
    key("numa_nodes", COUNT, "the number of NUMA nodes"),
    key("vendor", Shape::Any(&[words::VENDOR, Shape::List(&words::VENDOR)]), "the vendor of the GPUs"),
    key("gpu", words::GLOBS, "the product name of the GPUs, or a glob"),
    key("virtual", Shape::Boolean, "whether the machine is virtual"),
    key("rdma_devices", COUNT, "the number of RDMA devices"),
];

/// What `skip_when` can be: a reason alone names no fact.
pub(super) const SHAPE: Shape = Shape::Ruled(KEYS, &[Rule::MoreThan(REASON)]);

const REASON: &[&str] = &["reason"];

impl SkipWhen {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = MapReader::open(node, "`skip_when`", KEYS, errors)?;
        let reason = reader.read("reason", errors, reason);
        if errors.0.len() == before && !reader.says_more_than(REASON) {
            errors.at_with_help(node, "`skip_when` names no fact", "its facts are gpus, numa_nodes, vendor, gpu, ...");
        }
        let skip = Self {
            reason: reason.unwrap_or_default(),
            gpus: reader.placed("gpus", errors, count),
            numa_nodes: reader.placed("numa_nodes", errors, count),
            vendor: reader.placed("vendor", errors, |node, errors| values::one_or_several(node, errors, words::vendor)),
            gpu: reader.placed("gpu", errors, |node, errors| values::one_or_several(node, errors, values::glob)),
            virtual_machine: reader.placed("virtual", errors, values::boolean),
            rdma_devices: reader.placed("rdma_devices", errors, count),
        };
        (errors.0.len() == before).then_some(skip)
    }
}

fn reason(node: &Node, errors: &mut Errors) -> Option<String> {
    let reason = values::text(node, errors)?;
    if reason.trim().is_empty() {
        errors.at(node, "the reason is empty");
        return None;
    }
    Some(reason)
}

fn count(node: &Node, errors: &mut Errors) -> Option<Wanted<u32>> {
    values::wanted(node, errors, values::integer)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good},
        *,
    };

    #[test]
    fn every_fact_is_read() {
        let text = "{ reason: one node only, gpus: { max: 3 }, numa_nodes: 1, vendor: [amd, nvidia], \
                    gpu: [\"*A100*\"], virtual: yes, rdma_devices: [0, 1] }";
        let skip = good(SkipWhen::decode, &flow(text));
        assert_eq!(skip.reason, "one node only");
        assert_eq!(skip.gpus.unwrap().value, Wanted::Range { min: None, max: Some(3) });
        assert_eq!(skip.numa_nodes.unwrap().value, Wanted::Exact(1));
        assert_eq!(skip.vendor.unwrap().value, Wanted::OneOf(vec![Vendor::Amd, Vendor::Nvidia]));
        assert_eq!(skip.gpu.unwrap().value, Wanted::OneOf(vec![Glob::new("*A100*").unwrap()]));
        assert!(skip.virtual_machine.unwrap().value);
        assert_eq!(skip.rdma_devices.unwrap().value, Wanted::OneOf(vec![0, 1]));
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("{ gpus: 1 }", "`skip_when` lacks the key `reason` | why the test is skipped, for the report"),
            ("{ gpus: 1, reason: \" \" }", "the reason is empty"),
            ("{ reason: x }", "`skip_when` names no fact | its facts are gpus, numa_nodes, vendor, gpu, ..."),
            ("{ reason: x, numa: 1 }", "unknown key `numa` in `skip_when` | did you mean `numa_nodes`?"),
            ("{ reason: x, virtual: maybe }", "unknown value `maybe`, expected one of `yes`, `no`, `true`, `false`"),
            ("{ reason: x, gpus: few }", "expected a whole number, found `few`"),
            ("{ reason: x, vendor: intel }", "unknown vendor `intel`, expected `nvidia` or `amd`"),
            ("{ reason: x, gpu: { min: 1 } }", "expected text, found a map"),
        ] {
            assert_eq!(bad(SkipWhen::decode, &flow(text)), message, "{text}");
        }
    }
}
