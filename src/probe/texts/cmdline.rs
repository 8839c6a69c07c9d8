//! `/proc/cmdline`: the arguments that the kernel was started with, and what they prove of the IOMMU.

mod iommu;

use self::iommu::CpuVendor;
use super::{Line, lines};
use crate::facts::{Damage, Fact, Facts};

/// Reads the text of `/proc/cmdline`. `file` is its name in the folder.
///
/// It is one line with its end: without the end, arguments may be missing. The CPU's model, where another file has
/// told it by then, decides whose IOMMU arguments count.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let lines = lines(text);
    let line = match only_line(&lines, text, file) {
        Ok(line) => line,
        Err(damage) => {
            let reason = damage.to_string();
            facts.damage.push(damage);
            facts.host.kernel_arguments.merge_texts(Fact::unknown(reason.clone()));
            return facts.host.iommu.merge(Fact::unknown(reason));
        }
    };
    let arguments = arguments(&line.text);
    let vendor = facts.host.cpu_model.value().and_then(|model| CpuVendor::of_model(model));
    facts.host.iommu.merge(match iommu::mode(&arguments, vendor) {
        Ok(mode) => Fact::known(mode, file),
        Err(why) => Fact::unknown(format!("{file} does not prove what the IOMMU does: {why}")),
    });
    facts.host.kernel_arguments.merge_texts(Fact::known(arguments, file));
}

/// The line of arguments, apart from prompts.
fn only_line<'a>(lines: &'a [Line], text: &str, file: &str) -> Result<&'a Line, Damage> {
    let told: Vec<&Line> = lines.iter().filter(|line| !is_frame(line.text.trim())).collect();
    match told.as_slice() {
        [] => Err(Damage::of_file(file, "is empty")),
        [one] if is_message(&one.text) => Err(Damage::new(file, one.number, &one.text, "no kernel arguments")),
        [one] if one.number == lines.len() && !text.ends_with('\n') => {
            Err(Damage::new(file, one.number, &one.text, "the text ends within the line: arguments may be missing"))
        }
        [one] => Ok(one),
        [_, second, ..] => {
            let reason = "more than one line: the arguments cannot be told apart";
            Err(Damage::new(file, second.number, &second.text, reason))
        }
    }
}

/// What a terminal or a chat put around the line: nothing, a fence, a prompt with the command or without.
fn is_frame(line: &str) -> bool {
    line.is_empty() || line.starts_with("```") || line.ends_with(['$', '#']) || line.contains("cat /proc/cmdline")
}

fn is_message(line: &str) -> bool {
    ["No such file", "Permission denied", "command not found"].iter().any(|message| line.contains(message))
}

/// The arguments as the kernel takes them apart: at blanks outside double quotes, which stay. What follows `--` is
/// for the first process and no argument of the kernel.
fn arguments(line: &str) -> Vec<String> {
    let mut quoted = false;
    let blank = |c: char| {
        quoted ^= c == '"';
        c.is_ascii_whitespace() && !quoted
    };
    let all = line.split(blank).filter(|argument| !argument.is_empty());
    all.take_while(|argument| *argument != "--").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::facts::{IommuMode, Origin};

    fn facts_of(text: &str) -> Facts {
        let mut facts = Facts::new(Origin::Live);
        read(text, "proc-cmdline.txt", &mut facts);
        facts
    }

    #[test]
    fn arguments_one_by_one() {
        let facts = facts_of("BOOT_IMAGE=/vmlinuz ro  dyndbg=\"file a.c +p\" intel_iommu=on iommu=pt\n");
        let expected = ["BOOT_IMAGE=/vmlinuz", "ro", "dyndbg=\"file a.c +p\"", "intel_iommu=on", "iommu=pt"];
        assert_eq!(facts.host.kernel_arguments.value().unwrap(), &expected.map(str::to_owned));
        assert_eq!(facts.host.iommu.value(), Some(&IommuMode::Passthrough));
    }

    #[test]
    fn what_the_first_process_is_given_is_no_argument() {
        let facts = facts_of("ro intel_iommu=on -- iommu=pt single\n");
        assert_eq!(facts.host.kernel_arguments.value().unwrap(), &["ro", "intel_iommu=on"].map(str::to_owned));
        assert_ne!(facts.host.iommu.value(), Some(&IommuMode::Passthrough));
    }

    #[test]
    fn a_prompt_is_no_argument() {
        let facts = facts_of("root@n1:~# cat /proc/cmdline\nro quiet\nroot@n1:~#");
        assert_eq!(facts.host.kernel_arguments.value().map(Vec::len), Some(2));
    }

    #[test]
    fn the_cpu_decides_whose_argument_counts() {
        let mut facts = Facts::new(Origin::Live);
        facts.host.cpu_model = Fact::known("AMD EPYC 9654 96-Core Processor".to_owned(), "lscpu.txt");
        read("ro intel_iommu=off\n", "proc-cmdline.txt", &mut facts);
        assert_eq!(facts.host.iommu.value(), None);
    }

    #[test]
    fn cut_wrapped_missing_and_refused() {
        for (text, reason) in [
            ("ro quiet iommu=p", "ends within the line"),
            ("ro quiet\niommu=pt\n", "more than one line"),
            ("", "is empty"),
            ("cat: /proc/cmdline: No such file or directory\n", "no kernel arguments"),
        ] {
            let facts = facts_of(text);
            assert!(facts.host.kernel_arguments.reason().unwrap().contains(reason), "{text}");
            assert!(facts.host.iommu.value().is_none());
            assert_eq!(facts.damage.len(), 1);
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC*|([ \"=$#\n]|iommu=|off,|\u{e9})*") {
            facts_of(&text);
        }

        #[test]
        fn a_cut_line_gives_nothing(end in 0_usize..29) {
            prop_assert!(facts_of(&"ro quiet intel_iommu=on iommu=pt\n"[..end]).host.kernel_arguments.value().is_none());
        }
    }
}
