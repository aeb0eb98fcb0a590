/* Quicksort: each EDT partitions its block into two new ones and a continuation joins them. */
// clause: application
#include "check.h"

enum { CUTOFF = 64 };

static int by_value(const void *a, const void *b) {
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return x < y ? -1 : x > y;
}

static ocrGuid_t join_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 less = paramv[0], more = paramv[1];
    void *addr;
    ocrGuid_t joined = block_of((less + more) * sizeof(u64), &addr);
    memcpy(addr, depv[0].ptr, less * sizeof(u64));
    memcpy((u64 *)addr + less, depv[1].ptr, more * sizeof(u64));
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrDbDestroy(depv[1].guid));
    return joined;
}

/* params: count; result event, to be satisfied with the sorted block. */
static ocrGuid_t sort_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 count = paramv[0], *data = (u64 *)depv[0].ptr;
    ocrGuid_t result = ((ocrGuid_t *)paramv)[1], sort_template, join_template, join, output;
    if (count <= CUTOFF) {
        qsort(data, count, sizeof *data, by_value);
        OK(ocrDbRelease(depv[0].guid));
        OK(ocrEventSatisfy(result, depv[0].guid));
        return NULL_GUID;
    }
    u64 a = data[0], b = data[count / 2], c = data[count - 1];
    u64 pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
    u64 less = 0, sizes[2];
    for (u64 i = 0; i < count; i++) {
        less += data[i] < pivot;
    }
    sizes[0] = less, sizes[1] = count - less;
    if (less == 0) { /* the pivot is the least: one of its kind is a part by itself */
        u64 at = 0;
        while (data[at] != pivot) {
            at++;
        }
        data[at] = data[0], data[0] = pivot;
        sizes[0] = 1, sizes[1] = count - 1;
    }
    u64 *parts[2], at[2] = {0, 0};
    ocrGuid_t blocks[2], events[2];
    for (int i = 0; i < 2; i++) {
        void *addr;
        blocks[i] = block_of(sizes[i] * sizeof(u64), &addr);
        parts[i] = (u64 *)addr;
        events[i] = event_of(OCR_EVENT_ONCE_T);
    }
    for (u64 i = 0; i < count; i++) {
        int side = less == 0 ? i > 0 : data[i] >= pivot;
        parts[side][at[side]++] = data[i];
    }
    OK(ocrDbDestroy(depv[0].guid));
    OK(ocrEdtTemplateCreate(&join_template, join_edt, 2, 2));
    ocrGuid_t open[] = {UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    OK(ocrEdtCreate(&join, join_template, EDT_PARAM_DEF, sizes, EDT_PARAM_DEF, open, EDT_PROP_NONE, NULL_HINT,
                    &output));
    link_to(output, result, 0, DB_MODE_NULL);
    link_to(events[0], join, 0, DB_MODE_CONST);
    link_to(events[1], join, 1, DB_MODE_CONST);
    OK(ocrEdtTemplateCreate(&sort_template, sort_edt, 2, 1));
    for (int i = 0; i < 2; i++) {
        u64 args[] = {sizes[i], *(u64 *)&events[i]};
        OK(ocrDbRelease(blocks[i]));
        edt_of(sort_template, 2, args, 1, &blocks[i], EDT_PROP_NONE, NULL);
    }
    OK(ocrEdtTemplateDestroy(sort_template));
    OK(ocrEdtTemplateDestroy(join_template));
    return NULL_GUID;
}

static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 seed = 99, sum = 0, *data = (u64 *)depv[0].ptr;
    for (u64 i = 0; i < paramv[0]; i++) {
        sum += next_random(&seed) % 100000 - data[i];
        CHECK(i == 0 || data[i - 1] <= data[i]);
    }
    CHECK_EQ(sum, 0);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 count = scaled(300000), seed = 99;
    void *addr;
    ocrGuid_t block = block_of(count * sizeof(u64), &addr), sorted = event_of(OCR_EVENT_ONCE_T);
    for (u64 i = 0; i < count; i++) {
        ((u64 *)addr)[i] = next_random(&seed) % 100000;
    }
    OK(ocrDbRelease(block));
    spawn(check_edt, 1, &count, 1, &sorted);
    u64 args[] = {count, *(u64 *)&sorted};
    spawn(sort_edt, 2, args, 1, &block);
    return NULL_GUID;
}
