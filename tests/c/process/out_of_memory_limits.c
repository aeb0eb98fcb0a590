/*
 * Memory runs out in the middle of a program, at several limits: calls return OCR_ENOMEM, with a warning, and never
 * does the process crash or abort. When what was created is used up, the program ends as it should, and all its EDTs
 * have run. Each way of using memory up is in a process of its own.
 */
// clause: process
// once: EDTs use memory up, which an attempt needs
// env: OCR_DEVICES=none
// env: MALLOC_ARENA_MAX=1
// needs: signals
// workers: 1 8
#include "memory.h"

#include <extensions/ocr-hints.h>
#include <extensions/ocr-labeling.h>
#include <stdatomic.h>

enum { MOST = 1 << 21 };

static _Atomic u64 ran, made;
static ocrGuid_t *guids, gate, label, latch;

static ocrGuid_t counts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ran++;
    return NULL_GUID;
}

/* Does `call` until it is refused, which is for want of memory. */
#define UNTIL_REFUSED(call)                                     \
    do {                                                        \
        u8 status = 0;                                          \
        for (made = 0; made < MOST && !status; made += !status) \
            status = (call);                                    \
        CHECK_EQ(status, OCR_ENOMEM);                           \
        for (int i = 0; i < 1000; i++)                          \
            (void)(call);                                       \
    } while (0)

static u64 created;

/* Creates an EDT, and counts it. */
static u8 create(ocrGuid_t tmpl, u32 paramc, u64 *paramv, ocrGuid_t *gate, u16 flags, ocrHint_t *hint,
                 ocrGuid_t *output) {
    ocrGuid_t edt;
    const u8 status = ocrEdtCreate(&edt, tmpl, paramc, paramv, gate ? 1 : 0, gate, flags, hint, output);
    created += status == 0;
    return status;
}

/* EDTs that may run at once, while other workers may take them as fast as they come. */
static void ready(void) {
    const ocrGuid_t tmpl = template_of(counts, 0, 0);
    u8 status = 0;
    for (u64 i = 0; i < MOST / 8 && !status; i++)
        status = create(tmpl, 0, NULL, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    CHECK(status == 0 || status == OCR_ENOMEM);
}

/* The same with hints, each in a queue by its priority. */
static void urgent(void) {
    const ocrGuid_t tmpl = template_of(counts, 0, 0);
    ocrHint_t hint;
    u8 status = 0;
    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    OK(ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, 5));
    for (u64 i = 0; i < MOST / 8 && !status; i++)
        status = create(tmpl, 0, NULL, NULL, EDT_PROP_NONE, &hint, NULL);
    CHECK(status == 0 || status == OCR_ENOMEM);
}

/* EDTs that wait for one event, which is satisfied when there is no memory. */
static void waiting(void) {
    const ocrGuid_t tmpl = template_of(counts, 0, 1);
    UNTIL_REFUSED(create(tmpl, 0, NULL, &gate, EDT_PROP_NONE, NULL_HINT, NULL));
}

/* EDTs with finish scopes, output events and many parameters. */
static void large_edts(void) {
    u64 params[100] = {0};
    const ocrGuid_t tmpl = template_of(counts, 100, 1);
    ocrGuid_t output;
    UNTIL_REFUSED(create(tmpl, 100, params, &gate, EDT_PROP_FINISH, NULL_HINT, &output));
}

static u8 small_block(u64 size) {
    void *address = NULL;
    ocrGuid_t block;
    const u8 status = ocrDbCreate(&block, &address, size, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    if (status == 0) {
        memset(address, 1, size);
        if (made < MOST / 16)
            guids[made] = block;
    }
    return status;
}

static void small_blocks(void) {
    UNTIL_REFUSED(small_block(100));
    // Some are given back, and can be had again.
    for (u64 i = 0; i < made / 2 && i < MOST / 16; i++)
        OK(ocrDbDestroy(guids[i]));
    OK(small_block(100));
}

static void large_blocks(void) { UNTIL_REFUSED(small_block(1 << 20)); }

static void events(void) {
    ocrGuid_t event;
    UNTIL_REFUSED(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
}

/* Events that wait for one: each has a connector. */
static void connected(void) {
    ocrGuid_t event;
    const ocrGuid_t source = event_of(OCR_EVENT_STICKY_T);
    UNTIL_REFUSED(ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG) ||
                          ocrAddDependence(source, event, 0, DB_MODE_NULL)
                      ? OCR_ENOMEM
                      : 0);
    OK(ocrEventSatisfy(source, NULL_GUID));
}

static void templates(void) {
    ocrGuid_t tmpl;
    UNTIL_REFUSED(ocrEdtTemplateCreate(&tmpl, counts, 0, 0));
}

static void ranges(void) {
    ocrGuid_t range;
    UNTIL_REFUSED(ocrGuidRangeCreate(&range, 1000, GUID_USER_EVENT_STICKY));
}

/* Dependences on labels that have no object yet are kept. */
static void early(void) {
    UNTIL_REFUSED(ocrAddDependence(label, latch, OCR_EVENT_LATCH_INCR_SLOT, DB_MODE_NULL));
}

static way_t *const ways[] = {ready,  urgent,    waiting,   large_edts, small_blocks, large_blocks,
                              events, connected, templates, ranges,     early};
enum { WAYS = sizeof ways / sizeof *ways };

static ocrGuid_t check_all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(ran, created);
    ocrShutdown();
    return NULL_GUID;
}

/* The EDTs of a way are in its finish scope. */
static ocrGuid_t one_way(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    guids = calloc(MOST / 16, sizeof *guids);
    CHECK(guids != NULL);
    ocrGuid_t range;
    OK(ocrGuidRangeCreate(&range, 10, GUID_USER_EVENT_STICKY));
    OK(ocrGuidFromIndex(&label, range, 3));
    latch = event_of(OCR_EVENT_LATCH_T);
    limit_memory(strtoull(getenv("LIMIT"), NULL, 10) << 10);
    ways[paramv[0]]();
    OK(ocrEventSatisfy(gate, NULL_GUID));
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    if (getenv("WAY") == NULL) {
        static const u64 limits[] = {0, 1 << 10, 3 << 10, 9 << 10, 20 << 10, 33 << 10};
        static char said[1 << 16];
        for (int way = 0; way < WAYS; way++) {
            for (size_t at = 0; at < sizeof limits / sizeof *limits; at++) {
                const int status = in_process(way, limits[at], said, sizeof said);
                const bool told = way < 2 || strstr(said, "returned OCR_ENOMEM") != NULL;
                if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !told) {
                    fprintf(stderr, "way %d, %llu KiB: status %x\n%s\n", way, (unsigned long long)limits[at], status,
                            said);
                    CHECK(!"calls are refused, and the program ends as it should");
                }
            }
        }
        ocrShutdown();
        return NULL_GUID;
    }
    u64 way = strtoull(getenv("WAY"), NULL, 10);
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    gate = event_of(OCR_EVENT_STICKY_T);
    const ocrGuid_t scope = spawn_with(one_way, 1, &way, 1, &hold, EDT_PROP_FINISH, &done);
    spawn(check_all, 0, NULL, 1, &done);
    link_to(NULL_GUID, scope, 0, DB_MODE_NULL);
    return NULL_GUID;
}
