/*
 * Without a word from the user, the workers that are too many beside a CPU device run no EDT any more, whatever they did
 * before, and those that are left run all of them.
 */
// needs: opencl
// workers: 2
// env: OCR_WORKERS=
#include "kernel_cores.h"

enum { EDTS = 400 };

/* The threads that have run an EDT of the second round. */
static pid_t threads[1024];
static u64 count;

static void note_thread(void) {
    pid_t own = gettid();
    u64 seen = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (u64 i = 0; i < seen; i++) {
        if (__atomic_load_n(&threads[i], __ATOMIC_RELAXED) == own) {
            return;
        }
    }
    /* Each thread notes itself alone: nobody else writes the same number. */
    u64 at = __atomic_fetch_add(&count, 1, __ATOMIC_ACQ_REL);
    CHECK(at < sizeof threads / sizeof *threads);
    __atomic_store_n(&threads[at], own, __ATOMIC_RELAXED);
}

static ocrGuid_t works(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 50000);
    if (paramv[0]) {
        note_thread();
    }
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(count > 0 && count <= (u64)expect_apart());
    CHECK_EQ(ocrNbWorkers(), expect_apart());
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
