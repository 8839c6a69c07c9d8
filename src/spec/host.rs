use std::collections::BTreeMap;

use super::{
    KernelLogExpect, Node, NodeValue, ParameterKind, Placed, Wanted,
    decoder::Errors,
    environment, kernel_log,
    shape::{Key, Shape, key, names},
    values, words,
};
use crate::{
    facts::{IommuMode, Switch},
    units::Size,
};

/// `host`: what holds of the host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostExpect {
    /// Arguments on the kernel's command line.
    pub kernel_arguments: Option<Placed<KernelArguments>>,
    /// The IOMMU.
    pub iommu: Option<Placed<Wanted<IommuMode>>>,
    /// ACS redirection on a bridge above a GPU or compute NIC.
    pub acs_redirect: Option<Placed<Switch>>,
    /// Automatic NUMA balancing.
    pub numa_balancing: Option<Placed<Switch>>,
    /// The number of NUMA nodes.
    pub numa_nodes: Option<Placed<Wanted<u32>>>,
    /// The limit on locked memory.
    pub memlock: Option<Placed<Wanted<MemoryLimit>>>,
    /// The size of /dev/shm.
    pub shm_size: Option<Placed<Wanted<MemoryLimit>>>,
    /// Services and the state that each should have.
    pub services: Option<Placed<BTreeMap<String, Placed<String>>>>,
    /// Whether the fabric manager's version is the driver's.
    pub fabric_manager_matches_driver: Option<Placed<bool>>,
    /// The way to GPUDirect RDMA.
    pub gpudirect: Option<Placed<GpuDirect>>,
    /// What the kernel log may not hold.
    pub kernel_log: Option<Placed<KernelLogExpect>>,
    /// NCCL variables of the shell and of configuration files.
    pub nccl_environment: Option<Placed<NcclEnvironmentExpect>>,
}

/// `kernel_arguments`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelArguments {
    /// Arguments that are there.
    pub require: Vec<String>,
    /// Arguments that are not.
    pub forbid: Vec<String>,
}

/// A size or `unlimited`, which is more than any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryLimit {
    /// A size.
    Size(Size),
    /// No limit.
    Unlimited,
}

impl std::fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(size) => size.fmt(f),
            Self::Unlimited => f.pad("unlimited"),
        }
    }
}

/// `gpudirect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuDirect {
    /// The nvidia-peermem module.
    Peermem,
    /// DMA-BUF.
    Dmabuf,
    /// Either.
    Any,
}

/// `nccl_environment`: `clean`, or the variables that are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NcclEnvironmentExpect {
    /// The variables that may be set.
    pub allow: Vec<String>,
}

const IOMMU_MODES: [(&str, IommuMode); 3] =
    [("off", IommuMode::Off), ("passthrough", IommuMode::Passthrough), ("translating", IommuMode::Translating)];

const GPUDIRECT_WAYS: [(&str, GpuDirect); 3] =
    [("peermem", GpuDirect::Peermem), ("dmabuf", GpuDirect::Dmabuf), ("any", GpuDirect::Any)];

const IOMMU: Shape = Shape::Words(&names(&IOMMU_MODES));
const LIMIT: Shape = Shape::Any(&[Shape::Size, Shape::Words(&["unlimited"])]);
const TEXTS: Shape = Shape::List(&Shape::Text);

const KERNEL_ARGUMENTS: &[Key] = &[
    key("require", TEXTS, "arguments that the kernel was started with, each with its value"),
    key("forbid", TEXTS, "arguments that it was not started with; a name alone means it with any value"),
];

/// The keys of `host`.
pub(super) const KEYS: &[Key] = &[
    key("kernel_arguments", Shape::NotEmpty(KERNEL_ARGUMENTS), "arguments on the kernel's command line"),
    key("iommu", Shape::Any(&[IOMMU, Shape::List(&IOMMU)]), "what the IOMMU does"),
    key("acs_redirect", words::SWITCH, "ACS redirection on a bridge above a GPU or compute NIC"),
    key("numa_balancing", words::SWITCH, "automatic NUMA balancing"),
    key("numa_nodes", Shape::Wanted(&Shape::Integer), "the number of NUMA nodes"),
    key("memlock", Shape::Wanted(&LIMIT), "the limit on locked memory"),
    key("shm_size", Shape::Wanted(&LIMIT), "the size of /dev/shm"),
    key("services", Shape::MapOf(&Shape::Text), "services and the state that each has, such as active"),
    key("fabric_manager_matches_driver", Shape::Boolean, "whether the fabric manager's version is the driver's"),
    key("gpudirect", Shape::Words(&names(&GPUDIRECT_WAYS)), "the way to GPUDirect RDMA"),
    key("kernel_log", Shape::Map(kernel_log::KEYS), "what the kernel log may not hold"),
    key(
        "nccl_environment",
        Shape::Any(&[Shape::Words(&["clean"]), TEXTS]),
        "clean, or the NCCL variables that may be set in the shell and in configuration files",
    ),
];

impl HostExpect {
    pub(super) fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = values::not_empty(node, "`host`", KEYS, errors)?;
        let limit = |node: &Node, errors: &mut Errors| values::wanted(node, errors, MemoryLimit::decode);
        let expect = Self {
            kernel_arguments: reader.placed("kernel_arguments", errors, KernelArguments::decode),
            iommu: reader.placed("iommu", errors, |node, errors| {
                values::one_or_several(node, errors, |node, errors| {
                    values::word(node, "IOMMU mode", &IOMMU_MODES, errors)
                })
            }),
            acs_redirect: reader.placed("acs_redirect", errors, words::switch),
            numa_balancing: reader.placed("numa_balancing", errors, words::switch),
            numa_nodes: reader
                .placed("numa_nodes", errors, |node, errors| values::wanted(node, errors, values::integer)),
            memlock: reader.placed("memlock", errors, limit),
            shm_size: reader.placed("shm_size", errors, limit),
            services: reader.placed("services", errors, services),
            fabric_manager_matches_driver: reader.placed("fabric_manager_matches_driver", errors, values::boolean),
            gpudirect: reader
                .placed("gpudirect", errors, |node, errors| values::word(node, "way", &GPUDIRECT_WAYS, errors)),
            kernel_log: reader.placed("kernel_log", errors, KernelLogExpect::decode),
            nccl_environment: reader.placed("nccl_environment", errors, NcclEnvironmentExpect::decode),
        };
        (errors.0.len() == before).then_some(expect)
    }
}

fn services(node: &Node, errors: &mut Errors) -> Option<BTreeMap<String, Placed<String>>> {
    values::map_of(node, "services and their states", errors, |_, state, errors| values::text(state, errors))
}

impl KernelArguments {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        let before = errors.0.len();
        let reader = values::not_empty(node, "`kernel_arguments`", KERNEL_ARGUMENTS, errors)?;
        let read = |node: &Node, errors: &mut Errors| values::list(node, "arguments", errors, argument);
        let require = reader.read("require", errors, read).unwrap_or_default();
        let forbid = reader.read("forbid", errors, read).unwrap_or_default();
        (errors.0.len() == before).then_some(Self { require, forbid })
    }
}

/// A text with a space would never be found, so that forbidding it would always pass.
fn argument(node: &Node, errors: &mut Errors) -> Option<String> {
    let text = values::text(node, errors)?;
    if text.is_empty() || text.contains(char::is_whitespace) {
        errors.at(node, format!("expected one argument such as iommu=pt, found `{text}`"));
        return None;
    }
    Some(text)
}

impl MemoryLimit {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        const EXPECTED: &str = "a size such as 64G, or unlimited";
        let kind = node.parameter.as_ref().map_or(ParameterKind::Size, |parameter| parameter.kind);
        let text = node.scalar(EXPECTED, errors)?;
        if text == "unlimited" && matches!(kind, ParameterKind::Size | ParameterKind::Text) {
            return Some(Self::Unlimited);
        }
        values::of_kind(node, ParameterKind::Size, EXPECTED, errors)?;
        let size = text.parse().ok().map(Self::Size);
        if size.is_none() {
            errors.at(node, format!("expected {EXPECTED}, found `{text}`"));
        }
        size
    }
}

impl NcclEnvironmentExpect {
    fn decode(node: &Node, errors: &mut Errors) -> Option<Self> {
        if let NodeValue::List(_) = &node.value {
            return values::list(node, "variables", errors, variable).map(|allow| Self { allow });
        }
        values::word(node, "value", &[("clean", ())], errors).map(|()| Self::default())
    }
}

fn variable(node: &Node, errors: &mut Errors) -> Option<String> {
    let text = values::text(node, errors)?;
    if !environment::is_name(&text) {
        errors.at(node, format!("expected the name of a variable, found `{text}`"));
        return None;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{bad, flow, good, parameter},
        *,
    };

    fn host(text: &str) -> HostExpect {
        good(HostExpect::decode, &flow(text))
    }

    #[test]
    fn words_and_numbers_are_read() {
        let expect = host(
            "{ iommu: [off, passthrough], acs_redirect: off, numa_balancing: on, numa_nodes: { min: 2 }, \
             fabric_manager_matches_driver: yes, gpudirect: dmabuf }",
        );
        assert_eq!(expect.iommu.unwrap().value, Wanted::OneOf(vec![IommuMode::Off, IommuMode::Passthrough]));
        assert_eq!(expect.acs_redirect.unwrap().value, Switch::Off);
        assert_eq!(expect.numa_balancing.unwrap().value, Switch::On);
        assert_eq!(expect.numa_nodes.unwrap().value, Wanted::Range { min: Some(2), max: None });
        assert!(expect.fabric_manager_matches_driver.unwrap().value);
        assert_eq!(expect.gpudirect.unwrap().value, GpuDirect::Dmabuf);
    }

    #[test]
    fn limits_are_sizes_or_unlimited() {
        let expect = host("{ memlock: unlimited, shm_size: { min: 64G, max: unlimited } }");
        assert_eq!(expect.memlock.unwrap().value, Wanted::Exact(MemoryLimit::Unlimited));
        let (min, max) = (Some(MemoryLimit::Size(Size(64 << 30))), Some(MemoryLimit::Unlimited));
        assert_eq!(expect.shm_size.unwrap().value, Wanted::Range { min, max });
        for (kind, text, limit) in [
            (ParameterKind::Size, "1K", MemoryLimit::Size(Size(1024))),
            (ParameterKind::Text, "unlimited", MemoryLimit::Unlimited),
        ] {
            assert_eq!(good(MemoryLimit::decode, &parameter(kind, text)), limit);
        }
    }

    #[test]
    fn lists_and_maps_are_read() {
        let expect = host(
            "{ kernel_arguments: { require: [iommu=pt], forbid: [pci=noacs] }, kernel_log: { forbid: [xid] }, \
             services: { nvidia-fabricmanager: active, irqbalance: ~ }, nccl_environment: [NCCL_DEBUG] }",
        );
        let arguments = expect.kernel_arguments.unwrap().value;
        assert_eq!((arguments.require, arguments.forbid), (vec!["iommu=pt".to_owned()], vec!["pci=noacs".to_owned()]));
        assert_eq!(expect.kernel_log.unwrap().value.forbid.len(), 1);
        let services = expect.services.unwrap().value;
        assert_eq!(services.len(), 1);
        assert_eq!(services["nvidia-fabricmanager"].value, "active");
        assert_eq!(expect.nccl_environment.unwrap().value.allow, ["NCCL_DEBUG"]);
        assert!(host("{ nccl_environment: clean }").nccl_environment.unwrap().value.allow.is_empty());
    }

    #[test]
    fn wrong_forms_are_one_error_each() {
        for (text, message) in [
            ("{ ioomu: off }", "unknown key `ioomu` in `host` | did you mean `iommu`?"),
            ("{ iommu: pt }", "unknown IOMMU mode `pt`, expected one of `off`, `passthrough`, `translating`"),
            ("{ acs_redirect: [off] }", "expected `on` or `off`, found a list"),
            ("{ numa_nodes: two }", "expected a whole number, found `two`"),
            ("{ memlock: none }", "expected a size such as 64G, or unlimited, found `none`"),
            ("{ shm_size: { min: unlimited, max: 1G } }", "the range is empty: unlimited is above 1G"),
            ("{ services: active }", "expected a map of services and their states, found a plain value"),
            ("{ services: {} }", "expected a map of services and their states, found an empty one"),
            ("{ services: { a: [active] } }", "expected text, found a list"),
            (
                "{ fabric_manager_matches_driver: on }",
                "unknown value `on`, expected one of `yes`, `no`, `true`, `false`",
            ),
            (
                "{ gpudirect: peer }",
                "unknown way `peer`, expected one of `peermem`, `dmabuf`, `any` | did you mean `peermem`?",
            ),
            ("{ kernel_arguments: {} }", "`kernel_arguments` is empty | its keys are require, forbid"),
            ("{ kernel_arguments: { require: iommu=pt } }", "expected a list of arguments, found a plain value"),
            ("{ kernel_arguments: { forbid: [a b] } }", "expected one argument such as iommu=pt, found `a b`"),
            ("{ nccl_environment: dirty }", "unknown value `dirty`, expected `clean`"),
            ("{ nccl_environment: [A=1] }", "expected the name of a variable, found `A=1`"),
            (
                "{ kernel_log: { forbid: [zzz] } }",
                "unknown kind of line `zzz`, expected one of `xid`, `sxid`, \
              `fallen-off-bus`, `aer-fatal`, `nvlink-error`, `regex:...`",
            ),
        ] {
            assert_eq!(bad(HostExpect::decode, &flow(text)), message, "{text}");
        }
    }
}
