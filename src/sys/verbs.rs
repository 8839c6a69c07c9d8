use std::{
    ffi::{CStr, c_char, c_int, c_void},
    io,
    path::{Path, PathBuf},
};

use libloading::Library;

use super::mapped::file_at;

type GetDeviceList = unsafe extern "C" fn(*mut c_int) -> *mut *mut c_void;
type FreeDeviceList = unsafe extern "C" fn(*mut *mut c_void);
type GetDeviceName = unsafe extern "C" fn(*mut c_void) -> *const c_char;
type OpenDevice = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type CloseDevice = unsafe extern "C" fn(*mut c_void) -> c_int;
type QueryPort = unsafe extern "C" fn(*mut c_void, u8, *mut PortAttributes) -> c_int;

/// The beginning of `struct ibv_port_attr` (verbs.h), with room for the rest. The exported `ibv_query_port` fills at
/// most the 48 bytes up to `flags`; the structure itself has 56 bytes today and grows at its end.
#[repr(C)]
struct PortAttributes {
    state: u32,
    max_mtu: u32,
    active_mtu: u32,
    rest: [u32; 29],
}

/// What libibverbs says of the MTU of a port: numbers of its enumeration `ibv_mtu`, 1 for 256 bytes up to 5 for 4096.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PortMtu {
    pub(crate) max: u32,
    pub(crate) active: u32,
}

/// libibverbs, loaded. It stays loaded until the process ends: a call that hangs may still be inside.
pub(crate) struct Verbs {
    get_device_list: GetDeviceList,
    free_device_list: FreeDeviceList,
    get_device_name: GetDeviceName,
    open_device: OpenDevice,
    close_device: CloseDevice,
    query_port: QueryPort,
    fake: bool,
}

impl Verbs {
    /// Loads it; the reason of a failure names the file.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        // SAFETY: the library is the system's libibverbs or one that the user named; its initializers run in a child
        // process that holds nothing but this probe.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        let library: &'static Library = Box::leak(Box::new(library));
        Self::of(library).map_err(|missing| format!("{} has no {missing}", path.display()))
    }

    /// Its functions, or the name of one that it does not have.
    fn of(library: &'static Library) -> Result<Self, &'static str> {
        Ok(Self {
            // SAFETY: the type is that of verbs.h.
            get_device_list: unsafe { symbol(library, "ibv_get_device_list") }?,
            // SAFETY: the type is that of verbs.h.
            free_device_list: unsafe { symbol(library, "ibv_free_device_list") }?,
            // SAFETY: the type is that of verbs.h.
            get_device_name: unsafe { symbol(library, "ibv_get_device_name") }?,
            // SAFETY: the type is that of verbs.h.
            open_device: unsafe { symbol(library, "ibv_open_device") }?,
            // SAFETY: the type is that of verbs.h.
            close_device: unsafe { symbol(library, "ibv_close_device") }?,
            // SAFETY: the type is that of verbs.h.
            query_port: unsafe { symbol(library, "ibv_query_port") }?,
            // SAFETY: only asked whether it is there, never called.
            fake: unsafe { symbol::<unsafe extern "C" fn()>(library, "linkspec_fake") }.is_ok(),
        })
    }

    /// The file that was loaded, with links resolved: its name ends with the version.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        file_at(self.query_port as usize)
    }

    /// Whether this is a stand-in of linkspec's own tests.
    pub(crate) const fn is_fake(&self) -> bool {
        self.fake
    }

    /// Opens a device, which needs its /dev/infiniband/uverbsN.
    pub(crate) fn open(&self, name: &str) -> Result<Context<'_>, OpenError> {
        let mut count: c_int = 0;
        // SAFETY: `count` outlives the call.
        let list = unsafe { (self.get_device_list)(&raw mut count) };
        if list.is_null() {
            return Err(OpenError::List(io::Error::last_os_error()));
        }
        let opened = self.find(list, count, name).and_then(|device| {
            // SAFETY: the device is of a list that is not freed yet.
            let context = unsafe { (self.open_device)(device) };
            if context.is_null() { Err(OpenError::Open(io::Error::last_os_error())) } else { Ok(context) }
        });
        // SAFETY: the list is of ibv_get_device_list, and no entry of it is used after this; an open device stays.
        unsafe { (self.free_device_list)(list) };
        opened.map(|context| Context { verbs: self, context })
    }

    fn find(&self, list: *mut *mut c_void, count: c_int, name: &str) -> Result<*mut c_void, OpenError> {
        for at in 0..usize::try_from(count).unwrap_or_default() {
            // SAFETY: the list holds `count` devices.
            let device = unsafe { *list.add(at) };
            // SAFETY: the device is of a list that is not freed yet.
            let text = unsafe { (self.get_device_name)(device) };
            // SAFETY: a name that is not null ends with a zero and lives as long as the list.
            if !text.is_null() && unsafe { CStr::from_ptr(text) }.to_bytes() == name.as_bytes() {
                return Ok(device);
            }
        }
        Err(OpenError::NotListed)
    }
}

/// Why a device could not be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("ibv_get_device_list: {0}")]
    List(io::Error),
    #[error("ibv_get_device_list does not name it")]
    NotListed,
    #[error("ibv_open_device: {0}")]
    Open(io::Error),
}

/// An open device.
pub(crate) struct Context<'a> {
    verbs: &'a Verbs,
    context: *mut c_void,
}

impl Context<'_> {
    pub(crate) fn query_port(&self, port: u8) -> Result<PortMtu, String> {
        let mut attributes = PortAttributes { state: 0, max_mtu: 0, active_mtu: 0, rest: [0; 29] };
        // SAFETY: the context is open, and the buffer is larger than any `ibv_port_attr`.
        let code = unsafe { (self.verbs.query_port)(self.context, port, &raw mut attributes) };
        match code {
            0 => Ok(PortMtu { max: attributes.max_mtu, active: attributes.active_mtu }),
            // The code is an errno; some providers return it negated, or -1.
            code => Err(format!("ibv_query_port: {}", io::Error::from_raw_os_error(code.saturating_abs()))),
        }
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: the context is open, and nothing uses it after this.
        unsafe { (self.verbs.close_device)(self.context) };
    }
}

/// A function of a library that stays loaded.
///
/// # Safety
///
/// `T` is the function's type in the library's header.
unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> Result<T, &'static str> {
    // SAFETY: the caller names the right type.
    unsafe { library.get::<T>(name.as_bytes()) }.map(|symbol| *symbol).map_err(|_| name)
}
