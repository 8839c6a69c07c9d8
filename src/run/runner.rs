use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    time::{Duration, Instant},
};

use super::{
    Interrupt, JournalError, Machine, RepeatCommand, command,
    measuring::{self, MeasureOptions, Measurer, Turn},
};
use crate::{
    evidence::CollectiveEvidence,
    facts::{Facts, is_kept_variable},
    plan::{Case, IgnoredTests, OperatorEnvironment, Plan, environment, pin_conflicts},
    record::{CaseRecord, EnvironmentEntry, Event, Flaky, RunHeader, RunRecord},
    spec::{EnvironmentValue, Kind},
    verdict::{
        Circumstances, CommandOutput, Evidence, Finding, FindingCode, Outcome, Severity, Verdict, judge, relate,
    },
};

/// Takes what happens. What cannot be kept ends the run: results that nobody can read are worth nothing.
pub type Tell<'a> = &'a mut dyn FnMut(Happening<'_>) -> Result<(), JournalError>;

/// What happens in a run.
#[derive(Debug)]
pub enum Happening<'a> {
    /// An event, which is kept.
    Event(Event),
    /// Where the case at hand stands, for who looks on.
    Doing(&'a str),
}

/// One suite on one machine.
#[derive(Debug)]
pub struct SuiteRun<'a> {
    /// The cases.
    pub plan: &'a Plan,
    /// What is judged.
    pub machine: &'a Machine,
    /// What the operator and the shell say of the environment.
    pub operator: &'a OperatorEnvironment,
    /// What happens to tests that say `ignore`.
    pub ignored: IgnoredTests,
    /// Whether `command` tests may run.
    pub commands_allowed: bool,
    /// How a case is repeated.
    pub repeat: &'a RepeatCommand,
    /// Whether the run should end.
    pub interrupt: &'a Interrupt,
    /// Warnings about the spec.
    pub warnings: Vec<String>,
    /// Cases that an earlier run ended; they are not run again.
    pub finished: BTreeMap<String, CaseRecord>,
    /// The suite's folder: logs of what is run go below it.
    pub folder: PathBuf,
    /// How collectives are measured on a live machine.
    pub measure: MeasureOptions,
}

/// What the cases of a run are judged by.
#[derive(Clone, Copy)]
struct Known<'a> {
    before: &'a Facts,
    after: Option<&'a Facts>,
}

/// A run under way.
struct Way<'a> {
    /// What was measured so far, by the case's short name.
    collectives: BTreeMap<String, CollectiveEvidence>,
    /// `None` on a machine that is not live.
    measurer: Option<Measurer<'a>>,
    /// The cases that have ended, by their place in the plan.
    cases: BTreeMap<usize, CaseRecord>,
    tell: Tell<'a>,
}

/// The most of an output that a record keeps.
const KEPT_OUTPUT: usize = 16 << 10;

impl SuiteRun<'_> {
    /// Runs every case, relates the verdicts, and tells every event as it happens.
    pub fn run(&self, header: RunHeader, tell: Tell<'_>) -> Result<(), JournalError> {
        let started = Instant::now();
        let before = header.facts.clone();
        tell(Happening::Event(Event::RunStarted(Box::new(header))))?;
        let mut way = Way { collectives: self.collectives(), measurer: self.measurer(), cases: BTreeMap::new(), tell };
        let (at_once, at_end): (Vec<_>, Vec<_>) =
            self.plan.cases.iter().enumerate().partition(|(_, case)| !waits_for_the_end(case));
        self.at_once(&at_once, &before, &mut way)?;
        let after = if at_end.is_empty() { self.machine.saved_after().cloned() } else { self.machine.after() };
        for (at, case) in at_end {
            self.case(at, case, Known { before: &before, after: after.as_ref() }, false, &mut way)?;
        }
        let Way { cases, collectives, tell, .. } = way;
        for event in self.related(cases.into_values().collect(), &collectives, &before) {
            tell(Happening::Event(event))?;
        }
        tell(Happening::Event(Event::RunFinished {
            seconds: started.elapsed().as_secs_f64(),
            interrupted: self.interrupt.is_set(),
            facts_after: after.map(Box::new),
        }))
    }

    /// Runs the cases that need not wait for the others' end. On a live machine those that share a session follow one
    /// another.
    fn at_once(&self, cases: &[(usize, &Case)], before: &Facts, way: &mut Way<'_>) -> Result<(), JournalError> {
        let known = Known { before, after: None };
        let order = match self.machine.is_live() {
            true => measuring::order(cases, self.operator, &|case| self.is_measured(case, before)),
            false => cases.iter().map(|(at, _)| Turn { at: *at, last: false }).collect(),
        };
        for Turn { at, last } in order {
            if let Some(case) = self.plan.cases.get(at) {
                self.case(at, case, known, last, way)?;
            }
        }
        // One whose last case was not run, because the run was interrupted, is still open.
        if let Some(measurer) = &mut way.measurer {
            measurer.end();
        }
        Ok(())
    }

    /// Whether a collective is going to be measured in this run: a session's end is told by the last case that is.
    fn is_measured(&self, case: &Case, before: &Facts) -> bool {
        let Kind::Collective(collective) = &*case.kind else { return false };
        !self.finished.contains_key(&case.name())
            && self.ruled_out(case, before).is_none()
            && crate::verdict::ruled_out(case, before, true).is_none()
            && measuring::sweep(collective, true).is_some()
    }

    fn measurer(&self) -> Option<Measurer<'_>> {
        let Machine::Live(site) = self.machine else { return None };
        Some(Measurer {
            site,
            operator: self.operator,
            interrupt: self.interrupt,
            folder: &self.folder,
            options: self.measure,
            open: None,
        })
    }

    /// What was measured for the cases of this run; nothing else may be judged by.
    fn collectives(&self) -> BTreeMap<String, CollectiveEvidence> {
        let measured = self.machine.measured();
        let names = self.plan.cases.iter().map(Case::short_name);
        let earlier = self.finished.values().filter_map(|case| {
            let evidence = case.collective.as_deref().filter(|_| self.machine.is_live())?;
            Some((case.short_name().to_owned(), evidence.clone()))
        });
        let measured = names.filter_map(|name| measured.get(&name).map(|evidence| (name.clone(), evidence.clone())));
        earlier.chain(measured).collect()
    }

    /// What is known before the first case.
    pub fn header(&self, facts: Facts) -> RunHeader {
        let suite = &self.plan.suite;
        RunHeader {
            version: RunRecord::VERSION,
            linkspec: env!("CARGO_PKG_VERSION").to_owned(),
            suite: suite.name.clone(),
            title: suite.title.clone(),
            spec: suite.file.to_string(),
            command: self.repeat.command.clone(),
            hostname: self.machine.name(&facts),
            started: now(),
            facts,
            warnings: self.warnings.clone(),
            planned: self.plan.cases.iter().map(Case::name).collect(),
        }
    }

    /// Runs one case, unless the run was interrupted: then its record stays that of a case that was not run. One that the
    /// interruption cut short is not finished either, so that `--resume` runs it again.
    fn case(
        &self,
        at: usize,
        case: &Case,
        known: Known<'_>,
        last: bool,
        way: &mut Way<'_>,
    ) -> Result<(), JournalError> {
        let name = case.name();
        let record = match self.finished.get(&name) {
            Some(record) => record.clone(),
            None if self.interrupt.is_set() => return Ok(()),
            None => {
                (way.tell)(Happening::Event(Event::CaseStarted { name }))?;
                let record = self.fresh_case(case, known, last, way);
                if self.interrupt.is_set() && record.verdict.outcome == Outcome::Error {
                    return Ok(());
                }
                record
            }
        };
        (way.tell)(Happening::Event(Event::CaseFinished(Box::new(record.clone()))))?;
        way.cases.insert(at, record);
        Ok(())
    }

    fn fresh_case(&self, case: &Case, known: Known<'_>, last: bool, way: &mut Way<'_>) -> CaseRecord {
        let began = Instant::now();
        let mut record = self.blank(case);
        record.verdict = match self.ruled_out(case, known.before) {
            Some(verdict) => verdict,
            None => self.tries(case, known, last, way, &mut record),
        };
        record.seconds = began.elapsed().as_secs_f64();
        record
    }

    fn blank(&self, case: &Case) -> CaseRecord {
        let test = case.test.as_deref();
        let variables = environment(case, self.operator);
        // Other variables may hold secrets; the spec shows what it sets.
        let kept = variables.into_iter().filter(|variable| is_kept_variable(&variable.name));
        let environment = kept.map(|variable| EnvironmentEntry {
            name: variable.name,
            value: match variable.value {
                EnvironmentValue::Removed => None,
                value @ (EnvironmentValue::Set(_) | EnvironmentValue::PerRank(_)) => Some(value.to_string()),
            },
            origin: variable.origin.to_string(),
        });
        CaseRecord {
            name: case.name(),
            test: case.test_name().to_owned(),
            title: test.and_then(|test| test.title.clone()),
            kind: case.kind.name().to_owned(),
            cell: case.cell.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
            place: test.map(|test| test.place.clone()),
            environment: environment.collect(),
            pin: case.pin().to_string(),
            gpus: case.gpus().to_string(),
            started: now(),
            seconds: 0.0,
            verdict: Verdict::from_findings(Vec::new(), Vec::new()),
            flaky: None,
            repeat: self.repeat.of(case),
            output: None,
            collective: None,
        }
    }

    /// What decides a case before anything is looked at.
    fn ruled_out(&self, case: &Case, before: &Facts) -> Option<Verdict> {
        let ignored = case.test.as_ref().and_then(|test| test.ignore.as_ref());
        if let Some(reason) = ignored.filter(|_| self.ignored == IgnoredTests::Shown) {
            return Some(Verdict::skipped(format!("ignored: {reason}")));
        }
        let finding = |message: String, hint: &str| Finding {
            hint: Some(hint.to_owned()),
            ..Finding::new(FindingCode::Setting, Severity::Error, message)
        };
        let mut findings: Vec<Finding> = Vec::new();
        for conflict in pin_conflicts(case, self.operator) {
            let hint = "leave the case out with --skip, or run it where the pin is not needed";
            findings.push(finding(conflict.to_string(), hint));
        }
        for name in self.set_all_the_same(case, before) {
            let message = format!("asks for {name} to be removed, but /etc/nccl.conf or ~/.nccl.conf sets it");
            findings.push(finding(message, "take it out of the file, or give the case the value that it should have"));
        }
        (!findings.is_empty()).then(|| Verdict::from_findings(findings, Vec::new()))
    }

    /// Variables that the case removes and a configuration file of this machine sets.
    fn set_all_the_same(&self, case: &Case, before: &Facts) -> Vec<String> {
        let Some(configured) = before.host.nccl_configured.value().filter(|_| self.machine.is_live()) else {
            return Vec::new();
        };
        let removed = environment(case, self.operator).into_iter();
        let removed = removed.filter(|variable| variable.value == EnvironmentValue::Removed);
        removed.map(|variable| variable.name).filter(|name| configured.contains_key(name)).collect()
    }

    fn tries(&self, case: &Case, known: Known<'_>, last: bool, way: &mut Way<'_>, record: &mut CaseRecord) -> Verdict {
        let mut verdict = self.attempt(case, known, last, way, record);
        let first = verdict.findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        let retries = case.test.as_ref().and_then(|test| test.retries.as_ref()).map(|retries| retries.value);
        // Saved outputs say the same however often they are read.
        let Some(retries) = retries.filter(|_| self.machine.is_live()) else { return verdict };
        let mut tries = 1;
        while matches!(verdict.outcome, Outcome::Fail | Outcome::Error) && tries <= retries.count {
            if self.interrupt.is_set() {
                break;
            }
            tries += 1;
            verdict = self.attempt(case, Known { before: &self.machine.before(), ..known }, last, way, record);
        }
        if tries > 1 {
            let passed = verdict.outcome == Outcome::Pass;
            record.flaky = Some(Flaky { tries, passed });
            if passed {
                verdict = flaky(verdict, tries, &first, retries.flaky_passes);
            }
        }
        verdict
    }

    fn attempt(
        &self,
        case: &Case,
        known: Known<'_>,
        last: bool,
        way: &mut Way<'_>,
        record: &mut CaseRecord,
    ) -> Verdict {
        let command = self.command_output(case, known.before);
        if let Some(output) = &command {
            record.output = Some(shown_output(output)).filter(|shown| !shown.is_empty());
        }
        let live = self.machine.is_live();
        let Known { before, after } = known;
        self.measure(case, before, last, way);
        let collectives = &way.collectives;
        record.collective = collectives.get(&case.short_name()).cloned().map(Box::new);
        // What was saved was measured under another's environment.
        let operator = live.then_some(self.operator);
        let evidence = Evidence { before, after, command: command.as_ref(), collectives, operator, live };
        judged(case, &evidence)
    }

    /// Measures a collective on a live machine. Nothing is run on a machine that the suite is not for, nor for a case that
    /// the spec skips.
    fn measure(&self, case: &Case, before: &Facts, last: bool, way: &mut Way<'_>) {
        let Way { collectives, measurer: Some(measurer), tell, .. } = way else { return };
        let Kind::Collective(collective) = &*case.kind else { return };
        if crate::verdict::ruled_out(case, before, true).is_some() {
            return;
        }
        let known = &*collectives;
        let is_near = |measured: &CollectiveEvidence| {
            let mut collectives = known.clone();
            collectives.insert(case.short_name(), measured.clone());
            let operator = Some(self.operator);
            let evidence =
                Evidence { before, after: None, command: None, collectives: &collectives, operator, live: true };
            judged(case, &evidence).is_near()
        };
        let measured = measurer.measure(case, collective, before, last, &is_near, &mut |words| {
            // Who looks on is no reason to end a run.
            let _ = tell(Happening::Doing(words));
        });
        collectives.insert(case.short_name(), measured);
    }

    /// Joins the verdicts of all cases and tells which changed.
    fn related(
        &self,
        cases: Vec<CaseRecord>,
        measured: &BTreeMap<String, CollectiveEvidence>,
        facts: &Facts,
    ) -> Vec<Event> {
        let before: Vec<(String, Verdict)> = cases.into_iter().map(|case| (case.name, case.verdict)).collect();
        let circumstances = |case: &Case| (case.name(), Circumstances::of(case, measured.get(&case.short_name())));
        let mut results = before.clone();
        relate(&mut results, facts, &self.plan.cases.iter().map(circumstances).collect());
        let changed = before.into_iter().zip(results).filter(|(before, after)| before != after);
        changed.map(|(_, (case, verdict))| Event::Related { case, verdict: Box::new(verdict) }).collect()
    }

    /// The output of a `command` test: of the program, or the saved one.
    fn command_output(&self, case: &Case, before: &Facts) -> Option<CommandOutput> {
        let Kind::Command(command) = &*case.kind else { return None };
        let problem = |text: &str| Some(CommandOutput { problem: Some(text.to_owned()), ..CommandOutput::default() });
        if let Machine::Saved(saved) = self.machine {
            let Some(stdout) = saved.commands.get(&case.short_name()) else {
                return problem(&format!("command/{}.txt is not there", case.short_name()));
            };
            return Some(CommandOutput { stdout: stdout.clone(), ..CommandOutput::default() });
        }
        if !self.commands_allowed {
            return problem("--no-command was given");
        }
        // Nothing is run on a machine that the suite is not for, nor for a case that the spec skips.
        if crate::verdict::ruled_out(case, before, true).is_some() {
            return None;
        }
        let timeout = case.test.as_ref().and_then(|test| test.timeout.as_ref());
        let deadline: Duration = timeout.map_or(command::DEADLINE, |timeout| timeout.value.0);
        Some(command::run(&command.run.value, &environment(case, self.operator), deadline, self.interrupt))
    }
}

/// The judge's verdict, or that the judge itself failed.
fn judged(case: &Case, evidence: &Evidence<'_>) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| judge(case, evidence))).unwrap_or_else(|_| {
        let message = "linkspec itself failed on this case: please report it with run.json";
        Verdict::from_findings(vec![Finding::new(FindingCode::Internal, Severity::Error, message)], Vec::new())
    })
}

/// The growth of counters is known only when everything else has run.
fn waits_for_the_end(case: &Case) -> bool {
    matches!(&*case.kind, Kind::RdmaPorts(ports) if ports.counters.is_some())
}

/// A pass on a later try: no plain pass, and a failure unless the spec says that it may pass. `first` is what the first try
/// found.
fn flaky(verdict: Verdict, tries: u32, first: &str, passes: bool) -> Verdict {
    let severity = if passes { Severity::Warning } else { Severity::Failure };
    let mut findings = verdict.findings;
    let mut finding =
        Finding::new(FindingCode::Flaky, severity, format!("flaky: passed only on try {tries}; on try 1: {first}"));
    finding.hint = Some("a link that works at times is a fault; `retries: { flaky: pass }` lets it pass".to_owned());
    findings.push(finding);
    Verdict::from_findings(findings, verdict.measured)
}

fn shown_output(output: &CommandOutput) -> String {
    let mut shown = output.stdout.clone();
    if !output.stderr.is_empty() {
        shown.push_str("--- standard error ---\n");
        shown.push_str(&output.stderr);
    }
    if shown.len() > KEPT_OUTPUT {
        let end = (0..=KEPT_OUTPUT).rev().find(|at| shown.is_char_boundary(*at)).unwrap_or(0);
        shown.truncate(end);
        shown.push_str("\n--- cut here ---\n");
    }
    shown
}

fn now() -> String {
    chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
}
