//! What was read of a machine, source by source.

use super::plain::plain_line;
use crate::facts::Facts;

/// One line for each source of the facts: its name, and what was found or why there is nothing.
pub fn render(facts: &Facts) -> String {
    let lines = facts.sources.iter().map(|(name, said)| (plain_line(name), plain_line(said)));
    let lines: Vec<_> = lines.collect();
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    lines.iter().map(|(name, said)| format!("{name:width$}  {said}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Origin;

    #[test]
    fn one_line_each_without_what_a_terminal_would_obey() {
        let mut facts = Facts::new(Origin::Live);
        facts.sources = [("NVML", "2 GPUs"), ("RDMA", "\u{1b}[2Jnone\nat all")]
            .map(|(name, said)| (name.to_owned(), said.to_owned()))
            .into();
        facts.sources.insert("host".to_owned(), "read".to_owned());
        assert_eq!(render(&facts), "NVML  2 GPUs\nRDMA  none at all\nhost  read\n");
    }
}
