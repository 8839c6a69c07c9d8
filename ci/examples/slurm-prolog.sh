#!/usr/bin/env bash
# A Prolog of slurm.conf: judges the node's state before a job gets it, in seconds. A Prolog that does not end with 0
# makes Slurm drain the node and put the job back into the queue.
set -u

results=${RESULTS:-/var/spool/linkspec/${SLURM_JOB_ID:-0}}
mkdir -p "$results"

# A driver that hangs is told after 15 s, by the name of the call, in a report. The timeout is for what even that does
# not end; Slurm's own PrologEpilogTimeout has to be longer.
timeout --kill-after=5 60 \
    linkspec pack:hgx-h100 --level quick --probe-deadline 15 --out "$results" >"$results/log" 2>&1
code=$?
((code == 0)) && exit 0

# 1: out of spec. 3: something was not seen, which is no acceptance. 124 or 137: the judge took too long. The capture lets
# anyone judge the node again, elsewhere.
rm -rf "$results/capture" # of the same job before it was requeued
timeout --kill-after=5 60 linkspec capture --probe-deadline 15 "$results/capture" >"$results/sources" 2>&1
logger --tag linkspec "job ${SLURM_JOB_ID:-0}: the node is not accepted, code $code, see $results" || true
exit "$code"
