/* Programs with a known cause of a long run, one for each first argument. With "control" as the second argument the
 * cause is not there. */
#include "common.h"

static void *computeAlways(void *unused) {
    for (;;) {
        compute(1);
    }
    return unused;
}

/* Runs for the microseconds of its parameter. */
EDT(workEdt) {
    spin(paramv[0] / 1e3);
    return NULL_GUID;
}

EDT(sleepEdt) {
    usleep(paramv[0]);
    return NULL_GUID;
}

/* Makes a block of so many bytes and touches each page of it. */
EDT(fillEdt) {
    ocrGuid_t block;
    void *start;
    ocrDbCreate(&block, &start, paramv[0], DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    for (u64 at = 0; at < paramv[0]; at += 4096) {
        ((char *)start)[at] = 1;
    }
    ocrDbDestroy(block);
    return NULL_GUID;
}

static bool isOver;
static ocrGuid_t poll;
EDT(overEdt) {
    __atomic_store_n(&isOver, true, __ATOMIC_RELEASE);
    return NULL_GUID;
}

/* Looks whether the others are done, and has the next one look again. */
EDT(pollEdt) {
    ocrGuid_t next;
    if (__atomic_load_n(&isOver, __ATOMIC_ACQUIRE)) {
        ocrShutdown();
        return NULL_GUID;
    }
    compute(0.05);
    ocrEdtCreate(&next, poll, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    return NULL_GUID;
}

EDT(longEdt) {
    spin(paramv[0] / 1e3);
    return NULL_GUID;
}

EDT(combineEdt) {
    spin(40);
    ocrShutdown();
    return NULL_GUID;
}

EDT(writeEdt) {
    spin(1);
    return NULL_GUID;
}

static const char bump[] = "kernel void bump(global uint *x) { x[get_global_id(0)] += 1; }";
static const char slow[] = "kernel void slow(global uint *x) { uint v = x[get_global_id(0)];"
                           " for (uint i = 0; i < LOOPS; i++) v = v * 1664525u + 1013904223u + (v >> 16);"
                           " x[get_global_id(0)] = v; }";

static void words(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    range->workDim = 1;
    range->globalSize[0] = sizes[0] / 4;
}

EDT(hostEdt) {
    ((u32 *)depv[0].ptr)[0] += 1;
    return depv[0].guid;
}

EDT(bumpEdt) {
    u32 *x = depv[0].ptr;
    for (size_t i = 0; i < (4u << 20) / 4; i++) {
        x[i] += 1;
    }
    return depv[0].guid;
}

EDT(stepEdt) {
    spin(0.3);
    return depv[0].guid;
}

/* Creates `many` EDTs of a function with a parameter, `pause` milliseconds apart, and one behind all of them. */
static void fan(ocrEdt_t function, ocrEdt_t last, u32 many, u64 us, double pause, u32 longAt, u64 longUs) {
    ocrGuid_t each, behind, large, edt, out, end;
    ocrEdtTemplateCreate(&each, function, 1, 0);
    ocrEdtTemplateCreate(&large, longEdt, 1, 0);
    ocrEdtTemplateCreate(&behind, last, 0, EDT_PARAM_UNK);
    ocrEdtCreate(&end, behind, 0, NULL, many, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrGuid_t *outs = malloc(many * sizeof *outs);
    for (u32 i = 0; i < many; i++) {
        bool isLong = i == longAt;
        u64 length = isLong ? longUs : us;
        /* Where there is a long one, the short ones go before it. */
        ocrHint_t hint;
        ocrHintInit(&hint, OCR_HINT_EDT_T);
        ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 10);
        bool isFirst = longAt < many && !isLong;
        ocrEdtCreate(&edt, isLong ? large : each, 1, &length, 0, NULL, EDT_PROP_NONE, isFirst ? &hint : NULL_HINT,
                     &out);
        if (pause > 0) {
            spin(pause);
        }
        ocrAddDependence(out, end, i, DB_MODE_NULL);
    }
    free(outs);
}

static void chain(ocrGuid_t one, ocrGuid_t other, u32 many, u64 bytes) {
    ocrGuid_t last, block;
    void *start;
    ocrGuid_t edts[401], outs[401];
    ocrEdtTemplateCreate(&last, stopEdt, 0, 1);
    ocrDbCreate(&block, &start, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    memset(start, 0, bytes);
    ocrDbRelease(block);
    for (u32 i = 0; i < many; i++) {
        ocrEdtCreate(&edts[i], i % 2 ? other : one, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &outs[i]);
    }
    ocrEdtCreate(&edts[many], last, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    for (u32 i = 0; i < many; i++) {
        ocrAddDependence(outs[i], edts[i + 1], 0, i + 1 < many ? DB_MODE_RW : DB_MODE_RO);
    }
    ocrAddDependence(block, edts[0], 0, DB_MODE_RW);
}

static void writers(u32 many, bool isShared) {
    ocrGuid_t each, last, edt, out, end, block = NULL_GUID;
    void *start;
    ocrEdtTemplateCreate(&each, writeEdt, 0, 1);
    ocrEdtTemplateCreate(&last, stopEdt, 0, EDT_PARAM_UNK);
    ocrEdtCreate(&end, last, 0, NULL, many, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    for (u32 i = 0; i < many; i++) {
        if (i == 0 || !isShared) {
            ocrDbCreate(&block, &start, 4096, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
            ocrDbRelease(block);
        }
        ocrEdtCreate(&edt, each, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &out);
        ocrAddDependence(out, end, i, DB_MODE_NULL);
        ocrAddDependence(block, edt, 0, DB_MODE_EW);
    }
}

static void kernels(u32 many, const char *options) {
    ocrGuid_t each, last, edt, out, end, block;
    void *start;
    ocrEdtTemplateCreate(&each, stepEdt, 0, 1);
    ocrEdtTemplateAddKernel(each, slow, options, "slow", words, 0);
    ocrEdtTemplateCreate(&last, stopEdt, 0, EDT_PARAM_UNK);
    ocrEdtCreate(&end, last, 0, NULL, many, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    for (u32 i = 0; i < many; i++) {
        ocrDbCreate(&block, &start, 256, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
        memset(start, 1, 256);
        ocrDbRelease(block);
        ocrEdtCreate(&edt, each, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &out);
        ocrAddDependence(out, end, i, DB_MODE_RO);
        ocrAddDependence(block, edt, 0, DB_MODE_RW);
    }
}

/* EDTs of a function that wait for each other, and one behind the last. */
static void row(ocrEdt_t function, ocrEdt_t last, u32 many, u64 us) {
    ocrGuid_t each, behind, edts[201], outs[201];
    ocrEdtTemplateCreate(&each, function, 1, 1);
    ocrEdtTemplateCreate(&behind, last, 0, 1);
    for (u32 i = 0; i < many; i++) {
        ocrEdtCreate(&edts[i], each, 1, &us, 1, NULL, EDT_PROP_NONE, NULL_HINT, &outs[i]);
    }
    ocrEdtCreate(&edts[many], behind, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    for (u32 i = 0; i < many; i++) {
        ocrAddDependence(outs[i], edts[i + 1], 0, DB_MODE_NULL);
    }
    ocrAddDependence(NULL_GUID, edts[0], 0, DB_MODE_NULL);
}

/* Creates two more of itself, down to so many levels; those of the last level compute. */
static ocrGuid_t branch;
EDT(treeEdt) {
    u64 next[2] = {paramv[0] - 1, paramv[1]};
    for (int i = 0; i < 2 && paramv[0] > 0; i++) {
        ocrGuid_t edt;
        ocrEdtCreate(&edt, branch, 2, next, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    if (paramv[0] == 0) {
        compute(paramv[1] / 1e3);
    }
    return NULL_GUID;
}

/* All of a tree of so many levels, then the end. */
static void treeOf(u64 levels, u64 us) {
    ocrGuid_t root, last, stop, edt, out;
    u64 params[2] = {levels, us};
    ocrEdtTemplateCreate(&root, treeEdt, 2, 1);
    ocrEdtTemplateCreate(&branch, treeEdt, 2, 0);
    ocrEdtTemplateCreate(&last, stopEdt, 0, 1);
    ocrEdtCreate(&stop, last, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrEdtCreate(&edt, root, 2, params, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &out);
    ocrAddDependence(out, stop, 0, DB_MODE_NULL);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL);
}

/* The first to add a kernel, when the run has gone on for some time. */
EDT(lateEdt) {
    kernels(4, "-DLOOPS=100u");
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    void *arguments = depv[0].ptr;
    const char *name = ocrGetArgv(arguments, 1);
    bool isControl = ocrGetArgc(arguments) > 2;
    if (strcmp(name, "slow_creator") == 0) {
        fan(workEdt, stopEdt, 200, 1000, isControl ? 0 : 2, 1000, 0);
    } else if (strcmp(name, "one_creator") == 0) {
        fan(workEdt, stopEdt, isControl ? 300 : 50000, isControl ? 1000 : 0, 0, 100000, 0);
    } else if (strcmp(name, "sleeps") == 0) {
        fan(isControl ? workEdt : sleepEdt, stopEdt, 60, 5000, 0, 1000, 0);
    } else if (strcmp(name, "long_last") == 0) {
        fan(workEdt, stopEdt, 100, 1000, 0, isControl ? 1000 : 50, 60000);
    } else if (strcmp(name, "alone") == 0) {
        fan(workEdt, isControl ? stopEdt : combineEdt, 100, 1000, 0, 1000, 0);
    } else if (strcmp(name, "exclusive") == 0) {
        writers(200, !isControl);
    } else if (strcmp(name, "to_and_fro") == 0) {
        ocrGuid_t host, kernel;
        ocrEdtTemplateCreate(&host, hostEdt, 0, 1);
        ocrEdtTemplateCreate(&kernel, bumpEdt, 0, 1);
        ocrEdtTemplateAddKernel(kernel, bump, NULL, "bump", words, 0);
        chain(kernel, isControl ? kernel : host, 200, 4u << 20);
    } else if (strcmp(name, "slow_kernel") == 0) {
        kernels(400, isControl ? "-DLOOPS=100u" : "-DLOOPS=80000u");
    } else if (strcmp(name, "busy_machine") == 0) {
        /* The cause is outside: other threads want the cores. */
        fan(workEdt, stopEdt, 200, 5000, 0, 1000, 0);
    } else if (strcmp(name, "one_chain") == 0) {
        if (isControl) {
            fan(computeEdt, stopEdt, 60, 3000, 0, 1000, 0);
        } else {
            row(computeEdt, stopEdt, 60, 3000);
        }
    } else if (strcmp(name, "one_edt") == 0) {
        fan(computeEdt, stopEdt, 60, 1000, 0, 1000, 0);
        if (!isControl) {
            compute(400);
        }
    } else if (strcmp(name, "few_large") == 0) {
        fan(computeEdt, stopEdt, isControl ? 60 : 3, isControl ? 4000 : 80000, 0, 1000, 0);
    } else if (strcmp(name, "in_system") == 0) {
        fan(isControl ? computeEdt : fillEdt, stopEdt, 60, isControl ? 4000 : 16u << 20, 0, 1000, 0);
    } else if (strcmp(name, "polling") == 0) {
        fan(computeEdt, isControl ? stopEdt : overEdt, 100, 3000, 0, 1000, 0);
        if (!isControl) {
            ocrGuid_t edt;
            ocrEdtTemplateCreate(&poll, pollEdt, 0, 0);
            ocrEdtCreate(&edt, poll, 0, NULL, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
        }
    } else if (strcmp(name, "other_threads") == 0) {
        pthread_t thread;
        for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN) && !isControl; i++) {
            pthread_create(&thread, NULL, computeAlways, NULL);
        }
        fan(computeEdt, stopEdt, 60, 3000, 0, 1000, 0);
    } else if (strcmp(name, "too_many_workers") == 0 || strcmp(name, "few_workers") == 0) {
        if (isControl) {
            row(computeEdt, stopEdt, 60, 3000);
        } else {
            fan(computeEdt, stopEdt, 120, 3000, 0, 1000, 0);
        }
    } else if (strcmp(name, "tiny") == 0) {
        treeOf(isControl ? 9 : 15, isControl ? 300 : 0);
    } else if (strcmp(name, "late_kernel") == 0) {
        row(computeEdt, lateEdt, 5, 2000);
    } else if (strcmp(name, "open_cl_start") == 0) {
        if (!isControl) {
            kernels(4, "-DLOOPS=100u");
        } else {
            ocrGuid_t unused;
            ocrEdtTemplateCreate(&unused, stepEdt, 0, 1);
            ocrEdtTemplateAddKernel(unused, slow, "-DLOOPS=100u", "slow", words, 0);
            fan(workEdt, stopEdt, 1500, 4000, 0, 2000, 0);
        }
    } else if (!runKind(name, isControl)) {
        ocrAbort(9);
    }
    return NULL_GUID;
}
