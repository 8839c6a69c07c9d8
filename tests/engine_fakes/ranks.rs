//! Ranks that are processes: what they compute, and what the library's log says of them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    ptr::null_mut,
    thread,
    time::Duration,
};

use linkspec::evidence::{Carrier, LibraryLog, LogReader};
use tempfile::TempDir;

use crate::{
    child,
    libraries::{Gpu, Id, Loaded},
};

/// The sizes, in bytes.
const SIZES: [usize; 3] = [8, 65_536, 1_048_576];

fn number(name: &str) -> i32 {
    env::var(name).unwrap().parse().unwrap()
}

/// The identity, which the first rank leaves in a file for the others.
fn identity(library: &Loaded, rank: i32) -> Id {
    let path = PathBuf::from(env::var("IDENTITY").unwrap());
    let mut id = Id([0; 128]);
    if rank == 0 {
        assert_eq!(library.ncclGetUniqueId(&raw mut id), 0);
        fs::write(path.with_extension("new"), id.0).unwrap();
        fs::rename(path.with_extension("new"), path).unwrap();
        return id;
    }
    while !path.exists() {
        thread::sleep(Duration::from_millis(1));
    }
    id.0.copy_from_slice(&fs::read(path).unwrap());
    id
}

/// The job: one rank, which sums floats with the others.
pub fn work() {
    let (rank, ranks) = (number("RANK"), number("RANKS"));
    let (gpu, library) = (Gpu::open(rank), Loaded::new("fake_nccl"));
    let id = identity(&library, rank);
    let mut communicator = null_mut();
    assert_eq!(library.ncclCommInitRank(&raw mut communicator, ranks, id, rank), 0);
    let memory = gpu.allocate(SIZES[2]);
    for size in SIZES {
        let data: Vec<u8> = (0..size / 4).flat_map(|at| ((at % 100) as f32).to_le_bytes()).collect();
        gpu.upload(&data, memory);
        assert_eq!(library.ncclAllReduce(memory, memory, size / 4, 7, 0, communicator, gpu.stream), 0);
        let all: Vec<u8> = (0..size / 4).flat_map(|at| ((at % 100) as f32 * ranks as f32).to_le_bytes()).collect();
        assert!(gpu.download(memory, size) == all);
    }
    assert_eq!(library.ncclCommDestroy(communicator), 0);
}

/// One process for each rank, whose logs lie in the folder.
pub fn start(folder: &Path, ranks: usize, environment: impl Fn(usize) -> Vec<(&'static str, String)>) -> Vec<Child> {
    let start = |rank: usize| {
        let own = environment(rank);
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let (rank, count) = (rank.to_string(), ranks.to_string());
        let (identity, log) = (text(&folder.join("identity")), text(&folder.join("%h.%p.log")));
        let mut all = vec![("RANK", rank.as_str()), ("RANKS", &count), ("IDENTITY", &identity)];
        all.extend([("NCCL_DEBUG", "INFO"), ("NCCL_DEBUG_FILE", &log)]);
        all.push(("NCCL_DEBUG_SUBSYS", "INIT,ENV,GRAPH,P2P,SHM,NET,TUNING"));
        all.extend(own.iter().map(|(name, value)| (*name, value.as_str())));
        child::start("rank", &all)
    };
    (0..ranks).map(start).collect()
}

/// Runs the ranks; the logs of all of them in one.
fn logs(ranks: usize, environment: impl Fn(usize) -> Vec<(&'static str, String)>) -> String {
    let folder = TempDir::new().unwrap();
    for child in start(folder.path(), ranks, environment) {
        let output = child::end(child).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    let logs = files.filter(|path| path.extension().is_some_and(|end| end == "log"));
    logs.map(|path| fs::read_to_string(path).unwrap()).collect()
}

fn read(text: &str) -> LibraryLog {
    let mut reader = LogReader::new("nccl.log");
    text.lines().for_each(|line| reader.line(line));
    reader.finish().unwrap()
}

fn variables(list: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    list.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

const SPEC: &str = "\
linkspec: 1
suite: two
tests:
  - name: all-reduce
    collective:
      op: all_reduce
      sizes: [1M]
      expect:
        transport: { require: [TRANSPORT] }
        warnings: none
";

const TABLE: &str = "\
# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22809
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1048576 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4711 on        box device  0 [0000:1b:00] NVIDIA TEST
#  Rank  1 Group  0 Pid   4712 on        box device  1 [0000:3d:00] NVIDIA TEST
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    22.00   47.66   47.66       0    23.00   45.59   45.59       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 46.625
#
";

/// What linkspec says of a log where the spec asks for a transport.
fn exit_code(log: &str, transport: &str) -> Option<i32> {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("spec.yaml", &SPEC.replace("TRANSPORT", transport));
    write("host/nccl-tests/all-reduce.txt", TABLE);
    write("host/nccl-log/all-reduce.txt", log);
    let mut command = Command::new(env!("CARGO_BIN_EXE_linkspec"));
    command.current_dir(folder.path()).args(["run", "spec.yaml", "--host", "host"]);
    command.output().unwrap().status.code()
}

#[test]
fn the_log_tells_what_the_judge_asks_of_two_ranks() {
    let per_rank = |rank: usize| vec![("NCCL_HOSTID", format!("node{rank}"))];
    let apart = logs(2, per_rank);
    let peer = |kind: &str| Carrier::PeerToPeer(kind.into());
    let socket = || Carrier::Network { name: "Socket".into(), device: Some(0), gpudirect: false, proxy: None };
    let p2p = [("NCCL_P2P_DISABLE", "1")];
    let both = [("NCCL_P2P_DISABLE", "1"), ("NCCL_SHM_DISABLE", "1")];
    for (log, carrier, transport, other, channels) in [
        (logs(2, |_| vec![]), peer("CUMEM"), "NVLink", "SHM", 24),
        (logs(2, |_| variables(&[("NCCL_CUMEM_ENABLE", "0")])), peer("IPC"), "P2P", "Socket", 24),
        (logs(2, |_| variables(&p2p)), Carrier::SharedMemory, "SHM", "P2P", 4),
        (logs(2, |_| variables(&both)), socket(), "Socket", "SHM", 2),
        (apart.clone(), socket(), "Socket", "P2P", 2),
    ] {
        let read = read(&log);
        assert!(read.edges.iter().all(|edge| edge.carrier == carrier), "{:?}\n{log}", read.edges);
        assert_eq!(read.edges.len(), 2);
        assert_eq!((read.damage, read.unknown_lines, read.warning_count), (vec![], 0, 0), "{log}");
        assert_eq!(read.libraries, ["NCCL 2.28.9".to_owned()].into());
        assert!(read.ranks.values().all(|rank| rank.complete) && read.ranks.len() == 2);
        assert_eq!(read.rings, [vec![0, 1]].into());
        assert_eq!(read.channels, [channels].into());
        assert_eq!(read.choices.len(), SIZES.len());
        assert_eq!((exit_code(&log, transport), exit_code(&log, other)), (Some(0), Some(1)), "{transport}\n{log}");
    }
    let read = read(&apart);
    assert_eq!(read.nodes, [2].into());
    assert_eq!(read.environment["NCCL_HOSTID"].len(), 2);
}

#[test]
fn eight_processes_on_few_processors() {
    let gpus: Vec<String> = (0..8).map(|gpu| format!("0000:{:02x}:00.0", 0x10 + gpu)).collect();
    let rccl = |_| {
        let mut all = variables(&[("LINKSPEC_FAKE_RCCL", "1"), ("LINKSPEC_FAKE_NCCL", "22105")]);
        all.extend(variables(&[("NCCL_ALGO", "Tree"), ("NCCL_PROTO", "Simple")]));
        all.push(("LINKSPEC_FAKE_GPUS", gpus.join(",")));
        all
    };
    let read = read(&logs(8, rccl));
    assert_eq!((&read.damage, read.unknown_lines), (&vec![], 0));
    assert_eq!((read.libraries, read.ranks.len()), (["RCCL 2.21.5".to_owned()].into(), 8));
    assert_eq!((read.rings.len(), read.trees.len()), (1, 7));
    let choices: Vec<_> =
        read.choices.iter().map(|choice| (choice.algorithm.as_str(), choice.protocol.as_str())).collect();
    assert_eq!(choices, [("Tree", "Simple"); 3]);
}

#[test]
fn ranks_wait_for_one_that_is_stopped() {
    let folder = TempDir::new().unwrap();
    let stop = |_| variables(&[("LINKSPEC_FAKE_FAULT", "stop:rank=1:call=1")]);
    let mut children = start(folder.path(), 2, stop);
    let state = |child: &Child| {
        let text = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        text.rsplit(") ").next().unwrap().chars().next().unwrap()
    };
    while state(&children[1]) != 'T' {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(100));
    assert!(children[0].try_wait().unwrap().is_none());
    for mut child in children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
