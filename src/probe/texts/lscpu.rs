//! `lscpu`: the number of CPUs, the model, the NUMA nodes, and whether this is a virtual machine.

use super::listing::{cut_line, is_frame, key_and_value};
use super::rdma_words::plain;
use super::{Line, lines};
use crate::facts::{Damage, Fact, Facts, NumaNode};
use crate::units::IndexList;

/// Reads it.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let cut = cut_line(text);
    let mut reader = Reader {
        file,
        facts,
        nodes: None,
        listed: Vec::new(),
        online: None,
        virtual_machine: None,
        hypervisor_flag: None,
        wrapped: false,
    };
    for line in lines(text) {
        if is_frame(&line.text, "lscpu") {
        } else if cut == Some(line.number) {
            reader.damage(&line, "the file ends within this line");
        } else {
            reader.line(&line);
        }
    }
    reader.end();
}

struct Reader<'a> {
    file: &'a str,
    facts: &'a mut Facts,
    /// `NUMA node(s)`.
    nodes: Option<u32>,
    /// `NUMA node0 CPU(s)` and its siblings.
    listed: Vec<NumaNode>,
    online: Option<IndexList>,
    virtual_machine: Option<bool>,
    /// A line without a key may be the rest of the one before it.
    wrapped: bool,
    /// Whether the flags of an x86 CPU name the bit that a hypervisor sets (CPUID leaf 1, ECX bit 31).
    hypervisor_flag: Option<bool>,
}

impl Reader<'_> {
    fn damage(&mut self, line: &Line, reason: &str) {
        self.facts.damage.push(Damage::new(self.file, line.number, &line.text, reason));
    }

    fn line(&mut self, line: &Line) {
        let Some((key, value)) = key_and_value(line) else {
            self.wrapped = true;
            return self.damage(line, "not a line of lscpu");
        };
        match key {
            "CPU(s)" => match plain(value) {
                Some(count) => self.facts.host.cpus.merge(Fact::known(count, self.file)),
                None => self.damage(line, "not a number of CPUs"),
            },
            "On-line CPU(s) list" => self.online = value.parse().ok(),
            "Model name" if !value.is_empty() => {
                self.facts.host.cpu_model.merge(Fact::known(value.to_owned(), self.file));
            }
            "NUMA node(s)" => match plain(value) {
                Some(count) => self.nodes = Some(count),
                None => self.damage(line, "not a number of NUMA nodes"),
            },
            // `Virtualization: VT-x` is what the CPU can, these two are what the machine is. Dom0 of Xen and a
            // container host say something else than `full` or `para` as their type.
            "Virtualization type" => self.virtual_machine = matches!(value, "full" | "para").then_some(true),
            "Hypervisor vendor" if self.virtual_machine.is_none() && !value.is_empty() => {
                self.virtual_machine = Some(true);
            }
            "Flags" if value.split(' ').any(|flag| flag == "fpu") => {
                self.hypervisor_flag = Some(value.split(' ').any(|flag| flag == "hypervisor"));
            }
            _ => self.node(line, key, value),
        }
    }

    /// `NUMA node0 CPU(s): 0-31`; a node that holds only memory has no CPUs.
    fn node(&mut self, line: &Line, key: &str, value: &str) {
        let Some(index) = key.strip_prefix("NUMA node").and_then(|rest| rest.strip_suffix(" CPU(s)")) else { return };
        let cpus = if value.is_empty() { Ok(IndexList::default()) } else { value.parse() };
        match (plain(index), cpus) {
            (Some(index), Ok(cpus)) => self.listed.push(NumaNode::new(index, cpus)),
            _ => self.damage(line, "not a NUMA node's CPUs"),
        }
    }

    fn end(self) {
        let nodes = match whole_nodes(self.nodes, self.listed, self.online.as_ref()) {
            Ok(_) if self.wrapped => Fact::unknown(format!("{}: a line may be wrapped", self.file)),
            Ok(nodes) => Fact::known(nodes, self.file),
            Err(reason) => Fact::unknown(format!("{}: {reason}", self.file)),
        };
        self.facts.host.numa_nodes.merge_list(nodes);
        // A machine that is not virtual has no line that says so; the flags do, where they are whole.
        let virtual_machine = match (self.virtual_machine, self.hypervisor_flag) {
            (Some(true), _) | (None, Some(true)) => Fact::known(true, self.file),
            (None, Some(false)) if !self.wrapped => Fact::known(false, self.file),
            _ => Fact::unknown(format!("{} names no hypervisor, and no x86 flags that prove there is none", self.file)),
        };
        self.facts.host.virtual_machine.merge(virtual_machine);
    }
}

/// The nodes, where as many are listed as there are.
fn whole_nodes(
    count: Option<u32>,
    mut listed: Vec<NumaNode>,
    online: Option<&IndexList>,
) -> Result<Vec<NumaNode>, String> {
    let count = count.ok_or("the line `NUMA node(s)` is missing")?;
    listed.sort_by_key(|node| node.index);
    let twice = listed.windows(2).any(|pair| pair[0].index == pair[1].index);
    if twice || u32::try_from(listed.len()).ok() != Some(count) {
        return Err(format!("{count} NUMA nodes, the CPUs of {} are shown", listed.len()));
    }
    let together: IndexList = listed.iter().flat_map(|node| node.cpus.0.iter().copied()).collect();
    match online {
        Some(online) if *online != together => Err(format!("the nodes hold CPUs {together}, {online} are on-line")),
        _ => Ok(listed),
    }
}

/// NUMA nodes in one line.
#[cfg(test)]
pub(super) fn shown(nodes: &[NumaNode]) -> String {
    let nodes: Vec<String> = nodes.iter().map(|node| format!("node {} with {}", node.index, node.cpus)).collect();
    nodes.join("; ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_only_less, damaged, facts};
    use super::*;

    const METAL: &str = "Architecture:          x86_64\n  CPU op-mode(s):      32-bit, 64-bit\nCPU(s):                16\n\
        On-line CPU(s) list:   0-15\nVendor ID:             GenuineIntel\n\
        Model name:            Intel(R) Xeon(R) Platinum 8480C\nCPU family:            6\n\
        Virtualization:        VT-x\nNUMA node(s):          2\nNUMA node0 CPU(s):     0-3,8-11\n\
        NUMA node1 CPU(s):     4-7,12-15\nVulnerability Mds:     Not affected\n";

    #[test]
    fn two_sockets() {
        let read = facts(read, METAL);
        assert_eq!(read.damage, []);
        assert_eq!(read.host.cpus.value(), Some(&16));
        assert_eq!(read.host.cpu_model.value().map(String::as_str), Some("Intel(R) Xeon(R) Platinum 8480C"));
        let nodes = read.host.numa_nodes.value().unwrap();
        assert_eq!(shown(nodes), "node 0 with 0-3,8-11; node 1 with 4-7,12-15");
        assert_eq!(read.host.virtual_machine.value(), None, "what the CPU can is not what the machine is");
    }

    #[test]
    fn a_guest() {
        let text = METAL.replace("Virtualization:        VT-x", "Hypervisor vendor: KVM\nVirtualization type: full");
        assert_eq!(facts(read, &text).host.virtual_machine.value(), Some(&true));
    }

    #[test]
    fn the_flags_of_a_cpu() {
        let bare = format!("{METAL}Flags: fpu vme vmx sse4_2\n");
        assert_eq!(facts(read, &bare).host.virtual_machine.value(), Some(&false));
        let guest = format!("{METAL}Flags: fpu vme hypervisor\n");
        assert_eq!(facts(read, &guest).host.virtual_machine.value(), Some(&true));
        let wrapped = format!("{METAL}Flags: fpu vme\nhypervisor\n");
        assert_eq!(facts(read, &wrapped).host.virtual_machine.value(), None);
        let arm = format!("{METAL}Flags: fp asimd\n");
        assert_eq!(facts(read, &arm).host.virtual_machine.value(), None);
    }

    #[test]
    fn a_node_that_is_cut() {
        let read = facts(read, &METAL[..METAL.find("-7,12-15").unwrap()]);
        assert_eq!(read.host.numa_nodes.value(), None);
        assert_eq!(read.host.cpus.value(), Some(&16));
        assert_eq!(read.damage.len(), 1);
    }

    #[test]
    fn a_node_with_memory_only() {
        let text = METAL.replace("node(s):          2", "node(s): 3").replace("Vuln", "NUMA node2 CPU(s):\nVuln");
        let read = facts(read, &text);
        assert_eq!(read.host.numa_nodes.value().map(|nodes| nodes[2].cpus.0.len()), Some(0));
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(METAL)) {
            assert_only_less(&facts(read, METAL), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in "(?s)(NUMA node(s): 1\n|NUMA node0 CPU(s): 0-3\n|CPU(s): |.){0,40}") {
            facts(read, &text);
        }
    }
}
