//! What `nvidia-smi -q` and `nvidia-smi -q -x` have in common: a listing of values by path, and the facts in it.

mod ecc;
mod gpu;
mod listing;
mod pcie;
mod reader;
mod throttle;

pub(super) use listing::{Block, Listing, Values};
