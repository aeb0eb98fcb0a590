/* What the StarPU programs share whose tasks have a C function and an OpenCL kernel: one CPU worker and one OpenCL
 * device, with a core each, the launch of a kernel, and blocks of memory.
 *
 * Environment, besides what StarPU itself reads (STARPU_SCHED=dmdas and others): STARPU_NCPU=1 STARPU_NOPENCL=1
 * STARPU_OPENCL_ON_CPUS=1, for PoCL POCL_MAX_PTHREAD_COUNT=1, and
 *
 *   STARPU_BENCH_LAUNCH=wait    the thread that drives the device waits in clFinish for each kernel. It is the default.
 *   STARPU_BENCH_LAUNCH=async   STARPU_OPENCL_ASYNC: the thread goes on, and asks OpenCL again and again for the end.
 *                               StarPU can then give the device the next kernel before that.
 *
 * Cores: StarPU binds the thread of its CPU worker to one core, and the thread that drives the device to another.
 * Threads of OpenCL are bound to the latter core, as the runtime's own cores are shared out (src/cores.rs): on two
 * cores the CPU worker has one for itself. The main thread, which creates the tasks and then sleeps, may run on both.
 *
 * All programs print
 *
 *   devices                  1, or 0 where StarPU cannot be compared, after a message: then nothing else is printed
 *   latency_ns               to the device and back, as StarPU has measured it, once for all runs with one STARPU_HOME
 *   function_ns, kernel_ns   what the models say at the end of the run of a task's two variants, and 0 of one that is
 *                            not known well enough: then STARPU_CALIBRATE=1 is needed once more
 *
 * With STARPU_CALIBRATE=1 the tasks go to both workers in turn, whatever the scheduler, and are measured. */
#ifndef STARPU_DEVICE_H
#define STARPU_DEVICE_H

#ifndef _GNU_SOURCE
#error "Define _GNU_SOURCE before anything is included: threads are bound to cores."
#endif

#include <starpu.h>

#ifndef STARPU_USE_OPENCL
#error "This StarPU was built without OpenCL."
#endif

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "clock.h"

static inline void must(int status, const char *call) {
    if (status != 0) {
        fprintf(stderr, "starpu: %s: %d\n", call, status);
        _Exit(1);
    }
}
#define MUST(call) must((call), #call)

static inline void *mustAllocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "starpu: no memory\n");
        _Exit(1);
    }
    return memory;
}

/* ---- cores ------------------------------------------------------------------------------------------------------- */

enum { MOST_THREADS = 256 };

/* The threads of the process but the main one. */
static inline unsigned listThreads(int thread[MOST_THREADS]) {
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const int number = atoi(entry->d_name);
        if (number > 0 && number != (int)getpid() && count < MOST_THREADS)
            thread[count++] = number;
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* Has OpenCL start the threads of its devices, before StarPU starts any. */
static inline void wakeOpencl(void) {
    cl_platform_id platform[16];
    cl_uint platforms = 0, devices;
    if (clGetPlatformIDs(16, platform, &platforms) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < platforms && i < 16; i++)
        clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
}

static inline void tellCores(void *cores) {
    must(sched_getaffinity(0, sizeof(cpu_set_t), cores), "sched_getaffinity");
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

static int functionWorker, kernelWorker;
static int device;         /* by which StarPU knows the kernels' */
static bool isAsync;       /* STARPU_BENCH_LAUNCH */
static bool isCalibrating; /* STARPU_CALIBRATE */
static uint64_t launches;  /* kernels so far: one thread launches */

static inline bool isWithout(const char *what) {
    printf("devices: 0\n");
    fprintf(stderr, "starpu: %s\n", what);
    return false;
}

/* Starts StarPU. False, after a message, where it has no OpenCL device or no CPU worker, or cannot do well. */
static inline bool beginStarpu(void) {
    int thread[MOST_THREADS];
    const int policy = sched_getscheduler(0);
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        return isWithout("its threads spin, and at real-time priority they keep each other from a core for seconds");
    wakeOpencl();
    const unsigned threads = listThreads(thread);
    MUST(starpu_init(NULL));
    if (starpu_opencl_worker_get_count() == 0 || starpu_cpu_worker_get_count() == 0) {
        starpu_shutdown();
        return isWithout("it has no OpenCL device, or no CPU worker");
    }
    starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, &functionWorker, 1);
    starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, &kernelWorker, 1);
    device = starpu_worker_get_devid(kernelWorker);
    char name[128];
    starpu_worker_get_name(kernelWorker, name, sizeof name);
    const unsigned node = starpu_worker_get_memory_node((unsigned)kernelWorker);
    const double us =
        starpu_transfer_latency(STARPU_MAIN_RAM, node) + starpu_transfer_latency(node, STARPU_MAIN_RAM);
    printf("devices: 1\ndevice: %s\nlatency_ns: %.9g\n", name, 1e3 * us);
    cpu_set_t cores;
    starpu_execute_on_each_worker(tellCores, &cores, STARPU_OPENCL);
    for (unsigned i = 0; i < threads; i++)
        must(sched_setaffinity(thread[i], sizeof cores, &cores), "sched_setaffinity of OpenCL's threads");
    const char *launch = getenv("STARPU_BENCH_LAUNCH");
    isAsync = launch != NULL && strcmp(launch, "async") == 0;
    isCalibrating = starpu_get_env_number_default("STARPU_CALIBRATE", 0) > 0;
    return true;
}

/* Whether the device is a CPU, for which the kernels of kernels/ have a form that these programs launch. Else StarPU is
 * at an end, after a message. */
static inline bool isCpu(void) {
    cl_device_id id;
    cl_device_type type = 0;
    starpu_opencl_get_device(device, &id);
    if (clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS && (type & CL_DEVICE_TYPE_CPU))
        return true;
    starpu_shutdown();
    return isWithout("its device is no CPU");
}

static struct starpu_opencl_program program;

/* Compiles the kernels, once for all launches. */
static inline void loadProgram(const char *source, const char *options) {
    MUST(starpu_opencl_load_opencl_from_string(source, &program, options));
}

typedef struct {
    cl_kernel kernel;
    cl_command_queue queue;
} Kernel;

static inline void loadKernel(Kernel *kernel, const char *name) {
    MUST(starpu_opencl_load_kernel(&kernel->kernel, &kernel->queue, &program, name, device));
}

static inline void unloadKernel(Kernel *kernel) { MUST(starpu_opencl_release_kernel(kernel->kernel)); }

/* Ends StarPU, after all kernels are unloaded. */
static inline void endStarpu(void) {
    MUST(starpu_opencl_unload_opencl(&program));
    starpu_shutdown();
}

static inline void setArgument(Kernel *kernel, cl_uint index, size_t size, const void *value) {
    must(clSetKernelArg(kernel->kernel, index, size, value), "clSetKernelArg");
}

/* Launches a kernel of one work-item whose arguments are set. */
static inline void launchOneItem(Kernel *kernel) {
    const size_t one = 1;
    must(clEnqueueNDRangeKernel(kernel->queue, kernel->kernel, 1, NULL, &one, &one, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    if (!isAsync)
        must(clFinish(kernel->queue), "clFinish");
    launches++;
}

/* Sets the arguments of a kernel from `at` on to the blocks of a task. */
static inline void setBlocks(Kernel *kernel, cl_uint at, void *buffers[], unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        cl_mem block = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[i]);
        setArgument(kernel, at + i, sizeof block, &block);
    }
}

/* A codelet of both variants, with the model that it is planned by. */
static inline void fillCodelet(struct starpu_codelet *codelet, struct starpu_perfmodel *model, const char *symbol,
                        starpu_cpu_func_t function, starpu_opencl_func_t kernel) {
    memset(model, 0, sizeof *model);
    model->type = STARPU_HISTORY_BASED;
    model->symbol = symbol;
    starpu_codelet_init(codelet);
    codelet->cpu_funcs[0] = function;
    codelet->opencl_funcs[0] = kernel;
    codelet->opencl_flags[0] = isAsync ? STARPU_OPENCL_ASYNC : 0;
    codelet->model = model;
}

/* Has the tasks of a run that calibrates go to both workers in turn: left to itself, StarPU gives most of them to the
 * one that it knows already, and takes many runs until it has as many samples of both as it wants. */
static inline void calibrate(struct starpu_task *task, uint64_t number) {
    if (isCalibrating) {
        task->execute_on_a_specific_worker = 1;
        task->workerid = (unsigned)(number % 2 == 0 ? kernelWorker : functionWorker);
    }
}

static inline void printExpected(const char *key, struct starpu_task *task, int worker) {
    struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(worker, STARPU_NMAX_SCHED_CTXS);
    const double us = starpu_task_expected_length(task, arch, 0);
    printf("%s: %.9g\n", key, us > 0 ? 1e3 * us : 0); /* a length that is not known is no number */
}

/* Prints what the models say of a task that is not submitted, and destroys it. */
static inline void printModels(struct starpu_task *task) {
    task->destroy = 0;
    printExpected("function_ns", task, functionWorker);
    printExpected("kernel_ns", task, kernelWorker);
    starpu_task_destroy(task);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Blocks of one size, all zero at first. They are allocated as StarPU asks for what is moved to devices. */
typedef struct {
    uint64_t count;
    size_t size;
    char *memory;
    starpu_data_handle_t *handle;
} Blocks;

static inline Blocks allocateBlocks(uint64_t count, size_t size) {
    Blocks blocks = {count, size, NULL, mustAllocate(count, sizeof(starpu_data_handle_t))};
    MUST(starpu_malloc_flags((void **)&blocks.memory, count * size, STARPU_MALLOC_PINNED));
    memset(blocks.memory, 0, count * size);
    return blocks;
}

static inline void *blockOf(const Blocks *blocks, uint64_t i) { return blocks->memory + i * blocks->size; }

/* Hands the blocks, which are filled, to StarPU. */
static inline void registerBlocks(const Blocks *blocks) {
    for (uint64_t i = 0; i < blocks->count; i++)
        starpu_vector_data_register(&blocks->handle[i], STARPU_MAIN_RAM, (uintptr_t)blockOf(blocks, i),
                                    (uint32_t)blocks->size, 1);
}

/* Brings the blocks back to where they are filled. */
static inline void fetchBlocks(const Blocks *blocks) {
    for (uint64_t i = 0; i < blocks->count; i++) {
        MUST(starpu_data_acquire(blocks->handle[i], STARPU_R));
        starpu_data_release(blocks->handle[i]);
    }
}

static inline void unregisterBlocks(const Blocks *blocks) {
    for (uint64_t i = 0; i < blocks->count; i++)
        starpu_data_unregister(blocks->handle[i]);
}

static inline void freeBlocks(Blocks *blocks) {
    MUST(starpu_free_flags(blocks->memory, blocks->count * blocks->size, STARPU_MALLOC_PINNED));
    free(blocks->handle);
}

#endif
