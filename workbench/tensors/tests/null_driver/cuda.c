/* soname: libcuda.so.1 */
/* A driver whose device is this machine's memory. It counts what it is asked for and computes nothing. On request it fails, or computes
   what the pass of `workbench-tensors` and a step of `workbench-variables` launch: candle's kernels in plain loops, the room's own ones from their own text, thread by
   thread. Kernels that it does not know do nothing even then, and are counted. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101 };
enum { LAUNCHES, PRODUCTS, COPIES_IN, COPIES_OUT, COPIES_WITHIN, MEMSETS, ALLOCATIONS, FREES, MODULES, HANDLES, CONTEXTS, STREAMS,
       EVENTS, WAITS, UNKNOWN_KERNELS, COUNTERS };

static uint64_t counts[COUNTERS];
static int devices = 1, fails_with = 0, computes = 0;
static int64_t fails_after = -1;
static size_t memory = (size_t)1 << 36, taken = 0;

static void count(int what) { __atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED); }

/* What the tests ask and set. */
void null_driver_counts(uint64_t *out) { memcpy(out, counts, sizeof counts); }
void null_driver_computes(int yes) { computes = yes; }
void null_driver_devices(int n) { devices = n; }
void null_driver_memory(size_t bytes) { memory = bytes; }
size_t null_driver_taken(void) { return taken; }
/* From the launch after so many on, everything answers `code`; a negative number takes that back. */
void null_driver_fails(int64_t after, int code) { fails_after = after; fails_with = code; }

static int64_t left(void) { return __atomic_load_n(&fails_after, __ATOMIC_RELAXED); }
static int state(void) { return left() == 0 ? fails_with : SUCCESS; }

/* One launch, of a kernel or of the library: 0, or the code of its failure. */
int null_driver_launch(int product) {
  if (left() > 0) __atomic_fetch_sub(&fails_after, 1, __ATOMIC_RELAXED);
  if (state()) return state();
  count(LAUNCHES);
  if (product) count(PRODUCTS);
  return SUCCESS;
}
int null_driver_is_computing(void) { return computes; }
void null_driver_handle(void) { count(HANDLES); }

/* Device and context. */
int cuInit(unsigned flags) { (void)flags; return devices ? SUCCESS : NO_DEVICE; }
int cuDriverGetVersion(int *v) { *v = 13000; return SUCCESS; }
int cuDeviceGetCount(int *n) { *n = devices; return SUCCESS; }
int cuDeviceGet(int *d, int i) { *d = i; return i >= 0 && i < devices ? SUCCESS : INVALID_DEVICE; }
int cuDeviceGetName(char *s, int n, int d) { (void)d; snprintf(s, n, "null device"); return SUCCESS; }
int cuDeviceTotalMem_v2(size_t *n, int d) { (void)d; *n = memory; return SUCCESS; }
int cuDeviceGetAttribute(int *v, int a, int d) { (void)a; (void)d; *v = 1; return SUCCESS; }
int cuDevicePrimaryCtxRetain(void **c, int d) { count(CONTEXTS); *c = (void *)(intptr_t)(d + 1); return SUCCESS; }
int cuDevicePrimaryCtxRelease_v2(int d) { (void)d; return SUCCESS; }
static __thread void *current;
int cuCtxGetCurrent(void **c) { *c = current; return state(); }
int cuCtxSetCurrent(void *c) { current = c; return state(); }
int cuCtxDestroy_v2(void *c) { (void)c; return SUCCESS; }
int cuCtxSynchronize(void) { count(WAITS); return state(); }
int cuGetErrorString(int e, const char **s) {
  *s = e == OUT_OF_MEMORY ? "out of memory" : e == NO_DEVICE ? "no CUDA-capable device is detected" : "an error of the null driver";
  return SUCCESS;
}
int cuGetErrorName(int e, const char **s) { (void)e; *s = "CUDA_ERROR"; return SUCCESS; }

/* Streams and events. */
int cuStreamCreate(void **s, unsigned f) { (void)f; count(STREAMS); *s = malloc(1); return state(); }
int cuStreamDestroy_v2(void *s) { free(s); return SUCCESS; }
int cuStreamSynchronize(void *s) { (void)s; count(WAITS); return state(); }
int cuStreamWaitEvent(void *s, void *e, unsigned f) { (void)s; (void)e; (void)f; return state(); }
int cuStreamIsCapturing(void *s, int *v) { (void)s; *v = 0; return SUCCESS; }
int cuEventCreate(void **e, unsigned f) { (void)f; count(EVENTS); *e = malloc(1); return state(); }
int cuEventRecord(void *e, void *s) { (void)e; (void)s; return state(); }
int cuEventDestroy_v2(void *e) { free(e); return SUCCESS; }

/* Memory: its size stands in front of it. */
int cuMemAlloc_v2(uint64_t *p, size_t n) {
  if (state()) return state();
  if (__atomic_load_n(&taken, __ATOMIC_RELAXED) + n > memory) return OUT_OF_MEMORY;
  /* Zeros: what is never computed is read as the same numbers every time. */
  size_t *room = calloc(1, n + 64);
  if (!room) return OUT_OF_MEMORY;
  *room = n;
  if (computes) memset((char *)room + 64, 0xff, n); /* NaN: who reads before writing is found out */
  __atomic_fetch_add(&taken, n, __ATOMIC_RELAXED);
  count(ALLOCATIONS);
  *p = (uint64_t)(uintptr_t)room + 64;
  return SUCCESS;
}
int cuMemFree_v2(uint64_t p) {
  size_t *room = (size_t *)(uintptr_t)(p - 64);
  __atomic_fetch_sub(&taken, *room, __ATOMIC_RELAXED);
  free(room);
  count(FREES);
  return state();
}
int cuMemAllocAsync(uint64_t *p, size_t n, void *s) { (void)s; return cuMemAlloc_v2(p, n); }
int cuMemFreeAsync(uint64_t p, void *s) { (void)s; return cuMemFree_v2(p); }
int cuMemGetInfo_v2(size_t *available, size_t *total) { *available = memory - taken; *total = memory; return state(); }
static int copy(int what, void *to, const void *from, size_t n) {
  if (state()) return state();
  count(what);
  if (computes || what == COPIES_OUT) memcpy(to, from, n);
  return SUCCESS;
}
#define POINTER(p) ((void *)(uintptr_t)(p))
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *s) { (void)s; return copy(COPIES_IN, POINTER(to), from, n); }
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *s) { (void)s; return copy(COPIES_OUT, to, POINTER(from), n); }
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *s) {
  (void)s;
  return copy(COPIES_WITHIN, POINTER(to), POINTER(from), n);
}
int cuMemcpyPeerAsync(uint64_t to, void *c, uint64_t from, void *d, size_t n, void *s) {
  (void)c, (void)d, (void)s;
  return copy(COPIES_WITHIN, POINTER(to), POINTER(from), n);
}
int cuMemsetD8Async(uint64_t to, unsigned char v, size_t n, void *s) {
  (void)s;
  if (state()) return state();
  count(MEMSETS);
  if (computes) memset(POINTER(to), v, n);
  return SUCCESS;
}

/* The pool that memory comes from: nothing is kept in it. */
int cuDeviceGetDefaultMemPool(void **p, int d) { *p = (void *)(intptr_t)(d + 1); return state(); }
int cuMemPoolSetAttribute(void *p, int a, void *v) { (void)p, (void)a, (void)v; return state(); }
int cuMemPoolTrimTo(void *p, size_t n) { (void)p, (void)n; return state(); }

/* Modules: a function is its name. */
int cuModuleLoadData(void **m, const void *image) { (void)image; count(MODULES); *m = malloc(1); return state(); }
int cuModuleLoad(void **m, const char *name) { return cuModuleLoadData(m, name); }
int cuModuleUnload(void *m) { free(m); return SUCCESS; }
int cuModuleGetFunction(void **f, void *m, const char *name) {
  static char *names[512];
  (void)m;
  for (int i = 0; i < 512; i++) {
    if (!names[i]) names[i] = strdup(name);
    if (!strcmp(names[i], name)) { *f = names[i]; return state(); }
  }
  return INVALID_VALUE;
}
int cuFuncSetAttribute(void *f, int a, int v) { (void)f; (void)a; (void)v; return SUCCESS; }

/* Kernels of candle. */
#define ARG(type, i) (*(type *)args[i])
static size_t place(size_t i, size_t rank, const size_t *dims, const size_t *strides) {
  size_t at = 0;
  for (size_t d = rank; d-- > 0; i /= dims[d]) at += (i % dims[d]) * strides[d];
  return at;
}
#define KERNELS(T, NAME)                                                                                          \
  static int run_##NAME(const char *name, void **args) {                                                         \
    size_t n = 0, rank = 0;                                                                                       \
    const size_t *info = 0;                                                                                       \
    if (!strcmp(name, "copy2d")) {                                                                                \
      const T *from = ARG(const T *, 0);                                                                          \
      T *to = ARG(T *, 1);                                                                                        \
      for (uint32_t i = 0; i < ARG(uint32_t, 2); i++)                                                             \
        for (uint32_t j = 0; j < ARG(uint32_t, 3); j++) to[i * ARG(uint32_t, 5) + j] = from[i * ARG(uint32_t, 4) + j]; \
      return 1;                                                                                                   \
    }                                                                                                             \
    n = ARG(size_t, 0);                                                                                           \
    if (!strcmp(name, "fast_sum") || !strcmp(name, "fast_sum_small")) {                                           \
      size_t each = ARG(size_t, 1), outputs = strcmp(name, "fast_sum") ? n : n / each;                            \
      rank = ARG(size_t, 2), info = ARG(const size_t *, 3);                                                       \
      for (size_t i = 0; i < outputs; i++) {                                                                      \
        T sum = 0;                                                                                                \
        for (size_t j = 0; j < each; j++) sum += ARG(const T *, 4)[place(i * each + j, rank, info, info + rank)]; \
        ARG(T *, 5)[i] = sum;                                                                                     \
      }                                                                                                           \
      return 1;                                                                                                   \
    }                                                                                                             \
    rank = ARG(size_t, 1), info = ARG(const size_t *, 2);                                                         \
    if (!strcmp(name, "const_set")) {                                                                             \
      for (size_t i = 0; i < n; i++) ARG(T *, 4)[info ? place(i, rank, info, info + rank) : i] = ARG(T, 3);       \
      return 1;                                                                                                   \
    }                                                                                                             \
    if (!strcmp(name, "ucopy")) {                                                                                 \
      for (size_t i = 0; i < n; i++)                                                                              \
        ARG(T *, 4)[i] = ARG(const T *, 3)[info ? place(i, rank, info, info + rank) : i];                         \
      return 1;                                                                                                   \
    }                                                                                                             \
    if (!strcmp(name, "bmul")) {                                                                                  \
      for (size_t i = 0; i < n; i++)                                                                              \
        ARG(T *, 5)[i] = ARG(const T *, 3)[info ? place(i, rank, info, info + rank) : i] *                        \
                         ARG(const T *, 4)[info ? place(i, rank, info, info + 2 * rank) : i];                     \
      return 1;                                                                                                   \
    }                                                                                                             \
    if (!strcmp(name, "badd")) {                                                                                  \
      for (size_t i = 0; i < n; i++)                                                                              \
        ARG(T *, 5)[i] = ARG(const T *, 3)[info ? place(i, rank, info, info + rank) : i] +                        \
                         ARG(const T *, 4)[info ? place(i, rank, info, info + 2 * rank) : i];                     \
      return 1;                                                                                                   \
    }                                                                                                             \
    return 0;                                                                                                     \
  }
KERNELS(float, f32)
KERNELS(double, f64)

/* The room's own kernels. */
typedef struct {
  unsigned x, y, z;
} Index;
static __thread Index blockIdx, blockDim, threadIdx;
#define KERNEL static void
#include "../../src/device/kernels.cu"

#define SIZE(i) ARG(unsigned, i)
#define OWN(T, NAME)                                                                                                          \
  static int own_##NAME(const char *name, void **args) {                                                                      \
    if (!strcmp(name, "weigh"))                                                                                               \
      weigh_##NAME(SIZE(0), SIZE(1), SIZE(2), ARG(const T *, 3), ARG(const T *, 4), ARG(T *, 5));                             \
    else if (!strcmp(name, "respond"))                                                                                        \
      respond_##NAME(SIZE(0), SIZE(1), SIZE(2), SIZE(3), ARG(const T *, 4), ARG(const T *, 5), ARG(const T *, 6),             \
                     ARG(T *, 7));                                                                                            \
    else if (!strcmp(name, "small"))                                                                                          \
      small_##NAME(SIZE(0), SIZE(1), SIZE(2), SIZE(3), SIZE(4), SIZE(5), SIZE(6), SIZE(7), SIZE(8), SIZE(9), SIZE(10),        \
                   SIZE(11), SIZE(12), ARG(T, 13), ARG(T, 14), ARG(const T *, 15), ARG(const T *, 16), ARG(T *, 17));         \
    else if (!strcmp(name, "soften"))                                                                                         \
      soften_##NAME(SIZE(0), SIZE(1), SIZE(2), SIZE(3), ARG(const T *, 4), ARG(const T *, 5), ARG(T *, 6));                   \
    else if (!strcmp(name, "harden"))                                                                                         \
      harden_##NAME(SIZE(0), SIZE(1), SIZE(2), SIZE(3), ARG(const T *, 4), ARG(const T *, 5), ARG(T *, 6));                   \
    else if (!strcmp(name, "pairs"))                                                                                          \
      pairs_##NAME(SIZE(0), SIZE(1), SIZE(2), SIZE(3), SIZE(4), ARG(const T *, 5), ARG(const T *, 6), ARG(T *, 7));           \
    else if (!strcmp(name, "tiled"))                                                                                          \
      tiled_##NAME(SIZE(0), SIZE(1), SIZE(2), SIZE(3), SIZE(4), SIZE(5), SIZE(6), SIZE(7), SIZE(8), SIZE(9), SIZE(10),        \
                   ARG(T, 11), ARG(T, 12), ARG(const T *, 13), ARG(const T *, 14), ARG(T *, 15));                             \
    else                                                                                                                      \
      return 0;                                                                                                               \
    return 1;                                                                                                                 \
  }
OWN(float, f32)
OWN(double, f64)

/* All threads of a grid, one after the other; 0 for a kernel of another name. The threads of `tiled` wait for each other, so that its text
   runs all of a block at once; it takes blocks of one size. */
static int own(const char *name, int is_single, unsigned gx, unsigned gy, unsigned bx, void **args) {
  blockDim = (Index){bx, 1, 1};
  if (!strcmp(name, "tiled")) {
    if (bx != TILE_THREADS) return 0;
    bx = 1;
  }
  for (unsigned y = 0; y < gy; y++)
    for (unsigned x = 0; x < gx; x++)
      for (unsigned t = 0; t < bx; t++) {
        blockIdx = (Index){x, y, 0}, threadIdx = (Index){t, 0, 0};
        if (!(is_single ? own_f32(name, args) : own_f64(name, args))) return 0;
      }
  return 1;
}

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s,
                   void **args, void **extra) {
  (void)shared, (void)s, (void)extra;
  if (!gx || !gy || !gz || !bx || !by || !bz) return INVALID_VALUE;
  int failed = null_driver_launch(0);
  if (failed) return failed;
  char name[128];
  snprintf(name, sizeof name, "%s", (const char *)f);
  char *type = strrchr(name, '_');
  int known = 0;
  if (type && computes) {
    *type++ = 0;
    int is_single = !strcmp(type, "f32");
    if (is_single || !strcmp(type, "f64"))
      known = own(name, is_single, gx, gy, bx, args) || (is_single ? run_f32(name, args) : run_f64(name, args));
  }
  if (computes && !known) count(UNKNOWN_KERNELS);
  return SUCCESS;
}
