use std::collections::BTreeSet;

use super::{columns, footer, log_line, notes::Notes, outline::Outline, prefix, table::Table, words};
use crate::evidence::Measurement;

/// More hosts are not remembered.
const MOST_HOSTS: usize = 10_000;

/// Reads text outputs of nccl-tests and rccl-tests, line by line, with or without log lines of the library in between.
///
/// Launchers' labels (`0: `, `[1,0]<stdout>:`) and terminal codes are passed over. A row that a log line or the edge of a
/// terminal has cut is read where its parts make one whole row. What is damaged gives no figures.
pub struct NcclTestsReader {
    number: usize,
    /// Hosts that log lines and ranks have named: they tell where a row ends that a log line follows without a blank.
    hosts: BTreeSet<String>,
    table: Table,
    outline: Outline,
    notes: Notes,
    rows_seen: bool,
}

impl NcclTestsReader {
    /// A reader for a file of the given name, before its first line.
    pub fn new(file: &str) -> Self {
        Self {
            number: 0,
            hosts: BTreeSet::new(),
            table: Table::new(),
            outline: Outline::new(file),
            notes: Notes::new(file),
            rows_seen: false,
        }
    }

    /// Takes the next line, without its end.
    pub fn line(&mut self, line: &str) {
        self.number += 1;
        match log_line::head(line) {
            Some(head) => self.log_line(head),
            None => {
                let text = prefix::visible(line);
                let (label, rest) = prefix::split_label(&text);
                self.text(label, rest);
            }
        }
    }

    /// Whether anything of nccl-tests or rccl-tests was seen.
    pub fn saw_anything(&self) -> bool {
        self.rows_seen || self.outline.seen
    }

    /// What the whole output says.
    pub fn finish(mut self) -> Measurement {
        if !self.saw_anything() {
            // Numbers that are no table of nccl-tests are not damaged.
            self.notes = Notes::new("");
        }
        let begun = self.table.begun;
        let (rows, doubts) = self.table.finish(&mut self.notes);
        self.outline.finish(rows, doubts, begun, self.notes)
    }

    /// A line of the library's log, up to its level. Most lines are nothing else, and are left at once.
    fn log_line(&mut self, head: &str) {
        let log = log_line::split(head);
        if log.before.is_empty() && log_line::is_host(log.host) {
            self.know(log.host);
            return;
        }
        let text = prefix::visible(head);
        let (label, rest) = prefix::split_label(&text);
        let log = log_line::split(rest);
        if log.before.is_empty() && log_line::is_host(log.host) {
            self.know(log.host);
        } else if log.before.trim_start().starts_with('#') {
            self.comment_before_log(label, log);
        } else {
            let beginnings = log_line::before(log, &self.hosts);
            if beginnings.iter().any(|beginning| !beginning.trim().is_empty()) {
                self.rows_seen |= self.table.beginning(self.number, label, rest, beginnings, &mut self.notes);
            }
        }
    }

    /// What stands before a log line is a comment. With a host that is not known nobody can say where it ends: it keeps
    /// the host, which makes it damaged where its end matters.
    fn comment_before_log(&mut self, label: &str, log: log_line::LogLine<'_>) {
        match log_line::surely_before(log, &self.hosts) {
            Some(comment) => self.text(label, &comment),
            None => self.text(label, &format!("{}{}...", log.before, log.host)),
        }
    }

    fn know(&mut self, host: &str) {
        if !self.hosts.contains(host) && self.hosts.len() < MOST_HOSTS {
            self.hosts.insert(host.to_owned());
        }
    }

    /// A line without label and log.
    fn text(&mut self, label: &str, text: &str) {
        let body = text.trim();
        if body.is_empty() {
            return;
        }
        let talk = body == "#" || body.starts_with("# ") || body.starts_with("#\t");
        if !talk && self.table.header_goes_on(self.number, text.trim_end(), &mut self.notes) {
            return;
        }
        if words::is_elision(body) {
            self.elision(body);
        } else if footer::is_failure(body) {
            self.outline.failure(body);
        } else if columns::is_header(body) {
            self.outline.table();
            self.table.header(self.number, body, &mut self.notes);
        } else {
            self.named_or_row(label, text, body);
        }
    }

    fn named_or_row(&mut self, label: &str, text: &str, body: &str) {
        let comment = body.trim_start_matches(['#', ' ', '\t']).trim_end();
        let is_comment = body.starts_with('#');
        if let Some(footer) = footer::out_of_bounds(comment) {
            self.table.end(&mut self.notes);
            self.outline.footer(self.number, body, footer, &mut self.notes);
        } else if let Some(host) = self.outline.take(self.number, body, comment, &mut self.notes) {
            host.into_iter().for_each(|host| self.know(&host));
        } else if !is_comment {
            let of_table = self.table.line(self.number, label, text, &mut self.notes);
            self.rows_seen |= of_table;
            if of_table {
                self.outline.table();
            }
        } else {
            self.table.drop_parts(&mut self.notes);
            if comment.contains("out-of-place") || comment.contains("in-place") {
                self.table.label(comment);
            }
        }
    }

    /// `...` stands for lines that somebody left out.
    fn elision(&mut self, body: &str) {
        if self.outline.in_ranks() {
            self.outline.ranks_left_out();
            self.notes.damage(self.number, body, "ranks are left out of the list");
        } else if self.table.open {
            self.table.drop_parts(&mut self.notes);
            self.notes.damage(self.number, body, "rows are left out of the table");
        }
    }
}
