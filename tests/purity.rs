//! Rule 1 of the architecture: a stage that is pure uses no file, process, clock, environment, network or unsafe code.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Pure folders, and files in other folders that must be pure all the same.
const PURE: [&str; 50] = [
    "src/capture",
    "src/collective",
    "src/units",
    "src/spec",
    "src/plan",
    "src/facts",
    "src/probe/texts",
    "src/evidence",
    "src/verdict",
    "src/record",
    "src/report",
    "src/parity/command.rs",
    "src/parity/compare",
    "src/parity/ground.rs",
    "src/parity/stripped.rs",
    "src/parity/told.rs",
    "src/parity/turns.rs",
    "src/parity/wanted.rs",
    // What is judged of the machine before a measurement.
    "src/ground/busy.rs",
    "src/ground/pins.rs",
    // What makes facts of what the child processes told.
    "src/probe/untold.rs",
    "src/probe/child/heard.rs",
    "src/probe/child/protocol.rs",
    "src/probe/live/reasons.rs",
    "src/probe/live/silence.rs",
    "src/probe/amd/answer.rs",
    "src/probe/amd/devices.rs",
    "src/probe/amd/fill.rs",
    "src/probe/amd/nodes.rs",
    "src/probe/host/answer.rs",
    "src/probe/host/fill",
    "src/probe/host/fill.rs",
    "src/probe/host/kmsg.rs",
    "src/probe/nvidia/answer.rs",
    "src/probe/nvidia/fill.rs",
    "src/probe/nvidia/fill_gpu.rs",
    "src/probe/nvidia/fill_pairs.rs",
    "src/probe/nvidia/gathered.rs",
    "src/probe/nvidia/joined.rs",
    "src/probe/nvidia/lost.rs",
    "src/probe/nvidia/words.rs",
    "src/probe/pci/config.rs",
    "src/probe/pci/fill.rs",
    "src/probe/pci/matrix.rs",
    "src/probe/pci/path.rs",
    "src/probe/rdma/answer.rs",
    "src/probe/rdma/fill.rs",
    // Who is at fault where ranks do not come to their end.
    "src/session/agreement.rs",
    "src/session/causes.rs",
    "src/session/diagnosis.rs",
];
/// The one file of the language that reads files.
const EXCEPT: [&str; 1] = ["src/spec/load.rs"];

/// What no pure file may name.
const FORBIDDEN: [&str; 22] = [
    "std::fs",
    "TcpStream",
    "UdpSocket",
    "ToSocketAddrs",
    "std::env",
    "std::process",
    "std::thread",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "Instant",
    "SystemTime",
    "Local::now",
    "Utc::now",
    "unsafe",
    "nix::",
    "libc::",
    "tempfile",
    "signal_hook",
    "crate::run",
    "crate::sys",
    "tree::Tree",
];

fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().flat_map(|entry| sources(&entry.unwrap().path())).collect();
    }
    assert!(path.is_file(), "{} is not there: has it moved?", path.display());
    let is_source = path.extension().is_some_and(|ending| ending == "rs");
    if is_source { vec![path.to_owned()] } else { Vec::new() }
}

/// The code of a file: no comments, no test module (which stands last by convention).
fn code(text: &str) -> String {
    let shipped = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    shipped.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The forbidden names in a file's code, also where they are imported through a nested `use std::{fs, ...}`.
fn found(text: &str) -> Vec<&'static str> {
    let code = code(text);
    let nested = |name: &str| {
        let Some(module) = name.strip_prefix("std::") else { return false };
        let uses = code.split("use std::{").skip(1).filter_map(|rest| rest.split("};").next());
        uses.into_iter().any(|list| list.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == module))
    };
    let word = |name: &str| {
        code.match_indices(name).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            let after = code[at + name.len()..].chars().next();
            let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !joins(before) && (name.ends_with(':') || !joins(after))
        })
    };
    FORBIDDEN.into_iter().filter(|name| word(name) || nested(name)).collect()
}

#[test]
fn pure_folders_have_no_effects() {
    let mut read = 0;
    let mut wrong = Vec::new();
    for file in PURE.iter().flat_map(|folder| sources(Path::new(folder))) {
        let shown = file.display().to_string();
        let is_test = shown.ends_with("/testing.rs") || shown.ends_with("/tests.rs") || shown.contains("/tests/");
        if EXCEPT.contains(&shown.as_str()) || is_test {
            continue;
        }
        read += 1;
        let names = found(&fs::read_to_string(&file).unwrap());
        if !names.is_empty() {
            wrong.push(format!("{shown}: {}", names.join(", ")));
        }
    }
    assert!(read > 40, "only {read} files were read: have the folders moved?");
    assert!(wrong.is_empty(), "pure folders with effects:\n{}", wrong.join("\n"));
}

#[test]
fn no_file_is_over_500_lines() {
    let long = |file: &PathBuf| fs::read_to_string(file).unwrap().lines().count() > 500;
    let wrong: Vec<_> = sources(Path::new("src")).into_iter().filter(long).collect();
    assert!(wrong.is_empty(), "one concept per file: {wrong:?}");
}

#[test]
fn the_check_itself_can_fail() {
    assert_eq!(found("use std::{collections::BTreeMap, fs};"), ["std::fs"]);
    assert_eq!(found("let now = std::time::Instant::now();"), ["Instant"]);
    assert!(found("use std::fmt;\n// std::fs is not used\n#[cfg(test)]\nmod tests { use std::fs; }").is_empty());
    assert!(found("use std::{collections::BTreeMap, fmt};").is_empty());
}
