/*
 * B.5.1: domains in a ring exchange their halos in each step, through channel events that are created once, at the
 * start: a step of a domain waits for the domain itself and for what its two neighbours sent in the step before. A
 * neighbour may be one step ahead, not more. The numbers are those that a loop finds.
 */
// clause: B.5.1
// revisions: plain strict
// one-node: its EDTs share variables of the program
#include "check.h"

enum { DOMAINS = 6, STEPS = 60 };
enum { LEFT, RIGHT, WAYS };

static ocrGuid_t channels[DOMAINS][WAYS]; /* what comes to a domain, from which side */
static ocrGuid_t last, step_of;
static u64 want[DOMAINS];

static u64 mixed(u64 own, u64 left, u64 right) { return 3 * own + 5 * left + 7 * right + 1; }

static void send(u64 domain, u64 value) {
    OK(ocrEventSatisfy(channels[(domain + 1) % DOMAINS][LEFT], block_with(value)));
    OK(ocrEventSatisfy(channels[(domain + DOMAINS - 1) % DOMAINS][RIGHT], block_with(value)));
}

/* The next step of a domain, which waits for its block besides. */
static ocrGuid_t next_step(u64 domain, u64 number) {
    ocrGuid_t edt = edt_of(step_of, 2, (u64[]){domain, number}, 3, NULL, EDT_PROP_NONE, NULL);
    link_to(channels[domain][LEFT], edt, 1, DB_MODE_RO);
    link_to(channels[domain][RIGHT], edt, 2, DB_MODE_RO);
    return edt;
}

/* paramv: the domain, the number of the step. */
static ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    u64 value = mixed(number_in(depv[0]), number_in(depv[1]), number_in(depv[2]));
    *(u64 *)depv[0].ptr = value;
    OK(ocrDbDestroy(depv[1].guid));
    OK(ocrDbDestroy(depv[2].guid));
    if (paramv[1] + 1 == STEPS) {
        CHECK_EQ(value, want[paramv[0]]);
        link_to(NULL_GUID, last, (u32)paramv[0], DB_MODE_NULL);
        return NULL_GUID;
    }
    /* Before the neighbours can go on, so that no channel gets more than it can keep. It waits for the block until this
     * step has ended, so that what the steps send keeps its order. */
    link_to(depv[0].guid, next_step(paramv[0], paramv[1] + 1), 0, DB_MODE_EW);
    send(paramv[0], value);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    for (u64 i = 0; i < DOMAINS; i++)
        want[i] = i;
    for (int n = 0; n < STEPS; n++) {
        u64 before[DOMAINS];
        memcpy(before, want, sizeof before);
        for (u64 i = 0; i < DOMAINS; i++)
            want[i] = mixed(before[i], before[(i + DOMAINS - 1) % DOMAINS], before[(i + 1) % DOMAINS]);
    }
    last = end_after(DOMAINS);
    step_of = template_of(step, 2, 3);
    ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
    for (u64 i = 0; i < DOMAINS; i++)
        for (int way = 0; way < WAYS; way++)
            OK(ocrEventCreateParams(&channels[i][way], OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params));
    ocrGuid_t first[DOMAINS];
    for (u64 i = 0; i < DOMAINS; i++)
        first[i] = next_step(i, 0);
    for (u64 i = 0; i < DOMAINS; i++)
        send(i, i);
    /* No step begins before all of this is sent: what a step sends comes behind it. */
    for (u64 i = 0; i < DOMAINS; i++)
        link_to(block_with(i), first[i], 0, DB_MODE_EW);
    return NULL_GUID;
}
