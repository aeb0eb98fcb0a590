/*
 * With OCR_BIND=fixed and without a number of workers, the workers that are too many beside a CPU device run no EDT any
 * more, whatever they did before, and those that are left run all of them.
 */
// clause: process ocr-variants.h
// needs: opencl
// workers: 2
// env: OCR_WORKERS=
// env: OCR_BIND=fixed
#include "kernel_cores.h"

enum { EDTS = 400 };

/* The threads that have run an EDT of the second round, and the workers, by their GUIDs. */
static struct {
    u64 numbers[1024];
    u64 count;
} threads, workers;

#define NOTE(list, number)                                                                                             \
    do {                                                                                                               \
        u64 own = (number), seen = __atomic_load_n(&(list).count, __ATOMIC_ACQUIRE), i = 0;                            \
        while (i < seen && __atomic_load_n(&(list).numbers[i], __ATOMIC_RELAXED) != own) {                             \
            i++;                                                                                                       \
        }                                                                                                              \
        if (i == seen) { /* Each thread notes itself alone: no other writes the same number. */                     \
            u64 at = __atomic_fetch_add(&(list).count, 1, __ATOMIC_ACQ_REL);                                           \
            CHECK(at < sizeof(list).numbers / sizeof *(list).numbers);                                                 \
            __atomic_store_n(&(list).numbers[at], own, __ATOMIC_RELAXED);                                              \
        }                                                                                                              \
    } while (0)

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 50000);
    ocrGuid_t worker;
    ocrCurrentWorkerGuid(&worker);
    CHECK(!ocrGuidIsNull(worker));
    if (paramv[0]) {
        NOTE(threads, gettid());
        NOTE(workers, (u64)worker.guid);
    }
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(threads.count > 0 && threads.count <= (u64)expect_apart());
    CHECK_EQ(ocrNbWorkers(), expect_apart());
    CHECK(workers.count > 0 && workers.count <= ocrNbWorkers());
    ocrShutdown();
    return NULL_GUID;
}

/* Before the device is used, all workers run EDTs. */
static ocrGuid_t begins(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    with_kernel(twice);
    expect_apart();
    u64 noted = 1;
    ocrGuid_t done, last = template_of(ends, 0, EDTS);
    ocrGuid_t end = edt_of(last, 0, NULL, EDTS, NULL, EDT_PROP_NONE, NULL);
    for (u32 i = 0; i < EDTS; i++) {
        ocrGuid_t hold = UNINITIALIZED_GUID;
        ocrGuid_t edt = spawn_with(works, 1, &noted, 1, &hold, EDT_PROP_NONE, &done);
        link_to(done, end, i, DB_MODE_NULL);
        link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    need_cores();
    cpu_set_t all = cores_of_process();
    CHECK_EQ(ocrNbWorkers(), CPU_COUNT(&all));
    u64 noted = 0;
    for (u32 i = 0; i < EDTS; i++) {
        spawn(works, 1, &noted, 0, NULL);
    }
    spawn(begins, 0, NULL, 0, NULL);
    return NULL_GUID;
}
