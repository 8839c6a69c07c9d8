//! The words of a row: what each field can be.

/// Data types as nccl-tests and rccl-tests print them.
const TYPES: [&str; 17] = [
    "int8", "char", "uint8", "int32", "int", "uint32", "int64", "uint64", "half", "float", "double", "bfloat16",
    "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2", "float16",
];
/// Reductions as they are printed.
const REDUCTIONS: [&str; 7] = ["sum", "prod", "max", "min", "avg", "mulsum", "none"];
/// What stands for a figure that was not measured.
pub(super) const NOT_AVAILABLE: &str = "N/A";

/// A type: a known one, or a word of its form, because types are added with every few releases.
pub(super) fn is_type(word: &str) -> bool {
    let form = word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    form && !is_reduction(word) && (TYPES.contains(&word) || word.bytes().any(|b| b.is_ascii_digit()))
}

pub(super) fn is_reduction(word: &str) -> bool {
    REDUCTIONS.contains(&word)
}

/// An integer without a sign.
pub(super) fn whole(word: &str) -> Option<u64> {
    word.bytes().all(|b| b.is_ascii_digit()).then(|| word.parse().ok()).flatten()
}

/// A rank of a root, or the -1 of none.
pub(super) fn root(word: &str) -> Option<i64> {
    if word == "-1" { Some(-1) } else { whole(word).and_then(|root| i64::try_from(root).ok()) }
}

/// Whether a word can stand in a row, cut at either end.
pub(super) fn can_stand_in_a_row(word: &str) -> bool {
    let number = word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-' | b'e' | b'*'));
    number || part_of_a_word(word)
}

fn part_of_a_word(word: &str) -> bool {
    let known = TYPES.iter().chain(&REDUCTIONS).chain(&[NOT_AVAILABLE, "nan", "-nan", "inf"]);
    known.into_iter().any(|known| known.starts_with(word) || known.ends_with(word))
}

/// Whether a line stands for lines that were left out: `...`, `[...]`, `# ...`.
pub(super) fn is_elision(text: &str) -> bool {
    let dots = text.bytes().filter(|b| *b == b'.').count();
    (dots >= 2 || text.contains('…')) && text.chars().all(|c| matches!(c, '.' | '…' | '[' | ']' | '#' | ' ' | '\t'))
}

/// Whether a text looks like a row or a part of one.
pub(super) fn looks_like_a_row(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some() && words.all(can_stand_in_a_row)
}

/// How many of a text's words are numbers: a damaged row still has many.
pub(super) fn numbers_in(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_reductions_are_told_apart() {
        for word in ["float", "bfloat16", "uint64", "f8e5m2", "fp4_e2m1"] {
            assert!(is_type(word), "{word}");
        }
        for word in ["sum", "none", "4", "0.00", "N/A", "", "flo", "-1"] {
            assert!(!is_type(word), "{word}");
        }
        assert_eq!((root("-1"), root("3"), root("-2"), root("1.0"), root("")), (Some(-1), Some(3), None, None, None));
        assert_eq!((whole("17"), whole("+17"), whole("")), (Some(17), None, None));
    }

    #[test]
    fn parts_of_rows_are_told_from_talk() {
        for text in ["  1024  256 flo", "at  sum  -1  10.5 N/", "/A", "1e+05 7e-07*"] {
            assert!(looks_like_a_row(text), "{text}");
        }
        for text in ["", "rc=0", "$ mpirun -n 2", "(B) (elements)"] {
            assert!(!looks_like_a_row(text), "{text}");
        }
        assert_eq!(numbers_in("1024 256 fl oat 10.5"), 3);
    }
}
