use std::path::Path;

use nvml_wrapper::{Device, Nvml, error::NvmlError};

use super::{
    MOST_GPUS,
    answer::{Answer, Driver, Library, Part, Told},
    lane, read_gpu, read_links, read_pair,
    reason::reason,
};
use crate::{
    probe::{
        child::{Lane, Lanes},
        live::Site,
        tree::Tree,
    },
    sys,
};

/// The library as the loader knows it.
const LIBRARY: &str = "libnvidia-ml.so.1";

/// Reads every GPU in a lane of its own, in the child.
pub(in crate::probe) fn read(site: &Site, lanes: &Lanes<Answer>) {
    let lane = lanes.open("NVML");
    let nvml = match open(site, |what| lane.begin(what), || lane.tell(Answer::Fake)) {
        Ok(nvml) => nvml,
        Err(why) => return lane.tell(Answer::NoNvml(why)),
    };
    read_machine(&nvml, &site.tree(), lanes, &lane);
    // NVML is not shut down, which may hang where a GPU does: the process ends with this anyway.
    std::mem::forget(nvml);
}

/// Loads the library and begins to use it; else says in one line why not. `begin` hears what is done next, `fake` that
/// the library is a stand-in.
pub(super) fn open(site: &Site, begin: impl Fn(&str), fake: impl FnOnce()) -> Result<Nvml, String> {
    begin(LIBRARY);
    let tree = site.tree();
    let path = site.library(site.libraries.nvml.as_ref(), LIBRARY).map_err(|why| missing(&tree, &why))?;
    if sys::nvml::is_fake(path).map_err(|error| missing(&tree, &not_loaded(path, &error)))? {
        fake();
    }
    begin("nvmlInit_v2");
    Nvml::builder().lib_path(path.as_os_str()).init().map_err(|error| match error {
        NvmlError::LibRmVersionMismatch => {
            let kernel = kernel_version(&tree).map_or_else(String::new, |version| format!(" (that is {version})"));
            format!("{LIBRARY} is of another version than the loaded driver{kernel}: reload the driver or reboot")
        }
        NvmlError::DriverNotLoaded => "no NVIDIA driver: the kernel module is not loaded".to_owned(),
        error => format!("NVML does not start: {}", reason("nvmlInit_v2", &error)),
    })
}

/// Why there is no library, where the kernel's driver is there as well as where it is not.
fn missing(tree: &Tree, why: &str) -> String {
    match kernel_version(tree) {
        Some(version) => format!("the NVIDIA driver {version} is loaded, but {why}"),
        None => format!("no NVIDIA driver: {why}"),
    }
}

/// The loader's reason, without the path and without what goes without saying.
fn not_loaded(path: &Path, error: &str) -> String {
    let name = path.file_name().map_or(path.as_os_str(), |name| name).to_string_lossy();
    let cause = error.rsplit(": ").next().unwrap_or(error).trim();
    if cause == "No such file or directory" || cause.is_empty() {
        format!("{name} cannot be loaded")
    } else {
        format!("{name} cannot be loaded ({cause})")
    }
}

/// The version of the driver that the kernel has loaded.
fn kernel_version(tree: &Tree) -> Option<String> {
    let text = tree.read("proc/driver/nvidia/version").ok()?;
    let is_version = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    text.lines().next()?.split_whitespace().find(is_version).map(str::to_owned)
}

fn read_machine(nvml: &Nvml, tree: &Tree, lanes: &Lanes<Answer>, lane: &Lane<'_, Answer>) {
    lane.begin("the version of NVML");
    let version = nvml.sys_nvml_version().map_err(|error| reason("nvmlSystemGetNVMLVersion", &error));
    let path = sys::nvml::real_path(nvml).map(|path| path.display().to_string());
    lane.tell(Answer::Library(Library { version, path }));
    lane.begin("the driver's version");
    let version = nvml.sys_driver_version().map_err(|error| reason("nvmlSystemGetDriverVersion", &error));
    let cuda = nvml.sys_cuda_driver_version().map_err(|error| reason("nvmlSystemGetCudaDriverVersion_v2", &error));
    lane.tell(Answer::Driver(Driver { version, cuda }));
    if let Ok(addresses) = tree.names("proc/driver/nvidia/gpus") {
        lane.tell(Answer::Listed(addresses));
    }
    lane.begin("the number of GPUs");
    let count = count(nvml);
    lane.tell(Answer::Count(count.clone()));
    let count = count.unwrap_or_default();
    lane.begin("the GPUs");
    let gpus = (0..count).map(Item::Gpu).chain((0..count).map(Item::LinkErrors));
    lanes.each(gpus, Item::lane, |lane, item| match item {
        Item::Gpu(index) => read_gpu(nvml, index, count, lane),
        Item::LinkErrors(index) => read_link_errors(nvml, index, lane),
    });
    lane.begin("the number of GPUs at the end");
    lane.tell(Answer::CountAgain(self::count(nvml)));
}

pub(super) fn count(nvml: &Nvml) -> Result<u32, String> {
    match nvml.device_count() {
        Ok(count) if count <= MOST_GPUS => Ok(count),
        Ok(count) => Err(format!("nvmlDeviceGetCount_v2: answered {count}, which no machine has")),
        Err(error) => Err(reason("nvmlDeviceGetCount_v2", &error)),
    }
}

/// What is read in a lane of its own. Where they are read one after another, what takes the driver longest, and serves
/// verdicts least, comes last.
enum Item {
    Gpu(u32),
    LinkErrors(u32),
}

impl Item {
    fn lane(&self) -> String {
        match self {
            Self::Gpu(index) => lane::gpu(*index),
            Self::LinkErrors(index) => lane::link_errors(*index),
        }
    }
}

/// Reads a GPU step by step.
fn read_gpu(nvml: &Nvml, index: u32, count: u32, lane: &Lane<'_, Answer>) {
    let begin = |what: &str| lane.begin(format!("{what} of GPU{index}"));
    let tell = |part: Part| lane.tell(Answer::Gpu { index, part: Box::new(part) });
    begin("the handle");
    let device = match nvml.device_by_index(index) {
        Ok(device) => device,
        Err(error) => {
            let reason = reason("nvmlDeviceGetHandleByIndex_v2", &error);
            return lane.tell(Answer::NoGpu { index, reason, lost: matches!(error, NvmlError::GpuLost) });
        }
    };
    begin("the identity");
    tell(Part::Identity(read_gpu::identity(nvml, &device)));
    // NVML works this out on the CPU, for 20 ms: meanwhile the driver counts the NVLink errors.
    begin("the affinity");
    tell(Part::Affinity(read_gpu::affinity(&device)));
    begin("the PCIe link");
    tell(Part::Pcie(read_gpu::pcie(&device)));
    begin("the memory's health");
    tell(Part::Memory(read_gpu::memory(nvml, &device)));
    begin("the state");
    tell(Part::State(read_gpu::state(&device)));
    begin("the fabric");
    tell(Part::Fabric(read_gpu::fabric(nvml, &device)));
    begin("the NVLinks");
    tell(Part::Links(read_links::links(nvml, &device)));
    read_pairs(nvml, index, &device, count, lane);
    begin("the handle at the end");
    if let Err(error @ NvmlError::GpuLost) = nvml.device_by_index(index) {
        lane.tell(Answer::NoGpu { index, reason: reason("nvmlDeviceGetHandleByIndex_v2", &error), lost: true });
    }
}

/// Reads the error counters of a GPU's NVLinks.
fn read_link_errors(nvml: &Nvml, index: u32, lane: &Lane<'_, Answer>) {
    let tell = |errors: Told<_>| lane.tell(Answer::Gpu { index, part: Box::new(Part::LinkErrors(errors)) });
    lane.begin(format!("the handle of GPU{index}"));
    let device = match nvml.device_by_index(index) {
        Ok(device) => device,
        Err(error) => return tell(Err(reason("nvmlDeviceGetHandleByIndex_v2", &error))),
    };
    lane.begin(format!("the NVLinks of GPU{index}"));
    let slots = match read_links::slots(nvml, &device) {
        Ok(slots) => slots,
        Err(why) => return tell(Err(why)),
    };
    lane.begin(format!("the NVLink errors of GPU{index}"));
    tell(read_links::errors(nvml, &device, &slots));
}

/// Reads each pair of a GPU with one of a higher index.
fn read_pairs(nvml: &Nvml, a: u32, device: &Device<'_>, count: u32, lane: &Lane<'_, Answer>) {
    for b in a + 1..count {
        lane.begin(format!("GPU{a} with GPU{b}"));
        let pair = Box::new(read_pair::pair(nvml, device, b));
        lane.tell(Answer::Pair { a, b, pair });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_named_without_noise() {
        let error = "libnvidia-ml.so.1: cannot open shared object file: No such file or directory";
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::new(folder.path());
        let why = not_loaded(Path::new("libnvidia-ml.so.1"), error);
        assert_eq!(missing(&tree, &why), "no NVIDIA driver: libnvidia-ml.so.1 cannot be loaded");
        let error = "/opt/x/libnvidia-ml.so.1: invalid ELF header";
        let why = not_loaded(Path::new("/opt/x/libnvidia-ml.so.1"), error);
        assert_eq!(why, "libnvidia-ml.so.1 cannot be loaded (invalid ELF header)");
    }

    #[test]
    fn a_driver_without_its_library_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("proc/driver/nvidia")).unwrap();
        let text =
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.10.02  Release Build\nGCC version: 13.2\n";
        std::fs::write(folder.path().join("proc/driver/nvidia/version"), text).unwrap();
        let tree = Tree::new(folder.path());
        let line = missing(&tree, "libnvidia-ml.so.1 cannot be loaded");
        assert_eq!(line, "the NVIDIA driver 570.10.02 is loaded, but libnvidia-ml.so.1 cannot be loaded");
    }
}
