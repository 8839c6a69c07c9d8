use std::ffi::c_void;

/// What a driver gives for a context or a stream. Only calls into its library look behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle(pub(in crate::sys) *mut c_void);

// SAFETY: contexts and streams are the driver's own objects, which any thread may name in calls; it locks them itself.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}
