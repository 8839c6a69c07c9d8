use super::{
    EccErrorsExpect, Glob, Node, NodeValue, ParameterKind, Placed, RemappedRowsExpect, ThrottleExpect, Wanted,
    XidExpect, collective_expect,
    decoder::{Errors, MapReader},
    gpu_health,
    shape::{Key, Shape, key, names},
    sizes, values, words,
};
use crate::{
    facts::{FabricState, Switch},
    units::{Bandwidth, Size, Version},
};

/// `gpu`: what holds of every GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuExpect {
    /// The number of GPUs.
    pub count: Option<Placed<Wanted<u32>>>,
    /// The product name.
    pub name: Option<Placed<Wanted<Glob>>>,
    /// The version of the VBIOS.
    pub vbios: Option<Placed<Wanted<Glob>>>,
    /// NVLinks that are up.
    pub nvlinks_active: Option<Placed<Wanted<u32>>>,
    /// The bandwidth per link and direction, for every active link.
    pub nvlink_speed: Option<Placed<Wanted<Bandwidth>>>,
    /// The PCIe generation under load.
    pub pcie_generation: Option<Placed<Wanted<u32>>>,
    /// The PCIe lanes.
    pub pcie_width: Option<Placed<Wanted<u32>>>,
    /// Whether the PCIe links above the GPU run at all that both of their ends reach: `full`.
    pub pcie_uplinks: Option<Placed<()>>,
    /// Whether ECC is on.
    pub ecc: Option<Placed<Switch>>,
    /// ECC error counts.
    pub ecc_errors: Option<Placed<EccErrorsExpect>>,
    /// Remapped rows.
    pub remapped_rows: Option<Placed<RemappedRowsExpect>>,
    /// The fabric's state.
    pub fabric_state: Option<Placed<Wanted<FabricState>>>,
    /// The driver's version, exact or as a glob.
    pub driver: Option<Placed<Wanted<Glob>>>,
    /// The driver's version as a range.
    pub driver_range: Option<Placed<(Option<Version>, Option<Version>)>>,
    /// Persistence mode.
    pub persistence: Option<Placed<Switch>>,
    /// Multi-instance mode.
    pub mig: Option<Placed<Switch>>,
    /// The size of the memory.
    pub memory: Option<Placed<Wanted<Size>>>,
    /// Lowered clocks.
    pub throttled: Option<Placed<ThrottleExpect>>,
    /// Driver error reports in the kernel log.
    pub xid: Option<Placed<XidExpect>>,
}

const FABRIC_STATES: [(&str, FabricState); 4] = [
    ("completed", FabricState::Completed),
    ("in-progress", FabricState::InProgress),
    ("not-started", FabricState::NotStarted),
    ("not-supported", FabricState::NotSupported),
];

const COUNT: Shape = Shape::Wanted(&Shape::Integer);
const FABRIC_STATE: Shape = Shape::Words(&names(&FABRIC_STATES));
const VERSIONS: &[Key] =
    &[key("min", Shape::Text, "the oldest, included"), key("max", Shape::Text, "the newest, included")];

/// The keys of `gpu`.
pub(super) const KEYS: &[Key] = &[
    key("count", COUNT, "the number of GPUs"),
    key("name", words::GLOBS, "the product name, or a glob"),
    key("vbios", words::GLOBS, "the version of the VBIOS such as 96.00.A5.00.1A, or a glob"),
    key("nvlinks_active", COUNT, "the NVLinks that are up"),
    key("nvlink_speed", Shape::Wanted(&Shape::Bandwidth), "the bandwidth of each active link per direction"),
    key("pcie_generation", COUNT, "the PCIe generation under load"),
    key("pcie_width", COUNT, "the PCIe lanes"),
    key(
        "pcie_uplinks",
        Shape::Words(&["full"]),
        "full: each PCIe link above the GPU's own runs at all that both ends reach",
    ),
    key("ecc", words::SWITCH, "whether ECC is on"),
    key("ecc_errors", gpu_health::ECC_ERRORS, "counts of ECC errors"),
    key("remapped_rows", gpu_health::REMAPPED_ROWS, "memory rows that were remapped"),
    key("fabric_state", Shape::Any(&[FABRIC_STATE, Shape::List(&FABRIC_STATE)]), "the state of the NVSwitch fabric"),
    key("driver", Shape::Any(&[words::GLOBS, Shape::NotEmpty(VERSIONS)]), "the driver's version, a glob, or a range"),
    key("persistence", words::SWITCH, "persistence mode"),
    key("mig", words::SWITCH, "multi-instance mode"),
    key("memory", Shape::Wanted(&Shape::Size), "the size of the memory"),
    key("throttled", gpu_health::THROTTLED, "clocks that are lowered for a reason other than idle"),
    key("xid", gpu_health::XID, "error reports of the driver in the kernel log since boot"),
];

impl GpuExpect {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = values::not_empty(node, "`gpu`", KEYS, errors)?;
        let (driver, driver_range) = driver(&reader, errors);
        let expect = Self {
            count: reader.placed("count", errors, count),
            name: reader.placed("name", errors, glob),
            vbios: reader.placed("vbios", errors, vbios),
            nvlinks_active: reader.placed("nvlinks_active", errors, count),
            nvlink_speed: reader.placed("nvlink_speed", errors, |node, errors| {
                values::wanted(node, errors, collective_expect::bandwidth)
            }),
            pcie_generation: reader.placed("pcie_generation", errors, count),
            pcie_width: reader.placed("pcie_width", errors, count),
            pcie_uplinks: reader
                .placed("pcie_uplinks", errors, |node, errors| values::word(node, "value", &[("full", ())], errors)),
            ecc: reader.placed("ecc", errors, words::switch),
            ecc_errors: reader.placed("ecc_errors", errors, EccErrorsExpect::decode),
            remapped_rows: reader.placed("remapped_rows", errors, RemappedRowsExpect::decode),
            fabric_state: reader.placed("fabric_state", errors, fabric_state),
            driver,
            driver_range,
            persistence: reader.placed("persistence", errors, words::switch),
            mig: reader.placed("mig", errors, words::switch),
            memory: reader.placed("memory", errors, |node, errors| values::wanted(node, errors, sizes::size)),
            throttled: reader.placed("throttled", errors, ThrottleExpect::decode),
            xid: reader.placed("xid", errors, XidExpect::decode),
        };
        (errors.0.len() == before).then_some(expect)
    }
}

fn count(node: &Node, errors: &mut Errors) -> Option<Wanted<u32>> {
    values::wanted(node, errors, values::integer)
}

fn glob(node: &Node, errors: &mut Errors) -> Option<Wanted<Glob>> {
    values::one_or_several(node, errors, values::glob)
}

/// A VBIOS version is printed in capitals, and a glob tells them apart: one in small letters would never match.
fn vbios(node: &Node, errors: &mut Errors) -> Option<Wanted<Glob>> {
    values::one_or_several(node, errors, |node, errors| {
        let glob = values::glob(node, errors)?;
        if glob.as_str().bytes().any(|byte| byte.is_ascii_lowercase()) {
            let message = format!("`{glob}` has small letters, and a VBIOS version has none");
            errors.at_with_help(node, message, "write it in capitals, as nvidia-smi does: `96.00.A5.*`");
            return None;
        }
        Some(glob)
    })
}

fn fabric_state(node: &Node, errors: &mut Errors) -> Option<Wanted<FabricState>> {
    let word = |node: &Node, errors: &mut Errors| values::word(node, "fabric state", &FABRIC_STATES, errors);
    values::one_or_several(node, errors, word)
}

type VersionRange = (Option<Version>, Option<Version>);

/// Only a range has an order; text is compared as text.
fn driver(reader: &MapReader<'_>, errors: &mut Errors) -> (Option<Placed<Wanted<Glob>>>, Option<Placed<VersionRange>>) {
    match reader.get("driver") {
        Some(Node { value: NodeValue::Map(_), .. }) => {
            let version = |node: &Node, errors: &mut Errors| {
                values::unit(node, ParameterKind::Text, "a version such as 535.54.03", errors)
            };
            (None, reader.placed("driver", errors, |node, errors| values::range(node, errors, version)))
        }
        _ => (reader.placed("driver", errors, glob), None),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good},
        *,
    };

    fn gpu(text: &str) -> GpuExpect {
        good(GpuExpect::decode, &flow(text))
    }

    #[test]
    fn counts_are_exact_one_of_or_a_range() {
        let expect = gpu("{ count: 8, nvlinks_active: [12, 18], pcie_generation: { min: 4 }, pcie_width: 16 }");
        assert_eq!(expect.count.unwrap().value, Wanted::Exact(8));
        assert_eq!(expect.nvlinks_active.unwrap().value, Wanted::OneOf(vec![12, 18]));
        assert_eq!(expect.pcie_generation.unwrap().value, Wanted::Range { min: Some(4), max: None });
        assert_eq!(expect.pcie_width.unwrap().value, Wanted::Exact(16));
    }

    #[test]
    fn quantities_have_units() {
        let expect = gpu("{ nvlink_speed: 26.562 GB/s, memory: { min: 140G } }");
        assert_eq!(expect.nvlink_speed.unwrap().value, Wanted::Exact(Bandwidth(26.562)));
        assert_eq!(expect.memory.unwrap().value, Wanted::Range { min: Some(Size(140 << 30)), max: None });
    }

    #[test]
    fn texts_may_be_globs() {
        let expect =
            gpu("{ name: \"NVIDIA H200*\", driver: [\"580.*\", 570.1], fabric_state: [completed, not-supported] }");
        let glob = |text| Glob::new(text).unwrap();
        assert_eq!(expect.name.unwrap().value, Wanted::Exact(glob("NVIDIA H200*")));
        assert_eq!(expect.driver.unwrap().value, Wanted::OneOf(vec![glob("580.*"), glob("570.1")]));
        assert_eq!(expect.driver_range, None);
        let states = vec![FabricState::Completed, FabricState::NotSupported];
        assert_eq!(expect.fabric_state.unwrap().value, Wanted::OneOf(states));
    }

    #[test]
    fn a_vbios_is_a_text_a_glob_or_a_list() {
        let glob = |text| Glob::new(text).unwrap();
        let vbios = |text: &str| gpu(text).vbios.unwrap().value;
        assert_eq!(vbios("{ vbios: 96.00.A5.00.1A }"), Wanted::Exact(glob("96.00.A5.00.1A")));
        let either = Wanted::OneOf(vec![glob("96.00.*"), glob("97.00.*")]);
        assert_eq!(vbios("{ vbios: [\"96.00.*\", \"97.00.*\"] }"), either);
    }

    #[test]
    fn a_range_of_drivers_is_ordered_by_version() {
        let expect = gpu("{ driver: { min: 535.54.03, max: 535.104 } }");
        assert_eq!(expect.driver, None);
        let version = |text: &str| Some(Version(text.to_owned()));
        assert_eq!(expect.driver_range.unwrap().value, (version("535.54.03"), version("535.104")));
    }

    #[test]
    fn switches_are_words_quoted_or_not() {
        let expect = gpu("{ ecc: on, persistence: \"on\", mig: off, throttled: off, xid: none }");
        let switches = [expect.ecc, expect.persistence, expect.mig].map(|switch| switch.unwrap().value);
        assert_eq!(switches, [Switch::On, Switch::On, Switch::Off]);
        assert_eq!(expect.throttled.unwrap().value, ThrottleExpect::Off { allow: Vec::new() });
        assert_eq!(expect.xid.unwrap().value, XidExpect { allow: Vec::new() });
    }

    #[test]
    fn health_is_read() {
        let expect = gpu("{ ecc_errors: { uncorrected: 0 }, remapped_rows: { failure: no } }");
        assert_eq!(expect.ecc_errors.unwrap().value.uncorrected.unwrap().value, Wanted::Exact(0));
        assert!(!expect.remapped_rows.unwrap().value.failure.unwrap().value);
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            (
                "{}",
                "`gpu` is empty | its keys are count, name, vbios, nvlinks_active, nvlink_speed, pcie_generation, ...",
            ),
            ("{ nvlink_active: 18 }", "unknown key `nvlink_active` in `gpu` | did you mean `nvlinks_active`?"),
            ("{ count: all }", "expected a whole number, found `all`"),
            ("{ count: { min: 8, max: 4 } }", "the range is empty: 8 is above 4"),
            ("{ name: { min: a } }", "expected text, found a map"),
            ("{ vbios: { min: 96.00.A5.00.1A } }", "expected text, found a map"),
            ("{ vbios: [] }", "expected a list of values, found an empty one"),
            (
                "{ vbios: \"96.00.a5.*\" }",
                "`96.00.a5.*` has small letters, and a VBIOS version has none | write it in capitals, as nvidia-smi \
                 does: `96.00.A5.*`",
            ),
            ("{ nvlink_speed: 26 }", "expected a bandwidth such as 440 GB/s, found `26`"),
            ("{ memory: 140 GB/s }", "expected a size such as 8, 64K, 8M or 2GiB, found `140 GB/s`"),
            ("{ ecc: yes }", "unknown state `yes`, expected `on` or `off`"),
            ("{ ecc: [on] }", "expected `on` or `off`, found a list"),
            ("{ driver: { min: new } }", "expected a version such as 580.159.04, found `new`"),
            ("{ driver: { min: 535.104, max: 535.54.03 } }", "the range is empty: 535.104 is above 535.54.03"),
            (
                "{ fabric_state: complete }",
                "unknown fabric state `complete`, expected one of `completed`, `in-progress`, `not-started`, \
                 `not-supported` | did you mean `completed`?",
            ),
            ("{ pcie_uplinks: 16 }", "unknown value `16`, expected `full`"),
            ("{ pcie_width: [] }", "expected a list of values, found an empty one"),
        ] {
            assert_eq!(bad(GpuExpect::decode, &flow(text)), message, "{text}");
        }
    }
}
