use crate::{
    facts::{LogEvent, LogEventKind},
    probe::texts::pci_address::PciAddress,
};

/// The kernel's words in one line of a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    /// The line's number, from 1.
    pub number: usize,
    /// The whole line.
    pub line: &'a str,
    /// The line without what was written before the kernel's words.
    pub message: &'a str,
}

/// Xids that NVIDIA's catalogue assigns to NVLink: 74, and from Blackwell on 144 to 150.
const NVLINK_XIDS: [u32; 8] = [74, 144, 145, 146, 147, 148, 149, 150];

/// Every event of a log, in its order.
pub(super) fn events(entries: &[Entry<'_>]) -> Vec<LogEvent> {
    let mut found = Vec::new();
    let mut used_up_to = 0;
    for (at, entry) in entries.iter().enumerate() {
        if let Some((event, last)) = lost_at_boot(&entries[at..]) {
            found.push(event);
            used_up_to = last;
        } else {
            let told = |event: &LogEvent| {
                event.kind == LogEventKind::FallenOffBus && entry.number <= used_up_to && !entry.message.contains("Xid")
            };
            found.extend(of_line(entry).into_iter().filter(|event| !told(event)));
        }
    }
    found
}

fn of_line(entry: &Entry<'_>) -> Vec<LogEvent> {
    let message = entry.message;
    let address = || PciAddress::find(message).map(str::to_owned);
    let mut kinds = Vec::new();
    if let Some((device, code)) = report(message, "SXid (") {
        kinds.push((LogEventKind::Sxid, device, code));
    } else if let Some((device, code)) = report(message, "Xid (") {
        kinds.push((LogEventKind::Xid, device.clone(), code));
        if code.is_some_and(|code| NVLINK_XIDS.contains(&code)) {
            kinds.push((LogEventKind::NvlinkError, device, code));
        }
    } else if is_nvlink_error(message) {
        kinds.push((LogEventKind::NvlinkError, address(), None));
    }
    if message.contains("fallen off the bus") {
        let device = kinds.first().and_then(|(_, device, _)| device.clone()).or_else(address);
        kinds.push((LogEventKind::FallenOffBus, device, None));
    }
    if is_uncorrected(message) {
        kinds.push((LogEventKind::AerFatal, address(), None));
    }
    kinds.into_iter().map(|(kind, device, code)| event(entry, kind, device, code)).collect()
}

fn event(entry: &Entry<'_>, kind: LogEventKind, device: Option<String>, code: Option<u32>) -> LogEvent {
    let line = u32::try_from(entry.number).unwrap_or(u32::MAX);
    LogEvent { kind, code, device, line, quote: entry.line.trim().to_owned() }
}

/// The device and number of `Xid (PCI:0000:44:00): 79, ...`. The driver always writes a comma after the number: one
/// without it may be cut.
fn report(message: &str, word: &str) -> Option<(Option<String>, Option<u32>)> {
    let (_, rest) = message.split_once(word)?;
    let Some((device, rest)) = rest.split_once("):") else { return Some((None, None)) };
    let device = device.strip_prefix("PCI:").unwrap_or(device);
    // A partition of a GPU stands behind its address: `PCI:0000:44:00 GPU-I:05`.
    let device = device.split(' ').next().unwrap_or(device).to_owned();
    let code = rest.split_once(',').and_then(|(code, _)| code.trim().parse().ok());
    Some((Some(device), code))
}

/// An error of the NVLink code of the driver or of an NVSwitch, without a number.
fn is_nvlink_error(message: &str) -> bool {
    let driver = message.starts_with("NVRM:") || message.starts_with("nvidia");
    let lower = if driver { message.to_ascii_lowercase() } else { return false };
    lower.contains("nvlink") && ["error", "fail", "fatal"].iter().any(|word| lower.contains(word))
}

/// What AER or DPC reports of an error that the hardware did not correct. Where the firmware takes the errors first, AER
/// prints the severity of uncorrected ones and no other word for it; DPC names the message that made it cut the link.
///
/// Source: the Linux kernel's drivers/pci/pcie/aer.c and dpc.c.
fn is_uncorrected(message: &str) -> bool {
    let contained = message.contains("DPC:") && CONTAINED.iter().any(|reason| message.contains(reason));
    let reporter = message.contains("AER:") || message.contains("PCIe Bus Error:") || message.contains("DPC:");
    let told = message.to_ascii_lowercase().contains("uncorrect") || message.contains("aer_uncor_severity:");
    contained || (reporter && told)
}

/// Why DPC cut a link, beside an uncorrectable error of the port itself.
const CONTAINED: [&str; 3] = ["ERR_NONFATAL", "ERR_FATAL", "RP PIO error"];

/// How many lines after its first the driver's report at boot may reach, with lines of others between.
const LONGEST_REPORT: usize = 6;

/// The driver's report of a GPU that is off the bus already when it is loaded. It has no Xid and spans three lines:
/// "The NVIDIA GPU ADDRESS", "(PCI ID: ...) installed in this system has", "fallen off the bus and is not responding".
fn lost_at_boot(entries: &[Entry<'_>]) -> Option<(LogEvent, usize)> {
    let (first, rest) = entries.split_first()?;
    let (_, named) = first.message.strip_prefix("NVRM:")?.split_once("The NVIDIA GPU ")?;
    let device = PciAddress::find(named).map(str::to_owned);
    let mut words = first.message.to_owned();
    let mut last = first.number;
    for entry in rest.iter().take(LONGEST_REPORT) {
        if words.contains("fallen off the bus") || entry.message.contains("The NVIDIA GPU ") {
            break;
        }
        if let Some(more) = entry.message.strip_prefix("NVRM:").filter(|more| !more.contains("Xid")) {
            words.push(' ');
            words.push_str(more.trim());
            last = entry.number;
        }
    }
    let lost = words.contains("fallen off the bus");
    lost.then(|| {
        let whole = Entry { line: &words, ..*first };
        (event(&whole, LogEventKind::FallenOffBus, device, None), last)
    })
}
