use super::Datatype;
use crate::spec::Operation;

/// How an operation of a size lies in the buffers of one rank (nccl-tests: doc/PERFORMANCE.md and the `GetCollByteCount`
/// of each operation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The count that is handed to the library, in elements.
    pub count: u64,
    /// Bytes that a rank sends.
    pub send: u64,
    /// Bytes that a rank receives.
    pub receive: u64,
    /// The bytes that algorithm bandwidth counts.
    pub moved: u64,
    /// In place: the bytes from the shared buffer's start to the send data, per rank.
    pub send_offset: u64,
    /// In place: the bytes from the shared buffer's start to the received data, per rank.
    pub receive_offset: u64,
}

/// What each rank's share of a divided operation is trimmed to, in bytes (nccl-tests: src/common.cu).
pub const SHARE: u64 = 16;

impl Layout {
    /// The layout of a size among so many ranks; a size that the ranks cannot share is trimmed.
    pub const fn of(operation: Operation, size: u64, ranks: u32, datatype: Datatype) -> Self {
        let (bytes, ranks) = (datatype.bytes(), ranks as u64);
        let whole = size / bytes;
        // Elements of one rank's share, whole units of 16 bytes.
        let share = (whole / ranks) & !(SHARE / bytes - 1);
        let part = share * bytes;
        match operation {
            Operation::AllReduce | Operation::Broadcast | Operation::Reduce | Operation::SendRecv => {
                let all = whole * bytes;
                Self { count: whole, send: all, receive: all, moved: all, send_offset: 0, receive_offset: 0 }
            }
            Operation::AllGather | Operation::Gather => Self {
                count: share,
                send: part,
                receive: part * ranks,
                moved: part * ranks,
                send_offset: part,
                receive_offset: 0,
            },
            Operation::ReduceScatter | Operation::Scatter => Self {
                count: share,
                send: part * ranks,
                receive: part,
                moved: part * ranks,
                send_offset: 0,
                receive_offset: part,
            },
            Operation::AllToAll => Self {
                count: share,
                send: part * ranks,
                receive: part * ranks,
                moved: part * ranks,
                send_offset: 0,
                receive_offset: 0,
            },
        }
    }

    /// The size as nccl-tests prints it.
    pub const fn size(&self) -> u64 {
        if self.send > self.receive { self.send } else { self.receive }
    }
}

/// Bus bandwidth over algorithm bandwidth (nccl-tests: doc/PERFORMANCE.md).
pub fn bus_factor(operation: Operation, ranks: u32) -> f64 {
    let ranks = f64::from(ranks);
    let others = (ranks - 1.0) / ranks;
    match operation {
        Operation::AllReduce => 2.0 * others,
        Operation::AllGather | Operation::ReduceScatter | Operation::AllToAll => others,
        Operation::Gather | Operation::Scatter => others,
        Operation::Broadcast | Operation::Reduce | Operation::SendRecv => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_all_reduce_is_whole_elements() {
        let layout = Layout::of(Operation::AllReduce, 1030, 8, Datatype::Float);
        assert_eq!((layout.count, layout.send, layout.receive, layout.size()), (257, 1028, 1028, 1028));
    }

    #[test]
    fn shares_are_whole_units_of_16_bytes() {
        // 100 elements of 4 bytes on 8 ranks: 12 each, trimmed to none beyond 12 = 3 units of 4.
        let layout = Layout::of(Operation::AllGather, 400, 8, Datatype::Float);
        assert_eq!((layout.count, layout.send, layout.receive, layout.send_offset), (12, 48, 384, 48));
        // Below 16 bytes for each rank nothing is left.
        assert_eq!(Layout::of(Operation::ReduceScatter, 64, 8, Datatype::Float).size(), 0);
        let layout = Layout::of(Operation::ReduceScatter, 256, 8, Datatype::Double);
        assert_eq!((layout.count, layout.send, layout.receive, layout.receive_offset), (4, 256, 32, 32));
        assert_eq!(Layout::of(Operation::AllToAll, 256, 8, Datatype::Int8).count, 32);
    }

    #[test]
    fn factors_of_eight_ranks() {
        assert_eq!(bus_factor(Operation::AllReduce, 8), 1.75);
        assert_eq!(bus_factor(Operation::AllReduce, 2), 1.0);
        assert_eq!(bus_factor(Operation::AllGather, 8), 0.875);
        assert_eq!(bus_factor(Operation::Broadcast, 8), 1.0);
    }
}
