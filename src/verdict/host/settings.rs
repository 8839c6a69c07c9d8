use crate::{
    facts::{Fact, Host},
    spec::{HostExpect, KernelArguments, MemoryLimit, Placed, Wanted},
    verdict::{
        FindingCode,
        ledger::{Check, Ledger},
    },
};

/// Judges what the kernel was told and what it grants.
pub(super) fn judge(expect: &HostExpect, host: &Host, ledger: &mut Ledger<'_>) {
    if let Some(wanted) = &expect.kernel_arguments {
        kernel_arguments(wanted, host, ledger);
    }
    if let Some(wanted) = &expect.iommu {
        let check = Check::new(FindingCode::Iommu, "mode", "is {}", &wanted.place);
        ledger.check(&check, "IOMMU", wanted, &host.iommu);
    }
    if let Some(wanted) = &expect.numa_balancing {
        let check = Check::new(FindingCode::NumaBalancing, "state", "is {}", &wanted.place);
        ledger.check(&check, "NUMA balancing", &Wanted::Exact(wanted.value), &host.numa_balancing);
    }
    if let Some(wanted) = &expect.numa_nodes {
        let check = Check::new(FindingCode::NumaNodes, "number of NUMA nodes", "has {} NUMA nodes", &wanted.place);
        let count = host.numa_nodes.clone().map(|nodes| u32::try_from(nodes.len()).unwrap_or(u32::MAX));
        ledger.check(&check.unit("nodes"), "host", wanted, &count);
    }
    if let Some(wanted) = &expect.memlock {
        let check =
            Check::new(FindingCode::Memlock, "limit on locked memory", "limits locked memory to {}", &wanted.place);
        let limit = host.memlock.clone().map(|limit| limit.map_or(MemoryLimit::Unlimited, MemoryLimit::Size));
        ledger.check(&check.unit("bytes"), "host", wanted, &limit);
    }
    if let Some(wanted) = &expect.shm_size {
        let check = Check::new(FindingCode::ShmSize, "size", "has {}", &wanted.place).unit("bytes");
        ledger.check(&check, "/dev/shm", wanted, &host.shm_size.clone().map(MemoryLimit::Size));
    }
}

fn kernel_arguments(wanted: &Placed<KernelArguments>, host: &Host, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::KernelArgument, "kernel argument", "is {}", &wanted.place);
    let asked = wanted.require.iter().map(|name| (name, true)).chain(wanted.forbid.iter().map(|name| (name, false)));
    let word = |there: bool| if there { "set" } else { "not set" };
    for (name, expected) in asked {
        let device = format!("kernel argument {name}");
        match &host.kernel_arguments {
            Fact::Known { value, source } => {
                let there = value.iter().any(|argument| is_asked(argument, name, expected));
                if there == expected {
                    ledger.met(&check, name, word(expected), word(there), None);
                } else {
                    ledger.violated(&check, &device, word(expected), word(there), source);
                }
            }
            unknown => ledger.unknown(&check, name, word(expected), unknown.reason().unwrap_or_default()),
        }
    }
}

/// Whether an argument is the one asked for. A name alone that is forbidden means it with any value too: `iommu` is set by
/// `iommu=pt`, and a pass would say that it is not.
fn is_asked(argument: &str, asked: &str, required: bool) -> bool {
    let (argument, asked) = (unquoted(argument), unquoted(asked));
    argument == asked || !required && argument.split_once('=').is_some_and(|(name, _)| name == asked)
}

/// An argument without the quotes that the kernel takes off: around it, or around its value.
fn unquoted(argument: &str) -> String {
    let bare = |text: &str| text.strip_prefix('"').map(|text| text.strip_suffix('"').unwrap_or(text).to_owned());
    match argument.split_once('=') {
        _ if argument.starts_with('"') => bare(argument).unwrap_or_default(),
        Some((name, value)) => format!("{name}={}", bare(value).unwrap_or_else(|| value.to_owned())),
        None => argument.to_owned(),
    }
}
