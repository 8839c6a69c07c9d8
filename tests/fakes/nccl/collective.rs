//! `ncclAllReduce`: the call checks what it is given, and the stream does the rest.

use std::{
    ffi::{c_int, c_void},
    sync::{Arc, atomic::Ordering},
};

use super::{
    abi::{Code, IN_PROGRESS, INVALID_ARGUMENT, INVALID_USAGE, REMOTE, UNHANDLED_CUDA},
    communicator::{self, Communicator},
    exchange::Exchange,
    fault::{self, Moment},
    log,
    reduce::{self, Reduction, Task},
    runtime,
    say::{self, Handle},
    team::Team,
    trouble, version,
};

/// `ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t, ncclRedOp_t,
/// ncclComm_t, cudaStream_t)`.
#[unsafe(no_mangle)]
pub extern "C" fn ncclAllReduce(
    send: *const c_void,
    receive: *mut c_void,
    count: usize,
    datatype: c_int,
    operation: c_int,
    handle: Handle,
    stream: *mut c_void,
) -> Code {
    communicator::with(handle, |communicator| {
        let Some(element) = reduce::bytes_of(datatype) else {
            return say::failed(INVALID_ARGUMENT, &format!("AllReduce : invalid type {datatype}"));
        };
        let Some(reduction) = Reduction::of(operation) else {
            return say::failed(INVALID_ARGUMENT, &format!("AllReduce : invalid reduction operation {operation}"));
        };
        let task = Task { datatype, reduction, ranks: communicator.ranks as u32, count };
        let exchange = Exchange { send: send as u64, receive: receive as u64, element, task };
        call(communicator, exchange, stream as usize).err().unwrap_or(0)
    })
}

fn call(communicator: &Arc<Communicator>, exchange: Exchange, stream: usize) -> Result<(), Code> {
    match communicator.state.load(Ordering::Acquire) {
        0 => {}
        IN_PROGRESS => return Err(say::failed(INVALID_USAGE, "the communicator is still being made")),
        code => return Err(say::failed(code, "the communicator has failed before")),
    }
    let moment = Moment {
        rank: Some(communicator.rank as u64),
        call: Some(communicator.calls.fetch_add(1, Ordering::Relaxed)),
        size: Some(exchange.bytes()),
        gpu: Some(communicator.device.into()),
        at: "call",
    };
    trouble::at(&moment);
    if fault::at("hang", &Moment { at: "enqueue", ..moment }).is_some() {
        trouble::for_ever();
    }
    if let Some(fault) = fault::at("error", &moment) {
        return Err(say::failed(fault.code(UNHANDLED_CUDA), "the stand-in was asked to fail here"));
    }
    if let Some(fault) = fault::of("async-error", &moment) {
        communicator.state.store(fault.code(REMOTE), Ordering::Release);
    }
    let Some((_, team)) = communicator.met.get() else {
        let text = "Attempt to use communicator before the previous operation returned ncclSuccess";
        return Err(say::failed(INVALID_ARGUMENT, text));
    };
    if exchange.task.count == 0 {
        return Ok(());
    }
    exchange.check().map_err(|text| say::failed(INVALID_ARGUMENT, text))?;
    choose(communicator, team, exchange.bytes())?;
    communicator.pending.fetch_add(1, Ordering::AcqRel);
    let worker = Arc::clone(communicator);
    let work = move || {
        exchange.run(&worker, &moment);
        worker.pending.fetch_sub(1, Ordering::AcqRel);
    };
    if runtime::enqueue(stream, Box::new(work)) {
        return Ok(());
    }
    communicator.pending.fetch_sub(1, Ordering::AcqRel);
    Err(say::failed(UNHANDLED_CUDA, "Cuda failure 400 'invalid resource handle'"))
}

/// Algorithm and protocol, and the connections that they need.
fn choose(communicator: &Communicator, team: &Team, bytes: u64) -> Result<(), Code> {
    let choice = log::Choice::of(bytes).map_err(|text| say::failed(INVALID_USAGE, &text))?;
    log::chosen(team, bytes, &choice);
    let [rings, trees] = &communicator.connected;
    let connected = if choice.is_tree { trees } else { rings };
    if version::code() >= 22_200 && !connected.swap(true, Ordering::Relaxed) {
        log::connect(team, choice.is_tree);
    }
    Ok(())
}
