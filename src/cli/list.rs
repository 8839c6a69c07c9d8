//! `linkspec list`, and libtest's `--list`.

use std::io::{self, BufWriter, Write};

use anyhow::Result;
use serde::Serialize;

use super::{
    arguments::{CaseArguments, Format, ListArguments},
    nothing::tell_nothing_selected,
    operator::operator_environment,
    suites::{load_suites, plan_suite},
};
use crate::{plan::Case, record::exit};

/// One case in `list --format json`.
#[derive(Serialize)]
struct Listed<'a> {
    name: String,
    suite: &'a str,
    test: &'a str,
    kind: &'a str,
    level: String,
    tags: &'a [String],
    cell: std::collections::BTreeMap<&'a str, &'a str>,
    ignored: Option<&'a str>,
    title: Option<&'a str>,
}

pub(super) fn list(arguments: &ListArguments) -> Result<u8> {
    listing(&arguments.cases, |cases, out| match arguments.format {
        Format::Pretty | Format::Terse => cases.iter().try_for_each(|case| writeln!(out, "{}", case.name())),
        Format::Json => {
            let listed: Vec<Listed<'_>> = cases.iter().map(|case| listed(case)).collect();
            serde_json::to_writer_pretty(&mut *out, &listed)?;
            writeln!(out)
        }
    })
}

/// libtest's `--list`: `NAME: test` lines, and a count unless it should be terse.
pub(super) fn libtest_list(arguments: &CaseArguments, format: Format) -> Result<u8> {
    listing(arguments, |cases, out| {
        cases.iter().try_for_each(|case| writeln!(out, "{}: test", case.name()))?;
        if format == Format::Pretty {
            writeln!(out, "\n{} tests, 0 benchmarks", cases.len())?;
        }
        Ok(())
    })
}

fn listing(arguments: &CaseArguments, print: impl Fn(&[Case], &mut dyn Write) -> io::Result<()>) -> Result<u8> {
    let mut cases = Vec::new();
    // What `run` would refuse is refused here too: a list is often asked for to try the arguments.
    operator_environment(arguments)?;
    let suites = load_suites(arguments)?;
    for loaded in &suites {
        let plan = plan_suite(&loaded.suite, arguments)?;
        cases.extend(plan.cases);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    print(&cases, &mut out)?;
    out.flush()?;
    if cases.is_empty() {
        tell_nothing_selected(&suites, arguments)?;
        return Ok(exit::NOTHING);
    }
    Ok(exit::PASSED)
}

fn listed(case: &Case) -> Listed<'_> {
    let test = case.test.as_deref();
    Listed {
        name: case.name(),
        suite: &case.suite.name,
        test: case.test_name(),
        kind: case.kind.name(),
        level: test.map_or_else(|| "quick".to_owned(), |test| test.level.to_string()),
        tags: test.map_or(&[], |test| &test.tags),
        cell: case.cell.iter().map(|(key, value)| (&**key, &**value)).collect(),
        ignored: test.and_then(|test| test.ignore.as_deref()),
        title: test.and_then(|test| test.title.as_deref()),
    }
}
