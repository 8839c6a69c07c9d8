//! The recorded hosts that are built in, for `linkspec demo` and `--host demo:NAME`.

/// A recorded host in this binary.
#[derive(Debug)]
pub(super) struct Recording {
    /// Its name after `demo:`.
    pub(super) name: &'static str,
    /// Its folder in the source.
    pub(super) folder: &'static str,
    /// Names within the folder and texts.
    files: &'static [(&'static str, &'static str)],
}

/// The files of a recording, without its README.
macro_rules! recording {
    ($name:literal, $folder:literal, [$($file:literal),* $(,)?]) => {
        Recording {
            name: $name,
            folder: $folder,
            files: &[$(($file, include_str!(concat!("../../", $folder, "/", $file)))),*],
        }
    };
}

/// A recording of an HGX H100: the files that each has, after those that it alone has.
macro_rules! hgx_h100 {
    ($name:literal, $folder:literal, [$($own:literal),*]) => {
        recording!(
            $name,
            $folder,
            [
                $($own,)*
                "dmesg.txt",
                "ibstat.txt",
                "ibv_devinfo.txt",
                "lscpu.txt",
                "lspci-vvv.txt",
                "nccl-tests/all-gather.txt",
                "nccl-tests/all-reduce.txt",
                "nccl-tests/reduce-scatter.txt",
                "numactl-H.txt",
                "nvidia-smi-nvlink-e.txt",
                "nvidia-smi-nvlink-s.txt",
                "nvidia-smi-q.xml",
                "nvidia-smi-topo-m.txt",
                "nvidia-smi-topo-p2p-a.txt",
                "nvidia-smi-topo-p2p-n.txt",
                "nvidia-smi-topo-p2p-r.txt",
                "nvidia-smi-topo-p2p-w.txt",
                "proc-cmdline.txt",
            ]
        )
    };
}

/// All of them.
pub(super) const RECORDINGS: &[Recording] = &[
    hgx_h100!("healthy", "recordings/hgx-h100-healthy", ["nccl-log/all-reduce.txt"]),
    hgx_h100!("faulty", "recordings/hgx-h100-faulty", []),
];

impl Recording {
    /// The recording of a name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        RECORDINGS.iter().find(|recording| recording.name == name)
    }

    /// The text of a file.
    pub(super) fn file(&self, name: &str) -> Option<&'static str> {
        self.files.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// The names of the files in a folder within the recording.
    pub(super) fn list(&self, within: &str) -> impl Iterator<Item = &'static str> {
        self.files.iter().filter_map(move |(name, _)| name.strip_prefix(within)?.strip_prefix('/'))
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    /// The files of a folder by their names within it; what is for people and for tests is no output.
    fn on_disk(folder: &Path, within: &str, files: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{within}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                on_disk(&path, &format!("{name}/"), files);
            } else if !["README.md", "expected"].contains(&name.as_str()) {
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }

    #[test]
    fn every_file_of_the_folders_is_built_in_as_it_is() {
        for recording in RECORDINGS {
            let mut files = Vec::new();
            on_disk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(recording.folder), "", &mut files);
            files.sort();
            let mut built_in: Vec<(String, String)> =
                recording.files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            built_in.sort();
            let names = |files: &[(String, String)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            assert_eq!(names(&built_in), names(&files), "{}", recording.name);
            assert!(built_in == files, "{}: a text differs", recording.name);
        }
    }

    #[test]
    fn recordings_are_found_by_name() {
        assert!(Recording::named("faulty").is_some());
        assert!(Recording::named("broken").is_none());
    }
}
