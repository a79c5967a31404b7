/* soname: libcublas.so.13 */
/* Products, counted; on request in plain loops, columns one after the other, as the library's manual has them. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

static int launch(void) {
  int (*ask)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "null_driver_launch");
  return ask ? ask(1) : 0;
}
static int computing(void) {
  int (*ask)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "null_driver_is_computing");
  return ask && ask();
}
/* The library reports a failure of the driver as CUBLAS_STATUS_EXECUTION_FAILED. */
enum { EXECUTION_FAILED = 13 };

int cublasCreate_v2(void **h) {
  void (*told)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "null_driver_handle");
  if (told) told();
  *h = malloc(1);
  return 0;
}
int cublasDestroy_v2(void *h) { free(h); return 0; }
int cublasSetStream_v2(void *h, void *s) { (void)h; (void)s; return 0; }

#define PRODUCT(T, NAME)                                                                                                      \
  int NAME(void *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda, long long sa, const T *b,       \
           int ldb, long long sb, const T *beta, T *c, int ldc, long long sc, int batches) {                                  \
    (void)h;                                                                                                                  \
    if (launch()) return EXECUTION_FAILED;                                                                                    \
    if (m <= 0 || n <= 0 || k <= 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return 7;                          \
    if (!computing()) return 0;                                                                                               \
    for (int z = 0; z < batches; z++)                                                                                         \
      for (int j = 0; j < n; j++)                                                                                             \
        for (int i = 0; i < m; i++) {                                                                                         \
          T sum = 0;                                                                                                          \
          for (int p = 0; p < k; p++)                                                                                         \
            sum += a[z * sa + (ta ? p + (long long)i * lda : i + (long long)p * lda)] *                                       \
                   b[z * sb + (tb ? j + (long long)p * ldb : p + (long long)j * ldb)];                                        \
          T *to = &c[z * sc + i + (long long)j * ldc];                                                                        \
          *to = *alpha * sum + (*beta == 0 ? 0 : *beta * *to);                                                                \
        }                                                                                                                     \
    return 0;                                                                                                                 \
  }
PRODUCT(float, cublasSgemmStridedBatched)
PRODUCT(double, cublasDgemmStridedBatched)

/* candle's own products, in single precision only. */
int cublasGemmStridedBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda,
                               long long sa, const void *b, int bt, int ldb, long long sb, const void *beta, void *c, int ct, int ldc,
                               long long sc, int batches, int compute, int algorithm) {
  (void)compute, (void)algorithm;
  if (at != 0 || bt != 0 || ct != 0) return 15;
  return cublasSgemmStridedBatched(h, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, batches);
}
