//! A stand-in for libnvidia-ml: answers from a file that describes a machine, with faults on demand.
