/* held.c - kernels that read a block which the host holds for writing, to be run on an OpenCL that refuses them.
 *
 *     held [kernels]
 *
 * An EDT holds a block for writing, and does not end before the EDTs have run that read it in mode RO: what they read
 * is copied for each launch anew. With "kernels" these have no C function. Prints "right" and ends with status 0, or
 * says what is wrong and ends with 3. */
#include "../c/kernel.h"
#include <stdatomic.h>
#include <time.h>

enum { COUNT = 1024, READERS = 3 };

static const char *source = "__kernel void sum(__global uint *to, __global const uint *from) {\n"
                            "    size_t i = get_global_id(0);\n"
                            "    to[i] = from[i] * 3u + 1u;\n"
                            "}\n";

static atomic_uint ended;

static ocrGuid_t sum(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u32 *to = depv[0].ptr;
    const u32 *from = depv[1].ptr;
    for (u32 i = 0; i < COUNT; i++) {
        to[i] = from[i] * 3u + 1u;
    }
    return NULL_GUID;
}

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const u32 *to = depv[0].ptr;
    for (u32 i = 0; i < COUNT; i++) {
        if (to[i] != i * 3u + 1u) {
            printf("wrong: word %u\n", i);
            exit(3);
        }
    }
    if (atomic_fetch_add(&ended, 1) + 1 == READERS) {
        printf("right\n");
        fflush(stdout);
    }
    return NULL_GUID;
}

/* Holds the block until all that read it have run. */
static ocrGuid_t holds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    bool kernels = paramv[0];
    ocrGuid_t sums;
    if (kernels) {
        sums = kernel_of(source, "sum", 0, 2);
    } else {
        sums = template_of(sum, 0, 2);
        OK(ocrEdtTemplateAddKernel(sums, source, NULL, "sum", per_word, OCR_NO_RESULT));
    }
    for (u32 i = 0; i < READERS; i++) {
        ocrGuid_t done, to = bare_block(COUNT * sizeof(u32));
        ocrGuid_t edt = kernels ? kernel_edt(sums, COUNT, 0, NULL, 2, &done)
                                : edt_of(sums, 0, NULL, 2, NULL, EDT_PROP_NONE, &done);
        ocrGuid_t after = spawn(counts, 0, NULL, 2, NULL);
        link_to(done, after, 1, DB_MODE_NULL);
        link_to(to, after, 0, DB_MODE_RO);
        link_to(depv[0].guid, edt, 1, DB_MODE_RO);
        link_to(to, edt, 0, DB_MODE_RW);
    }
    while (atomic_load(&ended) != READERS) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 kernels = ocrGetArgc(depv[0].ptr) > 1;
    void *address;
    ocrGuid_t block = block_of(COUNT * sizeof(u32), &address);
    for (u32 i = 0; i < COUNT; i++) {
        ((u32 *)address)[i] = i;
    }
    OK(ocrDbRelease(block));
    ocrGuid_t holder = spawn(holds, 1, &kernels, 1, NULL);
    link_to(block, holder, 0, DB_MODE_RW);
    return NULL_GUID;
}
