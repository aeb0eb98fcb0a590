/*
 * A content is passed to an event that another thread has just created and is opening; the caller makes no further
 * call, but waits.
 */
// clause: ocr-legacy.h
// workers: 1 2
#include "check.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>
#include <pthread.h>

static ocrGuid_t s_range, s_done;
static u64 s_rounds, s_turn; /* s_turn: 2 * round + 1 when the label is used, even when the event is there */

static ocrGuid_t label_at(u64 round) {
    ocrGuid_t label;
    OK(ocrGuidFromIndex(&label, s_range, round));
    return label;
}

static void wait_for_turn(u64 turn) {
    while (__atomic_load_n(&s_turn, __ATOMIC_ACQUIRE) != turn)
        sched_yield();
}

static void *creator(void *unused) {
    (void)unused;
    for (u64 round = 0; round < s_rounds; round++) {
        wait_for_turn(2 * round + 1);
        ocrGuid_t label = label_at(round);
        OK(ocrEventCreate(&label, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED));
        __atomic_store_n(&s_turn, 2 * round + 2, __ATOMIC_RELEASE);
    }
    return NULL;
}

static ocrGuid_t gets(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    CHECK_EQ(number_in(depv[0]), paramv[0]);
    OK(ocrEventSatisfy((ocrGuid_t){(s64)paramv[1]}, NULL_GUID));
    return NULL_GUID;
}

int main(void) {
    ocrGuid_t context;
    ocrLegacyInit(&context, NULL);
    s_rounds = scaled(3000);
    OK(ocrGuidRangeCreate(&s_range, s_rounds, GUID_USER_EVENT_STICKY));
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, creator, NULL), 0);
    for (u64 round = 0; round < s_rounds; round++) {
        ocrGuidUserKind kind = GUID_USER_NONE;
        void *addr;
        ocrGuid_t label = label_at(round), block = block_of(sizeof round, &addr);
        memcpy(addr, &round, sizeof round);
        s_done = event_of(OCR_EVENT_STICKY_T);
        u64 params[2] = {round, (u64)s_done.guid};
        link_to(label, spawn(gets, 2, params, 1, NULL), 0, DB_MODE_RO);
        __atomic_store_n(&s_turn, 2 * round + 1, __ATOMIC_RELEASE);
        for (int looks = 0; kind == GUID_USER_NONE; looks++) {
            OK(ocrGetGuidKind(&kind, label));
            if (looks > 1000)
                sched_yield(); /* where there is no core for both */
        }
        OK(ocrAddDependenceByValue(block, label, 0, DB_MODE_RO));
        OK(ocrLegacyBlockProgress(s_done, NULL, NULL, NULL, LEGACY_PROP_NONE));
        OK(ocrDbDestroy(block));
        OK(ocrEventDestroy(s_done));
        wait_for_turn(2 * round + 2);
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
    OK(ocrLegacyFinalize(context, false));
    return 0;
}
