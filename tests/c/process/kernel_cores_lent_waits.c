/*
 * EDTs that wait in a call while a device gets cores of the workers' and gives them back, again and again: each goes on
 * when what it waits for has come, and none is lost.
 */
// clause: process ocr-variants.h ocr-legacy.h
// needs: opencl
// workers: 2
// env: OCR_WORKERS=
// env: OCR_DEVICES=cpu
// env: OCR_STATS=1
// stderr: which are the workers'; the device had
#include "kernel_cores.h"
#include <extensions/ocr-legacy.h>
#include <stdatomic.h>

enum { WAITERS = 24, WAITS = 6, KERNELS = 60 };

static atomic_int answered, doubled;
static ocrGuid_t kernel, block;

static ocrGuid_t short_work(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    busy_by(CLOCK_MONOTONIC, 200000);
    return NULL_GUID;
}

/* Waits for an EDT, several times, with some work in between. */
static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t handle, slot, tmpl = template_of(short_work, 0, 1);
    for (int i = 0; i < WAITS; i++) {
        OK(ocrLegacySpawnOCR(&handle, tmpl, 0, NULL, 1, &slot, NULL_GUID));
        OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
        OK(ocrEventDestroy(handle));
        busy_by(CLOCK_MONOTONIC, 300000);
        atomic_fetch_add(&answered, 1);
    }
    return NULL_GUID;
}

/* The next kernel of a chain, some time after the last one: the cores go back in between. */
static ocrGuid_t after(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 left = paramv[0];
    CHECK_EQ(((u32 *)depv[0].ptr)[0], 1);
    atomic_fetch_add(&doubled, 1);
    ((u32 *)depv[0].ptr)[0] = 0;
    if (left > 1) {
        busy_by(CLOCK_MONOTONIC, left % 3 * 1500000);
        ocrGuid_t done, edt = kernel_edt(kernel, 1, 0, NULL, 1, &done);
        left--;
        ocrGuid_t next = spawn(after, 1, &left, 2, NULL);
        link_to(done, next, 1, DB_MODE_NULL);
        link_to(depv[0].guid, next, 0, DB_MODE_RW);
        link_to(depv[0].guid, edt, 0, DB_MODE_RW);
    }
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(atomic_load(&answered), WAITERS * WAITS);
    CHECK_EQ(atomic_load(&doubled), KERNELS);
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (int i = 0; i < WAITERS; i++) {
        spawn(waits, 0, NULL, 0, NULL);
    }
    u64 left = KERNELS;
    ocrGuid_t done, edt = kernel_edt(kernel, 1, 0, NULL, 1, &done);
    ocrGuid_t next = spawn(after, 1, &left, 2, NULL);
    link_to(done, next, 1, DB_MODE_NULL);
    link_to(block, next, 0, DB_MODE_RW);
    link_to(block, edt, 0, DB_MODE_RW);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    need_cores();
    kernel = kernel_of("__kernel void one(__global uint *words) { words[0] = 1; }", "one", 0, 1);
    needs_cpu_device();
    block = words_block(64, 0, 0);
    in_scope(all, ends, 0, NULL_GUID);
    return NULL_GUID;
}
