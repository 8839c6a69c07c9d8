use super::{
    CommandOutput, Evidence, FindingCode,
    ledger::{Check, Ledger},
};
use crate::{
    facts::Fact,
    spec::{Command, Place, TextExpect, Wanted},
};

/// Judges what a program gave. One that was not run, or did not end, never passes.
pub(super) fn judge(expect: &Command, evidence: &Evidence<'_>, ledger: &mut Ledger<'_>) {
    let place = &expect.run.place;
    let output = match evidence.command {
        Some(CommandOutput { problem: None, .. }) => evidence.command,
        Some(CommandOutput { problem: Some(problem), .. }) => {
            ledger.error(FindingCode::CommandNotRun, Some(place), format!("the command gave no result: {problem}"));
            None
        }
        None => {
            ledger.error(FindingCode::CommandNotRun, Some(place), "the command was not run".to_owned());
            None
        }
    };
    let Some(output) = output else { return };
    exit(expect, output, evidence.live, ledger);
    if let Some(wanted) = &expect.stdout {
        text("standard output", wanted, &wanted.place, &output.stdout, ledger);
    }
    match &expect.stderr {
        Some(wanted) if evidence.live => text("standard error", wanted, &wanted.place, &output.stderr, ledger),
        Some(wanted) => {
            let check = Check::new(FindingCode::CommandOutput, "content", "{}", &wanted.place);
            ledger.unknown(&check, "standard error", "", "a saved output holds standard output only");
        }
        None => {}
    }
}

/// The exit code. A saved output does not show it: where the spec asks for nothing of it but what holds by default,
/// and asks for something of the output, that is noted and not held against the case.
fn exit(expect: &Command, output: &CommandOutput, live: bool, ledger: &mut Ledger<'_>) {
    let place = expect.exit.as_ref().map_or(&expect.run.place, |exit| &exit.place);
    let check = Check::new(FindingCode::CommandExit, "exit code", "ended with exit code {}", place);
    let wanted = expect.exit.as_ref().map_or(Wanted::Exact(0), |exit| exit.value.clone());
    if !live && output.exit.is_none() && expect.exit.is_none() && expect.stdout.is_some() {
        let message = "the exit code is not shown by the saved output".to_owned();
        ledger.note(FindingCode::Unproved, Some(place), message);
        return;
    }
    let reason = if live { "a signal ended the command" } else { "the saved output does not show it" };
    let fact = output.exit.map_or_else(|| Fact::unknown(reason), |code| Fact::known(code, "the command"));
    ledger.check(&check, "command", &wanted, &fact);
}

fn text(stream: &str, wanted: &TextExpect, place: &Place, text: &str, ledger: &mut Ledger<'_>) {
    let check = Check::new(FindingCode::CommandOutput, "content", "lacks {}", place);
    let contained = wanted.contains.iter().map(|part| (format!("{part:?}"), text.contains(part.as_str())));
    let matched = wanted.matches.iter().map(|regex| (format!("a match of {regex}"), regex.is_match(text)));
    for (part, there) in contained.chain(matched) {
        if there {
            ledger.met(&check, stream, &part, "there", None);
        } else {
            let message = format!("{stream} lacks {part}");
            ledger.failure(&check, stream, message, &part, "not there", "the command");
        }
    }
}
