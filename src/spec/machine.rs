use super::{
    Glob, Node, Placed,
    decoder::Errors,
    shape::{Key, Shape, key},
    values, words,
};
use crate::facts::Vendor;

/// `machine`: what the suite is for. Vendor and GPU are the guard; a GPU count that differs is a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineExpect {
    /// The vendor of the GPUs.
    pub vendor: Option<Placed<Vendor>>,
    /// The product name of every GPU.
    pub gpu: Option<Placed<Glob>>,
    /// The number of GPUs.
    pub gpus: Option<Placed<u32>>,
}

/// The keys of `machine`.
pub(super) const KEYS: &[Key] = &[
    key("vendor", words::VENDOR, "the vendor of the GPUs"),
    key("gpu", Shape::Text, "the product name of every GPU, or a glob"),
    key("gpus", Shape::AtLeast(1), "the number of GPUs"),
];

impl MachineExpect {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = values::not_empty(node, "`machine`", KEYS, errors)?;
        let expect = Self {
            vendor: reader.placed("vendor", errors, words::vendor),
            gpu: reader.placed("gpu", errors, values::glob),
            gpus: reader.placed("gpus", errors, gpus),
        };
        (errors.0.len() == before).then_some(expect)
    }
}

fn gpus(node: &Node, errors: &mut Errors) -> Option<u32> {
    let gpus = values::integer(node, errors)?;
    if gpus == 0 {
        errors.at(node, "a machine has at least 1 GPU");
        return None;
    }
    Some(gpus)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good},
        *,
    };

    #[test]
    fn every_key_is_read() {
        let machine = good(MachineExpect::decode, &flow("{ vendor: nvidia, gpu: \"NVIDIA H100*\", gpus: 8 }"));
        assert_eq!(machine.vendor.unwrap().value, Vendor::Nvidia);
        assert_eq!(machine.gpu.unwrap().value.as_str(), "NVIDIA H100*");
        assert_eq!(machine.gpus.unwrap().value, 8);
        assert_eq!(good(MachineExpect::decode, &flow("{ vendor: amd }")).vendor.unwrap().value, Vendor::Amd);
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("{}", "`machine` is empty | its keys are vendor, gpu, gpus"),
            ("{ gpu: ~ }", "`machine` is empty | its keys are vendor, gpu, gpus"),
            ("{ vendor: NVIDIA }", "unknown vendor `NVIDIA`, expected `nvidia` or `amd` | did you mean `nvidia`?"),
            ("{ vendor: [nvidia] }", "expected `nvidia` or `amd`, found a list"),
            ("{ gpu: [a] }", "expected text, found a list"),
            ("{ gpus: 0 }", "a machine has at least 1 GPU"),
            ("{ gpus: eight }", "expected a whole number, found `eight`"),
            ("{ vendors: amd }", "unknown key `vendors` in `machine` | did you mean `vendor`?"),
        ] {
            assert_eq!(bad(MachineExpect::decode, &flow(text)), message, "{text}");
        }
    }
}
