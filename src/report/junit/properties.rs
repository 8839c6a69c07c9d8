use std::fmt::Display;

use quick_junit::Property;

use super::xml_line;
use crate::{
    evidence::EngineRun,
    facts::{Fact, Facts, Gpu, Origin},
    record::{CaseRecord, RunHeader, RunRecord},
    report::{
        devices::{identity, named},
        engine::{self, RankLine},
        plain::plain_line,
        quantity::margin,
    },
};

/// Names and values on a line each, in order. They become XML where they stand: to clean each twice is half the time of
/// a large report.
struct Properties(Vec<(String, String)>);

impl Properties {
    fn add(&mut self, name: impl AsRef<str>, value: impl Display) {
        let value = value.to_string();
        self.0.push((plain_line(name.as_ref()).into_owned(), plain_line(&value).into_owned()));
    }

    fn add_some(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.add(name, value);
        }
    }

    /// A fact; one that is not known says why.
    fn add_fact<T: Display>(&mut self, name: impl AsRef<str>, fact: &Fact<T>) {
        match fact.require() {
            Ok(value) => self.add(name, value),
            Err(reason) => self.add(name, format!("unknown: {reason}")),
        }
    }
}

/// What a vendor's return form and a later reader need of the run and the machine.
pub(super) fn of_run(record: &RunRecord) -> Vec<Property> {
    let RunHeader { linkspec, spec, command, facts, warnings, .. } = &record.header;
    let mut properties = Properties(Vec::new());
    properties.add("linkspec", linkspec);
    properties.add("spec", spec);
    properties.add("command", command.join(" "));
    properties.add("origin", origin(record.origin()));
    properties.add("finished", record.seconds.is_some());
    properties.add("interrupted", record.interrupted);
    if let Some(title) = &record.header.title {
        properties.add("title", title);
    }
    of_machine(facts, &mut properties);
    for (at, warning) in warnings.iter().enumerate() {
        properties.add(format!("warning.{at}"), warning);
    }
    for (at, damage) in facts.damage.iter().enumerate() {
        properties.add(format!("damage.{at}"), damage);
    }
    properties.0.iter().map(|(name, value)| Property::new(xml_line(name), xml_line(value))).collect()
}

fn of_machine(facts: &Facts, properties: &mut Properties) {
    properties.add_fact("vendor", &facts.vendor);
    properties.add_fact("driver", &facts.driver);
    properties.add_fact("cuda", &facts.cuda);
    for (name, version) in &facts.libraries {
        properties.add_fact(format!("library.{name}"), version);
    }
    properties.add_fact("gpus", &facts.gpu_count);
    for gpu in &facts.gpus {
        of_gpu(gpu, properties);
    }
    for (at, lost) in facts.lost_gpus.iter().enumerate() {
        properties.add(format!("lost-gpu.{at}"), format!("{}: {}", lost.pci_address, lost.quote));
    }
}

fn of_gpu(gpu: &Gpu, properties: &mut Properties) {
    properties.add_fact(format!("GPU{}.name", gpu.index), &gpu.name);
    for (part, value) in identity(gpu) {
        properties.add(format!("GPU{}.{part}", gpu.index), value);
    }
}

/// What a case was given, what was measured, and how it ended.
pub(super) fn of_case(case: &CaseRecord, header: &RunHeader) -> Vec<(String, String)> {
    let mut properties = Properties(Vec::new());
    properties.add_some("title", case.title.as_deref().unwrap_or_default());
    properties.add_some("kind", &case.kind);
    properties.add_some("started", &case.started);
    properties.add("outcome", case.verdict.outcome);
    properties.add_some("codes", &codes(case));
    let stood_in = Origin::Fake;
    let from = if case.is_stand_in() { &stood_in } else { &header.facts.origin };
    if *from != Origin::Live {
        properties.add("origin", origin(from));
    }
    for (key, value) in &case.cell {
        properties.add(format!("cell.{key}"), value);
    }
    for entry in &case.environment {
        properties.add(format!("env.{}", entry.name), entry.value.as_deref().unwrap_or("~"));
        properties.add(format!("env.{}.origin", entry.name), &entry.origin);
    }
    properties.add_some("pin", &case.pin);
    properties.add_some("gpus", &case.gpus);
    measured(case, &mut properties);
    if let Some(engine) = case.engine() {
        of_engine(engine, &mut properties);
    }
    if let Some(flaky) = case.flaky {
        properties.add("tries", flaky.tries);
        properties.add("flaky", flaky.passed);
    }
    // Beside the finding, for whoever copies one case into a return form.
    for gpu in named(&case.verdict.findings, &header.facts) {
        let identity = identity(gpu).map(|(part, value)| format!("{part} {value}"));
        properties.add(format!("device.GPU{}", gpu.index), identity.join(", "));
    }
    if let Some(place) = &case.place {
        properties.add("place", place);
    }
    properties.add("seconds", case.seconds);
    properties.add_some("repeat", &case.repeat);
    properties.0
}

/// With what linkspec itself measured, and where its ranks ran.
fn of_engine(run: &EngineRun, properties: &mut Properties) {
    for loaded in &run.libraries {
        properties.add(format!("library.{}", loaded.name), engine::version(loaded));
    }
    for rank in engine::ranks(run) {
        let RankLine { gpu, pci, asked, found, .. } = &rank;
        properties.add(format!("rank.{}", rank.rank), format!("{gpu} {pci}; asked for {asked}; read back {found}"));
    }
    if let Some(checked) = engine::checked(run) {
        properties.add("checked", checked);
    }
}

fn measured(case: &CaseRecord, properties: &mut Properties) {
    for measured in &case.verdict.measured {
        properties.add(format!("measured.{}", measured.subject), &measured.actual);
        properties.add(format!("expected.{}", measured.subject), &measured.expected);
        if let Some(margin) = margin(measured) {
            properties.add(format!("margin.{}", measured.subject), margin);
        }
    }
}

/// The codes of all findings, each once.
fn codes(case: &CaseRecord) -> String {
    let mut codes: Vec<&str> = Vec::new();
    for finding in &case.verdict.findings {
        let code = finding.code.as_str();
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes.join(",")
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Live => "live".to_owned(),
        Origin::Captured { path } | Origin::Saved { path } => format!("recorded: {path}"),
        Origin::Fake => "fake: no measurement of any machine".to_owned(),
    }
}
