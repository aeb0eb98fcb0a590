/* As much of OpenCL 1.2 as the hand-written loop in kernels.c needs, loaded at run time: a machine that can run OpenCL
 * need not have its headers. The names and types are the standard's. */
#ifndef BENCH_OPENCL_H
#define BENCH_OPENCL_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_bitfield;

#define CL_SUCCESS                 0
#define CL_DEVICE_TYPE_ALL         0xFFFFFFFFu
#define CL_DEVICE_NAME             0x102B
#define CL_DRIVER_VERSION          0x102D
#define CL_MEM_READ_WRITE          (1 << 0)
#define CL_MEM_USE_HOST_PTR        (1 << 3)
#define CL_EVENT_STATUS            0x11D3
#define CL_COMPLETE                0

/* name, result, arguments */
#define OPENCL_FUNCTIONS(F)                                                                                           \
    F(clGetPlatformIDs, cl_int, (cl_uint, cl_platform_id *, cl_uint *))                                               \
    F(clGetDeviceIDs, cl_int, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *))                      \
    F(clGetDeviceInfo, cl_int, (cl_device_id, cl_uint, size_t, void *, size_t *))                                     \
    F(clCreateContext, cl_context, (const intptr_t *, cl_uint, const cl_device_id *,                                  \
                                    void (*)(const char *, const void *, size_t, void *), void *, cl_int *))          \
    F(clCreateCommandQueue, cl_command_queue, (cl_context, cl_device_id, cl_bitfield, cl_int *))                      \
    F(clCreateProgramWithSource, cl_program, (cl_context, cl_uint, const char **, const size_t *, cl_int *))          \
    F(clBuildProgram, cl_int, (cl_program, cl_uint, const cl_device_id *, const char *,                               \
                               void (*)(cl_program, void *), void *))                                                 \
    F(clCreateKernel, cl_kernel, (cl_program, const char *, cl_int *))                                                \
    F(clCreateBuffer, cl_mem, (cl_context, cl_bitfield, size_t, void *, cl_int *))                                    \
    F(clSetKernelArg, cl_int, (cl_kernel, cl_uint, size_t, const void *))                                             \
    F(clEnqueueNDRangeKernel, cl_int, (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,          \
                                       const size_t *, cl_uint, const cl_event *, cl_event *))                        \
    F(clGetEventInfo, cl_int, (cl_event, cl_uint, size_t, void *, size_t *))                                          \
    F(clReleaseEvent, cl_int, (cl_event))                                                                             \
    F(clFlush, cl_int, (cl_command_queue))                                                                            \
    F(clFinish, cl_int, (cl_command_queue))                                                                           \
    F(clReleaseMemObject, cl_int, (cl_mem))                                                                           \
    F(clReleaseKernel, cl_int, (cl_kernel))                                                                           \
    F(clReleaseProgram, cl_int, (cl_program))                                                                         \
    F(clReleaseCommandQueue, cl_int, (cl_command_queue))                                                              \
    F(clReleaseContext, cl_int, (cl_context))

#define OPENCL_POINTER(name, result, arguments) static result(*name) arguments;
OPENCL_FUNCTIONS(OPENCL_POINTER)

/* False where there is no OpenCL library. */
static inline bool openclLoad(void) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (library == NULL)
        return false;
#define OPENCL_LOAD(name, result, arguments)                  \
    {                                                         \
        void *symbol = dlsym(library, #name);                 \
        if (symbol == NULL)                                   \
            return false;                                     \
        __builtin_memcpy(&name, &symbol, sizeof name);        \
    }
    OPENCL_FUNCTIONS(OPENCL_LOAD)
    return true;
}

#endif
