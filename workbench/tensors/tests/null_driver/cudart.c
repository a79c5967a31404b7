/* soname: libcudart.so.13 */
/* Linked, and never called. */
int null_cudart(void) { return 0; }
