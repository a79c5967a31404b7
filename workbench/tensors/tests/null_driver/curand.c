/* soname: libcurand.so.10 */
/* A generator that is made, and never asked. */
#include <dlfcn.h>
#include <stdlib.h>
int curandCreateGenerator(void **g, int kind) {
  (void)kind;
  void (*told)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "null_driver_handle");
  if (told) told();
  *g = malloc(1);
  return 0;
}
int curandSetPseudoRandomGeneratorSeed(void *g, unsigned long long s) { (void)g; (void)s; return 0; }
int curandSetStream(void *g, void *s) { (void)g; (void)s; return 0; }
int curandDestroyGenerator(void *g) { free(g); return 0; }
