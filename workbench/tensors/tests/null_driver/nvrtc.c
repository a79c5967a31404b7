/* soname: libnvrtc.so.13 */
/* Linked, and never called. */
int null_nvrtc(void) { return 0; }
