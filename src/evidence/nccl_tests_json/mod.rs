//! The JSON files of nccl-tests (`-J`) and of rccl-tests (`-Z json`).
//!
//! nccl-tests writes its file as it goes and closes it at the end, so that a killed run leaves it open; rccl-tests writes
//! a list of its results when it is done. Keys and their meaning: `src/util.cu` of nccl-tests 2.19.6, `Reporter` in
//! `src/common.cu` of rccl-tests 2.18.

mod config;
mod document;
mod place;
mod rccl;
mod repair;
mod result;
mod source;

#[cfg(test)]
mod tests;

use serde_json::value::RawValue;

use self::source::Source;
use super::Measurement;
use crate::facts::Damage;

/// What a JSON file of nccl-tests or rccl-tests says. Nothing of its environment is kept but the variables of the
/// libraries and of GPU selection.
///
/// A file that is cut is read as far as whole results go, and its run counts as unfinished.
pub fn read_nccl_tests_json(text: &str, file: &str) -> Measurement {
    let error = match serde_json::from_str::<&RawValue>(text) {
        Ok(value) => return read(value, text, file),
        Err(error) => error,
    };
    let closed = repair::closed(upto(text, &error));
    let readable =
        closed.as_deref().and_then(|closed| serde_json::from_str::<&RawValue>(closed).ok().zip(Some(closed)));
    let mut measurement = match readable {
        Some((value, closed)) => read(value, closed, file),
        None => nothing(file),
    };
    let end = if error.is_eof() { "its JSON ends before it is closed" } else { "its JSON is broken" };
    measurement.unfinished = Some(end.to_owned());
    let reason = format!("{end}, on line {}: {}", error.line(), source::cause(&error));
    measurement.damage.insert(0, Damage::of_file(file, reason));
    measurement
}

fn read<'a>(value: &'a RawValue, text: &str, file: &'a str) -> Measurement {
    let source = Source::new(text, file);
    let read = if value.get().starts_with('[') { rccl::read(value, &source) } else { document::read(value, &source) };
    read.unwrap_or_else(|damage| {
        let unfinished = Some("it shows no results".to_owned());
        Measurement { unfinished, damage: vec![damage], ..nothing(file) }
    })
}

fn nothing(file: &str) -> Measurement {
    Measurement { sources: vec![file.to_owned()], ..Measurement::default() }
}

/// The text before the place of an error, which is given as a line and a number of bytes in it.
fn upto<'a>(text: &'a str, error: &serde_json::Error) -> &'a str {
    let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let end = (line_start + error.column()).min(text.len());
    let end = (0..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or(text)
}
