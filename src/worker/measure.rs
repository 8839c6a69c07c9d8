use std::{sync::Arc, time::Instant};

use super::{
    Order, Phase, Report,
    check::{Checking, Stages},
    material::Material,
    rank::{Halt, Rank},
};
use crate::{
    collective::{Ablation, Datatype, Layout, Reduction, Sweep},
    comm::Communicator,
    device::{DeviceBuffer, DeviceError, Gpu, Stream},
    evidence::{RankSample, TroubleKind},
    facts::Vendor,
    spec::Operation,
};

/// Bytes before and after the data of a buffer that nothing may touch. A whole page of GPU memory, so that the data
/// itself is aligned as nccl-tests' is.
pub(super) const GUARD: u64 = 2 << 20;

/// A rank that is ready to measure: its stream, and the buffers of the test at hand.
pub(super) struct Measuring<'a> {
    pub(super) rank: &'a Rank,
    pub(super) gpu: &'a Gpu,
    pub(super) communicator: &'a Communicator,
    pub(super) stream: Stream,
    buffers: Option<Buffers>,
    /// Whether ranks share CPUs: then one that waits lets others run.
    patient: bool,
}

/// Memory for the largest size so far, a guard on both sides.
pub(super) struct Buffers {
    pub(super) send: DeviceBuffer,
    pub(super) receive: DeviceBuffer,
    bytes: u64,
    /// Whether it is the library's.
    of_library: bool,
}

impl<'a> Measuring<'a> {
    pub(super) fn new(rank: &'a Rank, gpu: &'a Gpu, communicator: &'a Communicator, stream: Stream) -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        // Every rank may be on the same CPUs, and has a thread of the library's beside it.
        let patient = cpus < 2 * rank.start.ranks as usize;
        Self { rank, gpu, communicator, stream, buffers: None, patient }
    }

    /// Measures a test: warm-up over doubling sizes, then each size out of place and in place, as nccl-tests does
    /// (src/common.cu, `TimeTest`).
    pub(super) fn sweep(&mut self, sweep: &Sweep, stages: &mut Stages) -> Result<(), Halt> {
        if let Some(reason) = self.cannot(sweep) {
            return Err(self.rank.trouble(TroubleKind::Unsupported, &reason).into());
        }
        self.rank.enter(Phase::Prepare, sweep.largest());
        let buffers = self.buffers_for(sweep)?;
        let material = self.rank.materials.borrow_mut().of(sweep);
        let measured = self.measured(sweep, &buffers, stages, material);
        self.buffers = Some(buffers);
        measured
    }

    /// Why a test cannot be measured.
    fn cannot(&self, sweep: &Sweep) -> Option<String> {
        if sweep.operation != Operation::AllReduce.name() {
            return Some(format!("this version does not measure {}", sweep.operation));
        }
        // GPUs of AMD have one of two kinds of 8-bit floats, which have the same sums and extremes and other products
        // (ROCm/rccl: src/include/rccl_float8.h).
        let two_kinds = matches!(sweep.datatype, Datatype::Fp8E4m3 | Datatype::Fp8E5m2)
            && matches!(sweep.reduction, Reduction::Prod | Reduction::Avg)
            && self.rank.start.vendor == Vendor::Amd;
        (two_kinds && sweep.checked).then(|| {
            let (datatype, reduction) = (sweep.datatype.name(), sweep.reduction.name());
            format!("{reduction} of {datatype} cannot be checked on GPUs of AMD: which kind of {datatype} it has is not known")
        })
    }

    fn measured(
        &self,
        sweep: &Sweep,
        buffers: &Buffers,
        stages: &mut Stages,
        material: Arc<Material>,
    ) -> Result<(), Halt> {
        let mut checking = Checking::new(self, stages, material, sweep, buffers)?;
        self.meet(sweep)?;
        self.warm_up(sweep, buffers)?;
        for size in &sweep.sizes {
            for in_place in [false, true] {
                if in_place && !sweep.in_place || !in_place && !sweep.out_of_place {
                    continue;
                }
                let layout = self.layout(sweep, *size);
                let at = Place { sweep, buffers, layout, in_place };
                checking.fill(&at)?;
                let time = self.time(&at)?;
                let (checked, wrong, first_wrong) = checking.check(&at)?;
                let rank = self.rank.start.rank;
                // As it was asked for; what it is trimmed to follows from operation and type.
                let sample = RankSample { rank, size: *size, in_place, time, checked, wrong, first_wrong };
                self.rank.out.tell(&Report::Sample(sample));
            }
        }
        Ok(())
    }

    /// The buffers of the test before where they are large enough.
    fn buffers_for(&mut self, sweep: &Sweep) -> Result<Buffers, Halt> {
        let of_library = !sweep.without(Ablation::LibraryMemory);
        if let Some(buffers) =
            self.buffers.take_if(|known| known.bytes >= sweep.largest() && known.of_library == of_library)
        {
            return Ok(buffers);
        }
        // Theirs goes first: there may not be memory for both.
        self.buffers = None;
        let bytes = sweep.largest() + 2 * GUARD;
        self.room_for(2 * bytes)?;
        let allocate = || match of_library {
            true => self.communicator.allocate(bytes).map_err(|error| self.rank.library_trouble(&error)),
            false => self.gpu.allocate(bytes).map_err(|error| self.rank.device_trouble(&error)),
        };
        Ok(Buffers { send: allocate()?, receive: allocate()?, bytes: sweep.largest(), of_library })
    }

    /// A size that does not fit is an error that says so; nccl-tests leaves it out.
    fn room_for(&self, bytes: u64) -> Result<(), Halt> {
        let memory = self.of_gpu(self.gpu.memory())?;
        if memory.free >= bytes {
            return Ok(());
        }
        let mebibytes = |bytes: u64| bytes >> 20;
        let reason = format!(
            "the buffers need {} MiB and {} MiB of the GPU's memory are free",
            mebibytes(bytes),
            mebibytes(memory.free)
        );
        Err(self.rank.trouble(TroubleKind::OutOfMemory, &reason).into())
    }

    fn layout(&self, sweep: &Sweep, size: u64) -> Layout {
        Layout::of(Operation::AllReduce, size, self.rank.start.ranks, sweep.datatype)
    }

    /// Always doubling, whatever the test's own steps are, so that every way the library could choose is connected.
    fn warm_up(&self, sweep: &Sweep, buffers: &Buffers) -> Result<(), Halt> {
        let Some(first) = sweep.sizes.first() else { return Ok(()) };
        let doubled = std::iter::successors(Some((*first).max(1)), |size| size.checked_mul(2));
        for size in doubled.take_while(|size| *size <= sweep.largest()) {
            self.rank.enter(Phase::Warmup, size);
            let at = Place { sweep, buffers, layout: self.layout(sweep, size), in_place: false };
            for iteration in 0..u64::from(sweep.warmup) {
                self.rank.board.iterate(self.rank.start.rank, iteration);
                self.start(&at, iteration)?;
            }
            self.wait()?;
        }
        Ok(())
    }

    /// Time of one operation, in microseconds: host time from the first enqueue to the last poll over the iterations.
    fn time(&self, at: &Place<'_>) -> Result<f64, Halt> {
        let (board, rank, size) = (&self.rank.board, self.rank.start.rank, at.layout.size());
        self.rank.enter(Phase::Untimed, size);
        self.start(at, 0)?;
        self.wait()?;
        self.meet(at.sweep)?;
        self.rank.enter(Phase::Timed, size);
        let began = Instant::now();
        for iteration in 0..u64::from(at.sweep.iterations) {
            board.iterate(rank, iteration);
            // A queue that is full holds a rank here and not in `wait`.
            if board.is_stopped() {
                return Err(Halt::Stopped);
            }
            self.start(at, iteration)?;
        }
        self.wait()?;
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(at.sweep.iterations))
    }

    /// Enqueues one operation.
    #[inline]
    pub(super) fn start(&self, at: &Place<'_>, iteration: u64) -> Result<(), Halt> {
        let Place { sweep, buffers, layout, in_place } = at;
        let from = GUARD + at.shift(iteration);
        let send = if *in_place { &buffers.receive } else { &buffers.send };
        self.communicator
            .all_reduce(
                send,
                from + if *in_place { layout.send_offset * u64::from(self.rank.start.rank) } else { 0 },
                &buffers.receive,
                from + if *in_place { layout.receive_offset * u64::from(self.rank.start.rank) } else { 0 },
                layout.count,
                sweep.datatype,
                sweep.reduction,
                &self.stream,
            )
            .map_err(|error| self.rank.library_trouble(&error).into())
    }

    /// What a call of the GPU gave, or this rank's trouble.
    pub(super) fn of_gpu<T>(&self, result: Result<T, DeviceError>) -> Result<T, Halt> {
        result.map_err(|error| self.rank.device_trouble(&error).into())
    }

    /// Waits until everything that was enqueued is done, by looking: what sleeps until it is told adds its own time.
    pub(super) fn wait(&self) -> Result<(), Halt> {
        loop {
            if self.of_gpu(self.stream.is_done())? {
                return Ok(());
            }
            self.communicator.check().map_err(|error| self.rank.library_trouble(&error))?;
            if self.rank.board.is_stopped() {
                return Err(Halt::Stopped);
            }
            std::thread::yield_now();
        }
    }

    /// Waits until every rank has come here.
    fn meet(&self, sweep: &Sweep) -> Result<(), Halt> {
        if !sweep.without(Ablation::SharedBarrier) {
            return Ok(self.rank.board.meet(self.patient)?);
        }
        self.rank.out.tell(&Report::AtBarrier);
        match self.rank.orders.recv() {
            Ok(Order::Go) => Ok(()),
            _ => Err(Halt::Stopped),
        }
    }
}

/// One size and place of a test.
pub(super) struct Place<'a> {
    pub(super) sweep: &'a Sweep,
    pub(super) buffers: &'a Buffers,
    pub(super) layout: Layout,
    pub(super) in_place: bool,
}

impl Place<'_> {
    /// Each iteration moves on by the size, within buffers of the test's largest size, so that data comes from memory
    /// and not from a cache (nccl-tests: src/common.cu, `startColl`).
    fn shift(&self, iteration: u64) -> u64 {
        let size = self.layout.size();
        if size == 0 || self.sweep.without(Ablation::Rotation) {
            return 0;
        }
        let steps = (self.sweep.largest() / size).max(1);
        size * (iteration % steps)
    }
}
