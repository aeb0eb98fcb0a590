/*
 * opencl_calls.h - what OpenCL is called for: the runtime finds the functions of OpenCL by a dlsym of the program,
 * which may give it others instead.
 */
#ifndef OPENCL_CALLS_H
#define OPENCL_CALLS_H

#include "kernel.h"
#include <dlfcn.h>

typedef void function_t(void);

/* The function to be called instead of OpenCL's of this name, which is kept for it; or the same. */
static function_t *instead_of(const char *name, function_t *opencl);

void *dlsym(void *restrict library, const char *restrict name) {
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    void *(*real)(void *, const char *) = NULL;
    for (int i = 0; i < 3 && real == NULL; i++)
        *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    void *found = real(library, name);
    if (found != NULL && strncmp(name, "cl", 2) == 0) {
        function_t *instead, *opencl;
        *(void **)&opencl = found;
        instead = instead_of(name, opencl);
        found = *(void **)&instead;
    }
    return found;
}

#endif
