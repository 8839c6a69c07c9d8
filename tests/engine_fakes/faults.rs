//! Each fault on demand, on two ranks that are threads of one process.

use std::{
    env,
    io::{Write, stdout},
    os::unix::process::ExitStatusExt,
    process::Child,
    ptr::null_mut,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use crate::{
    child,
    libraries::{Gpu, Id, Loaded},
};

const COUNT: usize = 8;
/// Elements behind those that are received.
const GUARD: usize = 2;
const CALLS: usize = 2;

/// What is in the memory before, in every byte.
const BEFORE: u8 = 0x77;

static OUTPUT: Mutex<()> = Mutex::new(());

fn tell(text: &str) {
    let _held = OUTPUT.lock().unwrap();
    let mut output = stdout();
    writeln!(output, "told: {text}").unwrap();
}

/// The job: two calls on two ranks; what differs from the sums is told, by rank, call and elements.
pub fn work() {
    let mut id = Id([0; 128]);
    assert_eq!(Loaded::new("fake_nccl").ncclGetUniqueId(&raw mut id), 0);
    thread::scope(|scope| {
        for rank in 0..2 {
            scope.spawn(move || one_rank(rank, id));
        }
    });
}

fn one_rank(rank: i32, id: Id) {
    let (gpu, library) = (Gpu::open(rank), Loaded::new("fake_nccl"));
    let mut communicator = null_mut();
    let code = library.ncclCommInitRank(&raw mut communicator, 2, id, rank);
    if code != 0 {
        return tell(&format!("rank {rank} init: {code}"));
    }
    let all = COUNT + GUARD;
    let (send, receive) = (gpu.allocate(COUNT * 4), gpu.allocate(all * 4));
    let data: Vec<u8> = (0..COUNT as i32).flat_map(|at| (at + 10 + 100 * rank).to_le_bytes()).collect();
    gpu.upload(&data, send);
    for call in 0..CALLS {
        assert_eq!(gpu.driver.cuMemsetD8Async(receive, BEFORE, all * 4, gpu.stream), 0);
        let start = Instant::now();
        let code = library.ncclAllReduce(send, receive, COUNT, 2, 0, communicator, gpu.stream);
        if code != 0 {
            return tell(&format!("rank {rank} call {call}: code {code}"));
        }
        if !is_done(&gpu) {
            let mut state = 0;
            assert_eq!(library.ncclCommGetAsyncError(communicator, &raw mut state), 0);
            tell(&format!("rank {rank} call {call}: hangs, state {state}"));
            // What hangs ends with the communicator.
            assert_eq!(library.ncclCommAbort(communicator), 0);
            return gpu.wait();
        }
        // On a busy machine any call may take as long.
        let is_asked = env::var("LINKSPEC_FAKE_FAULT").is_ok_and(|fault| fault.starts_with("slow"));
        if is_asked && start.elapsed() >= Duration::from_millis(150) {
            tell(&format!("rank {rank} call {call}: slow"));
        }
        let got = gpu.download(receive, all * 4);
        let got = got.chunks(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap()));
        let beyond = i32::from_le_bytes([BEFORE; 4]);
        let wanted = (0..all).map(|at| if at < COUNT { 2 * at as i32 + 120 } else { beyond });
        let wrong: Vec<usize> =
            got.zip(wanted).enumerate().filter(|(_, (got, wanted))| got != wanted).map(|(at, _)| at).collect();
        if !wrong.is_empty() {
            tell(&format!("rank {rank} call {call}: wrong {wrong:?}"));
        }
    }
    assert_eq!(library.ncclCommDestroy(communicator), 0);
    tell(&format!("rank {rank} ended"));
}

/// Whether the stream ends soon.
fn is_done(gpu: &Gpu) -> bool {
    const PATIENCE: Duration = Duration::from_millis(700);
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if gpu.is_done() {
            return true;
        }
    }
    false
}

/// Both ranks told that nothing was amiss.
const GOOD: [&str; 2] = ["rank 0 ended", "rank 1 ended"];

/// What the ranks told under each fault; the processes run side by side.
fn told(faults: &[&str]) -> Vec<Vec<String>> {
    let start = |fault: &&str| child::start("faulty", &[("LINKSPEC_FAKE_FAULT", fault)]);
    let children: Vec<Child> = faults.iter().map(start).collect();
    let sorted = |mut told: Vec<String>| {
        told.sort();
        told
    };
    children.into_iter().map(|child| sorted(child::told(child))).collect()
}

fn with_ends(lines: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = GOOD.iter().chain(lines).map(|line| (*line).to_owned()).collect();
    all.sort();
    all
}

#[test]
fn data_is_spoilt_where_it_is_asked_for() {
    let cases = [
        ("", &[][..]),
        ("wrong:rank=1:call=1:offset=3", &["rank 1 call 1: wrong [3]"]),
        (
            "wrong:rank=1,size=32,offset=0,call=0;wrong:rank=0,offset=7,call=0",
            &["rank 0 call 0: wrong [7]", "rank 1 call 0: wrong [0]"],
        ),
        ("wrong:size=36", &[]),
        ("overrun:rank=0:call=1", &["rank 0 call 1: wrong [8]"]),
        ("short:call=0", &["rank 0 call 0: wrong [4, 5, 6, 7]", "rank 1 call 0: wrong [4, 5, 6, 7]"]),
        ("stale:rank=1:call=0", &["rank 1 call 0: wrong [4, 5, 6, 7]"]),
        (
            "drop-rank:rank=1:call=1",
            &["rank 0 call 1: wrong [0, 1, 2, 3, 4, 5, 6, 7]", "rank 1 call 1: wrong [0, 1, 2, 3, 4, 5, 6, 7]"],
        ),
    ];
    for ((fault, lines), told) in cases.iter().zip(told(&cases.map(|(fault, _)| fault))) {
        assert_eq!(told, with_ends(lines), "{fault}");
    }
}

#[test]
fn calls_fail_hang_and_are_slow() {
    let hang = |rank, call| format!("rank {rank} call {call}: hangs, state 0");
    let cases = [
        ("hang:rank=0:call=1", [hang(0, 1), hang(1, 1)]),
        ("hang:at=first", [hang(0, 0), hang(1, 0)]),
        ("error:rank=1:call=0:code=3", [hang(0, 0), "rank 1 call 0: code 3".into()]),
        ("async-error:rank=1:call=1:code=6", [hang(0, 1), "rank 1 call 1: hangs, state 6".into()]),
        ("error:at=init:code=2", ["rank 0 init: 2".into(), "rank 1 init: 2".into()]),
    ];
    for ((fault, lines), told) in cases.iter().zip(told(&cases.each_ref().map(|(fault, _)| *fault))) {
        assert_eq!(&told, lines, "{fault}");
    }
    let slow = told(&["slow:rank=0:call=1:ms=150"]);
    assert!(slow[0].contains(&"rank 0 call 1: slow".to_owned()), "{slow:?}");
}

#[test]
fn processes_end_as_asked() {
    let cases = [
        ("crash:rank=0:call=1", Some(11), None),
        ("crash:at=init:signal=6", Some(6), None),
        ("exit:rank=1:call=0:code=7", None, Some(7)),
        ("zero-device", None, Some(101)),
        ("out-of-memory:bytes=39", None, Some(101)),
        ("out-of-memory:bytes=40", None, Some(0)),
    ];
    let children = cases.map(|(fault, ..)| child::start("faulty", &[("LINKSPEC_FAKE_FAULT", fault)]));
    for ((fault, signal, code), child) in cases.into_iter().zip(children) {
        let status = child::end(child).unwrap().status;
        assert_eq!((status.signal(), status.code()), (signal, code), "{fault}");
    }
    let noise = child::end(child::start("faulty", &[("LINKSPEC_FAKE_FAULT", "noise")])).unwrap();
    assert!(noise.stdout.windows(8).any(|text| text == b"no end o") && !noise.stderr.is_empty());
}

#[test]
fn what_hangs_at_the_start_leaves_nothing_when_it_is_killed() {
    let mut child = child::start("faulty", &[("LINKSPEC_FAKE_FAULT", "hang:at=init:rank=1")]);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(child.try_wait().unwrap(), None);
    child.kill().unwrap();
    child.wait().unwrap();
    for folder in ["/dev/shm".into(), env::temp_dir()] {
        let names = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let left = names.filter(|file| file.file_name().to_string_lossy().contains("linkspec-fake")).count();
        assert_eq!(left, 0);
    }
}
