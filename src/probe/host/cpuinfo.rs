use std::collections::BTreeSet;

use crate::{facts::Fact, probe::tree::Tree};

/// The file's path below the root.
pub(super) const CPUINFO: &str = "proc/cpuinfo";

/// Arm's own cores (`CPU implementer` 0x41) in servers: `CPU part`, and the name as lscpu prints it.
///
/// Source: util-linux, sys-utils/lscpu-arm.c.
const ARM_PARTS: [(&str, &str); 7] = [
    ("0xd0c", "Neoverse-N1"),
    ("0xd40", "Neoverse-V1"),
    ("0xd49", "Neoverse-N2"),
    ("0xd4f", "Neoverse-V2"),
    ("0xd83", "Neoverse-V3AE"),
    ("0xd84", "Neoverse-V3"),
    ("0xd8e", "Neoverse-N3"),
];
const ARM: &str = "0x41";

/// The CPUs' model name. On aarch64 the kernel tells numbers instead of a name.
pub(super) fn model(tree: &Tree) -> Fact<String> {
    Fact::told(tree.read(CPUINFO).and_then(|text| name(&text)), "/proc/cpuinfo")
}

fn name(text: &str) -> Result<String, String> {
    let names = values(text, "model name");
    let names: BTreeSet<String> =
        if names.is_empty() { arm_names(text)? } else { names.into_iter().map(str::to_owned).collect() };
    let all: Vec<String> = names.into_iter().collect();
    match all.as_slice() {
        [] => Err(format!("/{CPUINFO} names no model")),
        [one] => Ok(one.clone()),
        [..] => Err(format!("/{CPUINFO} names several models: {}", all.join(", "))),
    }
}

fn arm_names(text: &str) -> Result<BTreeSet<String>, String> {
    let implementers = values(text, "CPU implementer");
    let parts = values(text, "CPU part");
    let of_arm = implementers.iter().all(|implementer| *implementer == ARM);
    let name = |part: &str| {
        let known = ARM_PARTS.iter().find(|(number, _)| of_arm && *number == part);
        let unknown = || {
            let implementers: Vec<&str> = implementers.iter().copied().collect();
            format!(
                "/{CPUINFO} has no model name, and CPU part {part} of implementer {} is none known here",
                implementers.join(", ")
            )
        };
        known.map(|(_, name)| (*name).to_owned()).ok_or_else(unknown)
    };
    parts.into_iter().map(name).collect()
}

/// The different values of a key, over all CPUs.
pub(super) fn values<'a>(text: &'a str, key: &str) -> BTreeSet<&'a str> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    let values = pairs.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim());
    values.filter(|value| !value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::testing::rebuilt, *};

    fn model_of(text: &str) -> Fact<String> {
        model(&rebuilt(&[(CPUINFO, text)]).tree)
    }

    #[test]
    fn two_sockets_of_one_model() {
        let text =
            "processor\t: 0\nmodel\t\t: 143\nmodel name\t: Xeon 8480C\n\nprocessor\t: 1\nmodel name\t: Xeon 8480C\n";
        assert_eq!(model_of(text).value().map(String::as_str), Some("Xeon 8480C"));
        let mixed = text.replacen("8480C", "8470", 1);
        assert_eq!(model_of(&mixed).reason(), Some("/proc/cpuinfo names several models: Xeon 8470, Xeon 8480C"));
    }

    #[test]
    fn numbers_of_arm() {
        let grace = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd4f\n";
        assert_eq!(model_of(grace).value().map(String::as_str), Some("Neoverse-V2"));
        for unknown in [grace.replace("0x41", "0x46"), grace.replace("0xd4f", "0xfff")] {
            assert!(model_of(&unknown).reason().unwrap().contains("CPU part"), "{unknown}");
        }
    }

    #[test]
    fn no_name_at_all() {
        assert_eq!(model_of("processor\t: 0\n").reason(), Some("/proc/cpuinfo names no model"));
    }
}
