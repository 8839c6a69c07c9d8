use super::{
    super::{Difference, Fact, Identifiers, LogEvent},
    lists::Listed,
};

/// Two reads of one log: the later one goes on where the earlier one ends, so that the shorter is the beginning of the
/// longer. What `same` says of two entries decides; the first list's entries stay, as their identifiers are the
/// machine's own.
fn goes_on<T: Clone>(
    first: &[T],
    second: &[T],
    same: impl Fn(&T, &T) -> bool,
    show: impl Fn(&T) -> String,
) -> Result<Vec<T>, Difference> {
    match first.iter().zip(second).find(|(one, other)| !same(one, other)) {
        Some((one, other)) => Err(Difference::new(show(one), show(other))),
        None => Ok(first.iter().chain(second.iter().skip(first.len())).cloned().collect()),
    }
}

/// Sources number their lines each by itself and write different times before them.
impl Listed for LogEvent {
    fn agree(first: &[Self], second: &[Self], _: Identifiers) -> Result<Vec<Self>, Difference> {
        let same =
            |one: &Self, other: &Self| (one.kind, one.code, &one.device) == (other.kind, other.code, &other.device);
        goes_on(first, second, same, |event| format!("line {}: {}", event.line, event.quote.trim()))
    }
}

impl Fact<Vec<String>> {
    /// [`Fact::merge`] for the lines of one log, of which `message` is without what tools write before it.
    pub fn merge_log(&mut self, other: Self, message: impl Fn(&str) -> &str) {
        self.merge_by(other, |first, second, identifiers| {
            let same = |one: &String, other: &String| is_same(message(one), message(other), identifiers);
            goes_on(first, second, same, |line| format!("`{}`", line.trim()))
        });
    }

    /// [`Fact::merge`] for a list of texts in their order, such as arguments.
    pub fn merge_texts(&mut self, other: Self) {
        self.merge_by(other, |first, second, identifiers| {
            let same = first.len() == second.len()
                && first.iter().zip(second).all(|(one, other)| is_same(one, other, identifiers));
            if same { Ok(first.clone()) } else { Err(Difference::new(first.join(" "), second.join(" "))) }
        });
    }
}

/// A stand-in for an identifier has no blank, as the identifier has none: of two texts that differ by stand-ins alone
/// the words are as many.
fn is_same(one: &str, other: &str, identifiers: Identifiers) -> bool {
    let words = |text: &str| text.split_whitespace().count();
    one == other || identifiers == Identifiers::Replaced && words(one) == words(other)
}

#[cfg(test)]
mod tests {
    use super::super::super::LogEventKind;
    use super::*;

    fn event(code: u32, line: u32) -> LogEvent {
        let device = Some("0000:00:06.0".to_owned());
        LogEvent { kind: LogEventKind::Xid, code: Some(code), device, line, quote: format!("Xid {code}") }
    }

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn events_of_a_log_that_goes_on_are_the_longer_list_in_either_order() {
        let (early, late) = ([event(63, 900)], [event(63, 4), event(79, 9)]);
        let both = LogEvent::agree(&early, &late, Identifiers::Own).unwrap();
        assert_eq!(both, [event(63, 900), event(79, 9)]);
        assert_eq!(LogEvent::agree(&late, &early, Identifiers::Own).unwrap(), late);
        assert_eq!(LogEvent::agree(&[], &late, Identifiers::Own).unwrap(), late);
    }

    #[test]
    fn events_that_differ_are_named() {
        let wrong = LogEvent::agree(&[event(63, 900)], &[event(79, 9)], Identifiers::Own).unwrap_err();
        assert_eq!(wrong, Difference::new("line 900: Xid 63", "line 9: Xid 79"));
    }

    #[test]
    fn lines_are_compared_without_what_stands_before_them() {
        let strip = |line: &str| -> usize { line.find("] ").map_or(0, |at| at + 2) };
        let mut fact = Fact::known(lines(&["[ 1.0] Linux version 6", "[ 2.0] up"]), "/dev/kmsg");
        fact.merge_log(Fact::known(lines(&["[Mon] Linux version 6", "[Mon] up", "[Tue] Xid"]), "dmesg.txt"), |line| {
            &line[strip(line)..]
        });
        assert_eq!(fact.value().unwrap(), &["[ 1.0] Linux version 6", "[ 2.0] up", "[Tue] Xid"]);
        fact.merge_log(Fact::known(lines(&["[Mon] Linux version 5"]), "other"), |line| &line[strip(line)..]);
        let reason = "/dev/kmsg, dmesg.txt says `[ 1.0] Linux version 6`, other says `[Mon] Linux version 5`";
        assert_eq!(fact.reason(), Some(reason));
    }

    #[test]
    fn texts_with_stand_ins_have_the_same_words() {
        let own = || Fact::known(lines(&["root=UUID=5e1f", "quiet"]), "proc-cmdline.txt");
        let replaced = |texts: &[&str]| {
            let mut fact = Fact::known(lines(texts), "/proc/cmdline");
            fact.mark_replaced();
            fact
        };
        let mut fact = own();
        fact.merge_texts(replaced(&["root=UUID=0001", "quiet"]));
        assert_eq!(fact.value(), own().value());
        let mut fact = replaced(&["root=UUID=0001"]);
        fact.merge_texts(own());
        let reason =
            "/proc/cmdline (identifiers replaced) says root=UUID=0001, proc-cmdline.txt says root=UUID=5e1f quiet";
        assert_eq!(fact.reason(), Some(reason));
    }
}
