/*
 * Chains of kernels, each on a block of its own that goes from one to the next, and each kernel also on one of a
 * few blocks that the chains and some host EDTs share, in random modes: what is enqueued ahead waits for
 * no other EDT and overtakes none, and no write is lost.
 */
// clause: ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
#include "kernel.h"

static const char *source = "__kernel void step_both(uint k, __global uint *own, __global uint *shared) {\n"
                            "    size_t i = get_global_id(0);\n"
                            "    own[i] = own[i] * 3u + k;\n"
                            "    shared[i] += 1u;\n"
                            "}\n"
                            "__kernel void step_own(uint k, __global uint *own) {\n"
                            "    size_t i = get_global_id(0);\n"
                            "    own[i] = own[i] * 3u + k;\n"
                            "}\n";
enum { WORDS = 300, CHAINS = 8, SHARED = 3, ROUNDS = 5 };

static ocrGuid_t both, own;
static u64 seed = 20261121;

static u64 below(u64 bound) { return (next_random(&seed) >> 20) % bound; }
static ocrDbAccessMode_t some_mode(void) { return below(2) ? DB_MODE_EW : DB_MODE_RW; }

static ocrGuid_t no_function(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"the C function ran though the policy is `device`");
    return NULL_GUID;
}

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        ((u32 *)depv[0].ptr)[i] += 1;
    }
    return NULL_GUID;
}

/* Parameters: how many steps there were, of an own block; or the sum, of a shared one. */
static ocrGuid_t checks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    for (u32 i = 0; i < WORDS; i++) {
        u32 want = (u32)paramv[1];
        for (u32 k = 0; paramv[1] == 0 && k < paramv[0]; k++) {
            want = k == 0 ? i * 3u : want * 3u + k;
        }
        CHECK_EQ(((u32 *)depv[0].ptr)[i], want);
    }
    OK(ocrDbDestroy(depv[0].guid));
    return NULL_GUID;
}

static ocrGuid_t shared_blocks[SHARED];
static u64 sums[SHARED];

static ocrGuid_t work(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u32 at = 0; at < SHARED; at++) {
        shared_blocks[at] = words_block(WORDS, 0, 0);
        sums[at] = 0;
    }
    ocrGuid_t starts[CHAINS], blocks[CHAINS];
    for (u32 chain = 0; chain < CHAINS; chain++) {
        u64 steps = 1 + below(50);
        ocrGuid_t output = NULL_GUID;
        blocks[chain] = words_block(WORDS, 0, 1);
        for (u64 k = 0; k < steps; k++) {
            ocrGuid_t before = output;
            bool uses_both = below(3) != 0;
            ocrGuid_t edt = edt_of(uses_both ? both : own, 1, &k, 1 + uses_both, NULL, EDT_PROP_NONE, &output);
            if (k == 0) {
                starts[chain] = edt;
            } else {
                link_to(before, edt, 0, some_mode());
            }
            if (uses_both) {
                u64 at = below(SHARED);
                sums[at]++;
                link_to(shared_blocks[at], edt, 1, some_mode());
            }
            if (below(4) == 0) {
                u64 at = below(SHARED);
                sums[at]++;
                link_to(shared_blocks[at], spawn(adds, 0, NULL, 1, NULL), 0, DB_MODE_EW);
            }
        }
        u64 args[] = {steps, 0};
        link_to(output, spawn(checks, 2, args, 1, NULL), 0, DB_MODE_CONST);
    }
    for (u32 chain = 0; chain < CHAINS; chain++) {
        link_to(blocks[chain], starts[chain], 0, some_mode());
    }
    return NULL_GUID;
}

static ocrGuid_t next_round(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    for (u32 at = 0; paramv[0] != 0 && at < SHARED; at++) {
        u64 args[] = {0, sums[at]};
        link_to(shared_blocks[at], spawn(checks, 2, args, 1, NULL), 0, DB_MODE_CONST);
    }
    u64 round = paramv[0] + 1;
    ocrGuid_t over, open = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(work, 0, NULL, 1, &open, EDT_PROP_FINISH, &over);
    ocrGuid_t next = paramv[0] == ROUNDS ? end_after(1) : spawn(next_round, 1, &round, 1, NULL);
    link_to(over, next, 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u64 number;
    if (getArgc(depv[0].ptr) > 1 && sscanf(getArgv(depv[0].ptr, 1), "%" PRIu64, &number) == 1) {
        seed = number;
    }
    both = template_of(no_function, 1, 2);
    own = template_of(no_function, 1, 1);
    OK(ocrEdtTemplateAddKernel(both, source, NULL, "step_both", per_word, 0));
    OK(ocrEdtTemplateAddKernel(own, source, NULL, "step_own", per_word, 0));
    u64 first = 0;
    spawn(next_round, 1, &first, 0, NULL);
    return NULL_GUID;
}
