use std::collections::BTreeMap;

use super::{
    Glob, Globs, Node, ParameterKind, Placed, Wanted,
    decoder::{Errors, MapReader},
    link_class,
    rule::Rule,
    shape::{Key, Shape, key, names, required},
    values, words,
};
use crate::{
    facts::{LinkClass, PortState},
    units::Rate,
};

/// `rdma_ports`: what holds of every port of the chosen devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RdmaPorts {
    /// The devices: a glob chooses those that match, a plain name in a list must be there. All without it.
    pub devices: Option<Placed<Globs>>,
    /// The number of chosen devices, exactly.
    pub count: Option<Placed<Wanted<u32>>>,
    /// The logical state.
    pub state: Option<Placed<Wanted<PortState>>>,
    /// The physical state, as ibstat spells it.
    pub physical_state: Option<Placed<Wanted<String>>>,
    /// The rate.
    pub rate: Option<Placed<Wanted<Rate>>>,
    /// The width, such as `4X`.
    pub width: Option<Placed<Wanted<Glob>>>,
    /// `InfiniBand` or `Ethernet`.
    pub link_layer: Option<Placed<Wanted<String>>>,
    /// The active MTU in bytes.
    pub active_mtu: Option<Placed<Wanted<u32>>>,
    /// An entry that the GID table must hold.
    pub gid: Option<Placed<GidExpect>>,
    /// The firmware's version.
    pub firmware: Option<Placed<Wanted<Glob>>>,
    /// The growth of counters while the suite runs, by name or glob.
    pub counters: Option<Placed<BTreeMap<String, Placed<Wanted<u64>>>>>,
    /// How near the nearest GPU is.
    pub near_gpu: Option<Placed<NearGpu>>,
}

/// `gid`: an entry of the table with these properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GidExpect {
    /// The type, such as `RoCE v2`.
    pub kind: Option<String>,
    /// Whether it is routable: not link-local and not empty.
    pub routable: Option<bool>,
}

/// `near_gpu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearGpu {
    /// The nearest GPU is at most this far.
    pub at_most: LinkClass,
}

const STATES: [(&str, PortState); 4] =
    [("Down", PortState::Down), ("Init", PortState::Init), ("Armed", PortState::Armed), ("Active", PortState::Active)];
/// The words of a spec, and how ibstat spells them.
const PHYSICAL_STATES: [(&str, &str); 5] = [
    ("LinkUp", "LinkUp"),
    ("Polling", "Polling"),
    ("Disabled", "Disabled"),
    ("Sleep", "Sleep"),
    ("Training", "PortConfigurationTraining"),
];
const LINK_LAYERS: [(&str, &str); 2] = [("InfiniBand", "InfiniBand"), ("Ethernet", "Ethernet")];

/// The MTUs of InfiniBand, in bytes, which RoCE has as well.
const MTUS: [u32; 5] = [256, 512, 1024, 2048, 4096];

const STATE: Shape = Shape::Words(&names(&STATES));
const PHYSICAL_STATE: Shape = Shape::Words(&names(&PHYSICAL_STATES));
const LINK_LAYER: Shape = Shape::Words(&names(&LINK_LAYERS));
const COUNT: Shape = Shape::Wanted(&Shape::Integer);

const GID: &[Key] = &[
    key("type", Shape::Text, "the type, such as RoCE v2"),
    key("routable", Shape::Boolean, "whether it is routable: not link-local and not empty"),
];

const NEAR_GPU: &[Key] = &[required("at_most", link_class::FARTHEST_NIC, "the nearest GPU is this far or nearer")];

/// The keys of `rdma_ports`.
pub(super) const KEYS: &[Key] = &[
    key("devices", words::GLOBS, "the devices, a glob or a list; all without it"),
    key("count", COUNT, "the number of these devices, exactly"),
    key("state", Shape::Any(&[STATE, Shape::List(&STATE)]), "the logical state"),
    key("physical_state", Shape::Any(&[PHYSICAL_STATE, Shape::List(&PHYSICAL_STATE)]), "the physical state"),
    key("rate", Shape::Wanted(&Shape::Rate), "the rate; a plain value is exact"),
    key("width", words::GLOBS, "the width, such as 4X"),
    key("link_layer", Shape::Any(&[LINK_LAYER, Shape::List(&LINK_LAYER)]), "the link layer"),
    key("active_mtu", COUNT, "the active MTU in bytes, 256 to 4096"),
    key("gid", Shape::NotEmpty(GID), "an entry that the GID table holds"),
    key("firmware", words::GLOBS, "the firmware's version, or a glob"),
    key("counters", Shape::MapOf(&COUNT), "how much counters grow while the suite runs, by name or glob"),
    key("near_gpu", Shape::Map(NEAR_GPU), "how near the nearest GPU is"),
];

/// What `rdma_ports` can be: devices alone ask for nothing.
pub(super) const SHAPE: Shape = Shape::Ruled(KEYS, &[Rule::MoreThan(SELECTION)]);

const SELECTION: &[&str] = &["devices"];

impl RdmaPorts {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = MapReader::open(node, "`rdma_ports`", KEYS, errors)?;
        if errors.0.len() == before && !reader.says_more_than(SELECTION) {
            errors.at_with_help(node, "`rdma_ports` expects nothing", "such as state: Active or count: 8");
        }
        let ports = Self {
            devices: reader.placed("devices", errors, values::globs),
            count: reader.placed("count", errors, |node, errors| values::wanted(node, errors, values::integer)),
            state: reader.placed("state", errors, |node, errors| {
                values::one_or_several(node, errors, |node, errors| values::word(node, "state", &STATES, errors))
            }),
            physical_state: reader.placed("physical_state", errors, |node, errors| {
                spelling(node, "physical state", &PHYSICAL_STATES, errors)
            }),
            rate: reader.placed("rate", errors, |node, errors| values::wanted(node, errors, rate)),
            width: reader.placed("width", errors, glob),
            link_layer: reader
                .placed("link_layer", errors, |node, errors| spelling(node, "link layer", &LINK_LAYERS, errors)),
            active_mtu: reader.placed("active_mtu", errors, |node, errors| values::wanted(node, errors, mtu)),
            gid: reader.placed("gid", errors, GidExpect::decode),
            firmware: reader.placed("firmware", errors, glob),
            counters: reader.placed("counters", errors, counters),
            near_gpu: reader.placed("near_gpu", errors, NearGpu::decode),
        };
        (errors.0.len() == before).then_some(ports)
    }
}

fn rate(node: &Node, errors: &mut Errors) -> Option<Rate> {
    values::unit(node, ParameterKind::Rate, "a port rate such as 400 Gb/s", errors)
}

fn glob(node: &Node, errors: &mut Errors) -> Option<Wanted<Glob>> {
    values::one_or_several(node, errors, values::glob)
}

/// One of some words, or several of them, kept as text.
fn spelling(node: &Node, what: &str, words: &[(&str, &str)], errors: &mut Errors) -> Option<Wanted<String>> {
    values::one_or_several(node, errors, |node, errors| values::word(node, what, words, errors).map(str::to_owned))
}

fn mtu(node: &Node, errors: &mut Errors) -> Option<u32> {
    let mtu = values::integer(node, errors)?;
    if !MTUS.contains(&mtu) {
        errors.at(node, format!("expected an MTU of 256, 512, 1024, 2048 or 4096, found `{mtu}`"));
        return None;
    }
    Some(mtu)
}

fn counters(node: &Node, errors: &mut Errors) -> Option<BTreeMap<String, Placed<Wanted<u64>>>> {
    values::map_of(node, "counters and their growth", errors, |name, growth, errors| {
        if let Err(reason) = Glob::new(name) {
            errors.at(growth, format!("`{name}` is no glob: {reason}"));
            return None;
        }
        values::wanted(growth, errors, values::integer)
    })
}

impl GidExpect {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = values::not_empty(node, "`gid`", GID, errors)?;
        let kind = reader.read("type", errors, values::text);
        let routable = reader.read("routable", errors, values::boolean);
        (errors.0.len() == before).then_some(Self { kind, routable })
    }
}

impl NearGpu {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let reader = MapReader::open(node, "`near_gpu`", NEAR_GPU, errors)?;
        Some(Self { at_most: reader.read("at_most", errors, link_class::farthest_nic)? })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good, parameter},
        *,
    };

    fn ports(text: &str) -> RdmaPorts {
        good(RdmaPorts::decode, &flow(text))
    }

    #[test]
    fn devices_are_chosen_and_counted() {
        let ports = ports("{ devices: [mlx5_0, \"mlx5_1*\"], count: 8 }");
        let devices = ports.devices.unwrap().value;
        assert!(devices.matches("mlx5_0") && devices.matches("mlx5_10") && !devices.matches("mlx5_2"));
        assert_eq!(ports.count.unwrap().value, Wanted::Exact(8));
    }

    #[test]
    fn words_are_one_or_several() {
        let ports = ports("{ state: [Init, Active], physical_state: LinkUp, link_layer: InfiniBand }");
        assert_eq!(ports.state.unwrap().value, Wanted::OneOf(vec![PortState::Init, PortState::Active]));
        assert_eq!(ports.physical_state.unwrap().value, Wanted::Exact("LinkUp".to_owned()));
        assert_eq!(ports.link_layer.unwrap().value, Wanted::Exact("InfiniBand".to_owned()));
        let training = self::ports("{ physical_state: Training }").physical_state.unwrap().value;
        assert_eq!(training, Wanted::Exact("PortConfigurationTraining".to_owned()));
    }

    #[test]
    fn speeds_and_versions_are_read() {
        let ports = ports("{ rate: 400 Gb/s, width: 4X, active_mtu: { min: 1024 }, firmware: \"28.*\" }");
        assert_eq!(ports.rate.unwrap().value, Wanted::Exact(Rate(400.0)));
        assert_eq!(ports.width.unwrap().value, Wanted::Exact(Glob::new("4X").unwrap()));
        assert_eq!(ports.active_mtu.unwrap().value, Wanted::Range { min: Some(1024), max: None });
        assert_eq!(ports.firmware.unwrap().value, Wanted::Exact(Glob::new("28.*").unwrap()));
        assert_eq!(good(rate, &parameter(ParameterKind::Rate, "200 Gb/s")), Rate(200.0));
    }

    #[test]
    fn nested_expectations_are_read() {
        let ports = ports(
            "{ gid: { type: RoCE v2, routable: yes }, near_gpu: { at_most: PXB }, \
             counters: { symbol_error: 0, \"*_err\": { max: 5 }, link_downed: ~ } }",
        );
        let gid = GidExpect { kind: Some("RoCE v2".to_owned()), routable: Some(true) };
        assert_eq!(ports.gid.unwrap().value, gid);
        assert_eq!(ports.near_gpu.unwrap().value.at_most, LinkClass::Pxb);
        let counters = ports.counters.unwrap().value;
        assert_eq!(counters.len(), 2);
        assert_eq!(counters["symbol_error"].value, Wanted::Exact(0));
        assert_eq!(counters["*_err"].value, Wanted::Range { min: None, max: Some(5) });
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("{ devices: mlx5_0 }", "`rdma_ports` expects nothing | such as state: Active or count: 8"),
            ("{ rates: 400 Gb/s }", "unknown key `rates` in `rdma_ports` | did you mean `rate`?"),
            ("{ count: 1, devices: [] }", "expected a list of globs, found an empty one"),
            ("{ rate: 400 }", "expected a port rate such as 400 Gb/s, found `400`"),
            ("{ rate: 50 GB/s }", "expected a port rate such as 400 Gb/s, found `50 GB/s`"),
            (
                "{ state: active }",
                "unknown state `active`, expected one of `Down`, `Init`, `Armed`, `Active` | did you mean `Active`?",
            ),
            (
                "{ physical_state: Link Up }",
                "unknown physical state `Link Up`, expected one of `LinkUp`, `Polling`, `Disabled`, `Sleep`, `Training` \
                 | did you mean `LinkUp`?",
            ),
            ("{ link_layer: RoCE }", "unknown link layer `RoCE`, expected `InfiniBand` or `Ethernet`"),
            ("{ active_mtu: 9000 }", "expected an MTU of 256, 512, 1024, 2048 or 4096, found `9000`"),
            ("{ active_mtu: 4K }", "expected a whole number, found `4K`"),
            ("{ gid: {} }", "`gid` is empty | its keys are type, routable"),
            ("{ gid: { routable: 2 } }", "unknown value `2`, expected one of `yes`, `no`, `true`, `false`"),
            ("{ counters: { symbol_error: none } }", "expected a whole number, found `none`"),
            ("{ counters: 0 }", "expected a map of counters and their growth, found a plain value"),
            ("{ counters: { \"a[\": 0 } }", "`a[` is no glob: unclosed character class; missing ']'"),
            ("{ near_gpu: {} }", "`near_gpu` lacks the key `at_most` | the nearest GPU is this far or nearer"),
            (
                "{ near_gpu: { at_most: NV4 } }",
                "`NV4` is no distance between a GPU and a NIC | the distances are PIX, PXB, PHB, NODE, SYS",
            ),
        ] {
            assert_eq!(bad(RdmaPorts::decode, &flow(text)), message, "{text}");
        }
    }
}
