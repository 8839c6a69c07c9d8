use crate::report::plain::plain_line;

/// The most devices that are named of what does not fail a case by itself; `run.json` has all of them.
const MOST_DEVICES: usize = 60;

/// `and 27 more like it: GPU0-GPU2, GPU0-GPU3`. Of `more` things only some may have a device.
pub(super) fn named(more: usize, devices: Vec<&str>, every: bool) -> String {
    let limit = if every { devices.len() } else { MOST_DEVICES };
    let shown: Vec<_> = devices.iter().take(limit).map(|device| plain_line(device)).collect();
    let mut text = format!("and {more} more like it");
    if !shown.is_empty() {
        text.push_str(": ");
        text.push_str(&shown.join(", "));
    }
    if devices.len() > limit {
        text.push_str(&format!(", and {} that run.json names", devices.len() - limit));
    }
    text
}
