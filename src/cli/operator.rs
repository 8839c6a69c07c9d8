//! What the operator gives on the command line and in the environment: parameters, variables, pins.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, bail};

use super::arguments::CaseArguments;
use crate::{facts::is_kept_variable, plan::OperatorEnvironment};

/// The variable with pins, blanks between them.
const PIN_VARIABLE: &str = "LINKSPEC_PIN_ENV";

/// Reads `--env`, `--pin-env` and `LINKSPEC_PIN_ENV`, and keeps what matters of the inherited environment.
pub(super) fn operator_environment(arguments: &CaseArguments) -> Result<OperatorEnvironment> {
    Ok(OperatorEnvironment { pins: pins(&arguments.pin_env)?, set: assigned(&arguments.env)?, inherited: inherited() })
}

/// Reads `--env`, given so often: a value, or `None` for what is removed.
pub(super) fn assigned(given: &[String]) -> Result<BTreeMap<String, Option<String>>> {
    let mut set = BTreeMap::new();
    for text in given {
        let (name, value) = text.split_once('=').map_or((text.as_str(), None), |(name, value)| (name, Some(value)));
        set.insert(variable_name(name, "--env")?, value.map(str::to_owned));
    }
    Ok(set)
}

/// Reads `--pin-env`, given so often, and `LINKSPEC_PIN_ENV`.
pub(super) fn pins(given: &[String]) -> Result<BTreeMap<String, String>> {
    let mut pins = BTreeMap::new();
    let variable = match std::env::var(PIN_VARIABLE) {
        Ok(text) => text,
        Err(std::env::VarError::NotPresent) => String::new(),
        Err(std::env::VarError::NotUnicode(_)) => bail!("{PIN_VARIABLE} is not UTF-8"),
    };
    let of_variable = variable.split_whitespace().map(|text| (text, PIN_VARIABLE));
    for (text, from) in of_variable.chain(given.iter().map(|text| (text.as_str(), "--pin-env"))) {
        let (name, value) = assignment(text, from)?;
        let name = variable_name(&name, from)?;
        if let Some(earlier) = pins.insert(name.clone(), value.clone()).filter(|earlier| *earlier != value) {
            bail!("{name} is pinned twice, to {earlier:?} and to {value:?}");
        }
    }
    Ok(pins)
}

/// The inherited variables that are kept.
pub(super) fn inherited() -> BTreeMap<String, String> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        let name = name.into_string().ok().filter(|name| is_kept_variable(name))?;
        Some((name, value.to_string_lossy().into_owned()))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// Reads `NAME=VALUE` of `--param`.
pub(super) fn parameters(given: &[String]) -> Result<Vec<(String, String)>> {
    given.iter().map(|text| assignment(text, "--param")).collect()
}

fn assignment(text: &str, from: &str) -> Result<(String, String)> {
    let (name, value) = text.split_once('=').ok_or_else(|| anyhow!("{from}: {text:?} is not NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}

fn variable_name(name: &str, from: &str) -> Result<String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.bytes().all(plain) {
        bail!("{from}: {name:?} is not the name of an environment variable");
    }
    Ok(name.to_owned())
}
