//! A stand-in for libibverbs: answers from a file that describes a machine, with faults on demand.
