//! `junit.xml`, in the form of Jenkins: a suite of cases, with failure (out of spec), error (could not be judged) and
//! skipped apart.
//!
//! A case's name is `TEST[CELL]`, unique within its suite and the same in every run, so that CI servers can follow it;
//! its class name is the suite. What else is known of a case is in its output, by name and value: of the properties of
//! cases the schema of Jenkins, by which its xUnit step leaves out reports, knows nothing. quick-junit writes times with
//! three decimals, as that schema wants; `seconds` has all of them.

mod case;
mod properties;

use std::time::Duration;

use chrono::{DateTime, FixedOffset};
use quick_junit::{Report, SerializeError, TestSuite, XmlString};

use super::plain::{plain, plain_line};
use crate::record::RunRecord;

/// The record as `junit.xml`.
pub fn render(record: &RunRecord) -> Result<String, SerializeError> {
    let header = &record.header;
    let mut suite = TestSuite::new(xml_line(&header.suite));
    suite.timestamp = timestamp(&header.started);
    suite.time = record.seconds.map(duration);
    suite.extra.insert("hostname".into(), xml_line(&header.hostname));
    suite.add_properties(properties::of_run(record));
    suite.add_test_cases(record.cases.iter().map(|one| case::test_case(one, header)));

    let mut report = Report::new(xml_line(header.title.as_deref().unwrap_or(&header.suite)));
    report.time = suite.time;
    report.add_test_suite(suite);
    // Of all cases together, the schema of Jenkins does not count those that were skipped.
    let skipped = format!(" skipped=\"{}\" failures=", report.skipped);
    Ok(report.to_string()?.replacen(&skipped, " failures=", 1))
}

/// Text for an element.
fn xml(text: &str) -> XmlString {
    XmlString::new(plain(text))
}

/// Text for an attribute, in which XML would turn the ends of lines into blanks.
fn xml_line(text: &str) -> XmlString {
    XmlString::new(plain_line(text))
}

fn timestamp(text: &str) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(text).ok()
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
