/// A JSON text that was cut, closed after its last complete part: a member of the outermost object or list, or an element
/// of a list that is such a member. `None` where nothing complete is left.
///
/// What is deeper is given up as a whole, so that half a result never looks like one.
pub(super) fn closed(text: &str) -> Option<String> {
    let mut open: Vec<u8> = Vec::new();
    let mut keep: Option<(usize, String)> = None;
    let mut string = None;
    for (at, byte) in text.bytes().enumerate() {
        if let Some(escaped) = string {
            string = match (escaped, byte) {
                (true, _) | (false, b'\\') => Some(!escaped),
                (false, b'"') => None,
                (false, _) => Some(false),
            };
            continue;
        }
        let end = match byte {
            b'"' => {
                string = Some(false);
                continue;
            }
            b'{' | b'[' => {
                open.push(byte);
                // An empty list is complete; of an empty object nobody knows.
                if byte == b'{' {
                    continue;
                }
                at + 1
            }
            b'}' | b']' if open.last() == Some(&opener(byte)) => {
                open.pop();
                at + 1
            }
            b'}' | b']' => break,
            b',' => at,
            _ => continue,
        };
        if let Some(closers) = closers(&open) {
            keep = Some((end, closers));
        }
        if open.is_empty() {
            break;
        }
    }
    let (end, closers) = keep?;
    Some(text.get(..end)?.to_owned() + &closers)
}

fn opener(closer: u8) -> u8 {
    if closer == b'}' { b'{' } else { b'[' }
}

/// What closes the open brackets where a part that ends here is kept.
fn closers(open: &[u8]) -> Option<String> {
    match open {
        [] => Some(String::new()),
        [b'{'] => Some("}".to_owned()),
        [b'['] => Some("]".to_owned()),
        [b'{', b'['] => Some("]}".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cut_after_the_last_complete_part() {
        for (cut, expected) in [
            (r#"{"a":1,"r":[{"x":1},{"x":2"#, Some(r#"{"a":1,"r":[{"x":1}]}"#)),
            (r#"{"a":1,"r":[{"x":1},{"x":[1,2],"#, Some(r#"{"a":1,"r":[{"x":1}]}"#)),
            (r#"{"a":1,"r":["#, Some(r#"{"a":1,"r":[]}"#)),
            (r#"{"a":1,"r":{"x":1,"y":[3,"#, Some(r#"{"a":1}"#)),
            (r#"{"a":"\"}],","b"#, Some(r#"{"a":"\"}],"}"#)),
            (r#"{"a":"\\","b":"}"#, Some(r#"{"a":"\\"}"#)),
            (r#"[{"x":1},{"x":2,"#, Some(r#"[{"x":1}]"#)),
            (r#"{"a":1}{"b":2}"#, Some(r#"{"a":1}"#)),
            (r#"{"a":1,"b":2]"#, Some(r#"{"a":1}"#)),
            ("{", None),
            (r#"{"a":1"#, None),
            ("", None),
            ("garbage", None),
        ] {
            assert_eq!(closed(cut).as_deref(), expected, "{cut}");
        }
    }

    proptest! {
        #[test]
        fn what_is_closed_starts_as_the_text_does(text in r#"[\[\]{}",:1a\\]{0,40}"#) {
            if let Some(closed) = closed(&text) {
                let kept = closed.trim_end_matches([']', '}']);
                prop_assert!(text.starts_with(kept), "{closed}");
            }
        }
    }
}
