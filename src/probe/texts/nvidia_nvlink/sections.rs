use crate::{
    facts::{Damage, Facts},
    probe::texts::Line,
};

/// A GPU of the output with the lines below it.
pub(super) struct Section {
    /// The GPU's index.
    pub index: u32,
    /// Its product name.
    pub name: String,
    /// Its UUID.
    pub uuid: String,
    /// The line that names it.
    pub line: Line,
    /// What stands below it, blank lines aside.
    pub entries: Vec<Line>,
}

/// Splits an output by its lines `GPU 0: NAME (UUID: ...)`. Lines above the first are a prompt or a message, not
/// entries; a link without a GPU above it is damage.
pub(super) fn sections(lines: &[Line], file: &str, facts: &mut Facts) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut open = false;
    for line in lines.iter().filter(|line| !line.text.trim().is_empty()) {
        if let Some(section) = gpu(line) {
            sections.push(section);
            open = true;
        } else if line.text.trim_start().starts_with("GPU ") {
            facts.damage.push(Damage::new(file, line.number, &line.text, "not a GPU's whole line"));
            open = false;
        } else if is_prompt(&line.text) {
            open = false;
        } else if let Some(section) = sections.last_mut().filter(|_| open) {
            section.entries.push(line.clone());
        } else if link(&line.text).is_some() || says_all_inactive(&line.text) {
            facts.damage.push(Damage::new(file, line.number, &line.text, "no GPU is named above this line"));
        }
    }
    sections
}

/// Whether NVML says that no link of the GPU is active.
pub(super) fn says_all_inactive(line: &str) -> bool {
    line.contains("all links are inactive")
}

/// The number of a link, and what the line says of it.
pub(super) fn link(line: &str) -> Option<(u32, &str)> {
    let (number, rest) = line.trim().strip_prefix("Link ")?.split_once(':')?;
    let plain = (1..=3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| number.parse().ok()).flatten().map(|number| (number, rest.trim()))
}

fn gpu(line: &Line) -> Option<Section> {
    let (index, rest) = line.text.trim().strip_prefix("GPU ")?.split_once(": ")?;
    let (name, uuid) = rest.strip_suffix(')')?.split_once(" (UUID: ")?;
    let plain = (1..=4).contains(&index.len()) && index.bytes().all(|b| b.is_ascii_digit());
    let index = plain.then(|| index.parse().ok()).flatten()?;
    let (name, uuid) = (name.trim().to_owned(), uuid.trim().to_owned());
    Some(Section { index, name, uuid, line: line.clone(), entries: Vec::new() })
}

fn is_prompt(line: &str) -> bool {
    line.contains("nvidia-smi") || line.trim_end().ends_with(['$', '#', '%'])
}
