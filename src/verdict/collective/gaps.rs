use super::Problem;
use crate::{
    spec::Place,
    units::Size,
    verdict::{FindingCode, ledger::Ledger},
};

/// More sizes than this are not listed one by one.
const LISTED: usize = 24;

/// What could not be judged, with the sizes that share the reason: a sweep of 30 sizes that lacks its lower half is one
/// finding, not 15.
#[derive(Debug, Default)]
pub(super) struct Gaps<'a>(Vec<Gap<'a>>);

#[derive(Debug)]
struct Gap<'a> {
    problem: Problem,
    place: &'a Place,
    sizes: Vec<Size>,
}

impl<'a> Gaps<'a> {
    /// Adds a size that has a problem; the problem's message is followed by the sizes.
    pub fn add(&mut self, problem: Problem, place: &'a Place, size: Size) {
        match self.0.iter_mut().find(|gap| gap.problem == problem) {
            Some(gap) if gap.sizes.contains(&size) => {}
            Some(gap) => gap.sizes.push(size),
            None => self.0.push(Gap { problem, place, sizes: vec![size] }),
        }
    }

    /// A size of the test that was not measured.
    pub fn not_measured(&mut self, how: &str, place: &'a Place, size: Size) {
        self.add(Problem::new(FindingCode::SizeNotMeasured, format!("sizes of the test {how}")), place, size);
    }

    /// Tells every problem with its sizes.
    pub fn tell(self, ledger: &mut Ledger<'_>) {
        for Gap { problem, place, sizes } in self.0 {
            let listed: Vec<String> = sizes.iter().take(LISTED).map(ToString::to_string).collect();
            let more = match sizes.len().saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            ledger.error(problem.code, Some(place), format!("{}: {}{more}", problem.message, listed.join(", ")));
        }
    }
}
