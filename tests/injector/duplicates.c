/* duplicates.c - EDTs of which workers call the functions while their kernels run, to be run on an OpenCL that fails.
 *
 *     duplicates FUNCTION_US KERNEL_STEPS
 *
 * Rounds, one after the other: in each, EDTs of a template of which nothing is known, one on each block, whose function
 * takes so many microseconds and whose kernel takes so many steps. Variants do the same, so what the blocks have in the
 * end is known whichever counted. Prints "right" and ends with status 0, or says what is wrong and ends with 3. */
#include "../c/kernel.h"

enum { BLOCKS = 5, ROUNDS = 4, WORDS = 64 };

static const char *source = "__kernel void work(ulong round, ulong us, ulong steps, __global ulong *words) {\n"
                            "    ulong v = words[0];\n"
                            "    for (ulong i = 0; i < steps; i++)\n"
                            "        v = v * 6364136223846793005UL + 1442695040888963407UL;\n"
                            "    for (int i = 0; i < 64; i++)\n"
                            "        words[i] = words[i] * 3 + round + (v == 1 ? 1 : 0);\n"
                            "}\n";

static ocrGuid_t blocks[BLOCKS];
static u64 function_us, kernel_steps, rounds;

static ocrGuid_t work(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 *words = depv[0].ptr;
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((u64)((now.tv_sec - begun.tv_sec) * 1000000 + (now.tv_nsec - begun.tv_nsec) / 1000) < paramv[1]);
    for (int i = 0; i < WORDS; i++)
        words[i] = words[i] * 3 + paramv[0];
    return NULL_GUID;
}

static void one_alone(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *range) {
    one_item(paramc, paramv, depc, depSizes, range);
    range->localSize[0] = 1;
}

static ocrGuid_t createAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t tmpl = template_of(work, 3, 1);
    OK(ocrEdtTemplateAddKernel(tmpl, source, NULL, "work", one_alone, OCR_NO_RESULT));
    for (int i = 0; i < BLOCKS; i++) {
        u64 params[] = {rounds, function_us, kernel_steps};
        OK(ocrEdtCreate(NULL, tmpl, 3, params, 1, &blocks[i], EDT_PROP_NONE, NULL_HINT, NULL));
    }
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}

static ocrGuid_t goes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

static void round_of(void) {
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t scope = spawn_with(createAll, 0, NULL, 1, &hold, EDT_PROP_FINISH, &done);
    ocrGuid_t slots[BLOCKS + 1];
    for (int i = 0; i < BLOCKS; i++)
        slots[i] = UNINITIALIZED_GUID;
    slots[BLOCKS] = UNINITIALIZED_GUID;
    ocrGuid_t next = spawn(goes_on, 0, NULL, BLOCKS + 1, slots);
    link_to(done, next, BLOCKS, DB_MODE_NULL);
    for (u32 i = 0; i < BLOCKS; i++)
        link_to(blocks[i], next, i, DB_MODE_CONST);
    link_to(NULL_GUID, scope, 0, DB_MODE_NULL);
}

static ocrGuid_t goes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    if (++rounds < ROUNDS) {
        round_of();
        return NULL_GUID;
    }
    for (u64 block = 0; block < BLOCKS; block++) {
        for (u64 i = 0; i < WORDS; i++) {
            u64 wanted = block * 1000 + i;
            for (u64 round = 0; round < ROUNDS; round++)
                wanted = wanted * 3 + round;
            if (((u64 *)depv[block].ptr)[i] != wanted) {
                printf("wrong: word %u of block %u\n", (unsigned)i, (unsigned)block);
                exit(3);
            }
        }
    }
    printf("right\n");
    fflush(stdout);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    function_us = strtoull(ocrGetArgv(depv[0].ptr, 1), NULL, 10);
    kernel_steps = strtoull(ocrGetArgv(depv[0].ptr, 2), NULL, 10);
    for (u64 block = 0; block < BLOCKS; block++) {
        void *addr;
        blocks[block] = block_of(WORDS * sizeof(u64), &addr);
        for (u64 i = 0; i < WORDS; i++)
            ((u64 *)addr)[i] = block * 1000 + i;
        OK(ocrDbRelease(blocks[block]));
    }
    round_of();
    return NULL_GUID;
}
