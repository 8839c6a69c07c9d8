use super::compare::{CompareError, Comparison, Pair, Times, Wall, compare};
use crate::evidence::LoadedLibrary;

/// One run of one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The figures.
    pub times: Times,
    /// The collective library; nccl-tests tells its version only.
    pub library: LoadedLibrary,
    /// Whether a library was a stand-in: nothing was measured then.
    pub stand_in: bool,
    /// From the start of the first process to the end of the last, in seconds.
    pub seconds: f64,
}

/// Why nothing is compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// A person or a signal ended it.
    #[error("interrupted")]
    Interrupted,
    /// A run failed.
    #[error("run {run} of {side}: {cause}")]
    Run {
        /// Which, from 1.
        run: usize,
        /// `nccl-tests` or `linkspec`.
        side: &'static str,
        /// Why, as a fragment with its cure.
        cause: String,
    },
    /// The sides use different libraries.
    #[error(
        "the libraries differ: nccl-tests used {theirs}, linkspec {ours}: name nccl-tests' with --nccl-library FILE \
         (--rccl-library FILE), or the folder of linkspec's in LD_LIBRARY_PATH"
    )]
    Libraries {
        /// nccl-tests' version.
        theirs: String,
        /// linkspec's version.
        ours: String,
    },
    /// The figures have no common rows.
    #[error(transparent)]
    Compare(CompareError),
}

/// What came of all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Turns {
    /// The figures.
    pub comparison: Comparison,
    /// How long the runs took.
    pub wall: Wall,
    /// linkspec's collective library.
    pub library: LoadedLibrary,
    /// Whether a library was a stand-in: nothing was measured then.
    pub stand_in: bool,
}

/// A side's way to make a run, given which, from 1.
pub type Side<'a> = &'a mut dyn FnMut(usize) -> Result<Run, RunError>;

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// A person or a signal ended it.
    Interrupted,
    /// The cause, as a fragment.
    Failed(String),
}

/// Runs both sides by turns, linkspec first, and compares: what the machine does meanwhile meets both.
pub fn by_turns(pairs: usize, ours: Side<'_>, theirs: Side<'_>) -> Result<Turns, Failure> {
    let (mut made, mut wall) = (Vec::new(), Wall::default());
    let (mut library, mut stand_in) = (None, false);
    for run in 1..=pairs {
        let our = ours(run).map_err(|error| failure(error, run, "linkspec"))?;
        let their = theirs(run).map_err(|error| failure(error, run, "nccl-tests"))?;
        if our.library.version != their.library.version {
            return Err(Failure::Libraries { theirs: their.library.version, ours: our.library.version });
        }
        stand_in |= our.stand_in || their.stand_in;
        library = Some(our.library);
        wall.ours.push(our.seconds);
        wall.theirs.push(their.seconds);
        made.push(Pair { theirs: their.times, ours: our.times });
    }
    let library = library.ok_or(Failure::Compare(CompareError::Nothing))?;
    let comparison = compare(&made).map_err(Failure::Compare)?;
    Ok(Turns { comparison, wall, library, stand_in })
}

fn failure(error: RunError, run: usize, side: &'static str) -> Failure {
    match error {
        RunError::Interrupted => Failure::Interrupted,
        RunError::Failed(cause) => Failure::Run { run, side, cause },
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::{
        super::compare::{Key, Verdict},
        *,
    };

    fn library_of(version: &str) -> LoadedLibrary {
        LoadedLibrary { name: "NCCL".into(), path: "/lib/libnccl.so.2".into(), version: version.into(), fake: false }
    }

    fn run(library: &str) -> Run {
        let times = Times::from([(Key { size: 8, in_place: false }, 10.0)]);
        Run { times, library: library_of(library), stand_in: false, seconds: 2.0 }
    }

    #[test]
    fn the_sides_take_turns() {
        let order = RefCell::new(String::new());
        let mut ours = |at| {
            order.borrow_mut().push_str(&format!("o{at}"));
            Ok(run("2.28.9"))
        };
        let mut theirs = |at| {
            order.borrow_mut().push_str(&format!("t{at}"));
            Ok(Run { seconds: 4.0, ..run("2.28.9") })
        };
        let Turns { comparison, wall, library, stand_in } = by_turns(7, &mut ours, &mut theirs).unwrap();
        assert_eq!(order.borrow().as_str(), "o1t1o2t2o3t3o4t4o5t5o6t6o7t7");
        assert_eq!((comparison.pairs, comparison.verdict), (7, Verdict::Within));
        assert_eq!((library, stand_in), (library_of("2.28.9"), false));
        assert_eq!(wall.medians(), Some((2.0, 4.0, 0.5)));
    }

    #[test]
    fn what_fails_ends_it() {
        let failed = |_| Err(RunError::Failed("no GPU".into()));
        let told = by_turns(7, &mut |_| Ok(run("2.28.9")), &mut { failed }).unwrap_err().to_string();
        assert_eq!(told, "run 1 of nccl-tests: no GPU");
        let told = by_turns(7, &mut { failed }, &mut |_| Ok(run("2.28.9"))).unwrap_err().to_string();
        assert_eq!(told, "run 1 of linkspec: no GPU");
        let ended = by_turns(7, &mut |_| Err(RunError::Interrupted), &mut |_| Ok(run("2.28.9")));
        assert_eq!(ended.unwrap_err(), Failure::Interrupted);
        assert_eq!(by_turns(0, &mut { failed }, &mut { failed }), Err(Failure::Compare(CompareError::Nothing)));
    }

    #[test]
    fn one_stand_in_is_enough() {
        let mut ours = |at| Ok(Run { stand_in: at == 3, ..run("2.28.9") });
        assert!(by_turns(7, &mut ours, &mut |_| Ok(run("2.28.9"))).unwrap().stand_in);
    }

    #[test]
    fn other_libraries_do_not_compare() {
        let told = by_turns(7, &mut |_| Ok(run("2.28.9")), &mut |_| Ok(run("2.27.3"))).unwrap_err().to_string();
        assert!(told.starts_with("the libraries differ: nccl-tests used 2.27.3, linkspec 2.28.9: "), "{told}");
    }
}
