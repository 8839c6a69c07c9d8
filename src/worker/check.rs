use std::sync::Arc;

use super::{
    Phase,
    compare::compare,
    material::{Material, SEED},
    measure::{Buffers, GUARD, Measuring, Place},
    rank::Halt,
};
use crate::{
    collective::{
        Ablation, Sweep,
        data::{self, Check, POISON, first_overwritten, windows},
    },
    device::{DeviceError, Gpu, PinnedBuffer},
    evidence::WrongElement,
};

/// Bytes of one download: large enough for the bus's full rate, small enough to stay in a CPU's cache.
const STAGE: u64 = 8 << 20;
/// Bytes next to the data, on both sides, that are looked at after each checked operation.
const EDGE: u64 = 64 << 10;

/// The data of a test: what this rank sends, and what must arrive.
pub(super) struct Checking<'a> {
    measuring: &'a Measuring<'a>,
    stages: &'a mut Stages,
    material: Arc<Material>,
    /// How many threads compare.
    threads: usize,
    /// Whether there is data to check: not where the spec leaves it, nor where the buffers hold zeros.
    checked: bool,
}

/// Memory that the data is brought to, part by part.
pub(super) type Stages = [PinnedBuffer; 2];

/// New ones.
pub(super) fn stages(gpu: &Gpu) -> Result<Stages, DeviceError> {
    Ok([gpu.pinned(STAGE as usize)?, gpu.pinned(STAGE as usize)?])
}

/// Bytes checked (`None`: not checked), wrong elements, the first of them.
pub(super) type Checked = (Option<u64>, u64, Option<WrongElement>);

impl<'a> Checking<'a> {
    /// Fills the send buffer: nothing writes to it during the test.
    pub(super) fn new(
        measuring: &'a Measuring<'a>,
        stages: &'a mut Stages,
        material: Arc<Material>,
        sweep: &Sweep,
        buffers: &Buffers,
    ) -> Result<Self, Halt> {
        let checked = sweep.checked && !sweep.without(Ablation::Data);
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (cpus / measuring.rank.start.ranks as usize).max(1);
        let checking = Self { measuring, stages, material, threads, checked };
        if sweep.without(Ablation::Data) {
            let zeros = |buffer| measuring.of_gpu(measuring.stream.fill(buffer, GUARD, sweep.largest(), 0));
            zeros(&buffers.send)?;
            zeros(&buffers.receive)?;
            measuring.wait()?;
        } else {
            checking.upload(sweep.largest(), buffers)?;
        }
        Ok(checking)
    }

    /// The rank's data, one period after the other: the first is uploaded, and then all that is there is copied behind it.
    fn upload(&self, bytes: u64, buffers: &Buffers) -> Result<(), Halt> {
        let measuring = self.measuring;
        let sent = &self.material.sent;
        let mut staged = measuring.of_gpu(measuring.gpu.pinned(sent.len()))?;
        measuring.of_gpu(staged.data())?.copy_from_slice(sent);
        let mut filled = bytes.min(sent.len() as u64);
        let (stream, send) = (&measuring.stream, &buffers.send);
        measuring.of_gpu(staged.upload(stream, 0..filled as usize, send, GUARD))?;
        while filled < bytes {
            let more = filled.min(bytes - filled);
            measuring.of_gpu(stream.copy(send, GUARD, send, GUARD + filled, more))?;
            filled += more;
        }
        measuring.wait()
    }

    /// Makes the buffers ready for the timed operations of a size.
    pub(super) fn fill(&self, at: &Place<'_>) -> Result<(), Halt> {
        if at.in_place && !at.sweep.without(Ablation::Data) {
            self.copy_in_place(at)?;
        }
        self.measuring.wait()
    }

    fn copy_in_place(&self, at: &Place<'_>) -> Result<(), Halt> {
        let Place { buffers, layout, .. } = at;
        let copied = self.measuring.stream.copy(&buffers.send, GUARD, &buffers.receive, GUARD, layout.send);
        self.measuring.of_gpu(copied)
    }

    /// Runs one operation on fresh data and looks at what arrived.
    pub(super) fn check(&mut self, at: &Place<'_>) -> Result<Checked, Halt> {
        if !self.checked {
            return Ok((None, 0, None));
        }
        let Place { buffers, layout, in_place, sweep } = at;
        let measuring = self.measuring;
        measuring.rank.enter(Phase::Verify, layout.size());
        let poison = |from, bytes| measuring.of_gpu(measuring.stream.fill(&buffers.receive, from, bytes, POISON));
        // Unwritten data is then no number, and what is written beside the data is seen.
        poison(GUARD - EDGE, 2 * EDGE + layout.receive)?;
        if *in_place {
            self.copy_in_place(at)?;
        }
        measuring.wait()?;
        measuring.start(at, 0)?;
        measuring.wait()?;
        let mut check = Check::default();
        let ranks = measuring.rank.start.ranks;
        for window in windows(layout.receive, ranks, sweep.datatype, sweep.whole_check, SEED) {
            self.window(at, window, &mut check)?;
        }
        self.guards(at, &mut check)?;
        let first = check.first.map(|first| WrongElement {
            offset: first.element,
            expected: first.expected,
            found: first.found,
        });
        Ok((Some(check.checked), check.wrong, first))
    }

    /// Downloads a window part by part, the next one while the last is compared.
    fn window(&mut self, at: &Place<'_>, window: std::ops::Range<u64>, check: &mut Check) -> Result<(), Halt> {
        let measuring = self.measuring;
        let (receive, element) = (&at.buffers.receive, at.sweep.datatype.bytes());
        let parts: Vec<(u64, u64)> = (window.start..window.end)
            .step_by(STAGE as usize)
            .map(|start| (start, STAGE.min(window.end - start)))
            .collect();
        let [current, next] = &mut *self.stages;
        let (mut current, mut next) = (current, next);
        if let Some((start, bytes)) = parts.first() {
            measuring.of_gpu(current.download(&measuring.stream, receive, GUARD + start, *bytes as usize))?;
        }
        for (part, (start, bytes)) in parts.iter().enumerate() {
            // What waits for this part must not wait for the next one as well.
            let data = measuring.of_gpu(current.data())?;
            if let Some((start, bytes)) = parts.get(part + 1) {
                measuring.of_gpu(next.download(&measuring.stream, receive, GUARD + start, *bytes as usize))?;
            }
            let data = &data[..*bytes as usize];
            compare(&self.material.expected, data, start / element, element, self.threads, check);
            std::mem::swap(&mut current, &mut next);
        }
        Ok(())
    }

    /// Looks at the edges of the data: an element written there is wrong, and named by its offset from the data.
    fn guards(&mut self, at: &Place<'_>, check: &mut Check) -> Result<(), Halt> {
        let measuring = self.measuring;
        let element = at.sweep.datatype.bytes();
        for (from, before) in [(GUARD - EDGE, true), (GUARD + at.layout.receive, false)] {
            let stage = &mut self.stages[0];
            measuring.of_gpu(stage.download(&measuring.stream, &at.buffers.receive, from, EDGE as usize))?;
            let edge = &measuring.of_gpu(stage.data())?[..EDGE as usize];
            let Some(overwritten) = first_overwritten(edge) else { continue };
            check.wrong += 1;
            let overwritten = overwritten as u64;
            let (element, expected) = match before {
                true => (0, format!("nothing written {} bytes before the data", EDGE - overwritten)),
                false => ((at.layout.receive + overwritten) / element, "nothing written beyond the data".to_owned()),
            };
            let found = "other bytes than were there".to_owned();
            check.first.get_or_insert(data::WrongElement { element, expected, found });
        }
        Ok(())
    }
}
