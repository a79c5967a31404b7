/* soname: libcublasLt.so.13 */
/* Linked, and never called. */
int null_cublasLt(void) { return 0; }
