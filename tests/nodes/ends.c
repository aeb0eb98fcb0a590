/*
 * How EDTs that run on other nodes come to their end when the program ends. Its first argument says what they do then.
 */
#include "nodes.h"
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>

static ocrGuid_t guid(u64 bits)
{
    return (ocrGuid_t){.guid = (intptr_t)bits};
}

static ocrGuid_t event(void)
{
    ocrGuid_t event;
    MUST(ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG));
    return event;
}

static void say(const char *what)
{
    printf("%s on node %lu\n", what, (unsigned long)here());
    fflush(stdout);
}

/* Gives an event a block with this number. */
static void give(ocrGuid_t event, u64 number)
{
    ocrGuid_t block;
    u64 *start;
    MUST(ocrDbCreate(&block, (void **)&start, sizeof *start, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    *start = number;
    MUST(ocrDbRelease(block));
    MUST(ocrEventSatisfy(event, block));
}

/* What an event is given. */
static u64 got(ocrGuid_t event)
{
    ocrGuid_t block;
    u64 *words, size;
    MUST(ocrLegacyBlockProgress(event, &block, (void **)&words, &size, LEGACY_PROP_NONE));
    ocrAssert(size == sizeof *words);
    return *words;
}

/* ---- served: EDTs of two nodes answer each other while the program ends ---- */

enum { BEGINS, THERE, BACK, TIMES = 20 };

static ocrGuid_t answers(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    MUST(ocrEventSatisfy(guid(paramv[BEGINS]), NULL_GUID));
    for (u64 at = 0; at < TIMES; at++) {
        const u64 number = got(guid(paramv[THERE + 2 * at]));
        ocrAssert(number == at);
        /* A block of this node, and an event of the other one. */
        give(guid(paramv[BACK + 2 * at]), number + 1);
    }
    say("answered all");
    return NULL_GUID;
}

static ocrGuid_t asks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    ocrShutdown();
    for (u64 at = 0; at < TIMES; at++) {
        give(guid(paramv[THERE + 2 * at]), at);
        const u64 number = got(guid(paramv[BACK + 2 * at]));
        ocrAssert(number == at + 1);
    }
    /* The other one has an answer to its last question; its own answer nobody waits for. */
    say("asked all");
    return NULL_GUID;
}

static void serves(void)
{
    u64 params[1 + 2 * TIMES];
    ocrGuid_t edt, of = template(asks, 1 + 2 * TIMES, 1);
    for (u64 at = 0; at < 1 + 2 * TIMES; at++) {
        params[at] = (u64)event().guid;
    }
    MUST(ocrEdtCreate(&edt, of, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    MUST(ocrAddDependence(guid(params[BEGINS]), edt, 0, DB_MODE_NULL));
    start(answers, 1, 1 + 2 * TIMES, params, 0, NULL);
}

/* ---- vain: an EDT of another node waits for what never comes. On one node such a wait ends with an error. ---- */

static ocrGuid_t shuts(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrShutdown();
    return NULL_GUID;
}

static ocrGuid_t hopes(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc, (void)depv;
    const bool looks = paramv[2] != 0;
    MUST(ocrEventSatisfy(guid(paramv[0]), NULL_GUID));
    while (looks) {
        ocrInformLegacyCodeBlocking();
    }
    const u8 status = ocrLegacyBlockProgress(guid(paramv[1]), NULL, NULL, NULL, LEGACY_PROP_NONE);
    say(status == OCR_ECANCELED ? "waited in vain" : "wrong");
    return NULL_GUID;
}

static void hope(u64 looks)
{
    const ocrGuid_t begins = event();
    ocrGuid_t edt;
    u64 params[3] = {(u64)begins.guid, (u64)event().guid, looks};
    MUST(ocrEdtCreate(&edt, template(shuts, 0, 1), EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                      NULL));
    MUST(ocrAddDependence(begins, edt, 0, DB_MODE_NULL));
    start(hopes, 1, 3, params, 0, NULL);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    const char *what = getArgv(depv[0].ptr, 1);
    if (strcmp(what, "served") == 0) {
        serves();
    } else {
        hope(strcmp(what, "looks") == 0);
    }
    return NULL_GUID;
}
