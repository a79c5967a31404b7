/* What the pass does between products, one thread a number and no word between threads. A device runs `kernels.ptx`, which the compiler
   made of this text (`kernels.rs` says how); the null driver of the tests runs this text itself, thread by thread. */
#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void
#endif

#define KERNELS_OF(T, NAME)                                                                                                   \
  /* Weighted sum of `count` states, `all` numbers each: to[i] = sum_j weights[j, i mod each] terms[j, i]. */                 \
  KERNEL weigh_##NAME(unsigned all, unsigned count, unsigned each, const T *weights, const T *terms, T *to) {                 \
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                                       \
    if (i >= all) return;                                                                                                     \
    unsigned e = i % each;                                                                                                    \
    T sum = 0;                                                                                                                \
    _Pragma("unroll 1")                                                                                                       \
    for (unsigned j = 0; j < count; j++) sum += weights[(size_t)j * each + e] * terms[(size_t)j * all + i];                   \
    to[i] = sum;                                                                                                              \
  }                                                                                                                           \
  /* The last number of that sum in each of `prompts` states, plus the answer: the error, where the adjoint of the sum is. */ \
  KERNEL respond_##NAME(unsigned prompts, unsigned state, unsigned count, unsigned each, const T *weights, const T *terms,    \
                        const T *answers, T *to) {                                                                            \
    unsigned b = blockIdx.x * blockDim.x + threadIdx.x;                                                                       \
    if (b >= prompts) return;                                                                                                 \
    size_t last = (size_t)b * state + state - 1;                                                                              \
    T sum = answers[b];                                                                                                       \
    _Pragma("unroll 1")                                                                                                       \
    for (unsigned j = 0; j < count; j++)                                                                                      \
      sum += weights[(size_t)j * each + each - 1] * terms[(size_t)j * prompts * state + last];                                \
    to[last] = sum;                                                                                                           \
  }                                                                                                                           \
  /* sums[lane, e, l, j] = sum over rows r = lane, lane + lanes, ... of adjoints[l, r, e] terms[j, r, e], for j <= l. */      \
  KERNEL pairs_##NAME(unsigned rows, unsigned entries, unsigned lanes, unsigned depth, unsigned adds, const T *adjoints,      \
                      const T *terms, T *sums) {                                                                              \
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, l = blockIdx.y / depth, j = blockIdx.y % depth;                       \
    if (i >= lanes * entries || j > l) return;                                                                                \
    size_t all = (size_t)rows * entries, step = (size_t)lanes * entries;                                                      \
    T sum = 0;                                                                                                                \
    for (size_t k = i; k < all; k += step) sum += adjoints[l * all + k] * terms[j * all + k];                                 \
    T *to = &sums[((size_t)i * depth + l) * depth + j];                                                                       \
    *to = adds ? *to + sum : sum;                                                                                             \
  }

KERNELS_OF(float, f32)
KERNELS_OF(double, f64)
