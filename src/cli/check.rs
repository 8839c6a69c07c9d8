//! `linkspec check`.

use std::io::{self, Write};

use anyhow::Result;

use super::{arguments::CheckArguments, operator::parameters};
use crate::{
    plan::{Selection, plan},
    record::exit,
    spec::{Level, Loaded, load},
};

pub(super) fn check(arguments: &CheckArguments) -> Result<u8> {
    let parameters = parameters(&arguments.param)?;
    let color = arguments.color.on(&io::stderr());
    let (mut out, mut problems) = (io::stdout().lock(), anstream::stderr().lock());
    let mut code = exit::PASSED;
    for spec in &arguments.specs {
        match load(spec, &parameters) {
            Ok(loaded) => {
                for warning in &loaded.warnings {
                    tell(&mut out, &format!("{warning}\n"))?;
                }
                tell(&mut out, &format!("{}: {}\n", spec.display(), summary(&loaded)))?;
            }
            Err(error) => {
                tell(&mut problems, &error.render(color))?;
                code = exit::USAGE;
            }
        }
    }
    Ok(code)
}

/// Writes what a reader may no longer want to read (`| head`): the exit code has to come all the same.
fn tell(stream: &mut impl Write, text: &str) -> io::Result<()> {
    match stream.write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn summary(loaded: &Loaded) -> String {
    let counted = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let warnings = match loaded.warnings.len() {
        0 => "no warnings".to_owned(),
        count => counted(count, "warning"),
    };
    let Some(suite) = &loaded.suite else { return format!("a fragment, {warnings}") };
    let everything = Selection { level: Some(Level::Soak), ..Selection::default() };
    let cases = plan(suite, &everything).map_or(0, |plan| plan.cases.len());
    let (tests, cases) = (counted(suite.tests.len(), "test"), counted(cases, "case"));
    format!("suite {}, {tests}, {cases}, {warnings}", suite.name)
}
