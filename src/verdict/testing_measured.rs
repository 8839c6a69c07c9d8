//! Small measurements and collective tests for the judge's tests.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Evidence, Severity, Verdict, judge,
    testing::{case_with, place, placed, saved},
};
use crate::{
    evidence::{CollectiveEvidence, Figure, Measurement, OutOfBounds, Rank, Row, Sample, SizeRange, Wrong},
    facts::{Facts, Origin},
    plan::Case,
    spec::{Bound, BoundValue, Collective, CollectiveExpect, Kind, Operation, Sizes},
    units::{Bandwidth, Size},
};

/// The output that the rows stand in.
pub(super) const OUTPUT: &str = "nccl-tests/all-reduce.txt";

pub(super) fn size(text: &str) -> Size {
    text.parse().unwrap()
}

/// A test of an operation over some sizes that asks for nothing but what holds by default.
pub(super) fn collective(operation: Operation, sizes: &[&str]) -> Collective {
    Collective {
        operation: placed(operation),
        datatype: None,
        redop: None,
        root: None,
        sizes: placed(Sizes::List(sizes.iter().map(|text| size(text)).collect())),
        iterations: None,
        warmup: None,
        in_place: None,
        engine: None,
        expect: CollectiveExpect::default(),
    }
}

pub(super) fn bound<T>(value: BoundValue<T>) -> Bound<T> {
    Bound { value, source: None, note: None, place: place() }
}

pub(super) fn floor(at_least: f64) -> Bound<Bandwidth> {
    bound(BoundValue::Limits { min: Some(Bandwidth(at_least)), max: None })
}

/// An all_reduce with a floor for each of its sizes.
pub(super) fn all_reduce(floors: &[(&str, f64)]) -> Collective {
    let sizes: Vec<&str> = floors.iter().map(|(text, _)| *text).collect();
    let mut collective = collective(Operation::AllReduce, &sizes);
    collective.expect.busbw = floors.iter().map(|(text, least)| (size(text), floor(*least))).collect();
    collective
}

/// A number with two decimals.
pub(super) fn figure(value: f64) -> Figure {
    Figure { value, rounding: 0.005 }
}

/// Checked data, and a bus bandwidth that is `factor` times the algorithm bandwidth.
pub(super) fn sample(bytes: u64, busbw: f64, factor: f64) -> Sample {
    let algbw = busbw / factor;
    let time = bytes as f64 / algbw / 1e3;
    Sample { time: figure(time), algbw: figure(algbw), busbw: figure(busbw), wrong: Wrong::Elements(0) }
}

/// A whole measurement of all_reduce with so many ranks on one host: sizes with their bus bandwidths out of place and in
/// place.
pub(super) fn measured(ranks: u32, rows: &[(&str, f64, f64)]) -> Measurement {
    let factor = 2.0 * (f64::from(ranks) - 1.0) / f64::from(ranks);
    measured_with(Operation::AllReduce, ranks, factor, rows)
}

/// The same of any operation, whose bus bandwidth is `factor` times its algorithm bandwidth.
pub(super) fn measured_with(operation: Operation, ranks: u32, factor: f64, rows: &[(&str, f64, f64)]) -> Measurement {
    let row = |(line, (text, out_of_place, in_place)): (u32, &(&str, f64, f64))| Row {
        size: size(text).0,
        count: Some(size(text).0 / 4),
        datatype: Some("float".into()),
        redop: Some(if operation.reduces() { "sum" } else { "none" }.into()),
        root: Some(if operation.has_root() { 0 } else { -1 }),
        out_of_place: Some(sample(size(text).0, *out_of_place, factor)),
        in_place: Some(sample(size(text).0, *in_place, factor)),
        doubt: None,
        source: OUTPUT.into(),
        line,
    };
    Measurement {
        sources: vec![OUTPUT.into()],
        operation: Some(operation.name().into()),
        range: Some(SizeRange { from: 8, to: 8 << 30 }),
        validation: Some(true),
        ranks: (0..ranks).map(rank).collect(),
        rows: (10..).zip(rows).map(row).collect(),
        out_of_bounds: Some(OutOfBounds { count: 0, ok: true }),
        ..Measurement::default()
    }
}

pub(super) fn rank(rank: u32) -> Rank {
    Rank { rank, host: Some("node0".into()), device: Some(rank), pci: None, name: Some("NVIDIA H200".into()) }
}

/// A machine of which nothing is known.
pub(super) fn nothing_known() -> Facts {
    Facts::new(Origin::Saved { path: "ticket".into() })
}

/// A case `all-reduce` of a suite that has other tests too.
pub(super) fn case_among(kind: Kind, others: &[(&str, Collective)]) -> Case {
    let named = |name: &str, kind: Kind| case_with(kind, None, |test| test.name = name.into());
    let mut case = named("all-reduce", kind);
    let mut suite = (*case.suite).clone();
    let others = others.iter().map(|(name, collective)| named(name, Kind::Collective(collective.clone())));
    suite.tests = others.filter_map(|other| other.test).collect();
    case.suite = Arc::new(suite);
    case
}

/// The verdict of a case under measurements by case name.
pub(super) fn judged_among(case: &Case, facts: &Facts, measurements: &[(&str, Measurement)]) -> Verdict {
    let of = |measurement: &Measurement| CollectiveEvidence {
        measurement: Some(measurement.clone()),
        ..CollectiveEvidence::default()
    };
    let collectives: BTreeMap<String, CollectiveEvidence> =
        measurements.iter().map(|(name, measurement)| ((*name).to_owned(), of(measurement))).collect();
    judge(case, &Evidence { collectives: &collectives, ..saved(facts) })
}

/// The verdict of a collective under its measurement, with nothing known of the machine.
pub(super) fn judged(collective: &Collective, measurement: &Measurement) -> Verdict {
    let case = case_among(Kind::Collective(collective.clone()), &[]);
    judged_among(&case, &nothing_known(), &[("all-reduce", measurement.clone())])
}

/// The messages of a severity.
pub(super) fn messages(verdict: &Verdict, severity: Severity) -> Vec<&str> {
    let found = verdict.findings.iter().filter(|finding| finding.severity == severity);
    found.map(|finding| finding.message.as_str()).collect()
}
