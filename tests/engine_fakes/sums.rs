//! Every type with every reduction, in place and out of place, among four ranks: threads of one process.

use std::thread;

use crate::libraries::{Gpu, Id, Loaded};

const RANKS: i32 = 4;
const COUNT: usize = 100;

/// Bytes of an element, by the type's code.
const BYTES: [usize; 12] = [1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1];

/// What a rank sends. In every type the results are numbers, so that no rounding decides.
fn sent(rank: i32, at: usize, reduction: i32) -> u32 {
    let two = (at / (1 << rank)) as u32 % 2 + 1;
    // A mean divides each by four.
    if reduction == 4 { 4 * two } else { two }
}

fn wanted(at: usize, reduction: i32) -> u32 {
    let all = (0..RANKS).map(|rank| sent(rank, at, reduction));
    match reduction {
        0 => all.sum(),
        1 => all.product(),
        2 => all.max().unwrap(),
        3 => all.min().unwrap(),
        _ => all.sum::<u32>() / 4,
    }
}

/// A small number in a type, from the bits that it has with 32.
fn encoded(value: u32, datatype: i32) -> Vec<u8> {
    let single = (value as f32).to_bits();
    let half = (single - (112 << 23)) >> 13;
    match datatype {
        0 | 1 => vec![value as u8],
        2 | 3 => value.to_le_bytes().to_vec(),
        4 | 5 => u64::from(value).to_le_bytes().to_vec(),
        6 => (half as u16).to_le_bytes().to_vec(),
        7 => single.to_le_bytes().to_vec(),
        8 => f64::from(value).to_le_bytes().to_vec(),
        9 => ((single >> 16) as u16).to_le_bytes().to_vec(),
        10 => vec![((single - (120 << 23)) >> 20) as u8],
        _ => vec![(half >> 8) as u8],
    }
}

/// The job: all ranks in one process.
pub fn work() {
    let mut id = Id([0; 128]);
    assert_eq!(Loaded::new("fake_nccl").ncclGetUniqueId(&raw mut id), 0);
    thread::scope(|scope| {
        for rank in 0..RANKS {
            scope.spawn(move || one_rank(rank, id));
        }
    });
}

fn one_rank(rank: i32, id: Id) {
    let (gpu, library) = (Gpu::open(rank), Loaded::new("fake_nccl"));
    let mut communicator = std::ptr::null_mut();
    assert_eq!(library.ncclCommInitRank(&raw mut communicator, RANKS, id, rank), 0);
    let (send, receive) = (gpu.allocate(COUNT * 8), gpu.allocate(COUNT * 8));
    for datatype in 0..12 {
        for reduction in 0..5 {
            for receive in [send, receive] {
                let bytes: Vec<u8> = (0..COUNT).flat_map(|at| encoded(sent(rank, at, reduction), datatype)).collect();
                gpu.upload(&bytes, send);
                let stream = gpu.stream;
                let code = library.ncclAllReduce(send, receive, COUNT, datatype, reduction, communicator, stream);
                assert_eq!(code, 0);
                let got = gpu.download(receive, COUNT * BYTES[datatype as usize]);
                let all: Vec<u8> = (0..COUNT).flat_map(|at| encoded(wanted(at, reduction), datatype)).collect();
                assert_eq!(got, all, "type {datatype} reduction {reduction}");
            }
        }
    }
    large(&gpu, &library, rank, communicator);
    assert_eq!(library.ncclCommDestroy(communicator), 0);
    assert_eq!(library.ncclCommDestroy(communicator), 4, "a destroyed communicator is none");
}

/// More than ranks hand over at once, in memory of the library, and at an odd offset.
fn large(gpu: &Gpu, library: &Loaded, rank: i32, communicator: *mut std::ffi::c_void) {
    const MANY: usize = 150_001;
    let mut memory = 0;
    assert_eq!(library.ncclMemAlloc(&raw mut memory, MANY * 4 + 4), 0);
    let bytes: Vec<u8> = (0..MANY).flat_map(|at| (at as i32 * (rank + 1)).to_le_bytes()).collect();
    gpu.upload(&bytes, memory + 4);
    let code = library.ncclAllReduce(memory + 4, memory + 4, MANY, 2, 0, communicator, gpu.stream);
    assert_eq!(code, 0);
    let got = gpu.download(memory, MANY * 4 + 4);
    let all: Vec<u8> = (0..MANY).flat_map(|at| (at as i32 * 10).to_le_bytes()).collect();
    assert!(got[4..] == all && got[..4] == [0; 4]);
    let beyond = library.ncclAllReduce(memory + 8, memory + 8, MANY, 2, 0, communicator, gpu.stream);
    assert_eq!(beyond, 4, "what goes beyond the memory is refused");
}
