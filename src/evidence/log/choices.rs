//! What the library chooses for a size: `AllReduce: 8388608 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}`.

use std::collections::{BTreeMap, BTreeSet};

use super::{super::Choice, scan::Scan};

/// More different choices than this are not kept.
const MOST: usize = 10_000;

/// The algorithms by their numbers in NCCL up to 2.23, with the words of later versions and the language's names.
const ALGORITHMS: &[(&str, &str)] = &[
    ("TREE", "Tree"),
    ("RING", "Ring"),
    ("COLLNET_DIRECT", "CollNetDirect"),
    ("COLLNET_CHAIN", "CollNetChain"),
    ("NVLS", "NVLS"),
    ("NVLS_TREE", "NVLSTree"),
    ("PAT", "PAT"),
];
/// The protocols, likewise.
const PROTOCOLS: &[(&str, &str)] = &[("LL", "LL"), ("LL128", "LL128"), ("SIMPLE", "Simple")];

/// The choices seen so far.
#[derive(Debug, Default)]
pub(super) struct Choices {
    by_size: BTreeMap<u64, Vec<Choice>>,
    count: usize,
    /// Whether some were not kept.
    pub(super) overflow: bool,
}

/// A choice as a line says it, in the language's names.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChoiceText<'a> {
    operation: Option<&'a str>,
    bytes: u64,
    algorithm: &'a str,
    protocol: &'a str,
    channels: Option<u32>,
}

impl Choices {
    pub(super) fn add(&mut self, choice: ChoiceText<'_>) {
        let known = self.by_size.get(&choice.bytes);
        if known.is_some_and(|known| known.iter().any(|known| choice.is(known))) {
            return;
        }
        if self.count >= MOST {
            self.overflow = true;
            return;
        }
        self.count += 1;
        self.by_size.entry(choice.bytes).or_default().push(choice.owned());
    }

    pub(super) fn into_set(self) -> BTreeSet<Choice> {
        self.by_size.into_values().flatten().collect()
    }
}

impl<'a> ChoiceText<'a> {
    /// From a whole message that holds ` Bytes -> `; `None` where it is cut or its form is not known.
    pub(super) fn read(message: &'a str) -> Option<Self> {
        let mut scan = Scan(message);
        let (operation, variant) = operation(&mut scan)?;
        let bytes = scan.number()?;
        scan.skip(" Bytes -> ")?;
        if let Some(variant) = variant {
            return Self::of_variant(scan, operation, bytes, variant);
        }
        scan.skip("Algo ")?;
        let algorithm = name(scan.word(), ALGORITHMS)?;
        scan.skip(" proto ")?;
        let protocol = name(scan.word(), PROTOCOLS)?;
        let channels = match scan.skip_if(" channel{Lo..Hi}={") {
            true => Some(channels(&mut scan)?),
            // The time shows that the line goes on behind the protocol.
            false => scan.skip(" time ").map(|()| None)?,
        };
        Some(Self { operation, bytes, algorithm, protocol, channels })
    }

    /// `AllReduce [Symmetric]: 1048576 Bytes -> Kernel NAME ..`: a kernel of its own in place of algorithm and protocol.
    fn of_variant(mut scan: Scan<'a>, operation: Option<&'a str>, bytes: u64, variant: &'a str) -> Option<Self> {
        let algorithm = match scan.skip_if("Kernel ") {
            true => Some(scan.word()).filter(|_| !scan.is_empty())?,
            false => variant,
        };
        Some(Self { operation, bytes, algorithm, protocol: variant, channels: None })
    }

    fn is(self, known: &Choice) -> bool {
        self.operation == known.operation.as_deref()
            && self.algorithm == known.algorithm
            && self.protocol == known.protocol
            && self.channels == known.channels
    }

    fn owned(self) -> Choice {
        Choice {
            operation: self.operation.map(str::to_owned),
            bytes: self.bytes,
            algorithm: self.algorithm.to_owned(),
            protocol: self.protocol.to_owned(),
            channels: self.channels,
        }
    }
}

/// `AllReduce: `, `AllReduce [Symmetric]: ` or nothing: the operation and what stands in the brackets.
fn operation<'a>(scan: &mut Scan<'a>) -> Option<(Option<&'a str>, Option<&'a str>)> {
    if scan.0.starts_with(|c: char| c.is_ascii_digit()) {
        return Some((None, None));
    }
    let operation = Some(scan.word()).filter(|word| !word.is_empty());
    scan.skip_if(" ");
    let variant = if scan.skip_if("[") {
        let variant = scan.take(|byte| byte != b']' && byte.is_ascii());
        scan.skip("]")?;
        Some(variant)
    } else {
        None
    };
    scan.skip(": ")?;
    Some((operation, variant))
}

/// The name of a number or a word; a word that is not known stays, a number that is not known has no name.
fn name<'a>(word: &'a str, names: &[(&str, &'static str)]) -> Option<&'a str> {
    match word.parse::<usize>() {
        Ok(number) => names.get(number).map(|(_, name)| *name),
        Err(_) if word.is_empty() => None,
        Err(_) => Some(names.iter().find(|(logged, _)| *logged == word).map_or(word, |(_, name)| name)),
    }
}

/// The number of channels from `0..23}` on.
fn channels(scan: &mut Scan<'_>) -> Option<u32> {
    let low: u32 = scan.number()?;
    scan.skip("..")?;
    let high: u32 = scan.number()?;
    scan.skip("}")?;
    high.checked_sub(low)?.checked_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(operation: Option<&str>, bytes: u64, algorithm: &str, protocol: &str, channels: Option<u32>) -> Choice {
        let operation = operation.map(str::to_owned);
        Choice { operation, bytes, algorithm: algorithm.into(), protocol: protocol.into(), channels }
    }

    fn read(line: &str) -> Option<Choice> {
        ChoiceText::read(line).map(ChoiceText::owned)
    }

    #[test]
    fn choices_of_all_versions() {
        let lines = [
            ("4096 Bytes -> Algo 0 proto 0 time 12.5", choice(None, 4096, "Tree", "LL", None)),
            (
                "AllGather: 4096 Bytes -> Algo 6 proto 2 time 1.0",
                choice(Some("AllGather"), 4096, "PAT", "Simple", None),
            ),
            (
                "AllReduce: 4096 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={4..15}",
                choice(Some("AllReduce"), 4096, "NVLSTree", "Simple", Some(12)),
            ),
            (
                "Broadcast: 1 Bytes -> Algo NEW proto LL128 channel{Lo..Hi}={0..0}",
                choice(Some("Broadcast"), 1, "NEW", "LL128", Some(1)),
            ),
            (
                "AllReduce [Symmetric]: 64 Bytes -> Kernel AllReduce_Fast nchannels 8",
                choice(Some("AllReduce"), 64, "AllReduce_Fast", "Symmetric", None),
            ),
            (
                "AllGather [Copy Engine]: 64 Bytes -> copies",
                choice(Some("AllGather"), 64, "Copy Engine", "Copy Engine", None),
            ),
        ];
        for (line, wanted) in lines {
            assert_eq!(read(line), Some(wanted), "{line}");
        }
    }

    #[test]
    fn what_is_cut_is_no_choice() {
        let line = "AllReduce: 4096 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..23}";
        for at in 0..line.len() {
            assert_eq!(read(&line[..at]), None, "{}", &line[..at]);
        }
        assert_eq!(read("4096 Bytes -> Algo 1 proto 9 time 1.0"), None);
        assert_eq!(read("4096 Bytes -> Algo 1 proto 2"), None);
    }

    #[test]
    fn many_sizes_do_not_grow_without_end() {
        let mut choices = Choices::default();
        for bytes in 0..20_000 {
            let line = format!("{bytes} Bytes -> Algo 1 proto 2 time 1.0");
            choices.add(ChoiceText::read(&line).expect("a choice"));
        }
        assert!(choices.overflow);
        assert_eq!(choices.into_set().len(), MOST);
    }
}
