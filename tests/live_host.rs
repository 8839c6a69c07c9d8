//! The child that reads the host, on rebuilt machines: what it prints for its parent.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where it stopped")]

#[path = "fakes/library.rs"]
mod library;

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use serde_json::Value;

/// What the child told, answer by answer; the last line says that it told everything.
fn told(root: &Path, arguments: &[&str], code: &str) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkspec"));
    command.args(["probe-source", "host", "--parent", &std::process::id().to_string(), "--sysroot"]).arg(root);
    let output = command.args(arguments).env("LINKSPEC_FAKE_NCCL", code).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // The first line only ends what a library may have printed before.
    let lines: Vec<Value> = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.last(), Some(&Value::from("done")));
    lines.iter().filter_map(|line| line.pointer("/told/answer").cloned()).collect()
}

fn answer<'a>(told: &'a [Value], name: &str) -> &'a Value {
    told.iter().find_map(|answer| answer.get(name)).unwrap()
}

fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn a_machine_with_a_log_and_services() {
    let machine = machine(&[
        ("proc/sys/kernel/hostname", "node7\n"),
        ("proc/cmdline", "ro iommu=pt\n"),
        ("dev/kmsg", "5,0,0,-;Linux version 6.8.0\n6,1,0,-;Command line: ro iommu=pt\n"),
        ("usr/bin/systemctl", "#!/bin/sh\necho 'ssh.service loaded active running OpenBSD Secure Shell server'\n"),
    ]);
    fs::set_permissions(machine.path().join("usr/bin/systemctl"), fs::Permissions::from_mode(0o755)).unwrap();
    let told = told(machine.path(), &[], "");
    assert_eq!(answer(&told, "Name").pointer("/known/value"), Some(&"node7".into()));
    assert_eq!(answer(&told, "KernelArguments")["Ok"], "ro iommu=pt");
    assert_eq!(answer(&told, "Services")["Ok"]["ssh"], "active");
    let log = &answer(&told, "KernelLog")["Ok"];
    assert_eq!(log["text"], "[    0.000000] Linux version 6.8.0\n[    0.000000] Command line: ro iommu=pt\n");
    assert_eq!(log["lost"], Value::Null);
}

#[test]
fn an_empty_machine_has_a_reason_for_everything() {
    let machine = machine(&[]);
    for answer in told(machine.path(), &[], "") {
        let (name, told) = answer.as_object().and_then(|answer| answer.iter().next()).unwrap();
        let told = if name == "Library" { &told["version"] } else { told };
        let reason = told.pointer("/unknown/reason").or_else(|| told.get("Err"));
        assert!(reason.is_some_and(Value::is_string), "{name}: {told}");
    }
}

#[test]
fn a_stand_in_says_its_version_and_that_it_is_one() {
    let (machine, library) = (machine(&[]), library::stand_in("fake_nccl"));
    let arguments = ["--nccl-library", library.to_str().unwrap()];
    let told_version = |code| answer(&told(machine.path(), &arguments, code), "Library").clone();
    let said = told_version("22803");
    assert_eq!((&said["name"], &said["fake"]), (&"NCCL".into(), &true.into()));
    assert_eq!(said.pointer("/version/known/value"), Some(&"2.28.3".into()));
    let file = library.canonicalize().unwrap();
    assert_eq!(said.pointer("/version/known/source"), Some(&file.to_str().unwrap().into()));
    for (code, reason) in [("", "error 4"), ("7", "says 7, which is no version")] {
        let said = told_version(code);
        let told = said.pointer("/version/unknown/reason").and_then(Value::as_str).unwrap();
        assert!(told.ends_with(reason), "{told}");
    }
}
