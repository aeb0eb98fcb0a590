/*
 * By default all cores are the workers'. Of a program with two templates, one is better as a kernel and the other as a
 * function: after some rounds each runs as what suits it. Functions run while kernels do, on other cores, and the
 * workers have all cores again when no kernel runs. So has a thread that a function has started meanwhile, unless it
 * has bound itself elsewhere before, and no thread is one that lets others finish any more.
 */
// clause: process ocr-variants.h
// needs: opencl
// workers: 2
// env: OCR_WORKERS=
// env: OCR_DEVICES=cpu
// env: OCR_MODELS=off
// env: OCR_STATS=1
// stderr: which are the workers'; the device had
// stderr-without: cores of their own
#include "kernel_cores.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

enum { KERNELS = 40, FUNCTIONS = 60, ROUNDS = 60 };

static const char *slow_source = "__kernel void slow(ulong turns, __global uint *words) {\n"
                                 "    uint x = words[get_global_id(0)] + 1;\n"
                                 "    for (ulong i = 0; i < turns; i++) x = x * 1664525u + 1013904223u;\n"
                                 "    words[get_global_id(0)] = x | 1;\n"
                                 "}\n";

static ocrGuid_t suits_device, suits_workers, blocks[KERNELS + FUNCTIONS];
static u64 round_number;
static atomic_ullong functions_of_kernels, functions_of_functions;
/* Whether a function has seen that workers and device had cores of their own. */
static atomic_bool apart;

/* Threads of the program: one that was started when workers and device had cores of their own, and one that has bound
 * itself to a core before. 0: there is none yet. */
static atomic_int started, bound;

static void *says_number(void *number) {
    if (number == &bound) {
        cpu_set_t all = cores_of_process(), first;
        int core = 0;
        while (!CPU_ISSET(core, &all)) {
            core++;
        }
        CPU_ZERO(&first);
        CPU_SET(core, &first);
        CHECK_EQ(sched_setaffinity(0, sizeof first, &first), 0);
    }
    atomic_store((atomic_int *)number, (int)syscall(SYS_gettid));
    for (;;) {
        pause();
    }
    return NULL;
}

static void start(atomic_int *number) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, says_number, number), 0);
    CHECK_EQ(pthread_detach(thread), 0);
    while (atomic_load(number) == 0) {
        sched_yield();
    }
}

static cpu_set_t cores_of(int thread) {
    cpu_set_t cores;
    CHECK_EQ(sched_getaffinity(thread, sizeof cores, &cores), 0);
    return cores;
}

/* Whether a thread of the process has the policy SCHED_BATCH. */
static bool any_lets_others_finish(void) {
    DIR *folder = opendir("/proc/self/task");
    CHECK(folder != NULL);
    bool any = false;
    for (struct dirent *entry; (entry = readdir(folder));) {
        any |= entry->d_name[0] != '.' && sched_getscheduler(atoi(entry->d_name)) == SCHED_BATCH;
    }
    closedir(folder);
    return any;
}

/* Its kernel takes some microseconds. */
static ocrGuid_t long_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    busy_by(CLOCK_THREAD_CPUTIME_ID, 5000000);
    atomic_fetch_add(&functions_of_kernels, 1);
    return NULL_GUID;
}

/* Its kernel takes some hundred times as long. */
static ocrGuid_t short_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    Side workers, device;
    look(&workers, &device);
    cpu_set_t all = cores_of_process();
    if (!CPU_EQUAL(&workers.cores, &all) && !atomic_exchange(&apart, true)) {
        start(&started);
    }
    busy_by(CLOCK_THREAD_CPUTIME_ID, 300000);
    atomic_fetch_add(&functions_of_functions, 1);
    return NULL_GUID;
}

static ocrGuid_t next_round(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

/* The device gives the cores back when it has had nothing to do for some milliseconds. */
static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    cpu_set_t all = cores_of_process();
    for (;;) {
        Side workers, device;
        look(&workers, &device);
        cpu_set_t of_started = cores_of(atomic_load(&started));
        if (CPU_EQUAL(&workers.cores, &all) && (device.threads == 0 || CPU_EQUAL(&device.cores, &all)) &&
            CPU_EQUAL(&of_started, &all) && !any_lets_others_finish()) {
            break;
        }
        usleep(1000);
    }
    cpu_set_t of_bound = cores_of(atomic_load(&bound));
    CHECK_EQ(CPU_COUNT(&of_bound), 1);
    CHECK_EQ(ocrNbWorkers(), CPU_COUNT(&all));
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 of_kernels = atomic_exchange(&functions_of_kernels, 0),
        of_functions = atomic_exchange(&functions_of_functions, 0);
    bool is_settled = of_kernels <= KERNELS / 4 && of_functions >= FUNCTIONS - FUNCTIONS / 4 && atomic_load(&apart);
    if (is_settled) {
        spawn(ends, 0, NULL, 0, NULL);
        return NULL_GUID;
    }
    round_number++;
    CHECK(round_number < ROUNDS);
    spawn(next_round, 0, NULL, 0, NULL);
    return NULL_GUID;
}

static ocrGuid_t next_round(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t last = spawn(looks, 0, NULL, KERNELS + FUNCTIONS, NULL), done;
    u64 turns = 20000000;
    for (u32 i = 0; i < KERNELS + FUNCTIONS; i++) {
        bool is_kernel = i % 5 < 2;
        ocrGuid_t edt = edt_of(is_kernel ? suits_device : suits_workers, 1, &turns, 1, NULL, EDT_PROP_NONE, &done);
        link_to(done, last, i, DB_MODE_NULL);
        link_to(blocks[i], edt, 0, DB_MODE_RW);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    need_cores();
    cpu_set_t all = cores_of_process();
    CHECK_EQ(ocrNbWorkers(), CPU_COUNT(&all));
    suits_device = template_of(long_function, 1, 1);
    suits_workers = template_of(short_function, 1, 1);
    OK(ocrEdtTemplateAddKernel(suits_device, "__kernel void fast(ulong turns, __global uint *words) { words[0] += 1; }",
                               NULL, "fast", one_item, OCR_NO_RESULT));
    OK(ocrEdtTemplateAddKernel(suits_workers, slow_source, NULL, "slow", one_item, OCR_NO_RESULT));
    CHECK_EQ(ocrNbWorkers(), CPU_COUNT(&all));
    expect_shared();
    start(&bound);
    for (u32 i = 0; i < KERNELS + FUNCTIONS; i++) {
        blocks[i] = words_block(64, 0, 1);
    }
    spawn(next_round, 0, NULL, 0, NULL);
    return NULL_GUID;
}
