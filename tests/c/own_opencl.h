/* own_opencl.h - a program that asks OpenCL for its devices itself, beside the runtime. */
#ifndef OWN_OPENCL_H
#define OWN_OPENCL_H

#include "check.h"
#include <dlfcn.h>

/* Has OpenCL start its threads and install its handlers of signals. */
static inline void ask_opencl(void) {
    int (*platforms)(unsigned, void **, unsigned *), (*devices)(void *, unsigned long, unsigned, void **, unsigned *);
    void *library = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL), *platform = NULL, *device = NULL;
    unsigned count = 0;
    CHECK(library != NULL);
    *(void **)&platforms = dlsym(library, "clGetPlatformIDs");
    *(void **)&devices = dlsym(library, "clGetDeviceIDs");
    CHECK_EQ(platforms(1, &platform, &count), 0);
    CHECK_EQ(devices(platform, 0xFFFFFFFF, 1, &device, &count), 0);
}

#endif
