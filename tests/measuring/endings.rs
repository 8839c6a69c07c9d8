//! Measurements that do not come to their end: each is an error that says which rank, on which GPU, at what.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::seat::{Ran, Seat};

/// Two cases of one environment: a fault of 4 KiB is the first one's alone.
const TWO: &str = "  - name: first\n    pin: none\n    collective: { op: all_reduce, sizes: [4K], iterations: 3 }\n  - \
                   name: second\n    pin: none\n    collective: { op: all_reduce, sizes: [512], iterations: 3 }\n";

/// Beyond the deadline of one phase by what it takes to end ranks that heed nothing, on a machine that is busy.
const SOON: Duration = Duration::from_secs(45);

/// Runs both cases with a fault of the first one. It is an error of this code with these words; the second passes, in
/// processes of its own.
pub fn ends(seat: &Seat, code: &str, texts: &[&str]) -> Ran {
    let began = Instant::now();
    let ran = seat.run(TWO, &["--phase-deadline", "2"]);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    let code = format!("error[{code}]: ");
    let ran = ran.expect(3, &[&["1 could not be judged, 1 passed", &code], texts].concat());
    let record = seat.record();
    let pids = |case: usize| -> Vec<u64> {
        let placements = record["cases"][case]["collective"]["engine"]["placements"].as_array().unwrap();
        placements.iter().map(|placement| placement["pid"].as_u64().unwrap()).collect()
    };
    assert!(pids(0).iter().all(|pid| !pids(1).contains(pid)), "{record:#}");
    ran
}

/// The same on two GPUs of each vendor, side by side.
fn of_both(fault: &str, code: &str, texts: &[&str]) {
    thread::scope(|scope| {
        for seat in Seat::both() {
            scope.spawn(move || ends(&seat.fault(fault), code, texts));
        }
    });
}

#[test]
fn a_rank_that_crashes() {
    of_both("crash:rank=1:size=4096:signal=11", "rank-crashed", &["rank 1 (GPU1) was ended by SIGSEGV while"]);
}

#[test]
fn a_rank_that_ends() {
    of_both("exit:rank=0:size=4096:code=7", "rank-crashed", &["rank 0 (GPU0) ended with exit code 7 while"]);
}

#[test]
fn an_error_of_the_library() {
    of_both(
        "error:rank=1:at=call:call=3:size=4096:code=1",
        "library-error",
        &["rank 1 (GPU1), in the timed loop (4K", "ncclAllReduce: ", "(error 1)"],
    );
}

#[test]
fn what_the_library_refuses() {
    of_both(
        "error:rank=0:at=call:size=4096:code=5",
        "unsupported",
        &["rank 0 (GPU0), warming up (4K", "ncclAllReduce: ", "(error 5)"],
    );
}

#[test]
fn an_error_that_comes_later() {
    of_both(
        "async-error:rank=1:call=4:size=4096:code=6",
        "library-error",
        &["rank 1 (GPU1), in the timed loop (4K", "ncclCommGetAsyncError: ", "(error 6)"],
    );
}

#[test]
fn an_error_of_a_rank_whose_abort_hangs_is_told() {
    of_both(
        "error:rank=1:at=call:size=4096:code=1;hang:at=abort:rank=1",
        "library-error",
        &["rank 1 (GPU1), warming up (4K"],
    );
}

#[test]
fn ranks_that_hang() {
    // Calls of a rank: the warm-up is 0, the untimed one 1, the timed ones 2 to 4, that of the check 5.
    let cases = [
        (
            "hang:at=first:size=4096",
            "hang-first-collective",
            "within 2 s: no rank is behind, every one is warming up (4K",
        ),
        (
            "hang:rank=1:call=3:size=4096",
            "hang-mid-run",
            "within 2 s: no rank is behind, every one is in the timed loop",
        ),
        (
            "hang:rank=1:at=enqueue:call=3:size=4096",
            "hang-mid-run",
            "rank 1 (GPU1) did not get on within 2 s: behind the others, in the timed loop (4K",
        ),
        (
            "stop:rank=1:call=3:size=4096",
            "hang-mid-run",
            "rank 1 (GPU1) did not get on within 2 s: stopped (state T) while in the timed loop (4K",
        ),
        ("hang:call=5:size=4096", "hang-mid-run", "within 2 s: no rank is behind, every one is checking data (4K)"),
    ];
    // They mostly wait.
    thread::scope(|scope| {
        for (fault, code, words) in cases {
            for seat in Seat::both() {
                scope.spawn(move || ends(&seat.fault(fault), code, &[words]));
            }
        }
    });
}

#[test]
fn one_of_eight_mi300x() {
    let seat = Seat::eight_mi300x().fault("crash:rank=5:size=4096:call=4:signal=9");
    ends(&seat, "rank-crashed", &["rank 5 (GPU5) was ended by SIGKILL while in the timed loop (4K"]);
    let seat = Seat::eight_mi300x().fault("stop:rank=3:size=4096:call=3");
    ends(
        &seat,
        "hang-mid-run",
        &["rank 3 (GPU3) did not get on within 2 s: stopped (state T) while in the timed loop"],
    );
}
