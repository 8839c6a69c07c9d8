//! `linkspec completions`.

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;

use super::arguments::Arguments;
use crate::record::exit;

pub(super) fn completions(shell: clap_complete::Shell) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "linkspec", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(exit::PASSED)
}
