use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};

use super::{
    arguments::ParityArguments,
    prepared::{Asked, Prepared, REPORTS, prepare},
    progress::Progress,
};
use crate::{
    cli::site::site,
    ground::{GpuLocks, LockError, look},
    parity::{
        Failure, Turns, by_turns,
        compare::{ParityReport, Setup, Verdict, markdown, text},
        placement_words,
    },
    probe::{self, Site},
    record::exit,
    run::{Interrupt, replace_atomically},
};

pub(in crate::cli) fn parity(arguments: &ParityArguments) -> Result<u8> {
    let asked = Asked::of(arguments)?;
    let site = site(&arguments.machine, asked.pins.clone())?;
    let interrupt = Interrupt::listen()?;
    let progress = Progress::new();
    progress.show("reading the machine");
    let compared = compare(arguments, &asked, &site, &interrupt, &progress);
    progress.clear();
    match compared {
        Ok((prepared, turns)) => told(&prepared, turns),
        Err(Uncompared::Interrupted) => {
            writeln!(anstream::stderr(), "interrupted: nothing was compared")?;
            Ok(exit::INTERRUPTED)
        }
        Err(Uncompared::Because(why)) => {
            writeln!(anstream::stderr(), "error: not compared: {why}")?;
            Ok(exit::NOT_JUDGED)
        }
    }
}

/// Why there is no comparison.
enum Uncompared {
    Interrupted,
    Because(String),
}

impl From<String> for Uncompared {
    fn from(why: String) -> Self {
        Self::Because(why)
    }
}

fn compare(
    arguments: &ParityArguments,
    asked: &Asked,
    site: &Site,
    interrupt: &Interrupt,
    progress: &Progress,
) -> Result<(Prepared, Turns), Uncompared> {
    let facts = probe::live(site);
    let mut prepared = prepare(arguments, asked, site, &facts)?;
    let addresses: Vec<String> = prepared.engine.gpus.iter().map(|(_, address)| address.clone()).collect();
    // Held until both sides are done.
    let _locks =
        GpuLocks::take(&site.root, &addresses, interrupt, &mut |who| progress.show(who)).map_err(
            |error| match error {
                LockError::Interrupted(_) => Uncompared::Interrupted,
                error @ LockError::File { .. } => Uncompared::Because(error.to_string()),
            },
        )?;
    let engine = &prepared.engine;
    let looked = look(site, engine.vendor, &engine.gpus).map_err(|problems| problems.join("; "))?;
    prepared.notes.extend(looked.warnings);
    progress.clear();
    for note in &prepared.notes {
        // Where standard error is closed there is nobody left to tell.
        let _ = writeln!(anstream::stderr(), "warning: {note}");
    }
    let turns = take_turns(usize::from(arguments.pairs), &prepared, interrupt, progress);
    match turns {
        Ok(turns) => Ok((prepared, turns)),
        Err(Failure::Interrupted) => Err(Uncompared::Interrupted),
        Err(failure) => Err(Uncompared::Because(failure.to_string())),
    }
}

fn take_turns(pairs: usize, prepared: &Prepared, interrupt: &Interrupt, progress: &Progress) -> Result<Turns, Failure> {
    let mut ours = |run| {
        progress.show(&format!("pair {run} of {pairs}: linkspec"));
        prepared.engine.run(interrupt, &mut |watched| {
            progress.show(&format!("pair {run} of {pairs}: linkspec, {}", watched.words()));
        })
    };
    let mut theirs = |run| {
        progress.show(&format!("pair {run} of {pairs}: nccl-tests"));
        prepared.reference.run(run, interrupt)
    };
    by_turns(pairs, &mut ours, &mut theirs)
}

/// Writes and shows what came of it, and gives the exit code.
fn told(prepared: &Prepared, turns: Turns) -> Result<u8> {
    let report = report(prepared, turns);
    let out = &prepared.engine.out;
    let json = serde_json::to_string_pretty(&report).context("parity.json")?;
    for (name, content) in REPORTS.iter().zip([markdown(&report), json]) {
        let path = out.join(name);
        replace_atomically(&path, &content).with_context(|| path.display().to_string())?;
    }
    let mut shown = text(&report);
    shown.push_str(&format!("written: {}\n", REPORTS.map(|name| out.join(name).display().to_string()).join(", ")));
    let mut stdout = io::stdout().lock();
    match stdout.write_all(shown.as_bytes()).and_then(|()| stdout.flush()) {
        // The reports are there, and the exit code is the verdict, also for a reader that goes away (`| head`).
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(code(&report)),
    }
}

fn report(prepared: &Prepared, turns: Turns) -> ParityReport {
    let Prepared { engine, reference, .. } = prepared;
    let set = engine.environment.clone().into_iter();
    let setup = Setup {
        sweep: engine.wanted.sweep(&engine.ablations),
        gpus: engine.gpus.iter().map(|(index, address)| format!("GPU{index} {address}")).collect(),
        placement: placement_words(&engine.placement),
        environment: set.map(|(name, value)| (name, value.unwrap_or_else(|| "(removed)".to_owned()))).collect(),
        library: format!("{} {}, {}", turns.library.name, turns.library.version, turns.library.path),
        reference: reference.command("FIGURES.json".as_ref()),
        stand_in: turns.stand_in,
    };
    ParityReport {
        linkspec: env!("CARGO_PKG_VERSION").to_owned(),
        setup,
        wall: turns.wall,
        comparison: turns.comparison,
    }
}

/// A run without something is made to be seen: its verdict decides nothing.
fn code(report: &ParityReport) -> u8 {
    if report.setup.stand_in {
        return exit::NOT_JUDGED;
    }
    match report.comparison.verdict {
        Verdict::Orientation => exit::NOT_JUDGED,
        _ if !report.setup.sweep.ablations.is_empty() => exit::PASSED,
        Verdict::Within => exit::PASSED,
        Verdict::Outside => exit::FAILED,
    }
}
