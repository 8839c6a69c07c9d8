//! The `linkspec` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(linkspec::cli::main(std::env::args_os()))
}
