/*
 * EDTs that wait in a call: no worker is lost. More of them wait at a time than there are workers, each
 * for EDTs that it has created; some wait again and again; one waits by ocrInformLegacyCodeBlocking.
 */
// clause: ocr-legacy.h
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>
#include <stdatomic.h>

#define DEPTH 6 /* 2^DEPTH EDTs wait at a time in the tree */

static atomic_int running, most;
static atomic_bool flag;

static ocrGuid_t leaf(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    return block_with(paramv[0]);
}

/* The sum of the leaves below, by two EDTs that it waits for. */
static ocrGuid_t tree(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 sum = 0, below[2] = {paramv[0] - 1, paramv[0] - 1};
    if (paramv[0] == 0)
        return leaf(1, (u64[]){1}, 0, NULL);
    ocrGuid_t handles[2], slot, tmpl = template_of(tree, 1, 1);
    int now = atomic_fetch_add(&running, 1) + 1;
    for (int seen = atomic_load(&most); now > seen && !atomic_compare_exchange_weak(&most, &seen, now);) {
    }
    for (int n = 0; n < 2; n++)
        OK(ocrLegacySpawnOCR(&handles[n], tmpl, 1, &below[n], 1, &slot, NULL_GUID));
    for (int n = 0; n < 2; n++) {
        void *result;
        ocrGuid_t guid;
        OK(ocrLegacyBlockProgress(handles[n], &guid, &result, NULL, LEGACY_PROP_NONE));
        sum += *(u64 *)result;
        OK(ocrDbDestroy(guid));
        OK(ocrEventDestroy(handles[n]));
    }
    atomic_fetch_sub(&running, 1);
    return block_with(sum);
}

/* Waits for many EDTs, one after the other. */
static ocrGuid_t again(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 sum = 0;
    for (u64 n = 0; n < paramv[0]; n++) {
        ocrGuid_t handle, slot;
        void *result;
        OK(ocrLegacySpawnOCR(&handle, template_of(leaf, 1, 1), 1, &n, 1, &slot, NULL_GUID));
        OK(ocrLegacyBlockProgress(handle, NULL, &result, NULL, LEGACY_PROP_NONE));
        sum += *(u64 *)result;
    }
    return block_with(sum);
}

static ocrGuid_t raises(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_store(&flag, true);
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    atomic_store(&flag, false);
    spawn(raises, 0, NULL, 0, NULL);
    while (!atomic_load(&flag))
        OK(ocrInformLegacyCodeBlocking());
    /* and another time, now without a place to give away */
    atomic_store(&flag, false);
    ocrGuid_t handle, slot;
    OK(ocrLegacySpawnOCR(&handle, template_of(raises, 0, 1), 0, NULL, 1, &slot, NULL_GUID));
    OK(ocrLegacyBlockProgress(handle, NULL, NULL, NULL, LEGACY_PROP_NONE));
    CHECK(atomic_load(&flag));
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    CHECK_EQ(number_in(depv[1]), paramv[1]);
    CHECK_EQ(number_in(depv[2]), paramv[1]);
    (void)paramc, (void)depc;
    CHECK_EQ(atomic_load(&running), 0);
    /* the root and its children all wait before any leaf has run, whatever the workers are */
    CHECK(atomic_load(&most) >= DEPTH);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 depth = small_run() ? 3 : DEPTH, times = small_run() ? 20 : 500;
    u64 want[] = {1 << depth, times * (times - 1) / 2};
    atomic_store(&most, small_run() ? DEPTH : 0);
    ocrGuid_t outputs[4], gate = event_of(OCR_EVENT_STICKY_T);
    spawn_with(tree, 1, &depth, 1, &gate, EDT_PROP_NONE, &outputs[0]);
    spawn_with(again, 1, &times, 1, &gate, EDT_PROP_FINISH, &outputs[1]);
    spawn_with(again, 1, &times, 1, &gate, EDT_PROP_NONE, &outputs[2]);
    spawn_with(looks, 0, NULL, 1, &gate, EDT_PROP_NONE, &outputs[3]);
    spawn(ends, 2, want, 4, outputs);
    OK(ocrEventSatisfy(gate, NULL_GUID));
    return NULL_GUID;
}
