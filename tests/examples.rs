//! The examples for CI servers in `ci/examples` and `docs/ci.md`: they say what linkspec understands, and their gates hold.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const LINKSPEC: &str = env!("CARGO_BIN_EXE_linkspec");

fn help(subcommand: &str) -> String {
    let output = Command::new(LINKSPEC).args([subcommand, "--help"]).output().unwrap();
    assert!(output.status.success(), "{subcommand}");
    String::from_utf8(output.stdout).unwrap()
}

const SUBCOMMANDS: [&str; 8] = ["run", "list", "check", "explain", "schema", "report", "capture", "completions"];

/// Every call of linkspec in a text but for comments: its words from the one after `linkspec` to the end of the command.
fn calls(text: &str) -> Vec<Vec<String>> {
    let whole = text.replace("\\\n", " ");
    let lines = whole.lines().filter(|line| !line.trim_start().starts_with(['#', '/']));
    let commands = lines.flat_map(|line| line.split("linkspec ").skip(1));
    commands.map(words).filter(|words| words.first().is_some_and(|word| can_follow(word))).collect()
}

fn words(command: &str) -> Vec<String> {
    let words = command.split_whitespace().take_while(|word| !word.starts_with(['>', '|', ';', '&']));
    let mut found = Vec::new();
    for word in words {
        found.push(word.trim_matches(['"', '\'', '`', ',', '.', ')', ';', ':']).to_owned());
        if word.contains('`') {
            break;
        }
    }
    found
}

/// Whether a word after `linkspec` makes it a call, and not a word of a sentence.
fn can_follow(word: &str) -> bool {
    SUBCOMMANDS.contains(&word) || word.starts_with("pack:") || word.ends_with(".yaml") || word.starts_with("--")
}

fn files() -> Vec<PathBuf> {
    let examples = fs::read_dir("ci/examples").unwrap().map(|entry| entry.unwrap().path());
    examples.chain([PathBuf::from("docs/ci.md")]).collect()
}

#[test]
fn every_option_of_the_examples_is_there() {
    let helps: BTreeMap<&str, String> = SUBCOMMANDS.iter().map(|name| (*name, help(name))).collect();
    let mut seen = 0;
    for file in files() {
        for words in calls(&fs::read_to_string(&file).unwrap()) {
            let named = SUBCOMMANDS.iter().find(|name| **name == words[0]);
            let help = &helps[named.unwrap_or(&"run")];
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let name = option.split('=').next().unwrap();
                let known = help.lines().any(|line| line.split_whitespace().next() == Some(name));
                assert!(known, "{}: linkspec {words:?}: there is no {option}", file.display());
            }
            for pack in words.iter().filter(|word| word.starts_with("pack:")) {
                let output = Command::new(LINKSPEC).args(["list", pack]).output().unwrap();
                assert!(output.status.success(), "{}: {pack}", file.display());
            }
            seen += 1;
        }
    }
    assert!(seen >= 8, "only {seen} calls were found");
}

#[test]
fn what_is_no_option_is_found() {
    let text = "  - linkspec pack:hgx-h100 --hots x \\\n    --out y >log\n# linkspec --comment\n";
    assert_eq!(calls(text), [["pack:hgx-h100", "--hots", "x", "--out", "y"]]);
}

#[test]
fn outputs_are_saved_under_names_that_linkspec_reads() {
    let documented = fs::read_to_string("docs/saved-outputs.md").unwrap();
    let script = fs::read_to_string("ci/examples/save-outputs.sh").unwrap();
    let saved: Vec<&str> = script.lines().filter_map(|line| line.strip_prefix("save ")).collect();
    assert!(saved.len() > 10);
    for line in saved {
        let name = line.split(' ').next().unwrap();
        let short = name.rsplit_once('-').map_or(name, |(_, end)| end).trim_end_matches(".txt");
        let known = documented.contains(&format!("`{name}`"))
            || name.starts_with("nvidia-smi-topo-p2p-") && documented.contains(&format!("`-{short}`"));
        assert!(known, "{name}");
    }
}

/// Runs the Slurm job over nodes whose linkspec ends with these codes; None is a node that is never heard of.
#[cfg(unix)]
fn slurm_job(codes: &[Option<i32>]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str| write_script(&folder.path().join(name), text);
    let nodes: Vec<String> = codes
        .iter()
        .enumerate()
        .filter_map(|(at, code)| code.map(|code| format!("SLURMD_NODENAME=n{at} CODE={code} \"$@\"")))
        .collect();
    script("srun", &format!("shift\n{}\ntrue", nodes.join("\n")));
    script("linkspec", "exit $CODE");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .arg(fs::canonicalize("ci/examples/slurm-job.sh").unwrap())
        .current_dir(folder.path())
        .env("PATH", path)
        .env("SLURM_JOB_NUM_NODES", codes.len().to_string())
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[cfg(unix)]
fn write_script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, format!("#!/usr/bin/env bash\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn the_slurm_job_accepts_only_what_every_node_passed() {
    for (codes, expected) in [
        (&[Some(0), Some(0)][..], 0),
        (&[Some(0), Some(1), Some(3)], 1),
        (&[Some(3), Some(0)], 3),
        (&[Some(2), Some(0)], 3),
        (&[Some(127)], 3),
        (&[Some(0), None], 3),
        (&[None], 3),
    ] {
        let (code, text) = slurm_job(codes);
        assert_eq!(code, expected, "{codes:?}: {text}");
    }
    let (_, text) = slurm_job(&[Some(0), Some(1), Some(3)]);
    assert_eq!(text, "3 of 3 nodes ended; 1 failed: n1; 1 not judged: n2\n");
}

/// Runs the Prolog on a node whose linkspec ends with a code: the Prolog's code, and what linkspec was called with.
#[cfg(unix)]
fn slurm_prolog(code: i32) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str| write_script(&folder.path().join(name), text);
    script("linkspec", &format!("echo \"$1\" >>{}/calls\nexit {code}", folder.path().display()));
    script("logger", "true");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .arg("ci/examples/slurm-prolog.sh")
        .env("PATH", path)
        .env("RESULTS", folder.path().join("new/results"))
        .output()
        .unwrap();
    (output.status.code().unwrap(), fs::read_to_string(folder.path().join("calls")).unwrap())
}

#[cfg(unix)]
#[test]
fn the_prolog_ends_with_the_code_of_the_judge_and_keeps_a_capture_of_what_is_not_accepted() {
    assert_eq!(slurm_prolog(0), (0, "pack:hgx-h100\n".to_owned()));
    for code in [1, 2, 3] {
        assert_eq!(slurm_prolog(code), (code, "pack:hgx-h100\ncapture\n".to_owned()));
    }
}
