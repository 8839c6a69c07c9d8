//! Where the kernel runs a thread and takes its memory from. Both are a thread's own and are inherited by the threads
//! that it starts: a process is placed before it starts any.

use std::{
    fs::File,
    io::{BufRead, BufReader},
};

use libc::{c_int, c_long, c_ulong};
use nix::{
    errno::Errno,
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};

use crate::units::IndexList;

/// No kernel knows more NUMA nodes (`CONFIG_NODES_SHIFT` is at most 10).
const MOST_NODES: u32 = 1024;
const WORD_BITS: u32 = c_ulong::BITS;

/// A set of NUMA nodes as the kernel takes it.
type NodeMask = [c_ulong; (MOST_NODES / WORD_BITS) as usize];

/// Moves this thread to CPUs, and binds its memory to NUMA nodes; `None` leaves either as it is.
pub(crate) fn place(cpus: Option<&IndexList>, nodes: Option<&IndexList>) -> Result<(), String> {
    if let Some(cpus) = cpus {
        let mut set = CpuSet::new();
        let made = cpus.0.iter().try_for_each(|cpu| set.set(usize::try_from(*cpu).map_err(|_| Errno::EINVAL)?));
        made.and_then(|()| sched_setaffinity(CALLER, &set))
            .map_err(|error| format!("sched_setaffinity to CPUs {cpus}: {}", error.desc()))?;
    }
    nodes.map_or(Ok(()), bind)
}

/// The CPUs that this thread may run on, and the NUMA nodes that its memory is bound to; `None` where it is bound to
/// none.
pub(crate) fn placed() -> Result<(IndexList, Option<IndexList>), String> {
    let set = sched_getaffinity(CALLER).map_err(|error| format!("sched_getaffinity: {}", error.desc()))?;
    let cpus = (0..CpuSet::count()).filter(|cpu| set.is_set(*cpu).unwrap_or_default());
    Ok((cpus.filter_map(|cpu| u32::try_from(cpu).ok()).collect(), bound()?))
}

/// The calling thread, to the scheduler.
const CALLER: Pid = Pid::from_raw(0);

fn bind(nodes: &IndexList) -> Result<(), String> {
    set_mempolicy(nodes).map_err(|error| {
        let cure = match error {
            Errno::EPERM => ": a container needs `--cap-add SYS_NICE` for it; `pin: none` binds no memory",
            Errno::ENOSYS => ": this kernel has no NUMA; `pin: none` binds no memory",
            Errno::EINVAL => ": the nodes have no memory, or the cgroup (cpuset.mems) allows none of it",
            _ => "",
        };
        format!("set_mempolicy(MPOL_BIND) to NUMA nodes {nodes}: {}{cure}", error.desc())
    })
}

fn bound() -> Result<Option<IndexList>, String> {
    match get_mempolicy() {
        Ok((mode, nodes)) => Ok((mode == libc::MPOL_BIND).then_some(nodes)),
        // All memory is one node.
        Err(Errno::ENOSYS) => Ok(None),
        // Containers forbid the question too, but not the file.
        Err(Errno::EPERM) => {
            bound_by_maps().map_err(|why| format!("get_mempolicy: {}; {MAPS}: {why}", Errno::EPERM.desc()))
        }
        Err(error) => Err(format!("get_mempolicy: {}", error.desc())),
    }
}

const MAPS: &str = "/proc/thread-self/numa_maps";

/// The policy of the first mapping, the program's own: it has the thread's, as no library sets another for it.
fn bound_by_maps() -> Result<Option<IndexList>, String> {
    let file = File::open(MAPS).map_err(|error| error.to_string())?;
    let mut line = String::new();
    BufReader::new(file).read_line(&mut line).map_err(|error| error.to_string())?;
    let policy = line.split_ascii_whitespace().nth(1).ok_or("it is empty")?;
    // `bind=static:0`: flags stand behind the mode.
    let Some(bind) = policy.strip_prefix("bind") else { return Ok(None) };
    let nodes = bind.split_once(':').map(|(_, nodes)| nodes.parse()).ok_or("it names no nodes")?;
    nodes.map(Some).map_err(|_| format!("{policy} is not understood"))
}

fn set_mempolicy(nodes: &IndexList) -> Result<(), Errno> {
    let mut mask: NodeMask = [0; _];
    for node in &nodes.0 {
        let word = usize::try_from(node / WORD_BITS).ok().and_then(|word| mask.get_mut(word)).ok_or(Errno::EINVAL)?;
        *word |= 1 << (node % WORD_BITS);
    }
    // SAFETY: the kernel reads the mask only, of as many bits as it is told: it counts one less than its last argument.
    let result = unsafe {
        libc::syscall(
            libc::SYS_set_mempolicy,
            c_long::from(libc::MPOL_BIND),
            mask.as_ptr(),
            c_ulong::from(MOST_NODES + 1),
        )
    };
    Errno::result(result).map(drop)
}

/// The mode without its flags, and the nodes.
fn get_mempolicy() -> Result<(c_int, IndexList), Errno> {
    let mut mask: NodeMask = [0; _];
    let mut mode: c_int = 0;
    // SAFETY: the kernel writes one integer, and as many bits of the mask as it is told: it counts one less. Both live
    // through the call. Without flags it takes no address.
    let result = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut mode,
            mask.as_mut_ptr(),
            c_ulong::from(MOST_NODES + 1),
            std::ptr::null::<()>(),
            c_ulong::MIN,
        )
    };
    Errno::result(result)?;
    let bits = mask.iter().zip(0..).flat_map(|(word, at)| {
        (0..WORD_BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * WORD_BITS + bit)
    });
    Ok((mode & MODE, bits.collect()))
}

/// Modes are small numbers, their flags the highest bits of a short integer (`MPOL_MODE_FLAGS`).
const MODE: c_int = 0xff;

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// In a thread of its own: what is set there, no other test sees.
    fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| scope.spawn(work).join().unwrap())
    }

    #[test]
    fn a_thread_on_one_cpu_says_so() {
        let (before, nodes) = placed().unwrap();
        // The default policy names no nodes, and binds to none.
        assert!(nodes.as_ref().is_none_or(|nodes| !nodes.0.is_empty()));
        let one: IndexList = before.0.iter().copied().take(1).collect();
        apart(|| {
            place(Some(&one), None).unwrap();
            assert_eq!(placed().unwrap(), (one.clone(), nodes.clone()));
        });
        assert_eq!(placed().unwrap().0, before);
    }

    #[test]
    fn memory_that_is_bound_says_so_both_ways() {
        let node: IndexList = "0".parse().unwrap();
        apart(|| match place(None, Some(&node)) {
            Ok(()) => {
                assert_eq!(placed().unwrap().1, Some(node.clone()));
                if std::path::Path::new(MAPS).exists() {
                    assert_eq!(bound_by_maps().unwrap(), Some(node.clone()));
                }
            }
            // Where this is tested in a container that forbids it.
            Err(refused) => assert!(refused.starts_with("set_mempolicy(MPOL_BIND) to NUMA nodes 0: "), "{refused}"),
        });
    }

    #[test]
    fn what_is_not_there_is_refused() {
        apart(|| {
            let error = place(Some(&"1023".parse().unwrap()), None).unwrap_err();
            assert!(error.starts_with("sched_setaffinity to CPUs 1023: "), "{error}");
            assert!(place(Some(&"5000".parse().unwrap()), None).is_err());
            assert!(place(None, Some(&"900".parse().unwrap())).is_err());
            assert!(place(None, Some(&"5000".parse().unwrap())).is_err());
        });
    }
}
