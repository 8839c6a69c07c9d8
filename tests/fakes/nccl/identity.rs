//! The identity of a communicator: whose memory it is, and which of that process's files.

use std::{
    hash::{BuildHasher, RandomState},
    process,
};

use super::{
    abi::{Code, INVALID_ARGUMENT, SYSTEM, UniqueId},
    fault::{self, Moment},
    meeting, say, trouble,
};

/// What an identity begins with.
const MARK: &[u8; 8] = b"LINKFAKE";

/// What an identity holds.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The process that made it.
    pub process: u32,
    /// The process's descriptor.
    pub file: u32,
    /// A number of its own.
    pub nonce: u64,
}

/// What an identity holds; `None` where it is not one of this library's.
pub fn place(id: &UniqueId) -> Option<Place> {
    let rest = id.bytes.strip_prefix(MARK)?;
    let (process, rest) = rest.split_first_chunk::<4>()?;
    let (file, rest) = rest.split_first_chunk::<4>()?;
    let (nonce, _) = rest.split_first_chunk::<8>()?;
    Some(Place {
        process: u32::from_le_bytes(*process),
        file: u32::from_le_bytes(*file),
        nonce: u64::from_le_bytes(*nonce),
    })
}

/// `ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId)`.
///
/// # Safety
///
/// The pointer is null or good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ncclGetUniqueId(to: *mut UniqueId) -> Code {
    let moment = Moment { at: "identity", ..Moment::default() };
    trouble::at(&moment);
    if let Some(fault) = fault::at("error", &moment) {
        return say::failed(fault.code(SYSTEM), "the stand-in was asked to fail here");
    }
    if to.is_null() {
        return say::failed(INVALID_ARGUMENT, "ncclGetUniqueId : out argument is NULL");
    }
    let nonce = RandomState::new().hash_one(process::id());
    let Some(file) = meeting::create(nonce) else {
        return say::failed(SYSTEM, "no memory to share");
    };
    let mut id = UniqueId { bytes: [0; 128] };
    let parts = [&MARK[..], &process::id().to_le_bytes(), &file.to_le_bytes(), &nonce.to_le_bytes()].concat();
    for (to, from) in id.bytes.iter_mut().zip(parts) {
        *to = from;
    }
    // SAFETY: as the caller promises.
    unsafe { to.write(id) };
    0
}
