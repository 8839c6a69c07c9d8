use crate::facts::IommuMode;

/// Who made the CPU, which decides whose IOMMU arguments the kernel heeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CpuVendor {
    /// Intel: `intel_iommu=`.
    Intel,
    /// AMD: `amd_iommu=`.
    Amd,
}

impl CpuVendor {
    /// The vendor in a model name as lscpu prints it.
    pub fn of_model(model: &str) -> Option<Self> {
        let has = |words: &[&str]| words.iter().any(|word| model.contains(word));
        match (has(&["Intel", "Xeon"]), has(&["AMD", "EPYC"])) {
            (true, false) => Some(Self::Intel),
            (false, true) => Some(Self::Amd),
            _ => None,
        }
    }
}

/// What the arguments ask of the IOMMU; the last word on each counts.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    off: bool,
    intel: Option<bool>,
    amd_off: bool,
    passthrough: Option<bool>,
}

/// What the arguments prove, or why they prove nothing. The kernel's defaults differ from build to build, so that an
/// argument that is not there proves nothing, nor does one that the other vendor's driver reads.
///
/// Source of the meanings: the Linux kernel's Documentation/admin-guide/kernel-parameters.txt.
pub(super) fn mode(arguments: &[String], vendor: Option<CpuVendor>) -> Result<IommuMode, &'static str> {
    let asked = Asked::read(arguments);
    let on = match vendor {
        Some(CpuVendor::Intel) => asked.intel == Some(true),
        Some(CpuVendor::Amd) => !asked.amd_off,
        // On Intel it is on by this argument; on AMD, which does not read it, by default.
        None => asked.intel == Some(true) && !asked.amd_off,
    };
    match (vendor, asked.passthrough) {
        _ if asked.off => Ok(IommuMode::Off),
        (Some(CpuVendor::Intel), _) if asked.intel == Some(false) => Ok(IommuMode::Off),
        (Some(CpuVendor::Amd), _) if asked.amd_off => Ok(IommuMode::Off),
        (None, _) if asked.intel == Some(false) && asked.amd_off => Ok(IommuMode::Off),
        (_, Some(true)) if on => Ok(IommuMode::Passthrough),
        (_, Some(false)) if on => Ok(IommuMode::Translating),
        (None, _) if asked.intel.is_some() || asked.amd_off => {
            Err("whether the kernel heeds intel_iommu or amd_iommu depends on the CPU, which is not known")
        }
        (_, Some(_)) => Err("no argument says that the IOMMU is on"),
        (_, None) => Err("the arguments leave it to the kernel's default"),
    }
}

impl Asked {
    fn read(arguments: &[String]) -> Self {
        let mut asked = Self::default();
        for (key, value) in arguments.iter().filter_map(|argument| argument.split_once('=')) {
            for word in value.split(',') {
                match (key, word) {
                    ("iommu", "off") => asked.off = true,
                    ("iommu", "force") => asked.off = false,
                    ("iommu", "pt") | ("iommu.passthrough", "1" | "y" | "Y") => asked.passthrough = Some(true),
                    ("iommu", "nopt") | ("iommu.passthrough", "0" | "n" | "N") => asked.passthrough = Some(false),
                    ("intel_iommu", "on") => asked.intel = Some(true),
                    ("intel_iommu", "off") => asked.intel = Some(false),
                    ("amd_iommu", "off") => asked.amd_off = true,
                    _ => {}
                }
            }
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode_of(line: &str, vendor: Option<CpuVendor>) -> Option<IommuMode> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        mode(&arguments, vendor).ok()
    }

    #[test]
    fn whose_argument_it_is_decides() {
        let (intel, amd) = (Some(CpuVendor::Intel), Some(CpuVendor::Amd));
        for (line, vendor, expected) in [
            ("iommu=off", None, Some(IommuMode::Off)),
            ("intel_iommu=off", intel, Some(IommuMode::Off)),
            ("intel_iommu=off", amd, None),
            ("intel_iommu=off", None, None),
            ("intel_iommu=off amd_iommu=off", None, Some(IommuMode::Off)),
            ("amd_iommu=off", amd, Some(IommuMode::Off)),
            ("amd_iommu=off iommu=pt", intel, None),
            ("intel_iommu=on iommu=pt", intel, Some(IommuMode::Passthrough)),
            ("intel_iommu=on iommu=pt", None, Some(IommuMode::Passthrough)),
            ("iommu=pt", amd, Some(IommuMode::Passthrough)),
            ("iommu=pt", intel, None),
            ("iommu=pt", None, None),
            ("intel_iommu=on,sm_on iommu.passthrough=0", intel, Some(IommuMode::Translating)),
            ("intel_iommu=on", intel, None),
            ("intel_iommu=off intel_iommu=on iommu=pt", intel, Some(IommuMode::Passthrough)),
            ("quiet", amd, None),
        ] {
            assert_eq!(mode_of(line, vendor), expected, "{line} {vendor:?}");
        }
    }

    #[test]
    fn vendor_by_model() {
        assert_eq!(CpuVendor::of_model("Intel(R) Xeon(R) Platinum 8480C"), Some(CpuVendor::Intel));
        assert_eq!(CpuVendor::of_model("AMD EPYC 9654 96-Core Processor"), Some(CpuVendor::Amd));
        assert_eq!(CpuVendor::of_model("Neoverse-V2"), None);
    }
}
