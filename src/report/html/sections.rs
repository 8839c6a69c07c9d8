use super::{Html, inputs::has_inputs, machine::has_machine};
use crate::record::{CaseRecord, RunRecord};

/// The sections that a report has, in their order: what is empty is left out.
#[derive(Debug)]
pub(super) struct Sections {
    shown: Vec<Section>,
}

/// One section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// Cases that failed or could not be judged.
    Look,
    /// The link matrix.
    Links,
    /// RDMA ports.
    Ports,
    /// Charts of the cases that passed.
    Bandwidth,
    /// The machine.
    Machine,
    /// Warnings, damage, sources.
    Inputs,
    /// Every case.
    Cases,
}

impl Section {
    const fn id(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Links => "links",
            Self::Ports => "ports",
            Self::Bandwidth => "bandwidth",
            Self::Machine => "machine",
            Self::Inputs => "inputs",
            Self::Cases => "cases",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Look => "What needs a look",
            Self::Links => "Links",
            Self::Ports => "RDMA ports",
            Self::Bandwidth => "Bandwidth",
            Self::Machine => "Machine",
            Self::Inputs => "Inputs",
            Self::Cases => "All cases",
        }
    }
}

impl Sections {
    /// The sections of a record, given its cases that need a look and those that have a chart of their own.
    pub fn new(record: &RunRecord, bad: &[&CaseRecord], charted: &[&CaseRecord]) -> Self {
        let facts = &record.header.facts;
        let shown = [
            (Section::Look, !bad.is_empty()),
            (Section::Links, !facts.gpu_pairs.is_empty() || !facts.gpu_nics.is_empty()),
            (Section::Ports, !facts.rdma_devices.is_empty()),
            (Section::Bandwidth, !charted.is_empty()),
            (Section::Machine, has_machine(facts)),
            (Section::Inputs, has_inputs(&record.header)),
            (Section::Cases, true),
        ];
        Self { shown: shown.into_iter().filter(|(_, shown)| *shown).map(|(section, _)| section).collect() }
    }

    /// Links to the sections.
    pub fn navigation(&self, html: &mut Html) {
        html.element("nav", &[("aria-label", "sections")], |html| {
            for section in &self.shown {
                html.leaf("a", &[("href", &format!("#{}", section.id()))], section.title());
                html.text(" ");
            }
        });
        html.line();
    }

    /// A section with its title, where the report has it.
    pub fn section(&self, section: Section, html: &mut Html, inside: impl FnOnce(&mut Html)) {
        if !self.shown.contains(&section) {
            return;
        }
        html.element("section", &[("id", section.id())], |html| {
            html.leaf("h2", &[], section.title());
            inside(html);
        });
        html.line();
    }
}
