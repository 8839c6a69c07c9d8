use crate::evidence::RasCommunicator;

/// The columns of the list of communicators, by the two lines of its header.
pub(super) struct Columns {
    width: usize,
    count: Option<usize>,
    ranks: Option<usize>,
}

/// One row of the list, with the number that errors and warnings name its group by.
pub(super) struct Group {
    pub(super) number: String,
    pub(super) communicator: RasCommunicator,
}

impl Columns {
    /// `Group Comms Nodes Ranks ... Status Errors` above `# in group per comm ...`; `None` for other lines.
    pub(super) fn of(titles: &str, below: &str) -> Option<Self> {
        let titles: Vec<&str> = titles.split_whitespace().collect();
        let below: Vec<&str> = below.split_whitespace().collect();
        let [first, .., status, errors] = titles.as_slice() else { return None };
        let (["#", below @ ..], "Group", "Status", "Errors") = (below.as_slice(), *first, *status, *errors) else {
            return None;
        };
        // Below every title but the first and the last two stand two words.
        let at = |title: &str, words: &[&str]| {
            let found = titles.iter().skip(1).zip(below.chunks(2)).position(|found| found == (&title, words));
            found.map(|index| index + 1)
        };
        (below.len() == 2 * (titles.len() - 3)).then(|| Self {
            width: titles.len(),
            count: at("Comms", &["in", "group"]),
            ranks: at("Ranks", &["per", "comm"]),
        })
    }

    /// A row, or `None` where it does not have exactly the columns of the header.
    pub(super) fn row(&self, line: &str) -> Option<Group> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [number, numbers @ .., status, errors] = words.as_slice() else { return None };
        let figures = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if words.len() != self.width || !figures(number) || !numbers.iter().all(figures) {
            return None;
        }
        let number_at = |index: Option<usize>| index.and_then(|index| words.get(index)?.parse().ok());
        let communicator = RasCommunicator {
            count: Some(number_at(self.count)?),
            ranks: Some(number_at(self.ranks)?),
            missing: (!errors.split(',').any(|error| error == "INCOMPLETE")).then_some(0),
            status: (*status).to_owned(),
            errors: (*errors).to_owned(),
        };
        Some(Group { number: (*number).to_owned(), communicator })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TITLES: &str = "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors";
    const BELOW: &str = "    #  in group  per comm  per node  per comm  in group";

    #[test]
    fn columns_are_found_by_their_titles() {
        let columns = Columns::of(TITLES, BELOW).unwrap();
        let group =
            columns.row("   12         3         4       7-8        31        93  FINALIZE  ERROR,MISMATCH").unwrap();
        assert_eq!(group.number, "12");
        let RasCommunicator { count, ranks, missing, status, errors } = group.communicator;
        assert_eq!((count, ranks, missing), (Some(3), Some(31), Some(0)));
        assert_eq!((status.as_str(), errors.as_str()), ("FINALIZE", "ERROR,MISMATCH"));
        let group = columns.row("0 1 1 7 8 7 RUNNING INCOMPLETE").unwrap();
        assert_eq!(group.communicator.missing, None);
        let narrow = Columns::of("Group Ranks Comms Status Errors", "# per comm in group").unwrap();
        let group = narrow.row("0 8 2 RUNNING OK").unwrap();
        assert_eq!((group.communicator.ranks, group.communicator.count), (Some(8), Some(2)));
    }

    #[test]
    fn what_is_no_header_or_no_row() {
        assert!(Columns::of(TITLES, "").is_none());
        assert!(Columns::of(TITLES, "    #  in group  per comm").is_none());
        assert!(Columns::of("Group", "#").is_none());
        assert!(Columns::of("", "").is_none());
        let columns = Columns::of(TITLES, BELOW).unwrap();
        for line in
            ["", "0 1 1 8 8 8 RUNNING", "0 1 1 8 8 RUNNING OK", "0 1 1 8 x 8 RUNNING OK", "0 1 1 8 8-9 8 RUNNING OK"]
        {
            assert!(columns.row(line).is_none(), "{line}");
        }
    }
}
