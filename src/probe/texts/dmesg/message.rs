/// The kernel's own words in a line: without what dmesg, the journal or syslog wrote before them.
pub(super) fn message(line: &str) -> &str {
    let line = line.trim();
    let mut rest = line.split_once(" kernel: ").map_or(line, |(_, after)| after);
    loop {
        let shorter = strip_one(rest).trim_start();
        if shorter.len() == rest.len() {
            return rest;
        }
        rest = shorter;
    }
}

/// Takes off one prefix: `[ 12.3]`, `[Sun Feb 23 16:24:18 2025]`, `[    T1]`, `<6>`, `kern  :info  :`, an ISO time.
fn strip_one(line: &str) -> &str {
    let bracketed = |open: char, close: char, kept: fn(&str) -> bool| {
        let (inside, after) = line.strip_prefix(open)?.split_once(close)?;
        kept(inside).then_some(after)
    };
    bracketed('[', ']', is_stamp)
        .or_else(|| bracketed('<', '>', |inside| inside.len() <= 3 && is_digits(inside)))
        .or_else(|| facility(line))
        .or_else(|| iso_time(line))
        .unwrap_or(line)
}

/// Seconds since boot, a date, or the task or CPU that printed (`T1`, `C0`); not `[Hardware Error]`.
fn is_stamp(inside: &str) -> bool {
    let inside = inside.trim();
    let seconds = inside.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b' ' | b'<' | b'>'));
    let date =
        inside.bytes().filter(|b| *b == b':').count() >= 1 && inside.bytes().filter(u8::is_ascii_digit).count() >= 5;
    let caller = inside.strip_prefix(['T', 'C']).is_some_and(is_digits);
    let number = inside.bytes().any(|b| b.is_ascii_digit());
    number && inside.len() <= 40 && (seconds || date || caller)
}

/// `kern  :info  : ` of `dmesg -x`.
fn facility(line: &str) -> Option<&str> {
    let (facility, rest) = line.split_once(':')?;
    let (level, rest) = rest.split_once(':')?;
    let known = matches!(facility.trim(), "kern" | "user" | "daemon" | "syslog" | "auth" | "mail" | "lpr" | "news");
    let level = matches!(level.trim(), "emerg" | "alert" | "crit" | "err" | "warn" | "notice" | "info" | "debug");
    (known && level).then_some(rest)
}

/// `2025-02-23T16:24:18,123456+00:00 ` of `dmesg --time-format iso`.
fn iso_time(line: &str) -> Option<&str> {
    let (time, rest) = line.split_once(' ')?;
    let shape = time.len() >= 19 && time.as_bytes().get(4) == Some(&b'-') && time.as_bytes().get(10) == Some(&b'T');
    shape.then_some(rest)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_every_log() {
        for line in [
            "Linux version 6.8.0",
            "[    0.000000] Linux version 6.8.0",
            "[    0.000000] [    T0] Linux version 6.8.0",
            "<5>[    0.000000] Linux version 6.8.0",
            "[Mon Feb  3 08:00:01 2025] Linux version 6.8.0",
            "kern  :notice: [    0.000000] Linux version 6.8.0",
            "Feb 03 08:00:01 node7 kernel: Linux version 6.8.0",
            "Feb  3 08:00:01 node7 kernel: [    0.000000] Linux version 6.8.0",
            "2025-02-03T08:00:01,000000+00:00 Linux version 6.8.0",
            "2025-02-03T08:00:01.000000+00:00 node7 kernel: Linux version 6.8.0",
        ] {
            assert_eq!(message(line), "Linux version 6.8.0", "{line}");
        }
    }

    #[test]
    fn words_in_brackets_are_the_kernels() {
        assert_eq!(
            message("[ 9.1] [Hardware Error]: event severity: fatal"),
            "[Hardware Error]: event severity: fatal"
        );
        assert_eq!(message("[12.3"), "[12.3");
        assert_eq!(message(""), "");
    }
}
