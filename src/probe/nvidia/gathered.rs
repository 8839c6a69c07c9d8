use std::collections::BTreeMap;

use super::answer::{Answer, Driver, Library, Pair, Part, Told};

/// Everything that a child told, by what it is about.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) fake: bool,
    pub(super) no_nvml: Option<String>,
    pub(super) library: Option<Library>,
    pub(super) driver: Option<Driver>,
    pub(super) listed: Vec<String>,
    pub(super) count: Option<Told<u32>>,
    pub(super) count_again: Option<Told<u32>>,
    /// GPUs without a handle, at first or at the end: why, and whether they are lost.
    pub(super) no_gpu: BTreeMap<u32, (String, bool)>,
    pub(super) gpus: BTreeMap<u32, Vec<Part>>,
    pub(super) pairs: BTreeMap<(u32, u32), Pair>,
}

impl Gathered {
    pub(super) fn of(answers: Vec<Answer>) -> Self {
        let mut all = Self::default();
        answers.into_iter().for_each(|answer| all.take(answer));
        all
    }

    fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Fake => self.fake = true,
            Answer::NoNvml(why) => self.no_nvml = Some(why),
            Answer::Library(library) => self.library = Some(library),
            Answer::Driver(driver) => self.driver = Some(driver),
            Answer::Listed(addresses) => self.listed = addresses,
            Answer::Count(count) => self.count = Some(count),
            Answer::CountAgain(count) => self.count_again = Some(count),
            Answer::NoGpu { index, reason, lost } => {
                self.no_gpu.insert(index, (reason, lost));
            }
            Answer::Gpu { index, part } => self.gpus.entry(index).or_default().push(*part),
            Answer::Pair { a, b, pair } => {
                self.pairs.insert((a, b), *pair);
            }
        }
    }

    /// Every GPU that NVML counts or says something of, in order.
    pub(super) fn indices(&self) -> Vec<u32> {
        let counted = 0..self.count.clone().and_then(Result::ok).unwrap_or_default().min(super::MOST_GPUS);
        let mut indices: Vec<u32> =
            counted.chain(self.gpus.keys().copied()).chain(self.no_gpu.keys().copied()).collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    }
}
