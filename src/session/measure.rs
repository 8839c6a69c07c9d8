use std::time::Duration;

use super::{
    Ended, Session, Watched,
    crew::{Limit, Wait},
    deadlines::Budget,
    diagnosis::Stage,
};
use crate::{
    collective::Sweep,
    evidence::RankSample,
    run::Interrupt,
    worker::{Order, Report},
};

impl Session {
    /// Runs a test on all ranks. `floor` is the bandwidth in bytes per second below which a link counts as stuck, 1e9
    /// where none is said; `timeout` bounds the whole test beside the deadlines of its phases.
    ///
    /// After an error the session is over: nothing more can be measured with it.
    pub fn measure(
        &mut self,
        sweep: &Sweep,
        floor: Option<f64>,
        timeout: Option<Duration>,
        interrupt: &Interrupt,
        watch: &mut dyn FnMut(&Watched),
    ) -> Result<Vec<RankSample>, Box<Ended>> {
        let first = std::mem::replace(&mut self.fresh, false);
        let mut samples = Vec::new();
        let places: Vec<bool> = [(sweep.out_of_place, false), (sweep.in_place, true)]
            .into_iter()
            .filter_map(|(wanted, place)| wanted.then_some(place))
            .collect();
        self.crew.tell_all(&Order::Measure(Box::new(sweep.clone())));
        let measured = self.crew.await_all(Wait {
            stage: Stage::Test { first },
            limit: Limit::Budget(Budget::of(self.deadlines, sweep, floor, first), timeout),
            interrupt: Some(interrupt),
            take: &mut |_, report| match report {
                Report::Sample(sample) => {
                    samples.push(sample);
                    false
                }
                report => report == Report::Measured,
            },
            watch,
            places: &places,
        });
        match measured {
            Ok(()) => Ok(samples),
            Err(stop) => Err(self.over(stop, samples)),
        }
    }
}
