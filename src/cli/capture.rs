//! `linkspec capture`: the facts of this machine as a folder that `--host` judges.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use anyhow::{Context, Result, bail};

use super::{arguments::CaptureArguments, operator::pins, site::site};
use crate::{
    capture::{is_stand_in, without_identifiers},
    facts::{Facts, Origin},
    probe,
    record::exit,
    report::{json, matrix, sources},
    run::{create_atomically, quoted},
};

const BEFORE: &str = "facts.json";
const AFTER: &str = "facts-after.json";
/// For people only.
const MATRIX: &str = "topology.txt";

pub(super) fn capture(arguments: &CaptureArguments) -> Result<u8> {
    let site = site(&arguments.machine, pins(&arguments.pin_env)?)?;
    let place = Place::new(&arguments.folder, arguments.after)?;
    let mut facts = probe::live(&site);
    if arguments.after {
        place.is_of(&facts)?;
    }
    if !arguments.keep_identifiers {
        facts = without_identifiers(facts);
    }
    let matrix = matrix::render(&facts);
    place.write(&facts, &matrix)?;
    let mut stdout = io::stdout().lock();
    let shown = fitting(matrix, &place, terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)));
    let told = told(&facts, &shown, &place, arguments.keep_identifiers);
    stdout.write_all(told.as_bytes()).and_then(|()| stdout.flush()).context("standard output")?;
    Ok(exit::PASSED)
}

/// The folder that is written to. What it holds stays as it is.
struct Place<'a> {
    folder: &'a Path,
    /// Whether these are the facts after a workload.
    after: bool,
}

impl<'a> Place<'a> {
    fn new(folder: &'a Path, after: bool) -> Result<Self> {
        let place = Self { folder, after };
        let is_there = |name: &str| folder.join(name).symlink_metadata().is_ok();
        if after && !folder.join(BEFORE).is_file() {
            bail!("--after: {} is not there: capture without --after first", folder.join(BEFORE).display());
        }
        if let Some(name) = place.names().iter().find(|name| is_there(name)) {
            let other = match after {
                true => "remove it, or capture into another folder",
                false => "capture into another folder; --after writes what is there after a workload beside it",
            };
            bail!("{} is there already: {other}", folder.join(name).display());
        }
        if folder.symlink_metadata().is_ok() && !folder.is_dir() {
            bail!("{}: not a folder", folder.display());
        }
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        Ok(place)
    }

    /// Whether the facts before the workload are of the machine that was read now: growth of counters from one machine
    /// to another means nothing.
    fn is_of(&self, facts: &Facts) -> Result<()> {
        let path = self.folder.join(BEFORE);
        let before = probe::open(&path)?.before;
        let name = |facts: &Facts| facts.host.name.value().filter(|name| !is_stand_in(name)).cloned();
        let cpu = |facts: &Facts| facts.host.cpu_model.value().cloned();
        for (what, theirs, ours) in [("name", name(&before), name(facts)), ("CPU model", cpu(&before), cpu(facts))] {
            if let (Some(theirs), Some(ours)) = (theirs, ours)
                && theirs != ours
            {
                bail!(
                    "--after: {} is of another machine: its {what} is {theirs}, this one's is {ours}",
                    path.display()
                );
            }
        }
        Ok(())
    }

    /// The names of what is written.
    const fn names(&self) -> &'static [&'static str] {
        if self.after { &[AFTER] } else { &[BEFORE, MATRIX] }
    }

    fn write(&self, facts: &Facts, matrix: &str) -> Result<()> {
        for (name, text) in self.names().iter().zip([json::render_facts(facts)?.as_str(), matrix]) {
            let path = self.folder.join(name);
            create_atomically(&path, text).with_context(|| path.display().to_string())?;
        }
        Ok(())
    }
}

/// The folder as `--host` takes it: no option, and none of the recordings that are built in.
fn as_host(folder: &Path) -> String {
    let text = folder.display().to_string();
    if text.starts_with("demo:") || text.starts_with('-') { format!("./{text}") } else { text }
}

/// The matrix, or where to find it if the terminal would wrap its lines: a wrapped matrix cannot be read.
fn fitting(matrix: String, place: &Place<'_>, width: Option<usize>) -> String {
    // A tab goes on to the next eighth column.
    let columns = |line: &str| {
        line.chars().fold(0, |column: usize, letter| if letter == '\t' { (column / 8 + 1) * 8 } else { column + 1 })
    };
    // The cells alone have tabs: the sentences around them may be wrapped, and are all that there is without GPUs.
    let widest = matrix.lines().filter(|line| line.contains('\t')).map(columns).max().unwrap_or_default();
    match width {
        Some(width) if widest > width => {
            let path = place.folder.join(MATRIX);
            match place.after {
                true => String::new(),
                false => format!("the matrix is {widest} columns wide: see {}\n", path.display()),
            }
        }
        _ => matrix,
    }
}

/// What a person gets to see: what each source said, the matrix, and what to do next.
fn told(facts: &Facts, matrix: &str, place: &Place<'_>, with_identifiers: bool) -> String {
    // Each part that there is, with an empty line after it.
    let parts = [sources::render(facts), matrix.to_owned()].into_iter().filter(|part| !part.is_empty());
    let mut text: String = parts.map(|part| format!("{part}\n")).collect();
    if facts.origin == Origin::Fake {
        text.push_str("read of stand-ins: no measurement of any machine, and marked so\n");
    }
    let written: Vec<String> = place.names().iter().map(|name| place.folder.join(name).display().to_string()).collect();
    let identifiers = if with_identifiers { "as they are" } else { "replaced" };
    text.push_str(&format!("written, identifiers {identifiers}: {}\n", written.join(", ")));
    text.push_str(&format!("judge it: linkspec SPEC --host {}\n", quoted(&as_host(place.folder))));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_a_terminal_would_wrap_is_named() {
        let place = |after| Place { folder: Path::new("saved"), after };
        let matrix = "\tGPU0\tGPU1\nGPU0\t X\tNV18\n".to_owned();
        // The second tab ends at column 16, and GPU1 takes four more.
        assert_eq!(fitting(matrix.clone(), &place(false), Some(20)), matrix);
        assert_eq!(fitting(matrix.clone(), &place(false), None), matrix);
        let named = "the matrix is 20 columns wide: see saved/topology.txt\n";
        assert_eq!(fitting(matrix.clone(), &place(false), Some(19)), named);
        assert_eq!(fitting(matrix, &place(true), Some(19)), "");
    }

    #[test]
    fn reasons_without_a_matrix_are_told_however_narrow_the_terminal_is() {
        let reasons = "Unknown:\n  the GPUs: no GPU was found: no NVIDIA driver\n".to_owned();
        for after in [false, true] {
            let place = Place { folder: Path::new("saved"), after };
            assert_eq!(fitting(reasons.clone(), &place, Some(19)), reasons);
        }
    }
}
