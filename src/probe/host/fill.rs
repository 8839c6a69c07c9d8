use std::collections::BTreeMap;

use super::{
    answer::{Answer, Library},
    kmsg::KernelLog,
    libraries, read,
    services::COMMAND,
};
use crate::{
    facts::{Fact, Facts, IommuMode, Origin},
    probe::{
        child::Heard,
        live::Silence,
        texts::{cmdline, dmesg},
    },
};

/// Fills the facts from what was heard.
pub(in crate::probe) fn fill(heard: Heard<Answer>, facts: &mut Facts) -> Silence {
    let silence = Silence::of(&heard, "the host does not say");
    let nothing = heard.answers.is_empty();
    let lost: Vec<String> = heard.all_lost().map(|(_, why)| why.to_owned()).collect();
    let mut filler = Filler { facts, gaps: Vec::new(), iommu: None };
    heard.answers.into_iter().for_each(|answer| filler.take(answer));
    filler.settle_iommu();
    lost.into_iter().for_each(|why| filler.gap(&why));
    let line = match filler.gaps.as_slice() {
        _ if nothing => format!("not read: {}", silence.why(read::HOST)),
        [] => "read from /proc, /sys, /dev/kmsg and systemctl".to_owned(),
        gaps => format!("read from /proc and /sys, but: {}", gaps.join("; ")),
    };
    facts.sources.insert("host".to_owned(), line);
    facts.host.fabric_manager.explain(&silence.why(read::FABRIC_MANAGER));
    for name in libraries::NAMES {
        facts.libraries.entry(name.to_owned()).or_default().explain(&silence.why(read::LIBRARIES));
    }
    silence
}

struct Filler<'a> {
    facts: &'a mut Facts,
    /// Why facts that every host has are not known.
    gaps: Vec<String>,
    /// What sysfs says of the IOMMU.
    iommu: Option<Fact<IommuMode>>,
}

impl Filler<'_> {
    fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Name(fact) => self.put(fact, |facts| &mut facts.host.name),
            Answer::Kernel(fact) => self.put(fact, |facts| &mut facts.host.kernel),
            Answer::Cpus(fact) => self.put(fact, |facts| &mut facts.host.cpus),
            Answer::AllowedCpus(fact) => self.put(fact, |facts| &mut facts.host.allowed_cpus),
            Answer::CpuModel(fact) => self.put(fact, |facts| &mut facts.host.cpu_model),
            Answer::NumaNodes(fact) => self.put(fact, |facts| &mut facts.host.numa_nodes),
            Answer::VirtualMachine(fact) => self.put(fact, |facts| &mut facts.host.virtual_machine),
            Answer::NumaBalancing(fact) => self.put(fact, |facts| &mut facts.host.numa_balancing),
            Answer::Memlock(fact) => self.put(fact, |facts| &mut facts.host.memlock),
            Answer::ShmSize(fact) => self.put(fact, |facts| &mut facts.host.shm_size),
            Answer::Hugepages(fact) => self.put(fact, |facts| &mut facts.host.hugepages),
            Answer::Iommu(fact) => self.iommu = Some(fact),
            Answer::KernelArguments(text) => self.kernel_arguments(text),
            Answer::KernelLog(log) => self.kernel_log(log),
            Answer::Services(services) => self.services(services),
            // Not every host has these: that they are not there is no gap.
            Answer::GpuDirect(fact) => self.facts.host.gpudirect = fact,
            Answer::FabricManager(fact) => self.facts.host.fabric_manager = fact,
            Answer::Library(library) => self.library(library),
        }
    }

    fn put<T>(&mut self, fact: Fact<T>, place: impl Fn(&mut Facts) -> &mut Fact<T>) {
        if let Some(reason) = fact.reason() {
            self.gap(reason);
        }
        *place(self.facts) = fact;
    }

    fn gap(&mut self, reason: &str) {
        if !self.gaps.iter().any(|known| known == reason) {
            self.gaps.push(reason.to_owned());
        }
    }

    fn kernel_arguments(&mut self, text: Result<String, String>) {
        match text {
            // The kernel's line is whole; its end was taken off with the white space.
            Ok(text) => cmdline::read(&format!("{text}\n"), "/proc/cmdline", self.facts),
            Err(reason) => self.put(Fact::unknown(reason), |facts| &mut facts.host.kernel_arguments),
        }
    }

    fn kernel_log(&mut self, log: Result<KernelLog, String>) {
        match log {
            Ok(log) => {
                dmesg::read_ring(&log.text, "/dev/kmsg", log.lost.as_deref(), self.facts);
                if let Some(reason) = self.facts.host.kernel_log.reason().map(str::to_owned) {
                    self.gap(&reason);
                }
            }
            Err(reason) => {
                self.put(Fact::unknown(&reason), |facts| &mut facts.host.kernel_log);
                self.put(Fact::unknown(&reason), |facts| &mut facts.host.kernel_log_lines);
            }
        }
    }

    fn services(&mut self, services: Result<BTreeMap<String, String>, String>) {
        let count = services.as_ref().map(|services| u32::try_from(services.len()).unwrap_or(u32::MAX));
        self.put(Fact::told(count.map_err(Clone::clone), COMMAND), |facts| &mut facts.host.service_count);
        let named = services.unwrap_or_default().into_iter();
        self.facts.host.services.extend(named.map(|(name, state)| (name, Fact::known(state, COMMAND))));
    }

    fn library(&mut self, library: Library) {
        if library.fake {
            self.facts.origin = Origin::Fake;
        }
        self.facts.libraries.insert(library.name, library.version);
    }

    /// What sysfs shows is what is; arguments and log are heard where it shows nothing.
    fn settle_iommu(&mut self) {
        let Some(shown) = self.iommu.take() else { return };
        let asked = &mut self.facts.host.iommu;
        match (shown, &*asked) {
            (shown @ Fact::Known { .. }, _) => *asked = shown,
            (Fact::Unknown { reason }, Fact::Unknown { .. }) => {
                *asked = Fact::unknown(&reason);
                self.gap(&reason);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
