use std::collections::BTreeSet;

use super::{
    super::{LibraryLog, LogLine},
    choices::{ChoiceText, Choices},
    edges::{self, EdgeText, Edges},
    graph::Graph,
    known,
    paths::Paths,
    prefix::{Level, Record, without_label},
    ranks::Ranks,
    scan::Scan,
    settings, versions,
};
use crate::{facts::Damage, probe::texts};

/// More warnings than this are counted only.
pub(super) const MOST_WARNINGS: usize = 100;
/// More damaged lines than this are not kept.
pub(super) const MOST_DAMAGE: usize = 100;
/// More lines than this that are glued into one are not looked for.
const MOST_GLUED: usize = 8;
/// Longer warnings are cut here.
const LONGEST_WARNING: usize = 300;

/// Reads a log of NCCL or RCCL line by line, whatever else stands between its lines. What is known already costs no
/// memory, so a log of any length can be read.
#[derive(Debug)]
pub struct LogReader {
    file: String,
    /// The number of the line at hand, from 1.
    number: usize,
    log: LibraryLog,
    ranks: Ranks,
    edges: Edges,
    graph: Graph,
    choices: Choices,
    paths: Paths,
}

/// What a message turned out to be.
enum Message {
    Known,
    Unknown,
    /// Its beginning is known, but the rest is not what the library writes.
    Damaged(&'static str),
}

impl Message {
    fn known_or(read: Option<()>, reason: &'static str) -> Self {
        read.map_or(Self::Damaged(reason), |()| Self::Known)
    }

    fn if_known(known: bool) -> Self {
        if known { Self::Known } else { Self::Unknown }
    }
}

impl LogReader {
    /// A reader of one file, by the name that stands in what it finds.
    pub fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            number: 0,
            log: LibraryLog::default(),
            ranks: Ranks::default(),
            edges: Edges::default(),
            graph: Graph::default(),
            choices: Choices::default(),
            paths: Paths::default(),
        }
    }

    /// The next line, without its end.
    pub fn line(&mut self, line: &str) {
        self.number += 1;
        if line.as_bytes().contains(&b'\x1b') {
            for line in texts::lines(line) {
                self.clean_line(&line.text);
            }
        } else {
            self.clean_line(line);
        }
    }

    /// The last line of a file that stops without an end of line: what could still go on is not believed.
    pub fn unended_line(&mut self, line: &str) {
        let message = Record::first(line).map_or_else(|| without_label(line), |record| record.message);
        let open = match edge(message.trim_ascii()) {
            Some(edge) => !edge.whole && !self.edges.has(edge),
            None => can_go_on(message.trim_ascii_start()),
        };
        if open {
            self.number += 1;
            self.damage(line, "the last line has no end, so it may be cut");
        } else {
            self.line(line);
        }
    }

    /// What the file says; `None` where it holds no line of the library.
    pub fn finish(mut self) -> Option<LibraryLog> {
        if self.log.lines == 0 {
            return None;
        }
        self.overflows();
        let (rings, trees) = self.graph.finish();
        let (rings, cut) = rings.into_iter().partition(|ring| self.ranks.can_have(ring.len()));
        if !BTreeSet::is_empty(&cut) {
            let damage = Damage::of_file(&self.file, "a ring has another number of ranks than the communicator");
            self.log.damage.push(damage);
        }
        let (ranks, communicators, nodes) = self.ranks.finish();
        Some(LibraryLog {
            sources: vec![self.file],
            ranks,
            communicators,
            nodes,
            edges: self.edges.into_set(),
            rings,
            trees,
            choices: self.choices.into_set(),
            paths: self.paths.into_set(),
            ..self.log
        })
    }

    fn overflows(&mut self) {
        let overflows = [
            (self.edges.overflow, "it holds more different connections than are kept"),
            (self.choices.overflow, "it holds more different choices of the library than are kept"),
        ];
        let reasons = overflows.into_iter().filter_map(|(overflow, reason)| overflow.then_some(reason));
        self.log.damage.extend(reasons.map(|reason| Damage::of_file(&self.file, reason)));
    }

    fn clean_line(&mut self, line: &str) {
        match Record::first(line) {
            Some(record) => self.record(line, record),
            None => self.bare(line),
        }
    }

    /// A line of the library. A process that died in the middle of one leaves another's glued to it, so what is not
    /// understood is looked through for more.
    fn record(&mut self, line: &str, first: Record<'_>) {
        let mut next = Some(first);
        for _ in 0..MOST_GLUED {
            let Some(record) = next else { return };
            self.log.lines += 1;
            let message = record.message.trim_ascii();
            let read = match record.level {
                Level::Info => self.info(message, record),
                Level::Warn => self.warning(message),
                Level::Trace => Message::Known,
            };
            match read {
                Message::Known => return,
                Message::Unknown => self.log.unknown_lines += 1,
                Message::Damaged(reason) => self.damage(line, reason),
            }
            next = Record::first(record.message);
        }
    }

    /// A line without the library's prefix: its version, and what reporters leave of connections, rings and trees.
    fn bare(&mut self, line: &str) {
        let message = without_label(line).trim_ascii_end();
        let seen = match message.as_bytes().first() {
            Some(b'N' | b'R') => {
                versions::bare(message, &mut self.log).is_some()
                    || message.strip_prefix("Ring ").is_some_and(|text| self.graph.neighbours(text).is_some())
            }
            Some(b'C') => self.bare_channel(line, message),
            Some(b'T') => match message.strip_prefix("Trees ") {
                Some(text) => self.graph.trees(text).is_some(),
                None => message.strip_prefix("Tree ").is_some_and(|text| self.graph.one_tree(text).is_some()),
            },
            _ => false,
        };
        self.log.lines += u64::from(seen);
    }

    fn bare_channel(&mut self, line: &str, message: &str) -> bool {
        match edge(message) {
            Some(edge) => {
                self.edges.add(edge);
                true
            }
            None if message.starts_with("Channel ") && message.contains("] -> ") && message.contains("] via ") => {
                self.damage(line, CUT_CONNECTION);
                true
            }
            None => channel(message).is_some_and(|text| self.graph.ring(text).is_some()),
        }
    }

    fn info(&mut self, message: &str, record: Record<'_>) -> Message {
        match message.as_bytes().first() {
            Some(b'C') => self.connection(message),
            Some(b'T') => self.tree(message),
            Some(b'c' | b'n' | b'[') if message.contains("comm ") && is_of_communicator(message) => {
                Message::known_or(self.ranks.line(message, record.host()), "a line of a communicator is cut")
            }
            Some(b'N' | b'R' | b'U') => self.named(message),
            Some(b'G') if message.contains(" :GPU/") => {
                Message::known_or(self.paths.row(message, record.host()), "a row of paths is cut")
            }
            Some(b'0'..=b'9') => self.figure(message),
            _ => self.choice(message),
        }
    }

    fn connection(&mut self, message: &str) -> Message {
        if let Some(edge) = edge(message) {
            self.edges.add(edge);
            return Message::Known;
        }
        if message.starts_with("CollNet ") && message.contains(" via ") {
            return Message::Damaged(CUT_CONNECTION);
        }
        if let Some(graph) = message.strip_prefix("Connected all ") {
            self.log.rings_connected |= graph.starts_with("rings");
            self.log.trees_connected |= graph.starts_with("trees");
            return Message::Known;
        }
        match channel(message) {
            Some(text) if text.contains('[') => Message::Damaged(CUT_CONNECTION),
            Some(text) => Message::known_or(self.graph.ring(text), "a ring does not hold every rank once"),
            None if message.starts_with("Channel ") => Message::Damaged(CUT_CONNECTION),
            None => Message::if_known(known::is_known(message)),
        }
    }

    fn tree(&mut self, message: &str) -> Message {
        if let Some(text) = message.strip_prefix("Trees ") {
            Message::known_or(self.graph.trees(text), "a line of trees is cut")
        } else if let Some(text) = message.strip_prefix("Tree ") {
            Message::known_or(self.graph.one_tree(text), "a line of a tree is cut")
        } else {
            Message::if_known(known::is_known(message))
        }
    }

    /// Messages whose first word names something.
    fn named(&mut self, message: &str) -> Message {
        if let Some(text) = message.strip_prefix("Ring ") {
            return Message::known_or(self.graph.neighbours(text), "a line of a ring is cut");
        }
        if let Some(network) = message.strip_prefix("Using network ") {
            settings::keep(&mut self.log.networks, network);
            return Message::Known;
        }
        if message.starts_with("NVLS comm ") {
            self.log.nvls_used |= message.contains(" headRank ");
            return Message::Known;
        }
        let read = if message.starts_with("NET/") {
            settings::network(message, &mut self.log)
        } else if message.starts_with("NCCL_") || message.starts_with("RCCL_") {
            settings::variable(message, &mut self.log)
        } else {
            versions::bare(message, &mut self.log)
        };
        read.map_or_else(|| self.choice(message), |()| Message::Known)
    }

    /// Messages that begin with a figure: a number of channels, or a choice of versions up to 2.22.
    fn figure(&mut self, message: &str) -> Message {
        let mut scan = Scan(message);
        let channels = scan.number();
        match (channels, scan.skip_if(" coll channels, ")) {
            (Some(channels), true) => {
                if self.log.channels.len() < MOST_DAMAGE {
                    self.log.channels.insert(channels);
                }
                Message::Known
            }
            _ => self.choice(message),
        }
    }

    /// `AllReduce: ..`: a choice or a call, else one of the messages that say nothing.
    fn choice(&mut self, message: &str) -> Message {
        let mut scan = Scan(message);
        scan.word();
        if scan.skip_if(": opCount ") {
            return Message::Known;
        }
        match ChoiceText::read(message) {
            Some(choice) => {
                self.choices.add(choice);
                Message::Known
            }
            None if known::is_known(message) => Message::Known,
            None if message.contains(" Bytes -> ") => Message::Damaged("a choice of the library is cut"),
            None => Message::Unknown,
        }
    }

    fn warning(&mut self, message: &str) -> Message {
        if known::is_harmless(message) {
            return Message::Known;
        }
        self.log.warning_count += 1;
        if self.log.warnings.len() < MOST_WARNINGS {
            let text = message.chars().filter(|c| !c.is_control()).take(LONGEST_WARNING).collect();
            let line = u32::try_from(self.number).unwrap_or(u32::MAX);
            self.log.warnings.push(LogLine { source: self.file.clone(), line, text });
        }
        Message::Known
    }

    fn damage(&mut self, line: &str, reason: &str) {
        if self.log.damage.len() < MOST_DAMAGE {
            self.log.damage.push(Damage::new(&self.file, self.number, line, reason));
        }
    }
}

const CUT_CONNECTION: &str = "a connection is cut or of a form that is not known";

/// The connection that a message tells.
fn edge(message: &str) -> Option<EdgeText<'_>> {
    match message.strip_prefix("CollNet ") {
        Some(text) => edges::collnet(text),
        None => edges::connection(channel(message)?),
    }
}

/// What follows `Channel 00/0 : `.
fn channel(message: &str) -> Option<&str> {
    let mut scan = Scan(message);
    scan.skip("Channel ")?;
    scan.number::<u32>()?;
    if scan.skip_if("/") {
        scan.number::<u32>()?;
    }
    scan.skip(" : ")?;
    Some(scan.0)
}

/// Whether a message is one of those that a communicator's making and end print.
fn is_of_communicator(message: &str) -> bool {
    let front = message.strip_prefix("[Rank ").map_or(message, |rest| rest.split_once("] ").map_or(rest, |cut| cut.1));
    front.starts_with("comm 0x") || (front.starts_with("ncclComm") && front.contains(" comm 0x"))
}

/// Whether what a message says could be changed by what is missing at its end.
fn can_go_on(message: &str) -> bool {
    const BEGINNINGS: &[&str] =
        &["Channel ", "CollNet ", "Ring ", "Tree", "NCCL", "RCCL", "Using network ", "NET/", "GPU/"];
    BEGINNINGS.iter().any(|beginning| message.starts_with(beginning))
}
