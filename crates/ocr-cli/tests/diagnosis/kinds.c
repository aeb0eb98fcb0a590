/* More programs with a known cause of a long run, of the kinds that `planted.c` has in a simpler form. With "control"
 * as the second argument the cause is not there. */
#include "common.h"
#include <extensions/ocr-legacy.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>

/* The places of the output events that the last EDT waits for, and how many there are. */
static ocrGuid_t outputs[20000];
static u32 many;

static ocrGuid_t template_of(ocrEdt_t function, u32 paramc, u32 depc) {
    ocrGuid_t made;
    ocrEdtTemplateCreate(&made, function, paramc, depc);
    return made;
}

/* An EDT with a parameter and so many pre-slots, which the end waits for. */
static ocrGuid_t edt(ocrGuid_t template, u64 param, u32 depc) {
    ocrGuid_t made;
    ocrEdtCreate(&made, template, 1, &param, depc, NULL, EDT_PROP_NONE, NULL_HINT, &outputs[many++]);
    return made;
}

/* Has the program end when all those EDTs have. They must not have begun. */
static void end(void) {
    ocrGuid_t stop;
    ocrEdtCreate(&stop, template_of(stopEdt, 0, EDT_PARAM_UNK), 0, NULL, many, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    for (u32 at = 0; at < many; at++) {
        ocrAddDependence(outputs[at], stop, at, DB_MODE_NULL);
    }
}

static void begin(ocrGuid_t edt, u32 slot) { ocrAddDependence(NULL_GUID, edt, slot, DB_MODE_NULL); }

static ocrGuid_t block(u64 bytes) {
    ocrGuid_t made;
    void *start;
    ocrDbCreate(&made, &start, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    memset(start, 0, bytes);
    ocrDbRelease(made);
    return made;
}

/* So many EDTs of a function that wait for nothing. */
static void fan(ocrEdt_t function, u32 count, u64 param) {
    ocrGuid_t template = template_of(function, 1, 1), edts[2000];
    for (u32 i = 0; i < count; i++) {
        edts[i] = edt(template, param, 1);
    }
    end();
    for (u32 i = 0; i < count; i++) {
        begin(edts[i], 0);
    }
}

/* ---- One that is not mainEdt prepares each EDT before it creates it */
EDT(driverEdt) {
    ocrGuid_t template = template_of(computeEdt, 1, 0), made;
    u64 us = 1000;
    for (u32 i = 0; i < 150; i++) {
        compute(paramv[0] / 1e3);
        ocrEdtCreate(&made, template, 1, &us, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static void driver(bool isControl) {
    u64 us = isControl ? 0 : 3000;
    ocrGuid_t made, over, stop;
    ocrEdtCreate(&stop, template_of(stopEdt, 0, 1), 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrEdtCreate(&made, template_of(driverEdt, 1, 1), 1, &us, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &over);
    ocrAddDependence(over, stop, 0, DB_MODE_NULL);
    begin(made, 0);
}

/* ---- Several create EDTs that do nothing */
EDT(emptyEdt) {
    compute(paramv[0] / 1e3);
    return NULL_GUID;
}

EDT(breederEdt) {
    ocrGuid_t template = template_of(emptyEdt, 1, 0), made;
    for (u64 i = 0; i < paramv[0] >> 32; i++) {
        u64 us = paramv[0] & 0xffffffff;
        ocrEdtCreate(&made, template, 1, &us, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static void breeders(bool isControl) {
    ocrGuid_t stop, template = template_of(breederEdt, 1, 1), edts[4];
    u64 param = isControl ? 100ull << 32 | 500 : 20000ull << 32;
    ocrEdtCreate(&stop, template_of(stopEdt, 0, 4), 0, NULL, 4, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    for (u32 i = 0; i < 4; i++) {
        ocrGuid_t over;
        ocrEdtCreate(&edts[i], template, 1, &param, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &over);
        ocrAddDependence(over, stop, i, DB_MODE_NULL);
    }
    for (u32 i = 0; i < 4; i++) {
        begin(edts[i], 0);
    }
}

/* ---- Each waits for input that comes late */
EDT(pollEdt) {
    int ends[2];
    if (pipe(ends) != 0) {
        ocrAbort(1);
    }
    struct pollfd wait = {.fd = ends[0], .events = POLLIN};
    poll(&wait, 1, (int)paramv[0]);
    close(ends[0]);
    close(ends[1]);
    return NULL_GUID;
}

static void input(bool isControl) { fan(isControl ? computeEdt : pollEdt, 60, isControl ? 5000 : 5); }

/* ---- Each writes a file byte by byte */
EDT(writeEdt) {
    FILE *written = tmpfile();
    ocrAssert(written != NULL);
    const int file = fileno(written);
    for (u64 i = 0; i < paramv[0]; i++) {
        if (pwrite(file, "x", 1, (off_t)i) != 1) {
            ocrAbort(1);
        }
    }
    fclose(written);
    return NULL_GUID;
}

static void bytewise(bool isControl) { fan(isControl ? computeEdt : writeEdt, 60, isControl ? 4000 : 8000); }

/* ---- Each uses new memory of the C library */
EDT(mallocEdt) {
    volatile char *memory = malloc(paramv[0]);
    for (u64 at = 0; at < paramv[0]; at += 4096) {
        memory[at] = 1;
    }
    free((void *)memory);
    return NULL_GUID;
}

static void pages(bool isControl) { fan(isControl ? computeEdt : mallocEdt, 60, isControl ? 4000 : 16u << 20); }

/* ---- Readers in mode CONST wait for those that write their block, and these for them */
EDT(readEdt) {
    compute(paramv[0] / 1e3);
    return NULL_GUID;
}

EDT(changeEdt) {
    compute(paramv[0] / 1e3);
    return NULL_GUID;
}

static void readers(bool isControl) {
    ocrGuid_t reads = template_of(readEdt, 1, 2), writes = template_of(changeEdt, 1, 2);
    ocrGuid_t shared = block(4096), edts[120];
    for (u32 i = 0; i < 120; i++) {
        edts[i] = edt(i % 4 == 0 ? writes : reads, i % 4 == 0 ? 4000 : 1000, 2);
    }
    end();
    for (u32 i = 0; i < 120; i++) {
        ocrAddDependence(isControl ? block(4096) : shared, edts[i], 0, i % 4 == 0 ? DB_MODE_EW : DB_MODE_CONST);
        begin(edts[i], 1);
    }
}

/* ---- Rounds whose long EDT is created last, and begins last */
EDT(smallEdt) {
    compute(paramv[0] / 1e3);
    return NULL_GUID;
}

EDT(bigEdt) {
    compute(paramv[0] / 1e3);
    return NULL_GUID;
}

static ocrGuid_t roundTemplate, smallTemplate, bigTemplate;
EDT(roundEdt) {
    u64 next = paramv[0] - 1;
    bool isControl = paramv[0] >> 32 != 0;
    if ((u32)paramv[0] == 0) {
        ocrShutdown();
        return NULL_GUID;
    }
    ocrGuid_t after, made, out;
    ocrEdtCreate(&after, roundTemplate, 1, &next, 25, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    for (u32 i = 0; i < 25; i++) {
        bool isBig = isControl ? i == 0 : i == 24;
        u64 us = isBig ? 24000 : 1000;
        /* In the order of their creation. */
        ocrHint_t hint;
        ocrHintInit(&hint, OCR_HINT_EDT_T);
        ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 100 - i);
        ocrEdtCreate(&made, isBig ? bigTemplate : smallTemplate, 1, &us, 1, NULL, EDT_PROP_NONE, &hint, &out);
        ocrAddDependence(out, after, i, DB_MODE_NULL);
        begin(made, 0);
    }
    return NULL_GUID;
}

static void rounds(bool isControl) {
    ocrGuid_t first;
    u64 param = 5 | (isControl ? 1ull << 32 : 0);
    roundTemplate = template_of(roundEdt, 1, EDT_PARAM_UNK);
    smallTemplate = template_of(smallEdt, 1, 1);
    bigTemplate = template_of(bigEdt, 1, 1);
    ocrEdtCreate(&first, roundTemplate, 1, &param, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    begin(first, 0);
}

/* ---- Three EDTs, one behind the other, end the program */
EDT(reduceEdt) {
    compute(paramv[0] / 1e3);
    return NULL_GUID;
}

static void serial_end(bool isControl) {
    ocrGuid_t template = template_of(computeEdt, 1, 1), edts[60], steps[3];
    u32 last = 0;
    for (u32 i = 0; i < 60; i++) {
        edts[i] = edt(template, 2000, 1);
    }
    ocrGuid_t before = NULL_GUID;
    for (u32 i = 0; i < 3 && !isControl; i++) {
        steps[i] = edt(template_of(reduceEdt, 1, EDT_PARAM_UNK), 20000, i == 0 ? 60 : 1);
        last = many - 1;
        if (i == 0) {
            for (u32 at = 0; at < 60; at++) {
                ocrAddDependence(outputs[at], steps[0], at, DB_MODE_NULL);
            }
        } else {
            ocrAddDependence(before, steps[i], 0, DB_MODE_NULL);
        }
        before = outputs[last];
    }
    end();
    for (u32 i = 0; i < 60; i++) {
        begin(edts[i], 0);
    }
}

/* ---- Two lanes of EDTs, of which each step waits for both of the step before by one event; the control for its own */
EDT(laneEdt) {
    compute(paramv[0] / 1e3);
    return NULL_GUID;
}

static void barrier(bool isControl) {
    ocrGuid_t template = template_of(laneEdt, 1, 1), before[2] = {NULL_GUID, NULL_GUID}, first[2];
    for (u32 step = 0; step < 10; step++) {
        ocrGuid_t both, outs[2];
        ocrEventCreate(&both, OCR_EVENT_LATCH_T, EVT_PROP_NONE);
        ocrEventSatisfySlot(both, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
        ocrEventSatisfySlot(both, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
        for (u32 lane = 0; lane < 2; lane++) {
            ocrGuid_t made = edt(template, step % 2 == lane ? 16000 : 2000, 1);
            outs[lane] = outputs[many - 1];
            if (step == 0) {
                first[lane] = made;
            } else {
                ocrAddDependence(before[lane], made, 0, DB_MODE_NULL);
            }
            ocrAddDependence(outs[lane], both, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
        }
        before[0] = isControl ? outs[0] : both;
        before[1] = isControl ? outs[1] : both;
    }
    end();
    begin(first[0], 0);
    begin(first[1], 0);
}

/* ---- Finish EDTs one behind the other: each phase waits for all EDTs of the one before */
EDT(phaseEdt) {
    ocrGuid_t template = template_of(laneEdt, 1, 0), made;
    for (u32 i = 0; i < 2; i++) {
        u64 us = i == 0 ? paramv[0] : paramv[0] / 8;
        ocrEdtCreate(&made, template, 1, &us, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    }
    return NULL_GUID;
}

static void phases(bool isControl) {
    ocrGuid_t template = template_of(phaseEdt, 1, 1), edts[10];
    u64 us = 16000;
    for (u32 i = 0; i < 10; i++) {
        ocrEdtCreate(&edts[i], template, 1, &us, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &outputs[many++]);
    }
    end();
    for (u32 i = 0; i < 10; i++) {
        if (i == 0 || isControl) {
            begin(edts[i], 0);
        } else {
            ocrAddDependence(outputs[i - 1], edts[i], 0, DB_MODE_NULL);
        }
    }
}

/* ---- A latch that is counted down at the end of an EDT with much else to do */
EDT(gateEdt) {
    ocrGuid_t latch = {.guid = (s64)paramv[0]};
    if (paramv[0] & 1ull << 63) {
        latch.guid = (s64)(paramv[0] & ~(1ull << 63));
        ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
        compute(60);
    } else {
        compute(60);
        ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
    }
    return NULL_GUID;
}

static void gate(bool isControl) {
    ocrGuid_t latch, template = template_of(computeEdt, 1, 1);
    ocrEventCreate(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE);
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT);
    for (u32 i = 0; i < 60; i++) {
        ocrAddDependence(latch, edt(template, 2000, 1), 0, DB_MODE_NULL);
    }
    ocrGuid_t opens = edt(template_of(gateEdt, 1, 1), (u64)latch.guid | (isControl ? 1ull << 63 : 0), 1);
    end();
    begin(opens, 0);
}

/* ---- Two chains, of which the EDTs of one take four times as long */
static void lanes(bool isControl) {
    ocrGuid_t last[2] = {NULL_GUID, NULL_GUID}, first[2];
    ocrGuid_t templates[2] = {template_of(bigEdt, 1, 1), template_of(smallEdt, 1, 1)};
    for (u32 step = 0; step < 40; step++) {
        for (u32 lane = 0; lane < 2; lane++) {
            ocrGuid_t made = edt(templates[lane], lane == 0 ? 4000 : isControl ? 4000 : 1000, 1);
            if (step == 0) {
                first[lane] = made;
            } else {
                ocrAddDependence(last[lane], made, 0, DB_MODE_NULL);
            }
            last[lane] = outputs[many - 1];
        }
    }
    end();
    begin(first[0], 0);
    begin(first[1], 0);
}

/* ---- Five EDTs for two workers */
static void five(bool isControl) { fan(computeEdt, isControl ? 50 : 5, isControl ? 4000 : 40000); }

/* ---- Each computes while it has a lock of the program */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
EDT(lockEdt) {
    for (u32 i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        compute(paramv[0] / 5e3);
        pthread_mutex_unlock(&lock);
        compute(0.02);
    }
    return NULL_GUID;
}

static void locked(bool isControl) { fan(isControl ? computeEdt : lockEdt, 80, 5000); }

/* ---- Each waits in a call for an EDT that it has created; the control for none */
static bool waitsNot;
EDT(waitEdt) {
    ocrGuid_t over, made;
    u64 us = 8000;
    if (waitsNot) {
        compute(us / 1e3);
        return NULL_GUID;
    }
    ocrEventCreate(&over, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrEdtCreate(&made, template_of(computeEdt, 1, 0), 1, &us, 0, NULL, EDT_PROP_OEVT_VALID, NULL_HINT, &over);
    ocrWait(over);
    return NULL_GUID;
}

static void waits(bool isControl) {
    ocrGuid_t template = template_of(waitEdt, 1, 1), edts[20];
    waitsNot = isControl;
    for (u32 i = 0; i < 20; i++) {
        edts[i] = edt(template, 0, 1);
    }
    end();
    for (u32 i = 1; i < 20; i++) {
        ocrAddDependence(outputs[i - 1], edts[i], 0, DB_MODE_NULL);
    }
    begin(edts[0], 0);
}

/* ---- Kernels with one work-item a group, and with one work-item */
static void single(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    range->workDim = 1;
    range->globalSize[0] = sizes[0] / 4;
    range->localSize[0] = 1;
}

static void free_size(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *range) {
    range->workDim = 1;
    range->globalSize[0] = sizes[0] / 4;
}

EDT(itemsEdt) {
    compute(1);
    return depv[0].guid;
}

static void kernels(ocrNdRangeFn_t range, u32 items, const char *options) {
    ocrGuid_t template = template_of(itemsEdt, 1, 2), edts[200];
    ocrEdtTemplateAddKernel(template, "kernel void work(ulong unused, global uint *x) { uint v = x[get_global_id(0)];"
                                      " for (uint i = 0; i < LOOPS; i++) v = v * 1664525u + 1013904223u + (v >> 16);"
                                      " x[get_global_id(0)] = v; }",
                            options, "work", range, 0);
    for (u32 i = 0; i < 200; i++) {
        edts[i] = edt(template, 0, 2);
    }
    end();
    for (u32 i = 0; i < 200; i++) {
        ocrAddDependence(block(4ull * items), edts[i], 0, DB_MODE_RW);
        begin(edts[i], 1);
    }
}

static void single_items(bool isControl) { kernels(isControl ? free_size : single, 4096, "-DLOOPS=500u"); }
static void one_item(bool isControl) {
    kernels(free_size, isControl ? 4096 : 1, isControl ? "-DLOOPS=500u" : "-DLOOPS=400000u");
}

static const struct {
    const char *name;
    void (*run)(bool isControl);
} programs[] = {
    {"driver", driver},     {"breeders", breeders},         {"input", input},
    {"bytewise", bytewise}, {"pages", pages},               {"readers", readers},     {"rounds", rounds},
    {"serial_end", serial_end}, {"barrier", barrier},       {"phases", phases},       {"gate", gate},
    {"lanes", lanes},       {"five", five},                 {"single_items", single_items},
    {"one_item", one_item}, {"locked", locked},             {"waits", waits},
};

bool runKind(const char *name, bool isControl) {
    for (unsigned at = 0; at < sizeof programs / sizeof *programs; at++) {
        if (strcmp(programs[at].name, name) == 0) {
            programs[at].run(isControl);
            return true;
        }
    }
    return false;
}
