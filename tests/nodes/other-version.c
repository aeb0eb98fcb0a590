/* A plug-in of another release: the number of its table is not that of the library. */
#include <stdint.h>

__attribute__((visibility("default"))) const struct {
    uint32_t version, size;
} ocrLink = {4711, 8};
