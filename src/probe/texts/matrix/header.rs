use crate::{facts::LinkClass, probe::texts::Line};

/// No known machine has as many GPUs or NICs; a longer header is not one, and pairs grow with its square.
const MOST_GPUS: usize = 64;
const MOST_NICS: usize = 512;

/// The header of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::probe::texts) struct Header {
    /// The line it stands on.
    pub line: Line,
    /// The indices of the GPU columns.
    pub gpus: Vec<u32>,
    /// The names of the NIC columns: `NIC0`, `mlx5_0`, `mlx5_bond_0`.
    pub nics: Vec<String>,
    /// The columns after the devices.
    pub titles: Vec<Title>,
}

/// A column after the devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::probe::texts) enum Title {
    /// `CPU Affinity`.
    Cpus,
    /// `NUMA Affinity`.
    NumaNodes,
    /// `GPU NUMA ID`.
    GpuNumaNode,
}

const TITLES: [(&[&str], Title); 3] = [
    (&["GPU", "NUMA", "ID"], Title::GpuNumaNode),
    (&["NUMA", "Affinity"], Title::NumaNodes),
    (&["CPU", "Affinity"], Title::Cpus),
];

impl Header {
    /// Reads a line as a header. It is read from its end, because a prompt may stand before it, even glued to it.
    pub fn read(line: &Line) -> Option<Self> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let mut rest = words.as_slice();
        let titles = take_titles(&mut rest);
        let mut nics = take_while(&mut rest, |word| is_nic_name(word).then(|| word.to_owned()));
        let mut gpus = take_while(&mut rest, gpu_index);
        if let Some(index) = rest.last().and_then(|word| glued_index(word, gpus.last().copied())) {
            gpus.push(index);
        }
        gpus.reverse();
        nics.reverse();
        let rising = gpus.windows(2).all(|pair| pair[0] < pair[1]);
        let possible = !gpus.is_empty() && rising && gpus.len() <= MOST_GPUS && nics.len() <= MOST_NICS;
        possible.then(|| Self { line: line.clone(), gpus, nics, titles })
    }

    /// The number of device columns.
    pub fn devices(&self) -> usize {
        self.gpus.len() + self.nics.len()
    }

    /// The name of a device column.
    pub fn device(&self, column: usize) -> String {
        match self.gpus.get(column) {
            Some(gpu) => format!("GPU{gpu}"),
            None => self.nics.get(column - self.gpus.len()).cloned().unwrap_or_default(),
        }
    }

    /// The column of a device.
    pub fn column(&self, device: &str) -> Option<usize> {
        if let Some(gpu) = gpu_index(device) {
            return self.gpus.iter().position(|index| *index == gpu);
        }
        self.nics.iter().position(|nic| nic == device).map(|at| at + self.gpus.len())
    }

    /// Whether it has nothing but one GPU, as a row that was cut after its name has.
    pub fn is_one_word(&self) -> bool {
        self.gpus.len() == 1 && self.nics.is_empty() && self.titles.is_empty()
    }
}

/// The index in `GPU7`.
pub(super) fn gpu_index(word: &str) -> Option<u32> {
    let digits = word.strip_prefix("GPU")?;
    let plain = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// Whether a word can be the name of a NIC: `NIC0`, `mlx5_0`, `rocep1s0f0`, `mlx5_bond_0`.
pub(super) fn is_nic_name(word: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(letters)
        && word.contains(|c: char| c.is_ascii_digit())
        && gpu_index(word).is_none()
        && word.parse::<LinkClass>().is_err()
}

/// The first GPU column where a prompt is glued to it (`topo -mGPU0`); `next` is the column after it.
fn glued_index(word: &str, next: Option<u32>) -> Option<u32> {
    let index = gpu_index(word.get(word.rfind("GPU")?..)?)?;
    next.is_none_or(|next| index + 1 == next).then_some(index)
}

fn take_titles(rest: &mut &[&str]) -> Vec<Title> {
    let mut titles = Vec::new();
    while let Some((words, title)) = TITLES.iter().find(|(words, _)| rest.ends_with(words)) {
        if titles.contains(title) {
            break;
        }
        titles.push(*title);
        *rest = &rest[..rest.len() - words.len()];
    }
    titles.reverse();
    titles
}

fn take_while<T>(rest: &mut &[&str], read: impl Fn(&str) -> Option<T>) -> Vec<T> {
    let mut taken = Vec::new();
    while let Some((last, before)) = rest.split_last() {
        let Some(value) = read(last) else { break };
        taken.push(value);
        *rest = before;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Header> {
        Header::read(&Line { number: 1, text: text.into() })
    }

    #[test]
    fn a_prompt_may_stand_before_or_be_glued_to_it() {
        for text in ["GPU0 GPU1", "root@host:~# nvidia-smi topo -m GPU0\tGPU1", "$ nvidia-smi topo -mGPU0 GPU1"] {
            assert_eq!(read(text).unwrap().gpus, [0, 1], "{text}");
        }
    }

    #[test]
    fn nics_and_titles_are_columns_too() {
        let header = read("\tGPU0\tGPU1\tNIC0\tmlx5_bond_0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID").unwrap();
        assert_eq!(header.nics, ["NIC0", "mlx5_bond_0"]);
        assert_eq!(header.titles, [Title::Cpus, Title::NumaNodes, Title::GpuNumaNode]);
        assert_eq!((header.column("GPU1"), header.column("NIC0"), header.column("NIC1")), (Some(1), Some(2), None));
    }

    #[test]
    fn rows_and_prose_are_no_headers() {
        for text in
            ["GPU0\t X \tNV18\t0-31\t0\t\tN/A", "GPU1 PIX X", "NIC0: mlx5_0", "GPU 0: NVIDIA A100", "GPU1 GPU0", ""]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
