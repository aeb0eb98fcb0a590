/*
 * ocr-errors.h: where no runtime runs, before ocrLegacyInit and after ocrLegacyFinalize, calls that need
 * one return OCR_EPERM and write nothing; those without a status answer as their
 * headers say. GUIDs and variables can still be looked at.
 */
// clause: ocr-errors.h ocr-legacy.h
// stderr: ocr: warning: ocrWait was called while no runtime runs
#include "check.h"
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-db-info.h>
#include <extensions/ocr-db-partitioning.h>
#include <extensions/ocr-debug.h>
#include <extensions/ocr-file.h>
#include <extensions/ocr-labeling.h>
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-map-creator.h>
#include <extensions/ocr-opencl.h>
#include <extensions/ocr-pause.h>
#include <extensions/ocr-pdl.h>
#include <extensions/ocr-runtime-itf.h>
#include <extensions/ocr-stats.h>
#include <extensions/ocr-variants.h>

/* Of every kind one, where a run has made them. */
static ocrGuid_t context, block, event, channel, collective, tmpl, edt, range, guid_map, map, file;

static ocrGuid_t never(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK(!"an EDT runs that has to wait");
    return NULL_GUID;
}

static ocrGuid_t first(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
    (void)skip, (void)params, (void)tuple;
    return start;
}

static void creator(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv) {
    (void)lid, (void)index, (void)paramc, (void)paramv, (void)guidc, (void)guidv;
    CHECK(!"no call asks for an object");
}

static void one(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes, ocrNdRange_t *nd) {
    (void)paramc, (void)paramv, (void)depc, (void)depSizes, (void)nd;
}

#define NONE(call) REFUSED(OCR_EPERM, call)

static void refused(void) {
    ocrGuid_t guid = {42};
    void *addr = &guid;
    u64 number = 42;
    s64 tuple = 0;
    size_t size = 1;
    ocrHint_t hint;
    ocrStats_t stats = {.workers = 42};
    ocrDbPart_t part = {0, 1, {42}};
    ocrEventParams_t params = {.EVENT_LATCH = {1}};

    NONE(ocrDbCreate(&guid, &addr, 8, DB_PROP_NONE, NULL_HINT, NO_ALLOC));
    NONE(ocrDbRelease(block));
    NONE(ocrDbDestroy(block));
    NONE(ocrDbCopy(block, 0, block, 0, 1, 0, &guid));
    NONE(ocrDbGetSize(block, &number));
    NONE(ocrDbPartition(block, 1, &part, 0));
    NONE(ocrAddDependenceByValue(block, edt, 0, DB_MODE_RO));
    NONE(ocrGroupBegin());
    NONE(ocrGroupEnd());

    NONE(ocrEventCreate(&guid, OCR_EVENT_ONCE_T, EVT_PROP_NONE));
    NONE(ocrEventCreateParams(&guid, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params));
    NONE(ocrEventSatisfy(event, NULL_GUID));
    NONE(ocrEventSatisfySlot(event, NULL_GUID, 0));
    NONE(ocrEventSatisfySlot(edt, NULL_GUID, 0));
    NONE(ocrEventCollectiveSatisfySlot(collective, &number, 0));
    NONE(ocrEventDestroy(event));
    NONE(ocrEdtTemplateCreate(&guid, never, 0, 0));
    NONE(ocrEdtTemplateCreateLabeled(&guid, never, 0, 0, GUID_PROP_CHECK, NULL));
    NONE(ocrEdtTemplateAddFunction(tmpl, never, NULL));
    NONE(ocrEdtTemplateAddKernel(tmpl, "", NULL, "k", one, OCR_NO_RESULT));
    NONE(ocrEdtTemplateDestroy(tmpl));
    NONE(ocrEdtCreate(&guid, tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL));
    NONE(ocrOpenclTemplateCreate(&guid, "", NULL, "k", 0, 0, NULL));
    NONE(ocrOpenclTaskCreate(&guid, tmpl, 1, NULL, &size, NULL, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_GUID, NULL));
    NONE(ocrEdtDestroy(edt));
    NONE(ocrAddDependence(event, edt, 0, DB_MODE_RO));
    NONE(ocrAddDependenceSlot(event, 0, edt, 0, DB_MODE_RO));
    NONE(ocrProgressReport(1));

    OK(ocrHintInit(&hint, OCR_HINT_EDT_T));
    NONE(ocrSetHint(edt, &hint));
    NONE(ocrGetHint(edt, &hint));
    NONE(ocrAffinityQuery(block, &number, &guid));
    NONE(pdlGetDevicePropertyInt(NULL_GUID, "node-index", &number));

    NONE(ocrGuidRangeCreate(&guid, 1, GUID_USER_DB));
    NONE(ocrGuidMapCreate(&guid, 0, first, NULL, 1, GUID_USER_DB));
    NONE(ocrGuidFromIndex(&guid, range, 0));
    NONE(ocrGuidFromLabel(&guid, guid_map, &tuple));
    NONE(ocrGuidMapDestroy(range));
    NONE(ocrMapCreate(&guid, 1, creator, 0, NULL, 0, NULL));
    NONE(ocrMapGet(&guid, map, 0));
    NONE(ocrMapDestroy(map));
    NONE(ocrFileOpen(&guid, "/dev/null", "r", &guid, 0));
    NONE(ocrFileGetChunk(&guid, file, 0, 1));
    NONE(ocrFileRelease(file));
    NONE(ocrAttachDebugLabel(block, "block", 0, NULL));
    NONE(ocrPreAttachDebugLabel("next", 0, NULL));

    NONE(ocrEdtLocalStorageGet(&addr, &number));
    NONE(ocrCurrentEdtOutputGet(&guid));
    NONE(ocrInformLegacyCodeBlocking());
    NONE(ocrStatsGet(&stats));
    NONE(ocrLegacyFinalize(context, true));
    /* Nothing was written. */
    CHECK(guid.guid == 42 && addr == &guid && number == 42 && part.guid.guid == 42 && stats.workers == 42);

    NONE(ocrLegacySpawnOCR(&guid, tmpl, 0, NULL, 1, &part.guid, context));
    NONE(ocrLegacyBlockProgress(event, &guid, &addr, &number, LEGACY_PROP_NONE));
    CHECK(ocrGuidIsNull(guid) && addr == NULL && number == 0);
    guid = event;
    NONE(ocrCurrentEdtGet(&guid));
    CHECK(ocrGuidIsNull(guid));
}

static void others(void) {
    ocrGuid_t guid = {42};
    void *list = &guid;
    u32 size = 42;
    u64 count;
    ocrGuidUserKind kind;
    CHECK(ocrGuidIsError(ocrWait(event)));
    CHECK(!ocrLegacyIsChannelReady(channel));
    CHECK_EQ(ocrPause(true), 0);
    CHECK(ocrGuidIsNull(ocrQuery(OCR_QUERY_ALL_EDTS, NULL_GUID, &list, &size, 0)));
    CHECK(list == NULL && size == 0);
    ocrResume(1);
    CHECK(ocrGuidIsNull(currentEdtUserGet()));
    CHECK(ocrGuidIsError(ocrElsUserGet(0)));
    ocrElsUserSet(0, event);
    CHECK_EQ(ocrNbWorkers(), 0);
    CHECK(ocrSystemLoadGet() == 0);
    ocrCurrentWorkerGuid(&guid);
    CHECK(ocrGuidIsNull(guid));
    CHECK_EQ(strcmp(ocrPolicyName(), ""), 0);
    CHECK(pdlGetDevicePropertyString(NULL_GUID, "hostname") == NULL);
    OK(ocrAffinityCount(AFFINITY_OCL, &count));
    CHECK_EQ(count, 0);
    OK(ocrGetGuidKind(&kind, block));
    CHECK_EQ(kind, GUID_USER_NONE);
    CHECK_EQ(ocrGetIdType(event), OCR_ID_GUID);
    OK(ocrGetGuid(&guid, event));
    CHECK(ocrGuidIsEq(guid, event));
    ocrShutdown(); /* of nothing */
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    const char *policy;
    char text[32];
    void *addr;
    ocrParseArgs(argc, (const char **)argv, &config);
    others();
    for (int round = 0; round < 3; round++) {
        ocrLegacyInit(&context, &config);
        ocrEventParams_t params = {.EVENT_CHANNEL = {.maxGen = 2, .nbSat = 1, .nbDeps = 1}};
        OK(ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params));
        OK(ocrEventSatisfy(channel, NULL_GUID));
        params = (ocrEventParams_t){.EVENT_COLLECTIVE = {.maxGen = 1, .nbContribs = 1, .nbContribsPd = 1, .nbDatum = 1,
                                                         .op = REDOP_U8_ADD, .type = COL_ALLREDUCE}};
        OK(ocrEventCreateParams(&collective, OCR_EVENT_COLLECTIVE_T, EVT_PROP_NONE, &params));
        block = block_of(8, &addr);
        event = event_of(OCR_EVENT_STICKY_T);
        tmpl = template_of(never, 0, 1);
        edt = edt_of(tmpl, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL);
        OK(ocrGuidRangeCreate(&range, 1, GUID_USER_DB));
        OK(ocrGuidMapCreate(&guid_map, 0, first, NULL, 1, GUID_USER_DB));
        OK(ocrMapCreate(&map, 1, creator, 0, NULL, 0, NULL));
        OK(ocrFileOpen(&file, "/proc/self/exe", "r", NULL, 0));
        policy = ocrPolicyName();
        CHECK(policy[0] != '\0');
        snprintf(text, sizeof text, "%s", policy);
        OK(ocrLegacyFinalize(context, false));
        CHECK_EQ(strcmp(policy, text), 0); /* it is still there */
        refused();
        others();
    }
    return 0;
}
