//! `linkspec check`.

use std::io::Write;

use anyhow::Result;

use super::{arguments::CheckArguments, operator::parameters};
use crate::{
    plan::{Selection, plan},
    record::exit,
    spec::{Level, Loaded, load},
};

pub(super) fn check(arguments: &CheckArguments) -> Result<u8> {
    let parameters = parameters(&arguments.param)?;
    let color = arguments.color.on(&std::io::stderr());
    let (mut out, mut problems) = (std::io::stdout().lock(), anstream::stderr().lock());
    let mut code = exit::PASSED;
    for spec in &arguments.specs {
        match load(spec, &parameters) {
            Ok(loaded) => {
                for warning in &loaded.warnings {
                    writeln!(out, "{warning}")?;
                }
                writeln!(out, "{}: {}", spec.display(), summary(&loaded))?;
            }
            Err(error) => {
                write!(problems, "{}", error.render(color))?;
                code = exit::USAGE;
            }
        }
    }
    Ok(code)
}

fn summary(loaded: &Loaded) -> String {
    let warnings = match loaded.warnings.len() {
        0 => "no warnings".to_owned(),
        1 => "1 warning".to_owned(),
        count => format!("{count} warnings"),
    };
    let Some(suite) = &loaded.suite else { return format!("a fragment, {warnings}") };
    let everything = Selection { level: Some(Level::Soak), ..Selection::default() };
    let cases = plan(suite, &everything).map_or(0, |plan| plan.cases.len());
    format!("suite {}, {} tests, {cases} cases, {warnings}", suite.name, suite.tests.len())
}
