/* What the pass does between products, and small products, one thread a number and no word between threads. A device runs
   `kernels.ptx`, which the compiler made of this text (`kernels.rs` says how); the null driver of the tests runs this text itself,
   thread by thread. Large products, whose threads share what they read, are in `tiled.cu`. */
#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void
#else
#include <math.h>
#endif

#define KERNELS_OF(T, NAME, EXP)                                                                                              \
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
  /* c = alpha a b + beta c for small matrices (m, k) and (k, n) that lie anywhere: `all` numbers of results. */              \
  KERNEL small_##NAME(unsigned all, unsigned m, unsigned n, unsigned k, unsigned each_c, unsigned down_c, unsigned across_c,  \
                      unsigned each_a, unsigned down_a, unsigned across_a, unsigned each_b, unsigned down_b,                  \
                      unsigned across_b, T alpha, T beta, const T *a, const T *b, T *c) {                                     \
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                                       \
    if (i >= all) return;                                                                                                     \
    unsigned column = i % n, row = i / n % m, which = i / n / m;                                                              \
    const T *left = a + (size_t)which * each_a + (size_t)row * down_a;                                                        \
    const T *right = b + (size_t)which * each_b + (size_t)column * across_b;                                                  \
    T *to = c + (size_t)which * each_c + (size_t)row * down_c + (size_t)column * across_c;                                    \
    T sum = 0;                                                                                                                \
    for (unsigned p = 0; p < k; p++) sum += left[(size_t)p * across_a] * right[(size_t)p * down_b];                           \
    *to = alpha * sum + (beta == 0 ? 0 : beta * *to);                                                                         \
  }                                                                                                                           \
  /* exp(score) / sum exp(score) over the `count` keys of a token and a head, of `all` such; zero for keys from `keys` on. */ \
  /* Scores lie by keys, tokens and heads, weights by keys, heads and tokens; threads side by side read side by side. */      \
  KERNEL soften_##NAME(unsigned all, unsigned count, unsigned keys, unsigned heads, const T *scores, const T *none,           \
                       T *to) {                                                                                               \
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, each = count * heads;                                                 \
    if (i >= all) return;                                                                                                     \
    size_t block = (size_t)(i / each) * count * each, step = each;                                                            \
    scores += block + i % each, to += block + i % heads * count + i % each / heads, (void)none;                               \
    T top = scores[0], sum = 1;                                                                                               \
    for (unsigned j = 1; j < count; j++) {                                                                                    \
      T score = scores[j * step], gap = score - top, less = EXP(gap > 0 ? -gap : gap);                                        \
      sum = gap > 0 ? sum * less + 1 : sum + less, top = gap > 0 ? score : top;                                               \
    }                                                                                                                         \
    for (unsigned j = 0; j < keys; j++) to[j * step] = EXP(scores[j * step] - top) / sum;                                     \
    for (unsigned j = keys; j < count; j++) to[j * step] = 0;                                                                 \
  }                                                                                                                           \
  /* From the adjoints of those weights, which lie as they do, to those of the scores. */                                     \
  KERNEL harden_##NAME(unsigned all, unsigned count, unsigned keys, unsigned heads, const T *weights, const T *given,         \
                       T *to) {                                                                                               \
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, each = count * heads;                                                 \
    if (i >= all) return;                                                                                                     \
    size_t block = (size_t)(i / each) * count * each, step = each;                                                            \
    size_t at = block + i % each;                                                                                             \
    weights += at, given += at, to += block + i % count * heads + i % each / count;                                           \
    T mean = 0, rest = 1;                                                                                                     \
    for (unsigned j = 0; j < keys; j++) mean += weights[j * step] * given[j * step], rest -= weights[j * step];               \
    for (unsigned j = 0; j < keys; j++) to[j * step] = weights[j * step] * (given[j * step] - mean);                          \
    /* What the mask takes away has no adjoint of its own. */                                                                 \
    for (unsigned j = keys; j < count; j++) to[j * step] = -rest * mean;                                                      \
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

KERNELS_OF(float, f32, expf)
KERNELS_OF(double, f64, exp)

/* As many blocks as a multiprocessor's registers hold side by side without spilling one: for sm_90 a thread has 80, or 170 with doubles, and
   a block 14 or 28 KiB of shared memory. Of 455 instructions for eight terms 320 multiply and add, and 56 read shared memory. */
#define T float
#define OF(NAME) NAME##_f32
#define BLOCKS 3
#include "tiled.cu"
#undef T
#undef OF
#undef BLOCKS
#define T double
#define OF(NAME) NAME##_f64
#define BLOCKS 1
#include "tiled.cu"
#undef T
#undef OF
#undef BLOCKS
