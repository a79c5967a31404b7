#!/bin/sh
# Runs the comparison on this machine's GPU and writes its tables into a folder.
#   sh run.sh [--device N] [--out DIR] [--no-torch] [--quick] [--only SIZE]
# Needs an NVIDIA driver and the CUDA libraries that PyTorch or a toolkit brings; PyTorch itself is compared with where it is there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
device=0
out=$here/tables
torch=yes
quick=
only=
while [ $# -gt 0 ]; do
  case $1 in
  --device) device=$2; shift 2 ;;
  --out) out=$2; shift 2 ;;
  --no-torch) torch=no; shift ;;
  --quick) quick=--quick; shift ;;
  --only) only="--only $2"; shift 2 ;;
  *) echo "run.sh: unknown option $1; sh run.sh [--device N] [--out DIR] [--no-torch] [--quick] [--only SIZE]" >&2; exit 2 ;;
  esac
done
mkdir -p "$out"
[ -x "$here/unpacked/gpu_agreement" ] || { mkdir -p "$here/unpacked" && tar xzf "$here/program.tar.gz" -C "$here/unpacked"; }

# The CUDA libraries: those that the loader finds already, PyTorch's, or a toolkit's.
python=$(command -v python3 || true)
folders=${LD_LIBRARY_PATH:-}
if [ -n "$python" ]; then
  wheels=$("$python" -c '
import importlib.util, pathlib
spec = importlib.util.find_spec("nvidia")
roots = spec.submodule_search_locations if spec else []
print(":".join(str(p) for r in roots for p in [*pathlib.Path(r).glob("cu*/lib"), *pathlib.Path(r).glob("*/lib")]))' 2>/dev/null || true)
  folders=$folders${wheels:+:$wheels}
fi
for folder in /usr/local/cuda/lib64 /usr/local/cuda/compat /usr/local/nvidia/lib64; do
  [ -d "$folder" ] && folders=$folders:$folder
done
LD_LIBRARY_PATH=${folders#:}:$here/unpacked/lib
export LD_LIBRARY_PATH
missing=$(ldd "$here/unpacked/gpu_agreement" | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | tr '\n' ' ')
case " $missing" in
*" libcuda.so.1 "*)
  echo "run.sh: this machine has no NVIDIA driver (libcuda.so.1 is not found), so there is nothing to measure" >&2
  exit 4
  ;;
esac
if [ -n "$missing" ]; then
  echo "run.sh: the loader does not find $missing" >&2
  echo "  they come with PyTorch for CUDA $(cat "$here/unpacked/cuda-version") or with that toolkit; name their folder in LD_LIBRARY_PATH" >&2
  exit 4
fi

{ nvidia-smi --query-gpu=name,driver_version,compute_cap,memory.total --format=csv 2>/dev/null || echo "nvidia-smi is not here"; } >"$out/device.txt"
uname -srm >>"$out/device.txt"
status=0
"$here/unpacked/gpu_agreement" "$device" $quick $only --out "$out" || status=$?
# Where numbers are compared in full, the optimizers' door, and what goes wrong, the device's end in a process of its own among it.
if [ -z "$quick$only" ]; then
  "$here/unpacked/device_door" "$device" --out "$out" || status=$?
  "$here/unpacked/gpu_agreement" "$device" --out "$out" --faults || status=$?
fi
if [ $torch = yes ] && [ -n "$python" ] && [ -f "$out/timings.csv" ] && "$python" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
  "$python" "$here/full_gpu.py" "$out" --device "cuda:$device" --compile || status=$?
else
  echo "without PyTorch, which is not here or was not asked for"
fi
echo "tables are in $out"
exit $status
