//! `linkspec report`.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use super::{arguments::ReportArguments, screen::Screen};
use crate::{
    record::{RunRecord, exit},
    report::{console::Reports, json},
    run::{OutputPlace, read_journal},
};

pub(super) fn report(arguments: &ReportArguments) -> Result<u8> {
    let path = source(&arguments.path)?;
    let record = read(&path)?;
    let beside = path.parent().map(Path::to_owned).unwrap_or_default();
    let place = OutputPlace::at(arguments.out.clone().unwrap_or(beside));
    place.make_folder()?;
    place.write_reports(&record)?;
    let mut screen = Screen::new(None, arguments.color, false, record.cases.len());
    let folder = place.folder().display().to_string();
    screen.whole(&record, Reports { folder: &folder, files: &OutputPlace::REPORTS });
    Ok(exit::exit_code(record.counts(), record.interrupted))
}

/// The journal of a folder, or the file itself.
fn source(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let names = [OutputPlace::JOURNAL, "run.json"];
    match names.iter().map(|name| path.join(name)).find(|file| file.is_file()) {
        Some(file) => Ok(file),
        None => bail!("{}: holds neither {} nor {}: name the folder of one suite", path.display(), names[0], names[1]),
    }
}

fn read(path: &Path) -> Result<RunRecord> {
    if path.extension().is_some_and(|ending| ending == "json") {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        return json::read(&text).with_context(|| path.display().to_string());
    }
    let (events, damage) = read_journal(path)?;
    if let Some(damage) = damage {
        writeln!(anstream::stderr(), "warning: {damage}")?;
    }
    let Some(record) = RunRecord::from_events(events) else { bail!("{}: holds no run", path.display()) };
    Ok(record)
}
