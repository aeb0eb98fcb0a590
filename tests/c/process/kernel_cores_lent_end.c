/*
 * A run is shut down while a kernel has a part of the cores and workers have the rest: the kernel gets all cores when
 * the workers have ended. It waits for a thread of the program, which looks for that.
 */
// clause: process ocr-variants.h
// needs: opencl
// workers: 2
// env: OCR_WORKERS=
// env: OCR_DEVICES=cpu
// env: OCR_MODELS=off
// env: OCR_DEVICE_FORCE_COPIES=
// env: OCR_STATS=1
// stderr: which are the workers'; the device had
#include "kernel_cores.h"
#include <pthread.h>
#include <stdatomic.h>

static ocrGuid_t kernel, block;
static _Atomic u32 *words;

static void *looks(void *unused) {
    (void)unused;
    cpu_set_t all = cores_of_process();
    Side workers, device;
    do {
        usleep(1000);
        workers = device = (Side){.threads = 0};
        look_for(&workers, &device);
    } while (!CPU_EQUAL(&device.cores, &all));
    atomic_store(&words[0], 1);
    return NULL;
}

/* The host has something to do while this runs, so the kernel gets a part of the cores. */
static ocrGuid_t shuts_down(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    cpu_set_t all = cores_of_process();
    Side workers, device;
    do {
        usleep(1000);
        look(&workers, &device);
        need_threads(&device);
    } while (CPU_EQUAL(&device.cores, &all));
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, looks, NULL), 0);
    CHECK_EQ(pthread_detach(thread), 0);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    need_cores();
    /* The kernel and the program's thread see one memory, which only a device that computes in the host's has. */
    kernel = kernel_of("__kernel void waits(__global volatile uint *words) {\n"
                       "    while (words[0] == 0) atomic_or(words + 1, 0u);\n"
                       "}\n",
                       "waits", 0, 1);
    needs_cpu_device();
    void *memory;
    OK(ocrDbCreate(&block, &memory, 64 * sizeof(u32), DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    words = memory;
    atomic_store(&words[0], 0);
    OK(ocrDbRelease(block));
    ocrGuid_t edt = kernel_edt(kernel, 1, 0, NULL, 1, NULL);
    link_to(block, edt, 0, DB_MODE_RW);
    spawn(shuts_down, 0, NULL, 0, NULL);
    return NULL_GUID;
}
