//! Faults on demand, from the variable `LINKSPEC_FAKE_FAULT`: `kind:key=value:key=value;kind`.

use std::{collections::BTreeMap, sync::OnceLock};

/// One fault that was asked for.
#[derive(Debug)]
pub struct Fault {
    kind: String,
    keys: BTreeMap<String, String>,
}

/// Where a library stands when it asks whether it is to fail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    /// The rank, where one is known.
    pub rank: Option<u64>,
    /// The collective's number on this rank, from 0.
    pub call: Option<u64>,
    /// The collective's bytes.
    pub size: Option<u64>,
    /// The GPU's number, where it is known.
    pub gpu: Option<u64>,
    /// The step: `open`, `init`, `call`, ..
    pub at: &'static str,
}

impl Fault {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split([':', ',']);
        let kind = parts.next().filter(|kind| !kind.is_empty())?.to_owned();
        let keys = parts.filter_map(|part| part.split_once('='));
        Some(Self { kind, keys: keys.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect() })
    }

    /// A key's number.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.keys.get(key)?.parse().ok()
    }

    /// A key's word.
    pub fn word(&self, key: &str) -> Option<&str> {
        self.keys.get(key).map(String::as_str)
    }

    /// A key's result code.
    pub fn code(&self, default: i32) -> i32 {
        self.number("code").and_then(|code| i32::try_from(code).ok()).unwrap_or(default)
    }

    /// Whether it is for a moment: every key that narrows it down holds. A key that names what is not known then does
    /// not hold, and neither does one that is no number.
    fn is_for(&self, moment: &Moment) -> bool {
        let narrows = [("rank", moment.rank), ("call", moment.call), ("size", moment.size), ("gpu", moment.gpu)];
        narrows
            .into_iter()
            .all(|(key, value)| self.word(key).is_none() || (value.is_some() && self.number(key) == value))
    }
}

/// All faults that were asked for.
pub fn all() -> &'static [Fault] {
    static FAULTS: OnceLock<Vec<Fault>> = OnceLock::new();
    FAULTS.get_or_init(|| {
        let text = std::env::var("LINKSPEC_FAKE_FAULT").unwrap_or_default();
        text.split(';').filter_map(Fault::parse).collect()
    })
}

/// The faults of a kind for a moment, whatever their keys `at` say.
pub fn every(kind: &str, moment: &Moment) -> impl Iterator<Item = &'static Fault> {
    all().iter().filter(move |fault| fault.kind == kind && fault.is_for(moment))
}

/// The first of them.
pub fn of(kind: &str, moment: &Moment) -> Option<&'static Fault> {
    every(kind, moment).next()
}

/// The fault of a kind for a step; faults without the key `at` are for calls. The step `first` is a call's, the first.
pub fn at(kind: &str, moment: &Moment) -> Option<&'static Fault> {
    every(kind, moment).find(|fault| is_at(fault, moment))
}

fn is_at(fault: &Fault, moment: &Moment) -> bool {
    match fault.word("at").unwrap_or("call") {
        "first" => moment.at == "call" && moment.call == Some(0),
        step => step == moment.at,
    }
}
