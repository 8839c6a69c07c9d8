//! PCI addresses in one spelling.

/// An address with its domain as `DDDD:BB:DD.F` in lower case; a domain of eight digits loses its leading zeros.
pub(super) fn full(text: &str) -> Option<String> {
    let (domain, rest) = text.split_once(':')?;
    let (bus, rest) = rest.split_once(':')?;
    let (device, function) = rest.split_once('.')?;
    let hex = |part: &str, length: usize| part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit());
    let domain_is_hex = (4..=8).contains(&domain.len()) && hex(domain, domain.len());
    if !(domain_is_hex && hex(bus, 2) && hex(device, 2) && hex(function, 1)) {
        return None;
    }
    let domain = u32::from_str_radix(domain, 16).ok()?;
    Some(format!("{domain:04x}:{}", text.split_once(':')?.1.to_ascii_lowercase()))
}

/// An address as lspci prints it: the domain is left out where all are in domain 0.
pub(super) fn short_or_full(text: &str) -> Option<String> {
    full(text).or_else(|| full(&format!("0000:{text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling() {
        assert_eq!(full("00000000:9B:00.0").as_deref(), Some("0000:9b:00.0"));
        assert_eq!(full("10000:01:00.0").as_deref(), Some("10000:01:00.0"));
        assert_eq!(short_or_full("17:00.0").as_deref(), Some("0000:17:00.0"));
        for text in ["", "17:00.0", "0000:17:00", "0000:1:00.0", "0000:17:00.0:", "é000:17:00.0"] {
            assert_eq!(full(text), None, "{text}");
        }
    }
}
