//! `linkspec run`.

use std::{
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use super::{
    arguments::RunArguments,
    nothing::tell_nothing_selected,
    operator::operator_environment,
    screen::Screen,
    site::site,
    strangers::strangers,
    suites::{LoadedSuite, load_suites, plan_suite, selection},
};
use crate::{
    plan::{OperatorEnvironment, Plan},
    probe,
    record::{CaseRecord, Counts, Event, RecordBuilder, RunHeader, RunRecord, exit},
    report::console::Reports,
    run::{Happening, Interrupt, Journal, Machine, MeasureOptions, OutputPlace, RepeatCommand, SuiteRun},
};

pub(super) fn run(arguments: &RunArguments) -> Result<u8> {
    let operator = operator_environment(&arguments.cases)?;
    let suites = load_suites(&arguments.cases)?;
    let mut plans = plans(&suites, arguments)?;
    if plans.is_empty() {
        return Ok(exit::NOTHING);
    }
    let machine = machine(arguments, &operator)?;
    if let Some((_, warnings)) = plans.first_mut() {
        warnings.extend(strangers(&suites, &machine));
        warnings.extend(machine.unread().map(str::to_owned));
    }
    let facts = machine.before();
    let interrupt = Interrupt::listen()?;
    let repeat = repeat(arguments, &operator);
    let mut ready = Vec::new();
    for (plan, warnings) in &plans {
        let suite_run = SuiteRun {
            plan,
            machine: &machine,
            operator: &operator,
            ignored: selection(&arguments.cases).ignored,
            commands_allowed: !arguments.no_command,
            repeat: &repeat,
            interrupt: &interrupt,
            warnings: warnings.clone(),
            finished: BTreeMap::new(),
            folder: PathBuf::new(),
            measure: MeasureOptions { deadline: arguments.phase_deadline },
        };
        ready.push(Ready::new(arguments, suite_run, facts.clone())?);
    }
    let (mut counts, mut interrupted) = (Counts::default(), false);
    for one in ready {
        let record = one.run(arguments)?;
        counts = [counts, record.counts()].into_iter().sum();
        interrupted |= record.interrupted;
    }
    Ok(exit::exit_code(counts, interrupted))
}

/// The plan of each suite that has a selected case, with the suite's warnings.
fn plans(suites: &[LoadedSuite], arguments: &RunArguments) -> Result<Vec<(Plan, Vec<String>)>> {
    let mut plans = Vec::new();
    for loaded in suites {
        let plan = plan_suite(&loaded.suite, &arguments.cases)?;
        if !plan.cases.is_empty() {
            plans.push((plan, loaded.warnings.clone()));
        }
    }
    if plans.is_empty() {
        tell_nothing_selected(suites, &arguments.cases)?;
    }
    Ok(plans)
}

fn machine(arguments: &RunArguments, operator: &OperatorEnvironment) -> Result<Machine> {
    match &arguments.host {
        Some(path) => Ok(Machine::Saved(Box::new(probe::open(path)?))),
        None => Ok(Machine::Live(Box::new(site(&arguments.machine, operator.pins.clone())?))),
    }
}

fn repeat(arguments: &RunArguments, operator: &OperatorEnvironment) -> RepeatCommand {
    let mut options = Vec::new();
    let mut option = |name: &str, value: String| options.extend([name.to_owned(), value]);
    if let Some(host) = &arguments.host {
        option("--host", host.display().to_string());
    }
    let machine = &arguments.machine;
    for (name, path) in machine.libraries() {
        option(name, path.display().to_string());
    }
    if machine.sysroot != Path::new("/") {
        option("--sysroot", machine.sysroot.display().to_string());
    }
    if let Some(deadline) = machine.probe_deadline {
        option("--probe-deadline", deadline.as_secs_f64().to_string());
    }
    if let Some(deadline) = arguments.phase_deadline {
        option("--phase-deadline", deadline.as_secs_f64().to_string());
    }
    arguments.cases.param.iter().for_each(|value| option("--param", value.clone()));
    arguments.cases.env.iter().for_each(|value| option("--env", value.clone()));
    operator.pins.iter().for_each(|(name, value)| option("--pin-env", format!("{name}={value}")));
    let command = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    RepeatCommand { command, options, out: arguments.out.clone() }
}

/// What happens, for who looks on.
pub(super) enum Shown<'a> {
    /// An event, and the case that it names as it then is.
    Event(&'a Event, Option<&'a CaseRecord>),
    /// Where the case at hand stands.
    Doing(&'a str),
}

/// A suite whose folder of results is ready, and whose earlier reports are gone.
pub(super) struct Ready<'a> {
    suite_run: SuiteRun<'a>,
    header: RunHeader,
    place: OutputPlace,
    journal: Journal,
    builder: RecordBuilder,
}

impl<'a> Ready<'a> {
    fn new(arguments: &RunArguments, mut suite_run: SuiteRun<'a>, facts: crate::facts::Facts) -> Result<Self> {
        let place = OutputPlace::new(&arguments.out, &suite_run.plan.suite.name)?;
        place.folder().clone_into(&mut suite_run.folder);
        if !arguments.resume {
            return Self::fresh(place, suite_run, facts);
        }
        let header = suite_run.header(facts);
        if !place.journal().is_file() {
            bail!("--resume: {} is not there; run without --resume", place.journal().display());
        }
        let (journal, events, damage) = place.resume()?;
        if let Some(damage) = damage {
            writeln!(anstream::stderr(), "warning: {damage}; its case runs again")?;
        }
        let Some(earlier) = RunRecord::from_events(events.clone()) else {
            bail!("--resume: {} holds no run; run without --resume", place.journal().display());
        };
        same_run(&earlier, &header)?;
        let mut builder = RecordBuilder::new(earlier.header.clone());
        events.into_iter().skip(1).for_each(|event| builder.apply(event));
        suite_run.finished = finished(earlier, &header);
        place.replace_reports(&builder.record())?;
        Ok(Self { suite_run, header, place, journal, builder })
    }

    /// A run that goes on with nothing.
    pub(super) fn fresh(place: OutputPlace, suite_run: SuiteRun<'a>, facts: crate::facts::Facts) -> Result<Self> {
        let header = suite_run.header(facts);
        let journal = place.begin(&RunRecord::planned(header.clone()))?;
        let builder = RecordBuilder::new(header.clone());
        Ok(Self { suite_run, header, place, journal, builder })
    }

    fn run(self, arguments: &RunArguments) -> Result<RunRecord> {
        let total = self.suite_run.plan.cases.len();
        let mut screen = Screen::new(arguments.format, arguments.cases.color, arguments.nocapture, total);
        let place = self.place.clone();
        let record = self.record(&mut |shown| match shown {
            Shown::Event(event, case) => screen.show(event, case),
            Shown::Doing(words) => screen.doing(words),
        })?;
        let folder = place.folder().display().to_string();
        let files: Vec<&str> = OutputPlace::REPORTS.into_iter().chain([OutputPlace::JOURNAL]).collect();
        screen.end(&record, Reports { folder: &folder, files: &files });
        Ok(record)
    }

    /// Runs to the end and writes the reports; `show` sees what happens.
    pub(super) fn record(mut self, show: &mut dyn FnMut(Shown<'_>)) -> Result<RunRecord> {
        let (journal, builder) = (&mut self.journal, &mut self.builder);
        self.suite_run.run(self.header, &mut |happening| {
            let event = match happening {
                Happening::Event(event) => event,
                Happening::Doing(words) => {
                    show(Shown::Doing(words));
                    return Ok(());
                }
            };
            journal.write(&event)?;
            builder.apply(event.clone());
            let case = match &event {
                Event::Related { case, .. } => builder.case(case),
                _ => None,
            };
            show(Shown::Event(&event, case));
            Ok(())
        })?;
        let record = self.builder.finish();
        self.place.write_reports(&record)?;
        Ok(record)
    }
}

/// A journal is gone on with only for the spec and the machine that it is of.
fn same_run(earlier: &RunRecord, header: &RunHeader) -> Result<()> {
    let same = |what: &str, ours: &str, theirs: &str| {
        if ours == theirs {
            return Ok(());
        }
        bail!("--resume: the journal is of {what} {theirs:?}, not of {ours:?}; run without --resume")
    };
    same("suite", &header.suite, &earlier.header.suite)?;
    same("machine", &header.hostname, &earlier.header.hostname)
}

/// The cases of the plan that the earlier run ended.
fn finished(earlier: RunRecord, header: &RunHeader) -> BTreeMap<String, CaseRecord> {
    let ended = earlier.cases.into_iter().filter(|case| !case.is_unfinished() && header.planned.contains(&case.name));
    ended.map(|case| (case.name.clone(), case)).collect()
}
