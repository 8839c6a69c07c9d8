use std::{
    env,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use super::{Communicator, Identity, JoinOptions, Library};
use crate::{
    collective::{Datatype, Reduction},
    device::{DeviceError, Gpu},
    facts::Vendor,
};

const GPUS: [&str; 2] = ["0000:1b:00.0", "0000:9a:00.0"];
const COUNT: usize = 100_000;
/// Bytes of the data, which lies at [`OFFSET`] of larger buffers.
const BYTES: usize = 4 * COUNT;
const OFFSET: u64 = 256;

/// A stand-in that `cargo test` builds beside this program.
fn stand_in(name: &str) -> PathBuf {
    let path = env::current_exe().unwrap().ancestors().nth(2).unwrap().join(format!("examples/lib{name}.so"));
    assert!(path.exists(), "{} is not there: `cargo build --examples` makes it", path.display());
    path
}

/// One rank, in a process of its own, as what the stand-ins play is read from its environment.
fn start(rank: usize, environment: &[(&str, &str)]) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "comm::tests::rank", "--ignored", "--nocapture"]).stdout(Stdio::piped());
    command.env("RANK", rank.to_string()).env("LINKSPEC_FAKE_GPUS", GPUS.join(","));
    command.envs(environment.iter().copied()).spawn().unwrap()
}

/// What a rank says after a word.
fn told(child: &mut Child, word: &str) -> String {
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines().map_while(Result::ok);
    let found = lines.map(|line| line.split_once(word).map(|(_, rest)| rest.trim().to_owned()));
    found.flatten().next().unwrap_or_default()
}

fn two_ranks(environment: &[(&str, &str)]) {
    let mut first = start(0, environment);
    let identity = told(&mut first, "identity ");
    let second = start(1, &[environment, &[("IDENTITY", identity.as_str())]].concat());
    for rank in [first, second] {
        assert!(rank.wait_with_output().unwrap().status.success());
    }
}

#[test]
fn two_ranks_reduce_with_nccl() {
    two_ranks(&[("LINKSPEC_FAKE_NCCL", "22809"), ("DRIVER", "fake_cuda"), ("LIBRARY", "fake_nccl")]);
}

#[test]
fn a_library_without_configurations_and_memory() {
    two_ranks(&[("LINKSPEC_FAKE_NCCL", "21003"), ("DRIVER", "fake_cuda"), ("LIBRARY", "fake_nccl_old")]);
}

#[test]
fn communicators_that_do_not_block() {
    let library = [("LINKSPEC_FAKE_NCCL", "22809"), ("DRIVER", "fake_cuda"), ("LIBRARY", "fake_nccl")];
    two_ranks(&[&library[..], &[("FREE", "1")]].concat());
}

#[test]
fn a_communicator_that_the_environment_keeps_from_blocking() {
    let library = [("LINKSPEC_FAKE_NCCL", "22809"), ("DRIVER", "fake_cuda"), ("LIBRARY", "fake_nccl")];
    two_ranks(&[&library[..], &[("NCCL_COMM_BLOCKING", "0")]].concat());
}

#[test]
fn two_ranks_reduce_with_rccl() {
    let library = [("LINKSPEC_FAKE_NCCL", "22105"), ("DRIVER", "fake_hip"), ("LIBRARY", "fake_nccl")];
    two_ranks(&[&library[..], &[("LINKSPEC_FAKE_RCCL", "1")]].concat());
}

#[test]
#[ignore = "the part of one rank, for the tests above"]
fn rank() {
    let Some(rank) = env::var("RANK").ok().and_then(|rank| rank.parse::<usize>().ok()) else { return };
    let (driver, library) = (env::var("DRIVER").unwrap(), env::var("LIBRARY").unwrap());
    let vendor = if driver == "fake_hip" { Vendor::Amd } else { Vendor::Nvidia };
    let gpu = Gpu::open(vendor, Some(&stand_in(&driver)), GPUS[rank]).unwrap();
    let library = Library::load(vendor, Some(&stand_in(&library))).unwrap();
    assert!(gpu.library().fake && library.loaded().fake, "{:?} {:?}", gpu.library(), library.loaded());
    assert_eq!(gpu.device(), u32::try_from(rank).unwrap());
    let identity = match env::var("IDENTITY") {
        Ok(text) => Identity::from_hex(&text).unwrap(),
        Err(_) => library.identity().unwrap(),
    };
    println!("identity {}", identity.to_hex());
    let options = JoinOptions { blocking: env::var("FREE").is_err(), centric_scheduling: true };
    let communicator = Communicator::join(&library, &gpu, &identity, 2, rank.try_into().unwrap(), options).unwrap();
    reduce(&gpu, &communicator, rank);
    communicator.check().unwrap();
    drop(communicator);
}

/// Rank 0 sends ones, rank 1 twos.
fn reduce(gpu: &Gpu, communicator: &Communicator, rank: usize) {
    let free = gpu.memory().unwrap().free;
    let stream = gpu.stream().unwrap();
    let mut pinned = gpu.pinned(BYTES).unwrap();
    let element = (rank as f32 + 1.0).to_ne_bytes();
    pinned.data().unwrap().chunks_exact_mut(4).for_each(|chunk| chunk.copy_from_slice(&element));
    let length = OFFSET + BYTES as u64;
    let (send, receive) = (communicator.allocate(length).unwrap(), communicator.allocate(length).unwrap());
    stream.fill(&receive, 0, length, 0xff).unwrap();
    pinned.upload(&stream, 0..BYTES, &send, OFFSET).unwrap();
    let call = |count| {
        communicator.all_reduce(&send, OFFSET, &receive, OFFSET, count, Datatype::Float, Reduction::Sum, &stream)
    };
    call(COUNT as u64).unwrap();
    stream.wait().unwrap();
    pinned.download(&stream, &receive, OFFSET, BYTES).unwrap();
    let data = pinned.data().unwrap();
    assert!(data.chunks_exact(4).all(|chunk| chunk == 3.0_f32.to_ne_bytes()), "{:?}", &data[..8]);
    let outside = DeviceError::Outside { offset: OFFSET, bytes: BYTES as u64 + 4, length };
    assert_eq!(call(COUNT as u64 + 1).unwrap_err().to_string(), outside.to_string());
    assert_eq!(stream.copy(&send, OFFSET, &receive, 0, BYTES as u64 + 4), Err(outside));
    drop((send, receive, pinned));
    assert_eq!(gpu.memory().unwrap().free, free);
}
