use std::{collections::BTreeMap, net::Ipv6Addr};

use super::{
    forms::{host_and_port, in_full, ipv6},
    known::{HOST_VARIABLES, is_placeholder, known},
    stand_ins::Kind,
    texts::Texts,
};
use crate::facts::{Fact, Facts};

/// Replaces the identifiers of one machine, in values, in texts, and in what sources say.
pub(super) struct Replacer {
    texts: Texts,
}

impl Replacer {
    pub(super) fn new(facts: &Facts) -> Self {
        Self { texts: Texts::new(known(facts)) }
    }

    /// A text that may hold anything.
    pub(super) fn text(&mut self, text: &mut String) {
        if let Some(replaced) = self.texts.replaced(text) {
            *text = replaced;
        }
    }

    pub(super) fn texts(&mut self, texts: &mut [String]) {
        texts.iter_mut().for_each(|text| self.text(text));
    }

    /// A text that is an identifier as a whole, whether or not its form shows it.
    pub(super) fn identifier(&mut self, kind: Kind, text: &mut String) {
        if is_placeholder(text) {
            return;
        }
        *text = self.texts.replaced(text).unwrap_or_else(|| self.texts.stand_ins.formed(kind, text));
    }

    pub(super) fn host_name(&mut self, name: &mut String) {
        if is_placeholder(name) || name.starts_with("localhost") {
            return;
        }
        *name = self.texts.replaced(name).unwrap_or_else(|| self.texts.stand_ins.host(name));
    }

    /// An entry of a GID table. What [`crate::verdict`] asks of it stays: whether it is empty, link-local or routable.
    pub(super) fn gid(&mut self, address: &mut String) {
        let stand_ins = &mut self.texts.stand_ins;
        let plain = address.trim();
        *address = if is_placeholder(plain) || plain.parse::<Ipv6Addr>().is_ok() {
            ipv6(plain, stand_ins)
        } else {
            let first = plain.split(':').next().and_then(|group| u16::from_str_radix(group, 16).ok());
            in_full(stand_ins.ipv6_of(first.is_some_and(|group| group & 0xffc0 == 0xfe80), plain))
        };
    }

    /// A version. Four numbers with dots are no address here.
    pub(super) fn version(&mut self, version: &mut String) {
        let is_version = |c: char| c.is_ascii_digit() || c == '.';
        if !version.chars().all(is_version) {
            self.text(version);
        }
    }

    /// Values of variables by their names; of the environment no others are kept than the libraries' own.
    pub(super) fn variables(&mut self, variables: &mut BTreeMap<String, String>) {
        for (name, value) in variables {
            match name.as_str() {
                "NCCL_HOSTID" => self.host_name(value),
                name if HOST_VARIABLES.contains(&name) => {
                    let replaced = self.texts.replaced(value);
                    *value = replaced.unwrap_or_else(|| host_and_port(value, &mut self.texts.stand_ins));
                }
                _ => self.text(value),
            }
        }
    }

    /// A fact: its value by `change`, and what its source and reason say. A source whose value is not as it told it
    /// says so.
    pub(super) fn fact<T: Clone + PartialEq>(&mut self, fact: &mut Fact<T>, change: impl FnOnce(&mut Self, &mut T)) {
        match fact {
            Fact::Known { value, source } => {
                let told = value.clone();
                change(self, value);
                self.text(source);
                if *value != told {
                    fact.mark_replaced();
                }
            }
            Fact::Unknown { reason } | Fact::Conflict { reason } => self.text(reason),
        }
    }

    /// Facts whose values identify nothing: numbers and words of a fixed list.
    pub(super) fn plain<T: Clone + PartialEq, const N: usize>(&mut self, facts: [&mut Fact<T>; N]) {
        facts.into_iter().for_each(|fact| self.fact(fact, |_, _| {}));
    }

    /// Facts that are texts.
    pub(super) fn text_facts<const N: usize>(&mut self, facts: [&mut Fact<String>; N]) {
        facts.into_iter().for_each(|fact| self.fact(fact, Self::text));
    }

    /// A map by names, with the names replaced too.
    pub(super) fn by_name<T>(&mut self, map: &mut BTreeMap<String, T>, change: impl Fn(&mut Self, &mut T)) {
        *map = std::mem::take(map)
            .into_iter()
            .map(|(mut name, mut value)| {
                self.text(&mut name);
                change(self, &mut value);
                (name, value)
            })
            .collect();
    }
}
