//! Two runs that want the same GPUs.

use std::{fs, fs::File, process::Stdio, thread, time::Duration};

use crate::{healthy::test, interrupt::wait_for, seat::Seat};

/// The lock of a GPU of a rebuilt machine.
fn lock(seat: &Seat, gpu: usize) -> std::path::PathBuf {
    seat.root().join(format!("tmp/linkspec-gpu-{}.lock", seat.gpus()[gpu]))
}

#[test]
fn a_run_waits_for_the_one_that_has_its_gpus() {
    let seat = Seat::two_h200();
    let held = File::create(lock(&seat, 1)).unwrap();
    held.lock().unwrap();
    let mut command = seat.command(&test("all", ""), &[]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The first GPU's lock is taken, with the number of its holder; the other's is waited for.
    let holder = || fs::read_to_string(lock(&seat, 0)).ok().filter(|text| !text.is_empty());
    assert_eq!(wait_for(holder).trim(), child.id().to_string());
    thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none());
    assert!(!seat.path("linkspec-out/one/logs").exists(), "a rank was started");
    held.unlock().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(seat.record()["cases"][0]["verdict"]["outcome"], "pass");
    // The file stays, and says nobody.
    assert_eq!(fs::read_to_string(lock(&seat, 0)).unwrap(), "");
}

#[test]
fn runs_at_once_all_pass() {
    let seat = Seat::two_h200();
    let commands = ["a", "b", "c"].map(|out| seat.command(&test("all", ""), &["--out", out]));
    let runs = commands.map(|mut command| command.stdout(Stdio::null()).spawn().unwrap());
    for mut run in runs {
        assert_eq!(run.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_lock_that_cannot_be_taken_is_no_lock() {
    let seat = Seat::two_h200();
    std::os::unix::fs::symlink("/dev/null", lock(&seat, 0)).unwrap();
    let named = format!("the lock of GPU {}, {}: ", seat.gpus()[0], lock(&seat, 0).display());
    let ran = seat.run(&test("all", ""), &[]);
    assert_eq!(ran.code, 3, "{}", ran.text);
    let words = ran.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&named) && words.contains("it is a symbolic link"), "{words}");
}
