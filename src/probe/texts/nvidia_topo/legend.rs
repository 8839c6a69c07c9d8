use std::collections::BTreeMap;

use crate::{facts::Damage, probe::texts::Line};

/// The NIC legend below a matrix: `NIC0: mlx5_0`.
pub(super) struct Legend(BTreeMap<String, Option<String>>);

/// Reads every `NICn:` of the text, also where the paste has wrapped the lines or joined several into one.
///
/// An entry without a device, or one that is there twice with different devices, names none.
pub(super) fn read(lines: &[Line], file: &str, damage: &mut Vec<Damage>) -> Legend {
    let mut legend = BTreeMap::new();
    let mut waiting: Option<(String, &Line)> = None;
    let words = lines.iter().flat_map(|line| line.text.split_whitespace().map(move |word| (word, line)));
    for (word, line) in words {
        if let Some((label, device)) = entry(word) {
            note_unnamed(waiting.take(), file, &mut legend, damage);
            match device {
                Some(device) => add(label, device, line, file, &mut legend, damage),
                None => waiting = Some((label, line)),
            }
        } else if let Some((label, first)) = waiting.take() {
            // On another line only a lone word is the rest of a wrapped entry.
            if line.number == first.number || line.text.trim() == word {
                add(label, word, line, file, &mut legend, damage);
            } else {
                note_unnamed(Some((label, first)), file, &mut legend, damage);
            }
        }
    }
    note_unnamed(waiting, file, &mut legend, damage);
    Legend(legend)
}

impl Legend {
    /// Whether the text has no legend.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The labels that it names.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The device of a label.
    pub fn device(&self, label: &str) -> Option<&str> {
        self.0.get(label)?.as_deref()
    }
}

/// The label of `NIC0:`, and the device where it is glued to it.
fn entry(word: &str) -> Option<(String, Option<&str>)> {
    let (label, device) = word.split_once(':')?;
    let digits = label.strip_prefix("NIC")?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| (label.to_owned(), (!device.is_empty()).then_some(device)))
}

type Entries = BTreeMap<String, Option<String>>;

fn add(label: String, device: &str, line: &Line, file: &str, legend: &mut Entries, damage: &mut Vec<Damage>) {
    let possible = device.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let same = legend.get(&label).is_none_or(|known| known.as_deref() == Some(device));
    if possible && same {
        legend.insert(label, Some(device.to_owned()));
    } else {
        damage.push(Damage::new(file, line.number, &line.text, format!("{label} has no certain device")));
        legend.insert(label, None);
    }
}

fn note_unnamed(entry: Option<(String, &Line)>, file: &str, legend: &mut Entries, damage: &mut Vec<Damage>) {
    if let Some((label, line)) = entry {
        damage.push(Damage::new(file, line.number, &line.text, format!("{label} has no device")));
        legend.entry(label).or_insert(None);
    }
}
