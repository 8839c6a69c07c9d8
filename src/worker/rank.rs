use std::{
    cell::RefCell,
    sync::{Arc, mpsc::Receiver},
    thread,
    time::Duration,
};

use super::{
    At, Board, Order, Phase, RankStart, Report, Stopped,
    check::{Stages, stages},
    link::{Out, first_order, orders},
    material::Materials,
    measure::Measuring,
    spent::Spent,
    trouble,
};
use crate::{
    child_process::{dies_with, take_standard_output},
    comm::{Communicator, Identity, JoinOptions, Library},
    device::Gpu,
    evidence::{Trouble, TroubleKind},
    sys::{leave, place, placed},
    units::IndexList,
};

/// How often a rank shows that its process runs.
const BEAT: Duration = Duration::from_millis(250);
/// How long a rank that is called off may take to leave a call and to abort its communicator.
const PATIENCE: Duration = Duration::from_secs(4);

/// The CPUs and the nodes that the kernel lets a rank use.
type Pinned = (IndexList, Option<IndexList>);

/// Why a rank ends before it was told to.
pub(super) enum Halt {
    /// It cannot go on.
    Trouble(Trouble),
    /// The session is called off.
    Stopped,
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<Stopped> for Halt {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// Runs a rank to its end, as the child of the process `parent`.
pub fn serve(parent: i32) {
    if !dies_with(parent) {
        return;
    }
    // What the libraries print goes where the errors go.
    let Ok(out) = take_standard_output(std::io::stderr()) else { return };
    let out = Arc::new(Out::new(out));
    match begin(&out) {
        Ok(()) => out.tell(&Report::Ended),
        Err(Halt::Trouble(trouble)) => out.tell(&Report::Trouble(trouble)),
        Err(Halt::Stopped) => {}
    }
    leave(0)
}

fn begin(out: &Arc<Out>) -> Result<(), Halt> {
    let internal = |message: String| trouble(TroubleKind::Internal, None, message);
    let (start, input) = first_order().map_err(internal)?;
    // Before any thread is started and before the first GPU call: both inherit it.
    place(start.cpus.as_ref(), start.nodes.as_ref())
        .map_err(|reason| start.trouble(At::default(), TroubleKind::Pin, &reason))?;
    let board = Board::inherited(start.board, start.ranks);
    let board = Arc::new(board.map_err(|error| internal(format!("the board cannot be opened: {error}")))?);
    show_life(Arc::clone(&board), start.rank);
    let watched = Arc::clone(&board);
    let orders = orders(input, move || {
        watched.stop();
        // The rank leaves a loop of its own at once. One that is inside a library's call cannot: its end is the end of
        // the process, without handlers, which could hang as well.
        thread::sleep(PATIENCE);
        let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
    })
    .map_err(|error| internal(format!("no thread could be started to hear orders: {error}")))?;
    let materials = RefCell::new(Materials::new(&start));
    Rank { start, board, out: Arc::clone(out), orders, materials, spent: Spent::new() }.live()
}

fn show_life(board: Arc<Board>, rank: u32) {
    let beat = move || {
        loop {
            board.beat(rank);
            thread::sleep(BEAT);
        }
    };
    // Without the thread the rank seems silent, and is judged by its deadlines all the same.
    let _ = thread::Builder::new().name("life".to_owned()).spawn(beat);
}

/// A rank that knows who it is.
pub(super) struct Rank {
    pub(super) start: Box<RankStart>,
    pub(super) board: Arc<Board>,
    pub(super) out: Arc<Out>,
    pub(super) orders: Receiver<Order>,
    pub(super) materials: RefCell<Materials>,
    spent: Spent,
}

impl Rank {
    fn live(self) -> Result<(), Halt> {
        let (gpu, library, pinned) = self.open()?;
        // While the others open theirs.
        let fail = |error: crate::device::DeviceError| self.device_trouble(&error);
        let (stream, mut stages) = (gpu.stream().map_err(fail)?, stages(&gpu).map_err(fail)?);
        let communicator = self.join(&gpu, &library)?;
        // The library moves the thread to its GPU's CPUs while it is inside, and back.
        self.is_still(&pinned)?;
        self.enter(Phase::Idle, 0);
        self.out.tell(&Report::Joined);
        let mut measuring = Measuring::new(&self, &gpu, &communicator, stream);
        let lived = self.obey(&mut measuring, &mut stages, &pinned);
        // The end of the process frees what the driver and the library hold. Freeing it one by one waits for the GPU, for
        // ever where it hangs, and takes as long as the measurement where it does not.
        std::mem::forget((measuring, stages));
        if let Err(Halt::Trouble(trouble)) = &lived {
            // Told before the abort, which may hang as well.
            self.out.tell(&Report::Trouble(trouble.clone()));
        }
        self.enter(Phase::End, 0);
        let ended = match lived {
            // Nobody is inside an operation, and nobody is left waiting. Destroying the communicator would take as long as
            // making it did.
            Ok(()) => {
                self.board.meet(true)?;
                std::mem::forget(communicator);
                Ok(())
            }
            Err(_) => {
                // Peers may wait for this rank inside their own communicators: aborting is all that is safe.
                let _ = communicator.abort();
                Err(Halt::Stopped)
            }
        };
        std::mem::forget((gpu, library));
        if ended.is_ok() {
            // Beside trouble it would pass for the library's last words.
            self.spent.tell(self.start.rank);
        }
        ended
    }

    /// Opens the GPU, and loads the collective library meanwhile.
    fn open(&self) -> Result<(Gpu, Library, Pinned), Halt> {
        self.enter(Phase::Context, 0);
        let RankStart { vendor, pci, libraries, .. } = &*self.start;
        let (gpu, library) = thread::scope(|scope| {
            let load = || Library::load(*vendor, libraries.collective.as_deref());
            let library = thread::Builder::new().spawn_scoped(scope, load);
            let gpu = Gpu::open(*vendor, libraries.driver.as_deref(), pci);
            let library = match library {
                Ok(library) => library.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => load(),
            };
            (gpu, library)
        });
        let gpu = gpu.map_err(|error| self.device_trouble(&error))?;
        let library = library.map_err(|error| self.library_trouble(&error))?;
        let pinned = self.placed()?;
        let (cpus, nodes) = pinned.clone();
        let libraries = vec![gpu.library().clone(), library.loaded().clone()];
        let (name, device) = (gpu.name().to_owned(), gpu.device());
        self.enter(Phase::Ready, 0);
        self.out.tell(&Report::Ready { libraries, name, device, cpus, nodes });
        if self.start.rank == 0 {
            let identity = library.identity().map_err(|error| self.library_trouble(&error))?;
            self.out.tell(&Report::Identity(identity.to_hex()));
        }
        Ok((gpu, library, pinned))
    }

    fn join(&self, gpu: &Gpu, library: &Library) -> Result<Communicator, Halt> {
        let Ok(Order::Join(identity)) = self.orders.recv() else { return Err(Halt::Stopped) };
        let identity = Identity::from_hex(&identity).map_err(|error| self.library_trouble(&error))?;
        self.enter(Phase::Init, 0);
        let RankStart { rank, ranks, blocking, centric_scheduling, .. } = *self.start;
        let options = JoinOptions { blocking, centric_scheduling };
        Communicator::join(library, gpu, &identity, ranks, rank, options)
            .map_err(|error| self.library_trouble(&error).into())
    }

    fn obey(&self, measuring: &mut Measuring<'_>, stages: &mut Stages, pinned: &Pinned) -> Result<(), Halt> {
        loop {
            match self.orders.recv() {
                Ok(Order::Measure(sweep)) => {
                    measuring.sweep(&sweep, stages)?;
                    // Connections are made when they are first used.
                    self.is_still(pinned)?;
                    self.enter(Phase::Idle, 0);
                    self.out.tell(&Report::Measured);
                }
                Ok(Order::End) => return Ok(()),
                // Its place in the protocol is inside a measurement.
                Ok(Order::Go) => {}
                Ok(Order::Start(_) | Order::Join(_) | Order::Abort) | Err(_) => return Err(Halt::Stopped),
            }
        }
    }

    pub(super) fn enter(&self, phase: Phase, size: u64) {
        self.spent.enter(phase);
        self.board.enter(self.start.rank, phase, size);
    }

    fn placed(&self) -> Result<Pinned, Halt> {
        placed().map_err(|reason| self.trouble(TroubleKind::Pin, &reason).into())
    }

    fn is_still(&self, pinned: &Pinned) -> Result<(), Halt> {
        if self.placed()? == *pinned {
            return Ok(());
        }
        let reason = "the collective library left the rank on other CPUs or nodes than it was pinned to";
        Err(self.trouble(TroubleKind::Pin, reason).into())
    }

    /// Trouble of this rank at what it is at.
    pub(super) fn trouble(&self, kind: TroubleKind, reason: &str) -> Trouble {
        self.start.trouble(self.board.at(self.start.rank), kind, reason)
    }

    pub(super) fn device_trouble(&self, error: &crate::device::DeviceError) -> Trouble {
        let details = error.remark().map(str::to_owned).into_iter().collect();
        Trouble { details, ..self.trouble(error.kind(), &error.to_string()) }
    }

    pub(super) fn library_trouble(&self, error: &crate::comm::CommError) -> Trouble {
        self.trouble(error.kind(), &error.to_string())
    }
}

impl RankStart {
    fn trouble(&self, at: At, kind: TroubleKind, reason: &str) -> Trouble {
        let message = format!("rank {} (GPU{}), {}: {reason}", self.rank, self.gpu, at.words());
        trouble(kind, Some(self.rank), message)
    }
}
