#!/usr/bin/env bash
# A sweep on a real Slurm: one controller and two nodes on this machine, a node killed in the middle of eight shards.
#
#   workbench/sweep/tests/slurm.sh target/debug/workbench-sweep [SCALE [speed]]
#
# The lost shard is requeued, and the merged table has the bytes of one process. With `speed`, no node is killed, and two nodes have to
# reach 95 % of twice the speed of one. Nothing is installed and no service of this machine is touched: munge, controller and
# nodes have a configuration, sockets and a spool of their own, run in a folder that is removed, are ended by their own ids, and all
# waits are bounded. It has to be run as root.
set -euo pipefail

program=$(realpath "${1:?the program workbench-sweep}")
scale=${2:-paper}
mode=${3:-kill}
shards=8

needed=(munged slurmctld slurmd sbatch squeue sinfo scancel)
missing=()
for tool in "${needed[@]}"; do
  command -v "$tool" >/dev/null 2>&1 || [ -x "/usr/sbin/$tool" ] || missing+=("$tool")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "missing: ${missing[*]}; apt-get install slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge" >&2
  exit 4
fi
[ "$(id -u)" = 0 ] || { echo "nodes start jobs for others: run it as root" >&2; exit 4; }
PATH=$PATH:/usr/sbin

work=$(mktemp -d /tmp/sweep-slurm.XXXXXX)
chmod 755 "$work"
export SLURM_CONF=$work/slurm.conf
host=$(hostname -s)
declare -A pids=()

# What a node runs: its slurmd and its slurmstepds, which leave slurmd's children and write to the node's log, and those that they started.
of_node() {
  local roots
  roots=$(find /proc/[0-9]*/fd -lname "$work/log/slurmd-$1" 2>/dev/null | cut -d/ -f3 | sort -u | tr '\n' ' ' || true)
  ps -e -o pid=,ppid= | awk -v roots="$roots" '
    BEGIN { count = split(roots, list); for (i = 1; i <= count; i++) own[list[i]] = 1 }
    { parent[$1] = $2 }
    END {
      for (more = 1; more;) {
        more = 0
        for (pid in parent) if (!(pid in own) && parent[pid] in own) { own[pid] = 1; more = 1 }
      }
      for (pid in own) print pid
    }'
}

finish() {
  local status=$? name pid
  trap - EXIT
  scancel --user root >/dev/null 2>&1 || true
  for name in n0 n1; do
    for pid in $(of_node "$name"); do kill -9 "$pid" 2>/dev/null || true; done
  done
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; disown "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true
  done
  if [ "$status" = 0 ]; then rm -rf "$work"; else echo "logs are kept in $work" >&2; fi
  exit "$status"
}
trap finish EXIT

# Waits at most so many seconds until a command succeeds.
within() {
  local seconds=$1 begun=$SECONDS
  shift
  until "$@" >/dev/null 2>&1; do
    [ $((SECONDS - begun)) -lt "$seconds" ] || { echo "not within $seconds s: $*" >&2; return 1; }
    sleep 0.2
  done
}

mkdir -p "$work"/{state,spool-n0,spool-n1,log,munge}
chmod 700 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
cat >"$SLURM_CONF" <<CONF
ClusterName=sweep
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17000
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
JobRequeue=1
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd-%n
NodeName=n[0-1] NodeHostname=$host NodeAddr=127.0.0.1 Port=[17001-17002] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n[0-1] Default=YES MaxTime=INFINITE State=UP
CONF

munged --foreground --force --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
  --log-file="$work/log/munged" --seed-file="$work/munge/seed" >"$work/log/munged.out" 2>&1 &
pids[munged]=$!
within 10 test -S "$work/munge/socket"
slurmctld -D -c >"$work/log/slurmctld.out" 2>&1 &
pids[slurmctld]=$!
for node in n0 n1; do
  slurmd -D -N "$node" >"$work/log/$node.out" 2>&1 &
  pids[$node]=$!
done
both_idle() { [ "$(sinfo --noheader --Node --format='%T' | sort -u)" = idle ]; }
within 60 both_idle
echo "Slurm is ready after $SECONDS s"

pilot=()
# A shard of one task is long enough to be hit; speed takes them all, since Slurm's own time is not what is measured.
[ "$mode" = kill ] && pilot=(--replicates 1)
for plan in one two; do
  "$program" plan rehearsal --scale "$scale" --shards "$shards" "${pilot[@]}" --folder "$work/$plan" >/dev/null
done
per_job=1
# How many shards of a plan are there; its submission, with what else sbatch is told; the wait for its last shard.
done_in() { [ "$(find "$work/$1/shards" -name '*.parquet' | wc -l)" -ge "$2" ]; }
submit() { "$program" submit --slurm --folder "$work/$1" --per-job "$per_job" -- --cpus-per-task=1 --time=30 "${@:2}"; }
seconds_of() {
  local begun
  begun=$(date +%s.%N)
  submit "$@" >&2
  within 540 done_in "$1" "$shards"
  awk -v begun="$begun" -v ended="$(date +%s.%N)" 'BEGIN { print ended - begun }'
}

if [ "$mode" = speed ]; then
  # Jobs of four shards: Slurm's own time between two jobs, up to three seconds, is not what is measured.
  per_job=$((shards / 2))
  one=$(seconds_of one --nodelist=n0)
  within 60 both_idle
  two=$(seconds_of two)
else
  submit two
  within 300 done_in two 2
  # In the middle of a shard: the process that computes it has begun, and is there when it is killed.
  on_n0() { local pid; for pid in $(of_node n0); do grep -szq '^shard$' "/proc/$pid/cmdline" && return; done; return 1; }
  in_middle() { on_n0 && sleep 0.5 && on_n0; }
  within 60 in_middle || { echo "shards at scale $scale end within half a second here: too short to be hit in their middle" >&2; exit 1; }
  squeue --format='%i %T %N' --noheader
  for pid in $(of_node n0); do kill -9 "$pid" 2>/dev/null || true; done
  echo "node n0 is killed with $("$program" status --folder "$work/two" | tail -1)"
  within 540 done_in two "$shards"
  grep -iE 'requeue|not responding|DOWN' "$work/log/slurmctld" | tail -4 || { echo "no shard was lost" >&2; exit 1; }
  "$program" shard --all --threads "$(nproc)" --folder "$work/one" >/dev/null 2>&1
fi
for plan in one two; do "$program" merge --folder "$work/$plan"; done
"$program" status --folder "$work/two"
cmp "$work/one/data.parquet" "$work/two/data.parquet"
if [ "$mode" = kill ]; then
  echo "the merged table has the bytes of one process"
  exit 0
fi
# Speed-up: the time of one node over that of two. Beside it the time of two against half of what the shards themselves took, which
# holds Slurm too for the moments in which it starts them.
awk -F, -v one="$one" -v two="$two" '
  NR > 1 { sum += $12; if ($12 > most) most = $12 }
  END {
    of_ideal = 100 * one / two / 2
    printf "shards of %.1f s in mean, %.1f s at most: one node %.1f s, two nodes %.1f s from submit to the last shard; speed-up %.3f, %.1f %% of ideal (at least 95); with the start of jobs, %.1f %%\n",
      sum / (NR - 1), most, one, two, one / two, of_ideal, 100 * sum / 2 / two
    exit of_ideal < 95
  }' "$work/two/runs.csv"
