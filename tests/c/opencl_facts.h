/*
 * opencl_facts.h - what a program asks OpenCL itself, to say NOT_RUN where the implementation does not tell what the
 * test needs. It asks the first device of the first platform, and is for tests that then use that device.
 */
#ifndef OPENCL_FACTS_H
#define OPENCL_FACTS_H

#include "check.h"
#include <dlfcn.h>
#include <stdint.h>

/* Numbers of the OpenCL headers, which the tests do not need. */
enum {
    FACT_DEVICE_TYPE_ALL = -1,
    FACT_INVALID_KERNEL_NAME = -46,
    FACT_KERNEL_ARG_TYPE_NAME = 0x1198,
    FACT_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
};

static inline void *fact_function(const char *name) {
    static void *library;
    if (library == NULL) {
        library = dlopen("libOpenCL.so.1", RTLD_NOW);
        CHECK(library != NULL);
    }
    void *function = dlsym(library, name);
    CHECK(function != NULL);
    return function;
}

#define FACT_CALL(result, name, types, arguments) (((result(*) types)fact_function(#name))arguments)

typedef struct {
    void *device, *context, *program, *kernel;
} fact_kernel_t;

/* Whether the implementation is PoCL, whose CPU devices reach all memory of the process. */
static inline bool fact_is_pocl(void) {
    enum { PLATFORM_NAME = 0x0902 };
    void *platform;
    char name[128] = "";
    CHECK_EQ(FACT_CALL(int32_t, clGetPlatformIDs, (uint32_t, void **, uint32_t *), (1, &platform, NULL)), 0);
    CHECK_EQ(FACT_CALL(int32_t, clGetPlatformInfo, (void *, uint32_t, size_t, void *, size_t *),
                       (platform, PLATFORM_NAME, sizeof name - 1, name, NULL)),
             0);
    return strstr(name, "Portable Computing Language") != NULL;
}

/* Builds a source without the runtime; false if that is refused. */
static inline bool fact_compile(fact_kernel_t *fact, const char *source) {
    void *platform;
    int32_t code;
    CHECK_EQ(FACT_CALL(int32_t, clGetPlatformIDs, (uint32_t, void **, uint32_t *), (1, &platform, NULL)), 0);
    CHECK_EQ(FACT_CALL(int32_t, clGetDeviceIDs, (void *, uint64_t, uint32_t, void **, uint32_t *),
                       (platform, (uint32_t)FACT_DEVICE_TYPE_ALL, 1, &fact->device, NULL)),
             0);
    fact->context = FACT_CALL(void *, clCreateContext, (void *, uint32_t, void **, void *, void *, int32_t *),
                              (NULL, 1, &fact->device, NULL, NULL, &code));
    CHECK_EQ(code, 0);
    fact->program = FACT_CALL(void *, clCreateProgramWithSource, (void *, uint32_t, const char **, size_t *, int32_t *),
                              (fact->context, 1, &source, NULL, &code));
    CHECK_EQ(code, 0);
    return FACT_CALL(int32_t, clBuildProgram, (void *, uint32_t, void **, const char *, void *, void *),
                     (fact->program, 1, &fact->device, "-cl-kernel-arg-info", NULL, NULL)) == 0;
}

static inline bool fact_build(fact_kernel_t *fact, const char *source, const char *name) {
    int32_t code;
    if (!fact_compile(fact, source)) {
        return false;
    }
    fact->kernel = FACT_CALL(void *, clCreateKernel, (void *, const char *, int32_t *), (fact->program, name, &code));
    return code == 0;
}

/* How much local memory the implementation says that a kernel needs; 0 if it does not build or the need is not
 * reported. */
static inline u64 fact_local_memory(const char *source, const char *name) {
    fact_kernel_t fact;
    u64 bytes = 0;
    if (!fact_build(&fact, source, name) ||
        FACT_CALL(int32_t, clGetKernelWorkGroupInfo, (void *, void *, uint32_t, size_t, void *, size_t *),
                  (fact.kernel, fact.device, FACT_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL)) != 0) {
        return 0;
    }
    return bytes;
}

/* Whether the implementation reports the types of a kernel's arguments. */
static inline bool fact_argument_types(void) {
    fact_kernel_t fact;
    char type[64] = "";
    return fact_build(&fact, "kernel void k(global uint *numbers) { numbers[0] = 1; }", "k") &&
           FACT_CALL(int32_t, clGetKernelArgInfo, (void *, uint32_t, uint32_t, size_t, void *, size_t *),
                     (fact.kernel, 0, FACT_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL)) == 0 &&
           type[0] != '\0';
}

/* Whether a source without kernels is a program, of which a kernel is then refused by its name. */
static inline bool fact_no_kernels(const char *source) {
    fact_kernel_t fact;
    int32_t code = 0;
    if (!fact_compile(&fact, source)) {
        return false;
    }
    FACT_CALL(void *, clCreateKernel, (void *, const char *, int32_t *), (fact.program, "none", &code));
    return code == FACT_INVALID_KERNEL_NAME;
}

#endif
