/* rustc's code calls these under ThreadSanitizer; gcc's runtime has them under their plain names alone, which it
 * watches. Compiled without the sanitizer. */
#include <string.h>

void *__tsan_memcpy(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes); }

void *__tsan_memmove(void *to, const void *from, size_t bytes) { return memmove(to, from, bytes); }

void *__tsan_memset(void *at, int value, size_t bytes) { return memset(at, value, bytes); }
