//! All that an output says beside its rows.

use super::{footer, notes::Notes, preamble, preamble::Options, ranks, told::Told};
use crate::{
    evidence::{Measurement, OutOfBounds, Rank, Row, Sample, SizeRange, Wrong},
    units::Version,
};

/// More ranks are not kept.
const MOST_RANKS: usize = 100_000;
const NO_END: &str = "it has no `# Out of bounds values` line";

/// Where in an output the last line stood.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Ranks,
    Table,
    Other,
}

pub(super) struct Outline {
    file: String,
    /// Whether anything of nccl-tests was there.
    pub(super) seen: bool,
    part: Part,
    tool: Told<String>,
    library: Told<Version>,
    operation: Told<String>,
    range: Told<SizeRange>,
    iterations: Told<u32>,
    warmup: Told<u32>,
    validation: Told<bool>,
    /// Whether any line of options says that data is not checked.
    unchecked: bool,
    ranks_per_process: Told<u64>,
    lists: usize,
    ranks: Vec<Rank>,
    ranks_doubt: Option<String>,
    footers: usize,
    out_of_bounds: Option<OutOfBounds>,
    failure: Option<String>,
}

impl Outline {
    pub(super) fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            seen: false,
            part: Part::Other,
            tool: Told::Nothing,
            library: Told::Nothing,
            operation: Told::Nothing,
            range: Told::Nothing,
            iterations: Told::Nothing,
            warmup: Told::Nothing,
            validation: Told::Nothing,
            unchecked: false,
            ranks_per_process: Told::Nothing,
            lists: 0,
            ranks: Vec::new(),
            ranks_doubt: None,
            footers: 0,
            out_of_bounds: None,
            failure: None,
        }
    }

    pub(super) fn in_ranks(&self) -> bool {
        self.part == Part::Ranks
    }

    /// A table begins or goes on.
    pub(super) fn table(&mut self) {
        self.seen = true;
        self.part = Part::Table;
    }

    pub(super) fn failure(&mut self, line: &str) {
        self.seen = true;
        self.failure.get_or_insert_with(|| crate::facts::Damage::new("", 0, line, "").quote);
    }

    pub(super) fn footer(&mut self, line: usize, body: &str, footer: Option<OutOfBounds>, notes: &mut Notes) {
        self.seen = true;
        self.part = Part::Other;
        match footer {
            Some(footer) => {
                self.footers += 1;
                self.out_of_bounds = Some(footer::both(self.out_of_bounds, footer));
            }
            None => notes.damage(line, body, "no whole `Out of bounds values` line"),
        }
    }

    pub(super) fn ranks_left_out(&mut self) {
        self.doubt_ranks("ranks are left out of the list");
    }

    fn doubt_ranks(&mut self, why: &str) {
        self.ranks_doubt.get_or_insert_with(|| why.to_owned());
    }

    /// Takes a line that says something of the run; `None` where it does not. The host of a rank comes back.
    pub(super) fn take(&mut self, line: usize, body: &str, comment: &str, notes: &mut Notes) -> Option<Option<String>> {
        if ranks::is_rank(comment) {
            self.seen = true;
            return Some(self.rank(line, body, comment, notes));
        }
        if comment == "Using devices" {
            self.lists += 1;
            self.part = Part::Ranks;
        } else if preamble::is_options(comment) {
            self.options(line, body, comment, notes);
        } else if let Some((tool, library)) = preamble::tool(comment) {
            self.tool.tell(Some(tool));
            self.library.tell(library);
        } else if let Some(library) = preamble::library(comment) {
            self.library.tell(Some(library));
            // The library alone says nothing of nccl-tests.
            return Some(None);
        } else if let Some(operation) = preamble::operation(comment) {
            if operation.is_none() {
                notes.damage(line, body, "no whole name of a test");
            }
            self.operation.tell(operation.map(str::to_owned));
        } else {
            return None;
        }
        self.seen = true;
        Some(None)
    }

    fn rank(&mut self, line: usize, body: &str, comment: &str, notes: &mut Notes) -> Option<String> {
        self.part = Part::Ranks;
        let Some(rank) = ranks::parse(comment) else {
            self.doubt_ranks("a line of the list of ranks is damaged");
            notes.damage(line, body, "no whole line of the list of ranks");
            return None;
        };
        let host = rank.host.clone();
        if self.ranks.len() < MOST_RANKS {
            self.ranks.push(rank);
        } else {
            self.doubt_ranks("the list of ranks is too long");
        }
        host
    }

    fn options(&mut self, line: usize, body: &str, comment: &str, notes: &mut Notes) {
        let options: Options = preamble::options(comment);
        if !options.whole() {
            notes.damage(line, body, "no whole line of options");
        }
        self.range.tell(options.range);
        self.iterations.tell(options.iterations);
        self.warmup.tell(options.warmup);
        self.validation.tell(options.validation);
        self.unchecked |= options.validation == Some(false);
        self.ranks_per_process.tell(options.ranks_per_process);
    }

    /// The measurement of the rows, with what stands against them and the number of tables that they are from.
    pub(super) fn finish(mut self, rows: Vec<Row>, mut doubts: Vec<String>, begun: usize, notes: Notes) -> Measurement {
        self.check_ranks();
        if self.lists > 1 && begun <= 1 {
            doubts.push(format!("there are {} lists of ranks in it", self.lists));
        }
        if self.operation == Told::Differing {
            doubts.push("it names several operations".to_owned());
        }
        let rows = rows.into_iter().map(|row| self.finish_row(row)).collect();
        Measurement {
            unfinished: self.unfinished(begun),
            sources: vec![self.file],
            tool: self.tool.value(),
            operation: self.operation.value(),
            library: self.library.value(),
            range: self.range.value(),
            iterations: self.iterations.value(),
            warmup: self.warmup.value(),
            validation: if self.unchecked { Some(false) } else { self.validation.value() },
            ranks: self.ranks,
            ranks_doubt: self.ranks_doubt,
            rows_doubt: (!doubts.is_empty()).then(|| doubts.join("; ")),
            rows,
            out_of_bounds: self.out_of_bounds,
            environment: None,
            damage: notes.finish(),
        }
    }

    /// Every process lists all of its ranks, so that a list that ends early may show itself.
    fn check_ranks(&mut self) {
        let count = u64::try_from(self.ranks.len()).unwrap_or(u64::MAX);
        if let Told::Once(each) = self.ranks_per_process
            && count > 0
            && count.checked_rem(each) != Some(0)
        {
            self.doubt_ranks("the list of ranks lacks some of a process");
        }
    }

    fn finish_row(&self, row: Row) -> Row {
        let checked = |sample: Option<Sample>| match sample {
            Some(sample) if self.unchecked => Some(Sample { wrong: Wrong::Unchecked, ..sample }),
            sample => sample,
        };
        Row {
            out_of_place: checked(row.out_of_place),
            in_place: checked(row.in_place),
            source: self.file.clone(),
            ..row
        }
    }

    fn unfinished(&self, begun: usize) -> Option<String> {
        let end = match self.footers {
            0 => Some(NO_END.to_owned()),
            footers if footers < begun => {
                Some(format!("{} of its tables have no `# Out of bounds values` line", begun - footers))
            }
            _ => None,
        };
        let failure = self.failure.as_ref().map(|line| format!("it says {line:?}"));
        let both: Vec<String> = end.into_iter().chain(failure).collect();
        (!both.is_empty()).then(|| both.join("; "))
    }
}
