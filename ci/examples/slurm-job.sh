#!/usr/bin/env bash
#SBATCH --job-name=accept
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=01:00:00
# Accepts every node of the job. Each node writes to results/NODE, so that none overwrites another's; when all have
# ended, this script gathers what they found. Submit it from a folder that all nodes see.
#
# A user who is not root does not see ACS and, as a rule, the kernel log: add `--skip pcie-peers --skip kernel-log` below
# and leave those two cases to the Prolog, which runs as root, or every node ends with 3.
set -uo pipefail

results=${RESULTS:-results/${SLURM_JOB_ID:-0}}
export results
mkdir -p "$results"
rm -rf "$results"/*.code "$results"/*.capture # of the same job before it was requeued

# srun ends with the largest code of all nodes, and 3 is larger than 1: each node leaves its code in a file.
srun --kill-on-bad-exit=0 bash -c '
    node=${SLURMD_NODENAME:-$(hostname)}
    linkspec capture "$results/$node.capture" >"$results/$node.sources" 2>&1
    linkspec pack:hgx-h100 --level quick --out "$results/$node" >"$results/$node.log" 2>&1
    echo $? >"$results/$node.code"
'

failed=() unjudged=() nodes=0
for file in "$results"/*.code; do
    [[ -f $file ]] || continue
    nodes=$((nodes + 1))
    node=$(basename "$file" .code)
    case $(<"$file") in
        0) ;;
        1) failed+=("$node") ;;
        *) unjudged+=("$node") ;;
    esac
done

echo "$nodes of ${SLURM_JOB_NUM_NODES:-1} nodes ended; ${#failed[@]} failed: ${failed[*]:-none}; ${#unjudged[@]} not judged: ${unjudged[*]:-none}"
((${#failed[@]} == 0)) || exit 1
# A node of which nothing was heard is not accepted either.
((${#unjudged[@]} == 0 && nodes == ${SLURM_JOB_NUM_NODES:-1})) || exit 3
