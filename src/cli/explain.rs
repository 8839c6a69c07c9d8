//! `linkspec explain`: where every value of a spec is from, or what a case would run.

use std::io::{self, BufWriter, Write};

use anyhow::Result;

use super::{
    arguments::ExplainArguments,
    nothing::tell_nothing_selected,
    operator::operator_environment,
    suites::{LoadedSuite, load_suites, plan_suite, split},
};
use crate::{
    plan::{Case, OperatorEnvironment, environment, pin_conflicts},
    record::exit,
    spec::{BoundBase, BoundValue, EnvironmentValue, Explained, Kind},
};

pub(super) fn explain(arguments: &ExplainArguments) -> Result<u8> {
    let operator = operator_environment(&arguments.cases)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut shown = false;
    let suites = load_suites(&arguments.cases)?;
    for loaded in &suites {
        if split(&arguments.cases.positionals).1.is_empty() {
            suite(loaded, &mut out)?;
            shown = true;
            continue;
        }
        for case in &plan_suite(&loaded.suite, &arguments.cases)?.cases {
            explain_case(case, &loaded.values, &operator, &mut out)?;
            shown = true;
        }
    }
    out.flush()?;
    if !shown {
        tell_nothing_selected(&suites, &arguments.cases)?;
        return Ok(exit::NOTHING);
    }
    Ok(exit::PASSED)
}

/// Every value of the resolved spec and where it stands.
fn suite(loaded: &LoadedSuite, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "suite {} ({})", loaded.suite.name, loaded.suite.file)?;
    values(loaded.values.iter(), out)
}

fn values<'a>(values: impl Iterator<Item = &'a Explained>, out: &mut impl Write) -> io::Result<()> {
    for value in values {
        let parameter = value.parameter.as_ref();
        let parameter = parameter.map_or_else(String::new, |it| format!(", parameter {}: {}", it.name, it.origin));
        let place = value.place.as_ref().map_or_else(|| "default of the language".to_owned(), ToString::to_string);
        writeln!(out, "    {}: {}  ({place}{parameter})", value.path, value.value)?;
    }
    Ok(())
}

fn explain_case(
    case: &Case,
    all: &[Explained],
    operator: &OperatorEnvironment,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "{}", case.name())?;
    let test = case.test.as_deref();
    if let Some(title) = test.and_then(|test| test.title.as_ref()) {
        writeln!(out, "  {title}")?;
    }
    writeln!(out, "  kind      {}", case.kind.name())?;
    writeln!(out, "  runs      {}", what_runs(&case.kind))?;
    if let Some(test) = test {
        writeln!(out, "  level     {}", test.level)?;
        writeln!(out, "  gpus      {}", case.gpus())?;
        writeln!(out, "  pin       {}", case.pin())?;
        if let Some(timeout) = &test.timeout {
            writeln!(out, "  timeout   {}  ({})", timeout.value, timeout.place)?;
        }
    }
    writeln!(out, "  environment")?;
    for variable in environment(case, operator) {
        match &variable.value {
            EnvironmentValue::Removed => writeln!(out, "    {} is removed  ({})", variable.name, variable.origin)?,
            value => writeln!(out, "    {}={value}  ({})", variable.name, variable.origin)?,
        }
    }
    for conflict in pin_conflicts(case, operator) {
        writeln!(out, "  error     {conflict}")?;
    }
    if let Kind::Collective(collective) = &*case.kind {
        writeln!(out, "  bounds, as they hold in this cell")?;
        let expect = &collective.expect;
        for (size, bound) in &expect.busbw {
            writeln!(out, "    busbw at {size}: {}  ({})", shown(&bound.value), bound.place)?;
        }
        for (size, bound) in &expect.latency {
            writeln!(out, "    latency at {size}: {}  ({})", shown(&bound.value), bound.place)?;
        }
    }
    writeln!(out, "  values")?;
    values(all.iter().filter(|value| belongs(value, case)), out)
}

/// The limits in words.
fn shown<T: std::fmt::Display>(value: &BoundValue<T>) -> String {
    match value {
        BoundValue::Limits { min, max } => {
            let least = min.as_ref().map(|min| format!("at least {min}"));
            let most = max.as_ref().map(|max| format!("at most {max}"));
            [least, most].into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
        BoundValue::Share { at_least, of } => {
            let of = match of {
                BoundBase::Link => "the links' rate".to_owned(),
                BoundBase::Baseline => "the baseline".to_owned(),
                BoundBase::Case { test, cell: None } => test.clone(),
                BoundBase::Case { test, cell: Some(cell) } => format!("{test}[{cell}]"),
            };
            format!("at least {} % of {of}", at_least * 100.0)
        }
    }
}

/// Whether a value has to do with a case: its test's, but of the matrix only the overrides that the cell matches.
fn belongs(value: &Explained, case: &Case) -> bool {
    let Some(test) = case.test.as_deref() else { return value.path.starts_with("machine.") };
    let Some(rest) = value.path.strip_prefix(&format!("tests.{}.", test.name)) else { return false };
    let Some(matrix) = rest.strip_prefix("matrix.") else { return true };
    test.overrides
        .iter()
        .enumerate()
        .any(|(at, entry)| matrix.starts_with(&format!("override[{at}].")) && entry.matches_cell(&case.cell))
}

fn what_runs(kind: &Kind) -> String {
    match kind {
        Kind::Command(command) => command.run.value.join(" "),
        Kind::Collective(collective) => {
            let sizes = collective.sizes.value.all();
            let range = match (sizes.first(), sizes.last()) {
                (Some(first), Some(last)) => format!("{} sizes from {first} to {last}", sizes.len()),
                _ => "no size".to_owned(),
            };
            let datatype = collective.datatype.as_ref().map_or("float", |datatype| &datatype.value);
            format!("{} of {datatype}, {range}", collective.operation.value.name())
        }
        Kind::Copy(_) => "copies by the copy engine".to_owned(),
        Kind::Compare(_) => "nothing: it compares cases that ran".to_owned(),
        Kind::Machine(_) | Kind::Topology(_) | Kind::P2p(_) | Kind::RdmaPorts(_) | Kind::Gpu(_) | Kind::Host(_) => {
            "nothing: it reads state".to_owned()
        }
    }
}
