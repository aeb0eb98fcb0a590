/*
 * Many short kernels come at once, and are held back for a moment (src/device/lane.rs). Blocks are destroyed
 * meanwhile. While a command waits for an event of the host's, OpenCL forbids to release anything but events.
 */
// clause: ocr-variants.h
// env: OCR_DEVICE_FORCE_COPIES=1
// needs: opencl
#include "opencl_calls.h"
#include <pthread.h>
#include <stdatomic.h>

typedef void *create_t(void *, int *);
typedef int set_t(void *, int);
typedef int release_t(void *);

static create_t *create_opencl;
static set_t *set_opencl;
static release_t *release_opencl;
static atomic_int shut;

static void *create(void *context, int *error) {
    shut++;
    return create_opencl(context, error);
}

static int set(void *event, int status) {
    shut--;
    return set_opencl(event, status);
}

static int release(void *buffer) {
    CHECK_EQ(shut, 0);
    return release_opencl(buffer);
}

static function_t *instead_of(const char *name, function_t *opencl) {
    if (strcmp(name, "clCreateUserEvent") == 0) {
        create_opencl = (create_t *)opencl;
        return (function_t *)create;
    }
    if (strcmp(name, "clSetUserEventStatus") == 0) {
        set_opencl = (set_t *)opencl;
        return (function_t *)set;
    }
    if (strcmp(name, "clReleaseMemObject") == 0) {
        release_opencl = (release_t *)opencl;
        return (function_t *)release;
    }
    return opencl;
}

enum { COUNT = 120, ROUNDS = 6 };

static ocrGuid_t kernel;
static atomic_bool builds;

/* The device's manager works on this meanwhile, and gets all at once what comes. */
static void *build(void *round) {
    char source[64];
    snprintf(source, sizeof source, "kernel void other(global ulong *x) { *x = %d; }", *(int *)round);
    builds = true;
    OK(ocrEdtTemplateDestroy(kernel_of(source, "other", 0, 1)));
    return NULL;
}

static ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 round = paramv[0];
    int number = (int)round;
    pthread_t builder;
    if (round == ROUNDS) {
        ocrShutdown();
        return NULL_GUID;
    }
    builds = false;
    CHECK_EQ(pthread_create(&builder, NULL, build, &number), 0);
    while (!builds)
        breathe();
    usleep(2000);
    /* The kernels get their blocks last, in turns with the end of those before. */
    ocrGuid_t edts[COUNT], slots[2 * COUNT];
    for (u64 i = 0; i < COUNT; i++) {
        slots[i] = bare_block(sizeof(u64));
        edts[i] = kernel_edt(kernel, 1, 1, &round, 1, &slots[COUNT + i]);
    }
    round++;
    spawn(next, 1, &round, 2 * COUNT, slots);
    for (u64 i = 0; i < COUNT; i++) {
        if (depc != 0) {
            CHECK_EQ(number_in(depv[i]) + 2, round);
            OK(ocrDbDestroy(depv[i].guid));
        }
        link_to(slots[i], edts[i], 0, DB_MODE_EW);
    }
    CHECK_EQ(pthread_join(builder, NULL), 0);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 round = 0;
    kernel = kernel_of("kernel void sets(ulong value, global ulong *x) { *x = value; }", "sets", 1, 1);
    spawn(next, 1, &round, 0, NULL);
    return NULL_GUID;
}
