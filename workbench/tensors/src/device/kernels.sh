#!/bin/sh
# Makes kernels.ptx of kernels.cu and tiled.cu with the compiler that NVCC names (CUDA 13). Nothing in them needs a new driver or device, so
# the text is marked for old ones; drivers compile it for their device when it is loaded.
set -eu
cd "$(dirname "$0")"
made=$(mktemp)
trap 'rm -f "$made"' EXIT
"${NVCC:-nvcc}" --ptx -O3 -arch=compute_75 -o "$made" kernels.cu
{
  printf '// Made by kernels.sh of kernels.cu and tiled.cu, whose cksum is %s.\n' "$(cat kernels.cu tiled.cu | cksum | cut -d ' ' -f 1)"
  sed -e 's/^\.version .*/.version 6.3/' -e 's/^\.target .*/.target sm_52/' "$made"
} >"${1:-kernels.ptx}"
