//! `/proc/cmdline`: the kernel's arguments, and what they prove of the IOMMU.

use super::lines;
use super::listing::is_frame;
use crate::facts::{Damage, Fact, Facts, IommuMode};

/// Reads it. The file is one line; the kernel ends it with a newline, so a line without one may be cut.
pub fn read(text: &str, file: &str, facts: &mut Facts) {
    let read = lines(text);
    let mut shown = read.iter().filter(|line| !is_frame(&line.text, "/proc/cmdline") && !is_command(&line.text));
    let Some(line) = shown.next() else { return };
    let problem = if let Some(more) = shown.next() {
        Some((more, "more than one line, so the first may be wrapped"))
    } else if !line.text.contains('=') {
        Some((line, "not a kernel's arguments"))
    } else {
        (!text.ends_with('\n')).then_some((line, "the file ends within this line"))
    };
    if let Some((line, reason)) = problem {
        facts.damage.push(Damage::new(file, line.number, &line.text, reason));
        facts.host.kernel_arguments.merge_shown(Fact::unknown(format!("{file}: {reason}")), |all| all.join(" "));
        return;
    }
    let arguments: Vec<String> = split(&line.text);
    let iommu = match iommu(&arguments, facts.host.cpu_model.value().map(String::as_str)) {
        Ok(mode) => Fact::known(mode, file),
        Err(reason) => Fact::unknown(format!("{file}: {reason}")),
    };
    facts.host.iommu.merge(iommu);
    facts.host.kernel_arguments.merge_shown(Fact::known(arguments, file), |all| all.join(" "));
}

/// A prompt with the command that shows the file.
fn is_command(line: &str) -> bool {
    line.contains("cat /proc/cmdline")
}

/// Arguments at blanks, but not at blanks within double quotes.
fn split(line: &str) -> Vec<String> {
    let mut quoted = false;
    let words = line.split(|c: char| {
        quoted ^= c == '"';
        c.is_whitespace() && !quoted
    });
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// What the arguments prove. Without them a kernel does what it was built and its firmware is set to do.
/// `intel_iommu` means nothing to an AMD CPU and `amd_iommu` nothing to an Intel CPU, where the model is known.
fn iommu(arguments: &[String], cpu_model: Option<&str>) -> Result<IommuMode, &'static str> {
    let values = |key: &str| {
        let given = arguments.iter().filter_map(|argument| argument.strip_prefix(key)?.strip_prefix('='));
        given.flat_map(|value| value.split(',')).collect::<Vec<&str>>()
    };
    let applies = |other: &str| !cpu_model.is_some_and(|model| model.contains(other));
    let intel = if applies("AMD") { values("intel_iommu") } else { Vec::new() };
    let amd = if applies("Intel") { values("amd_iommu") } else { Vec::new() };
    let (common, through) = (values("iommu"), values("iommu.passthrough"));
    let off = common.contains(&"off") || intel.contains(&"off") || amd.contains(&"off");
    let on = intel.contains(&"on") || amd.contains(&"force_enable");
    let passthrough = common.contains(&"pt") || through.contains(&"1");
    let strict = common.contains(&"nopt") || through.contains(&"0");
    match (off, on, passthrough, strict) {
        (true, true, ..) => Err("arguments that turn the IOMMU on and off"),
        (_, _, true, true) => Err("arguments for and against passthrough"),
        (true, ..) => Ok(IommuMode::Off),
        (_, true, true, _) => Ok(IommuMode::Passthrough),
        (_, true, _, true) => Ok(IommuMode::Translating),
        (_, true, ..) => Err("the IOMMU is on, passthrough or not is the kernel's own choice"),
        (_, _, true, _) => Err("passthrough if the IOMMU is on, which no argument says"),
        _ => Err("no argument says what the IOMMU does"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::mutation::{assert_only_less, damaged, facts};
    use super::*;

    const LINE: &str = "BOOT_IMAGE=/vmlinuz-6.8.0 root=UUID=0a1b ro console=tty0 intel_iommu=on iommu=pt\n";

    fn of(arguments: &str) -> Fact<IommuMode> {
        facts(read, &format!("root=/dev/sda1 {arguments}\n")).host.iommu
    }

    #[test]
    fn arguments_in_their_order() {
        let read = facts(read, &format!("$ cat /proc/cmdline\n{LINE}"));
        let arguments = read.host.kernel_arguments.value().unwrap();
        assert_eq!((arguments.len(), arguments[4].as_str()), (6, "intel_iommu=on"));
        assert_eq!(read.host.iommu.value(), Some(&IommuMode::Passthrough));
    }

    #[test]
    fn what_the_arguments_prove() {
        for text in ["iommu=off", "amd_iommu=off", "intel_iommu=off iommu=pt"] {
            assert_eq!(of(text).value(), Some(&IommuMode::Off), "{text}");
        }
        for text in ["amd_iommu=force_enable iommu=pt", "intel_iommu=on,sm_on iommu.passthrough=1"] {
            assert_eq!(of(text).value(), Some(&IommuMode::Passthrough), "{text}");
        }
        assert_eq!(of("intel_iommu=on iommu.passthrough=0").value(), Some(&IommuMode::Translating));
        for text in ["quiet", "iommu=pt", "intel_iommu=on", "intel_iommu=on iommu=off", "iommu.strict=1"] {
            assert_eq!(of(text).value(), None, "{text}");
        }
        assert_eq!(of("iommu=pt").reason(), Some("file: passthrough if the IOMMU is on, which no argument says"));
    }

    #[test]
    fn arguments_of_the_other_vendor() {
        let mut read = facts(read, "root=/dev/sda1 quiet\n");
        read.host.cpu_model = Fact::known("AMD EPYC 9554 64-Core Processor".to_owned(), "lscpu.txt");
        super::read("root=/dev/sda1 intel_iommu=off\n", "file", &mut read);
        assert_eq!(read.host.iommu.value(), None);
    }

    #[test]
    fn blanks_within_quotes() {
        let read = facts(read, "root=/dev/sda1 dyndbg=\"file a.c +p\" quiet\n");
        assert_eq!(read.host.kernel_arguments.value().unwrap()[1], "dyndbg=\"file a.c +p\"");
    }

    #[test]
    fn wrapped_cut_or_no_arguments() {
        for text in ["root=/dev/sda1 iom\nmu=off\n", "root=/dev/sda1 iommu=off", "cat: no such file\n", ""] {
            let read = facts(read, text);
            assert_eq!((read.host.kernel_arguments.value(), read.host.iommu.value()), (None, None), "{text}");
        }
    }

    proptest! {
        #[test]
        fn lines_that_are_missing_change_no_value(text in damaged(LINE)) {
            assert_only_less(&facts(read, LINE), &facts(read, &text));
        }

        #[test]
        fn no_text_panics(text in "(?s)(iommu=|pt|\"|,| |.){0,40}") {
            facts(read, &format!("{text}\n"));
        }
    }
}
