//! `linkspec demo`: what linkspec says of a healthy and of a faulty server, where there is neither.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

use anyhow::{Result, anyhow, bail};

use super::{arguments::DemoArguments, run::Ready, screen::style, suites::Shown};
use crate::{
    plan::{IgnoredTests, OperatorEnvironment, Plan, Selection, plan},
    probe,
    record::{RunRecord, exit},
    report::console,
    run::{Interrupt, Machine, MeasureOptions, OutputPlace, RepeatCommand, SuiteRun},
    spec::{Loaded, load},
};

/// The spec that both servers are judged by.
const SPEC: &str = "pack:hgx-h100";

/// The servers: each is `--host demo:NAME`, and NAME is its folder of results.
const SERVERS: [(&str, &str); 2] = [("healthy", "a healthy server"), ("faulty", "a server with faults")];

const START: &str = "\
Two servers, judged by one spec. Both are constructed and built in:
nothing is measured, and what this machine is does not matter.
";

const NEXT: &str = "\
next      judge saved outputs of a server   linkspec pack:hgx-h100 --host DIR
          judge the server that you are on  linkspec pack:hgx-h100 --level quick
          write a spec for your servers     linkspec check my-server.yaml
";

pub(super) fn demo(arguments: &DemoArguments) -> Result<u8> {
    let Loaded { suite, warnings, .. } = load(Path::new(SPEC), &[]).map_err(|error| {
        let color = arguments.color.on(&io::stderr());
        anyhow!(Shown(error.render(color)))
    })?;
    let Some(suite) = suite else { bail!("{SPEC} is a fragment") };
    let plan = plan(&suite, &Selection::default())?;
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let places = SERVERS.map(|(name, _)| OutputPlace::at(arguments.out.join(name)));
    let mut text = format!("{START}\n");
    for ((name, title), place) in SERVERS.iter().zip(&places) {
        let record = judge(&plan, &warnings, name, (place.clone(), &arguments.out))?;
        text.push_str(&console::digest(title, &record, style(arguments.color)));
        text.push('\n');
    }
    text.push_str(&reports(&places));
    text.push_str(NEXT);
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(exit::PASSED)
}

/// Judges a built-in server as `run` does, so that the reports are those of a run.
fn judge(plan: &Plan, warnings: &[String], name: &str, (place, out): (OutputPlace, &Path)) -> Result<RunRecord> {
    let host = format!("demo:{name}");
    let machine = Machine::Saved(Box::new(probe::open(Path::new(&host))?));
    let repeat = RepeatCommand {
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        options: vec!["--host".to_owned(), host],
        out: out.to_owned(),
    };
    let suite_run = SuiteRun {
        plan,
        machine: &machine,
        operator: &OperatorEnvironment::default(),
        ignored: IgnoredTests::Shown,
        commands_allowed: false,
        repeat: &repeat,
        interrupt: &Interrupt::default(),
        warnings: warnings.to_owned(),
        finished: BTreeMap::new(),
        folder: place.folder().to_owned(),
        measure: MeasureOptions::default(),
    };
    Ready::fresh(place, suite_run, machine.before())?.record(&mut |_| ())
}

/// Where the reports are: each folder on a line of its own, to be copied.
fn reports(places: &[OutputPlace]) -> String {
    // The page for a browser first: it is what a person opens.
    let (pages, others): (Vec<_>, Vec<_>) = OutputPlace::REPORTS.into_iter().partition(|name| name.ends_with(".html"));
    let files: Vec<&str> = pages.into_iter().chain(others).collect();
    let mut text = format!("reports   {} and {} in\n", files.join(", "), OutputPlace::JOURNAL);
    for place in places {
        text.push_str(&format!("          {}\n", place.folder().display()));
    }
    text
}
