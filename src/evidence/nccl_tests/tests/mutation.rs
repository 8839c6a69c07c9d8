//! Whatever happens to an output, no row says what the output did not.

use proptest::prelude::*;

use super::*;

/// The tokens of a text that may be a figure.
fn tokens(text: &str) -> std::collections::BTreeSet<&str> {
    text.split_whitespace().collect()
}

/// Every row has a size and figures that the text prints, in one and the same row of [`WHOLE`] unless a token was changed.
fn assert_only_what_is_printed(text: &str) {
    let printed = tokens(text);
    let read = read(text);
    for row in &read.rows {
        let (size, out, place) = busbw(row);
        if BOTH.contains(&(size, out, place))
            || BOTH.iter().any(|both| (both.0, both.1) == (size, out) && place.is_none())
        {
            continue;
        }
        let changed = printed.iter().any(|token| !tokens(WHOLE).contains(token));
        assert!(changed, "{size} {out:?} {place:?} of\n{text}");
        let is_printed = |value: f64| printed.iter().any(|token| token.parse::<f64>() == Ok(value));
        for value in [out, place].into_iter().flatten().chain([size as f64]) {
            assert!(is_printed(value), "{value} of\n{text}");
        }
    }
}

/// [`WHOLE`] with one thing done to it.
fn mutated() -> impl Strategy<Value = String> {
    let count = WHOLE.lines().count();
    let lines = |change: &dyn Fn(usize, &str) -> String| {
        WHOLE.lines().enumerate().map(|(at, line)| change(at, line)).collect::<String>()
    };
    let cut_line = (0..count, 0..120usize).prop_map(move |(which, length)| {
        lines(&|at, line| match at == which {
            true => format!("{}\n", line.get(..length).unwrap_or(line)),
            false => format!("{line}\n"),
        })
    });
    let deleted_byte = (0..WHOLE.len()).prop_map(|at| format!("{}{}", &WHOLE[..at], &WHOLE[at + 1..]));
    let glued =
        (0..count).prop_map(move |which| lines(&|at, line| format!("{line}{}", if at == which { "" } else { "\n" })));
    let broken = (0..WHOLE.len()).prop_map(|at| format!("{}\n{}", &WHOLE[..at], &WHOLE[at..]));
    let deleted_lines = proptest::collection::btree_set(0..count, 1..5)
        .prop_map(move |gone| lines(&|at, line| if gone.contains(&at) { String::new() } else { format!("{line}\n") }));
    let swapped_tails = (0..100usize).prop_map(|at| format!("{HEADER}\n{}\n{}\n{END}", &FIRST[..at], &SECOND[at..]));
    prop_oneof![cut_line, deleted_byte, glued, broken, deleted_lines, swapped_tails]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_mutation_makes_up_a_figure(text in mutated(), again in 0..WHOLE.len()) {
        assert_only_what_is_printed(&text);
        // A second one: the text ends early.
        let end = text.get(..again).unwrap_or(&text);
        assert_only_what_is_printed(end);
    }

    #[test]
    fn no_text_panics(text in "(\\PC|\\s|[0-9]{1,7} |NCCL INFO |[#\\[\\]:.] |size time algbw busbw |float sum ){0,60}", lines in proptest::collection::vec("\\PC{0,40}", 0..5)) {
        let _ = read(&text);
        let _ = read(&format!("{HEADER}\n{text}\n{}\n{FIRST}", lines.join("\n")));
    }
}
