//! The matrices of `nvidia-smi topo`: finding them in a text, and reading their rows without shifting a cell.

mod block;
mod header;
mod row;

pub(super) use block::{Block, blocks};
pub(super) use header::{Header, Title};
pub(super) use row::Row;
