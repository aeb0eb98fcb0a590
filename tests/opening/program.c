/*
 * A program whose template has a function, and a kernel that is no faster. It runs some short EDTs, and what its
 * argument says:
 *
 *   functions   there is no kernel
 *   short       nothing else
 *   kernel      then an EDT that has a kernel alone
 *   asks        then it asks for the devices, and an EDT that was created before is to run on the first one
 *   all         then many EDTs do that at once, each with a template of its own
 *   long        then an EDT whose function takes far longer than those before, and others until OpenCL is there
 *   ends        then an EDT whose function takes far longer than those before, and the end at once
 *   exits       the same, and the end is by `exit`
 *
 * It prints whether the library of OpenCL is loaded when the kernel was added, and at the end.
 */
#include "kernel.h"

enum { WORDS = 64, SHORT = 20, AT_ONCE = 16, ROUNDS = 1000000, LONG_US = 100000 };

static const char *source = "__kernel void twice(__global uint *words) { words[get_global_id(0)] *= 2; }\n"
                            "__kernel void twice_by_one(uint us, __global uint *words) {\n"
                            "    for (uint i = 0; i < 64; i++) { words[i] *= 2; }\n"
                            "}\n";

static const char *mode;
static ocrGuid_t both, waiting, waiting_done, end;

static bool is_mode(const char *name) { return strcmp(mode, name) == 0; }

static bool is_loaded(void) {
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    bool found = false;
    while (fgets(line, sizeof line, maps)) {
        found |= strstr(line, "libOpenCL") != NULL;
    }
    fclose(maps);
    return found;
}

static void say(const char *when) { printf("%s: %s\n", when, is_loaded() ? "open" : "not open"); }

/* Parameter: for how many microseconds it computes. */
static ocrGuid_t twice_here(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (double begin = seconds(); seconds() - begin < 1e-6 * (double)paramv[0];) {
    }
    for (u32 i = 0; i < WORDS; i++) {
        ((u32 *)depv[0].ptr)[i] *= 2;
    }
    return NULL_GUID;
}

static ocrGuid_t template_with_kernel(void) {
    ocrGuid_t guid = template_of(twice_here, 1, 1);
    OK(ocrEdtTemplateAddKernel(guid, source, NULL, "twice_by_one", one_item, OCR_NO_RESULT));
    return guid;
}

/* An EDT of a template, which is slot `slot` of an EDT that comes after it. Its block is still to come. */
static ocrGuid_t edt_before(ocrGuid_t after, u32 slot, ocrGuid_t tmpl, u64 us) {
    ocrGuid_t done, edt = edt_of(tmpl, 1, &us, 1, NULL, EDT_PROP_NONE, &done);
    link_to(done, after, slot, DB_MODE_NULL);
    return edt;
}

/* The first device, for which an EDT is hinted, if there is one. */
static void hint_to_device(ocrGuid_t edt) {
    u64 count = 0;
    OK(ocrAffinityCount(AFFINITY_OCL, &count));
    if (is_mode("asks")) {
        printf("devices: %s\n", count > 0 ? "some" : "none");
    }
    if (count > 0) {
        ocrGuid_t device;
        ocrHint_t hint;
        OK(ocrAffinityGetAt(AFFINITY_OCL, 0, &device));
        OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
        OK(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(device)));
        OK(ocrSetHint(edt, &hint));
    }
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    ocrGuid_t edt = edt_before(end, (u32)paramv[0], template_with_kernel(), 1);
    hint_to_device(edt);
    link_to(words_block(WORDS, 0, 1), edt, 0, DB_MODE_RW);
    return NULL_GUID;
}

static ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc;
    for (u32 i = 0; i < WORDS && depc > 0 && depv[depc - 1].ptr != NULL; i++) {
        CHECK_EQ(((u32 *)depv[depc - 1].ptr)[i], 2 * i);
    }
    if (is_mode("long") && !is_loaded() && paramv[0] < ROUNDS) {
        u64 next = paramv[0] + 1;
        ocrGuid_t again = spawn(ends, 1, &next, 2, NULL), block = words_block(WORDS, 0, 1);
        ocrGuid_t edt = edt_before(again, 0, both, 1);
        link_to(block, again, 1, DB_MODE_RO);
        link_to(block, edt, 0, DB_MODE_RW);
        return NULL_GUID;
    }
    if (is_mode("exits")) {
        exit(0);
    }
    if (!is_mode("ends")) {
        say("end");
    }
    ocrShutdown();
    return NULL_GUID;
}

/* The short EDTs have run. */
static ocrGuid_t goes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    u64 zero = 0;
    if (is_mode("all")) {
        end = spawn(ends, 1, &zero, AT_ONCE, NULL);
        for (u64 i = 0; i < AT_ONCE; i++) {
            spawn(asks, 1, &i, 0, NULL);
        }
        return NULL_GUID;
    }
    end = spawn(ends, 1, &zero, 2, NULL);
    ocrGuid_t block = words_block(WORDS, 0, 1);
    link_to(block, end, 1, DB_MODE_RO);
    if (is_mode("asks")) {
        hint_to_device(waiting);
        link_to(waiting_done, end, 0, DB_MODE_NULL);
        link_to(block, waiting, 0, DB_MODE_RW);
    } else if (is_mode("kernel")) {
        ocrGuid_t done, edt = kernel_edt(kernel_of(source, "twice", 0, 1), WORDS, 0, NULL, 1, &done);
        link_to(done, end, 0, DB_MODE_NULL);
        link_to(block, edt, 0, DB_MODE_RW);
    } else {
        bool is_long = is_mode("long") || is_mode("ends") || is_mode("exits");
        link_to(block, edt_before(end, 0, both, is_long ? LONG_US : 1), 0, DB_MODE_RW);
    }
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    mode = strdup(getArgv(depv[0].ptr, 1));
    both = is_mode("functions") ? template_of(twice_here, 1, 1) : template_with_kernel();
    say("added");
    if (is_mode("asks")) {
        u64 us = 1;
        waiting = edt_of(both, 1, &us, 1, NULL, EDT_PROP_NONE, &waiting_done);
    }
    ocrGuid_t next = spawn(goes_on, 0, NULL, SHORT, NULL);
    for (u32 i = 0; i < SHORT; i++) {
        link_to(words_block(WORDS, 0, 1), edt_before(next, i, both, 10), 0, DB_MODE_RW);
    }
    return NULL_GUID;
}
