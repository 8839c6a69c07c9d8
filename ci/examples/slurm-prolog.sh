#!/usr/bin/env bash
# A Prolog of slurm.conf: judges the node's state before a job gets it, in seconds. A Prolog that does not end with 0
# makes Slurm drain the node and put the job back into the queue.
set -u

examples=${EXAMPLES:-/etc/slurm/linkspec}
results=${RESULTS:-/var/spool/linkspec/${SLURM_JOB_ID:-0}}

"$examples/save-outputs.sh" "$results/saved"
timeout 60 linkspec pack:hgx-h100 --level quick --host "$results/saved" --out "$results" >"$results/log" 2>&1
code=$?
((code == 0)) && exit 0

# 1: out of spec. 3: something was not seen, which is no acceptance. 124: the judge took too long.
logger --tag linkspec "job ${SLURM_JOB_ID:-0}: the node is not accepted, code $code, see $results" || true
exit "$code"
