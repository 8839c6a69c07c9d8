//! Whether GPUs are free: of other processes before a measurement, of our own after it.

use crate::probe::{GpuProcess, GpuUse};

const MIB: u64 = 1 << 20;
/// Memory that may be in use without a process that can be seen: what the driver keeps for itself, for persistence, error
/// correction and retired pages, which older drivers' calls count as used (615 MiB on an idle H200). More is a process
/// that a container hides, or one that died and left its memory.
const UNSEEN: u64 = 2048 * MIB;
/// Memory of a process that does not compute: a screen's frame buffers, or what a process takes on GPUs that it is only
/// attached to. More is an application.
const SMALL: u64 = 1024 * MIB;
/// How much more memory may be in use after a measurement than before it: the driver keeps some of what it made for the
/// first context.
const LEFT: u64 = 64 * MIB;

/// What stands against a measurement, and what is only worth a word. Each is a line that names the GPU and a cure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// A GPU is not free: the case cannot be measured, or its figures are not to be trusted.
    pub problems: Vec<String>,
    /// It may not be free, or what is on it matters little: the case goes on with a warning.
    pub warnings: Vec<String>,
}

/// Judges GPUs (index and PCI address) before a measurement. `own` are the PIDs of linkspec's own processes.
///
/// Processes that cannot be seen are a warning and not a problem, as containers hide them; memory without a process
/// shows most of what they hide.
pub fn busy(uses: &[GpuUse], gpus: &[(u32, String)], own: &[u32]) -> Remarks {
    let mut remarks = Remarks::default();
    for (index, pci) in gpus {
        let Some(gpu) = find(uses, pci) else {
            remarks.warnings.push(format!("whether GPU{index} is free is not known: the driver says nothing of {pci}"));
            continue;
        };
        match &gpu.processes {
            Ok(processes) => {
                let others = processes.iter().filter(|process| !own.contains(&process.pid));
                others.for_each(|process| remarks.other(*index, process, gpu));
            }
            Err(why) => remarks.unseen(*index, why),
        }
        match &gpu.used {
            Ok(used) => {
                let seen: u64 = gpu.processes.iter().flatten().filter_map(|process| process.memory).sum();
                let unseen = used.saturating_sub(seen);
                if unseen > UNSEEN {
                    remarks.problems.push(format!(
                        "{} of the memory of GPU{index} are in use by no process that can be seen here: look for one \
                         outside of this container, or {LEAVE}",
                        bytes(unseen)
                    ));
                }
            }
            Err(why) => remarks.memory_unknown(*index, why),
        }
    }
    remarks
}

/// Judges them after a measurement, against what was on them before it. What was told before and is not told any more is a
/// problem: a GPU may have been lost meanwhile.
pub fn not_free(before: &[GpuUse], after: &[GpuUse], gpus: &[(u32, String)], own: &[u32]) -> Remarks {
    let mut remarks = Remarks::default();
    for (index, pci) in gpus {
        // Of what was not told before, that was said then.
        let Some(before) = find(before, pci) else { continue };
        let Some(after) = find(after, pci) else {
            remarks.left_unknown(*index, &format!("the driver says nothing of {pci} any more"));
            continue;
        };
        let mut newcomers = 0;
        match (&before.processes, &after.processes) {
            (Ok(there), Ok(now)) => {
                for process in now.iter().filter(|process| there.iter().all(|known| known.pid != process.pid)) {
                    let is_own = own.contains(&process.pid);
                    remarks.newcomer(*index, process, is_own, after);
                    newcomers += process.memory.filter(|_| !is_own).unwrap_or_default();
                }
            }
            (Ok(_), Err(why)) => remarks.left_unknown(*index, why),
            (Err(_), _) => {}
        }
        match (&before.used, &after.used) {
            (Ok(then), Ok(now)) => {
                let more = now.saturating_sub(*then).saturating_sub(newcomers);
                if more > LEFT {
                    remarks.problems.push(format!(
                        "{} more of the memory of GPU{index} are in use than before the measurement: a process of it \
                         may be left, or the driver may not have freed its memory",
                        bytes(more)
                    ));
                }
            }
            (Ok(_), Err(why)) => remarks.left_unknown(*index, why),
            (Err(_), _) => {}
        }
    }
    remarks
}

/// The cure that is always there.
const LEAVE: &str = "leave the GPU out with `gpus`";

impl Remarks {
    /// A process that is not linkspec's.
    fn other(&mut self, gpu: u32, process: &GpuProcess, on: &GpuUse) {
        let who = who(process);
        if is_small(process, on) {
            self.warnings.push(format!("GPU{gpu} also serves {who}, which does not compute"));
        } else if process.name.as_deref().is_some_and(|name| name.starts_with("nvidia-cuda-mps")) {
            // Under MPS contexts are shared, and kernels of other clients run beside a measurement.
            self.problems.push(format!(
                "GPU{gpu} is in use by {who}, the Multi-Process Service: end it (`echo quit | nvidia-cuda-mps-control`), \
                 or {LEAVE}"
            ));
        } else {
            self.problems.push(format!("GPU{gpu} is in use by {who}: end it, or {LEAVE}"));
        }
    }

    /// A process that was not there before the measurement.
    fn newcomer(&mut self, gpu: u32, process: &GpuProcess, is_own: bool, on: &GpuUse) {
        let who = who(process);
        if is_own {
            self.problems.push(format!("{who} of this measurement is still on GPU{gpu}"));
        } else if is_small(process, on) {
            self.warnings.push(format!("{who}, which does not compute, came to GPU{gpu} while it was measured"));
        } else {
            self.problems.push(format!("{who} came to GPU{gpu} while it was measured: measure again without it"));
        }
    }

    fn unseen(&mut self, gpu: u32, why: &str) {
        self.warnings.push(format!("whether other processes use GPU{gpu} is not known: {why}"));
    }

    fn left_unknown(&mut self, gpu: u32, why: &str) {
        self.problems.push(format!("whether GPU{gpu} was left free is not known: {why}"));
    }

    fn memory_unknown(&mut self, gpu: u32, why: &str) {
        self.warnings.push(format!("how much of the memory of GPU{gpu} is in use is not known: {why}"));
    }
}

fn find<'a>(uses: &'a [GpuUse], pci: &str) -> Option<&'a GpuUse> {
    uses.iter().find(|gpu| gpu.pci.eq_ignore_ascii_case(pci))
}

/// Whether it takes nothing from a measurement. It has no more than all that is in use, where its own part is not told.
fn is_small(process: &GpuProcess, on: &GpuUse) -> bool {
    let most = process.memory.or_else(|| on.used.as_ref().ok().copied());
    !process.computes && most.is_some_and(|memory| memory < SMALL)
}

/// `PID 4711 (python3, 12.3 GiB)`.
fn who(process: &GpuProcess) -> String {
    let told: Vec<String> = process.name.iter().cloned().chain(process.memory.map(bytes)).collect();
    match told.is_empty() {
        true => format!("PID {}", process.pid),
        false => format!("PID {} ({})", process.pid, told.join(", ")),
    }
}

/// `96 MiB` or `12.3 GiB`, rounded down.
fn bytes(bytes: u64) -> String {
    let tenths = bytes / (102 * MIB + MIB * 2 / 5);
    if bytes < 1024 * MIB { format!("{} MiB", bytes / MIB) } else { format!("{}.{} GiB", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1024 * MIB;

    fn gpus() -> Vec<(u32, String)> {
        vec![(0, "0000:1b:00.0".to_owned())]
    }

    fn on(used: u64, processes: &[GpuProcess]) -> Vec<GpuUse> {
        let (pci, processes) = ("0000:1b:00.0".to_owned(), Ok(processes.to_vec()));
        vec![GpuUse { pci, used: Ok(used), total: Ok(80 * GIB), reserved: Some(600 * MIB), processes }]
    }

    fn process(pid: u32, name: &str, memory: Option<u64>, computes: bool) -> GpuProcess {
        GpuProcess { pid, name: Some(name.to_owned()).filter(|name| !name.is_empty()), memory, computes }
    }

    fn problem(remarks: &Remarks) -> &str {
        assert_eq!((remarks.problems.len(), remarks.warnings.len()), (1, 0), "{remarks:?}");
        &remarks.problems[0]
    }

    fn warning(remarks: &Remarks) -> &str {
        assert_eq!((remarks.problems.len(), remarks.warnings.len()), (0, 1), "{remarks:?}");
        &remarks.warnings[0]
    }

    #[test]
    fn an_idle_gpu_is_free() {
        assert_eq!(busy(&on(500 * MIB, &[]), &gpus(), &[]), Remarks::default());
        assert_eq!(busy(&on(2 * GIB, &[]), &gpus(), &[]), Remarks::default());
    }

    #[test]
    fn another_process_is_named() {
        let uses = on(13 * GIB, &[process(4711, "python3", Some(12 * GIB + 400 * MIB), true)]);
        let wanted = "GPU0 is in use by PID 4711 (python3, 12.3 GiB): end it, or leave the GPU out with `gpus`";
        assert_eq!(problem(&busy(&uses, &gpus(), &[1])), wanted);
        assert_eq!(busy(&uses, &gpus(), &[4711]), Remarks::default());
        // However little memory it has, and whoever it is.
        let uses = on(0, &[process(9, "", None, true)]);
        assert!(problem(&busy(&uses, &gpus(), &[])).starts_with("GPU0 is in use by PID 9: end it"));
    }

    #[test]
    fn an_address_is_the_same_in_capitals() {
        let mut uses = on(0, &[]);
        uses[0].pci = "0000:1B:00.0".to_owned();
        assert_eq!(busy(&uses, &gpus(), &[]), Remarks::default());
    }

    #[test]
    fn memory_of_a_process_that_is_left_is_told_beside_it() {
        let left = on(2 * GIB, &[process(5, "linkspec", Some(GIB), true)]);
        let remarks = not_free(&on(0, &[]), &left, &gpus(), &[5]);
        // All of it is the measurement's, also what its process says that it has.
        assert_eq!(remarks.problems.len(), 2, "{remarks:?}");
        assert!(remarks.problems[1].starts_with("2.0 GiB more of the memory of GPU0"), "{remarks:?}");
    }

    #[test]
    fn a_server_of_mps_is_a_problem_with_its_own_cure() {
        let uses = on(30 * MIB, &[process(7, "nvidia-cuda-mps-server", Some(30 * MIB), true)]);
        assert!(problem(&busy(&uses, &gpus(), &[])).contains("nvidia-cuda-mps-control"));
    }

    #[test]
    fn a_small_process_that_does_not_compute_is_a_warning() {
        let xorg = |memory| process(812, "Xorg", memory, false);
        let wanted = "GPU0 also serves PID 812 (Xorg, 96 MiB), which does not compute";
        assert_eq!(warning(&busy(&on(GIB, &[xorg(Some(96 * MIB))]), &gpus(), &[])), wanted);
        problem(&busy(&on(2 * GIB, &[xorg(Some(GIB))]), &gpus(), &[]));
        // Where its own part is not told, it may be all that is in use.
        warning(&busy(&on(900 * MIB, &[xorg(None)]), &gpus(), &[]));
        problem(&busy(&on(1900 * MIB, &[xorg(None)]), &gpus(), &[]));
    }

    #[test]
    fn memory_without_a_process_is_a_problem() {
        let wanted = "3.0 GiB of the memory of GPU0 are in use by no process that can be seen here: ";
        assert!(problem(&busy(&on(3 * GIB, &[]), &gpus(), &[])).starts_with(wanted));
        // linkspec's own memory is accounted for, and no more than that.
        let own = [process(5, "linkspec", Some(20 * GIB), true)];
        assert_eq!(busy(&on(21 * GIB, &own), &gpus(), &[5]), Remarks::default());
        assert!(problem(&busy(&on(23 * GIB, &own), &gpus(), &[5])).starts_with(wanted));
    }

    #[test]
    fn what_cannot_be_read_is_a_warning_and_memory_still_counts() {
        let mut uses = on(GIB, &[]);
        uses[0].processes = Err("no permission".to_owned());
        assert_eq!(warning(&busy(&uses, &gpus(), &[])), "whether other processes use GPU0 is not known: no permission");
        uses[0].used = Ok(40 * GIB);
        assert_eq!(busy(&uses, &gpus(), &[]).problems.len(), 1);
        uses[0].used = Err("the GPU is lost".to_owned());
        assert_eq!(busy(&uses, &gpus(), &[]).warnings.len(), 2);
        assert!(warning(&busy(&[], &gpus(), &[])).ends_with("the driver says nothing of 0000:1b:00.0"));
    }

    #[test]
    fn what_a_measurement_leaves_is_a_problem() {
        let before = on(100 * MIB, &[]);
        let judge = |after: &[GpuUse]| not_free(&before, after, &gpus(), &[5]);
        assert_eq!(judge(&on(164 * MIB, &[])), Remarks::default());
        assert!(problem(&judge(&on(165 * MIB, &[]))).starts_with("65 MiB more of the memory of GPU0 "));
        let own = process(5, "linkspec", Some(MIB), true);
        let wanted = "PID 5 (linkspec, 1 MiB) of this measurement is still on GPU0";
        assert_eq!(problem(&judge(&on(101 * MIB, &[own]))), wanted);
    }

    #[test]
    fn a_gpu_that_says_less_after_a_measurement_than_before_is_a_problem() {
        let judge = |before: &[GpuUse], after: &[GpuUse]| not_free(before, after, &gpus(), &[5]);
        let known = on(100 * MIB, &[]);
        let wanted = "whether GPU0 was left free is not known: ";
        assert_eq!(problem(&judge(&known, &[])), format!("{wanted}the driver says nothing of 0000:1b:00.0 any more"));
        let mut silent = known.clone();
        silent[0].used = Err("the GPU is lost".to_owned());
        assert_eq!(problem(&judge(&known, &silent)), format!("{wanted}the GPU is lost"));
        // What was not told before either was a warning then.
        assert_eq!((judge(&silent, &silent), judge(&[], &known)), (Remarks::default(), Remarks::default()));
        silent[0].processes = Err("no permission".to_owned());
        assert_eq!(judge(&known, &silent).problems.len(), 2);
    }

    #[test]
    fn who_comes_while_it_is_measured_is_named_once() {
        let xorg = process(812, "Xorg", Some(50 * MIB), false);
        let before = on(100 * MIB, std::slice::from_ref(&xorg));
        let python = process(99, "python3", Some(8 * GIB), true);
        let after = on(100 * MIB + 8 * GIB, &[python, xorg]);
        let remarks = not_free(&before, &after, &gpus(), &[5]);
        assert!(problem(&remarks).starts_with("PID 99 (python3, 8.0 GiB) came to GPU0 while it was measured"));
    }
}
