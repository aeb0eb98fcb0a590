/*
 * usage.c - the forms in which programs use the headers, and the values that they rely on.
 *
 * Compiled as C and as C++ by tests/headers.rs; never linked or run. ocr.h comes first and brings
 * what programs take from it without an include of their own.
 */
#include "ocr.h"

#include "extensions/ocr-affinity.h"
#include "extensions/ocr-db-by-value.h"
#include "extensions/ocr-db-info.h"
#include "extensions/ocr-db-partitioning.h"
#include "extensions/ocr-debug.h"
#include "extensions/ocr-file.h"
#include "extensions/ocr-heterogeneous.h"
#include "extensions/ocr-hints.h"
#include "extensions/ocr-labeling.h"
#include "extensions/ocr-legacy.h"
#include "extensions/ocr-map-creator.h"
#include "extensions/ocr-opencl.h"
#include "extensions/ocr-pause.h"
#include "extensions/ocr-pdl.h"
#include "extensions/ocr-reduction-event.h"
#include "extensions/ocr-runtime-itf.h"
#include "extensions/ocr-stats.h"
#include "extensions/ocr-variants.h"
#include "ocr-profiler.h"

#ifdef __cplusplus
#define CHECK(e) static_assert(e, #e)
#else
#define CHECK(e) _Static_assert(e, #e)
#endif

/* ---- Sizes and layouts ----------------------------------------------------------------------- */

CHECK(sizeof(u64) == 8 && (u64)-1 > 0);
CHECK(sizeof(u32) == 4 && (u32)-1 > 0);
CHECK(sizeof(u16) == 2 && (u16)-1 > 0);
CHECK(sizeof(u8) == 1 && (u8)-1 > 0);
CHECK(sizeof(s64) == 8 && (s64)-1 < 0);
CHECK(sizeof(s32) == 4 && (s32)-1 < 0);
CHECK(sizeof(s8) == 1 && (s8)-1 < 0);
CHECK(sizeof(bool) == 1);
CHECK(TRUE == 1 && FALSE == 0 && true == 1 && false == 0);

CHECK(sizeof(ocrGuid_t) == 8);
CHECK(GUID_BIT_COUNT == 64);
CHECK(GUID_SIZE(ocrGuid_t) == 64);
CHECK(sizeof(ocrEdtDep_t) == 24);
CHECK(offsetof(ocrEdtDep_t, guid) == 0);
CHECK(offsetof(ocrEdtDep_t, ptr) == 8);
CHECK(offsetof(ocrEdtDep_t, mode) == 16);
CHECK(sizeof(ocrHint_t) == 128);
CHECK(offsetof(ocrHint_t, propMask) == 8);
CHECK(offsetof(ocrHint_t, args) == 16);
CHECK(sizeof(ocrHintVal_t) == 8);
CHECK(sizeof(redOp_t) == 2);
CHECK(sizeof(cl_uint) == 4 && (cl_uint)-1 > 0);
CHECK(sizeof(ocrEventLatchParams_t) == 8);
CHECK(sizeof(ocrEventCounterParams_t) == 8);
CHECK(sizeof(ocrEventChannelParams_t) == 12);
CHECK(sizeof(ocrNdRange_t) == 80);
CHECK(sizeof(ocrStats_t) == 56);
CHECK(SPAD_COPY == 0x8000000000000000u);
CHECK(OCR_FILE_EXISTS == 1);
CHECK(OCR_DB_PARTITION_STATIC == 1 && DB_COPY_PARTITION == 1 && DB_COPY_PARTITION_BACK == 2);
CHECK(OCR_ID_GUID == 0 && OCR_ID_LID == 1 && OCR_ID_UNK == 2);
CHECK((EDT_PROP_MAPPED & (EDT_PROP_FINISH | EDT_PROP_LONG | EDT_PROP_OEVT_VALID)) == 0);
CHECK((EDT_PROP_LID & (EDT_PROP_MAPPED | EDT_PROP_FINISH | EDT_PROP_LONG | EDT_PROP_NO_HINT | EDT_PROP_OEVT_VALID |
                       GUID_PROP_CHECK | GUID_PROP_BLOCK)) == 0 && EDT_PROP_LID != 0);
CHECK((EVT_PROP_LID & (EVT_PROP_MAPPED | EVT_PROP_TAKES_ARG | GUID_PROP_CHECK | GUID_PROP_BLOCK)) == 0 &&
      EVT_PROP_LID != 0);
CHECK((DB_PROP_LID & (DB_PROP_MAPPED | DB_PROP_NO_ACQUIRE | DB_PROP_SINGLE_ASSIGNMENT | DB_PROP_NO_HINT |
                      GUID_PROP_CHECK | GUID_PROP_BLOCK)) == 0 && DB_PROP_LID != 0);
CHECK(OCR_MAX_DEBUG_LABEL_STRLEN == 16 && OCR_MAX_DEBUG_LABEL_PARAMC == 2);
#if !ENABLE_EXTENSION_DEBUG || !ENABLE_EXTENSION_HETEROGENEOUS || !ENABLE_EXTENSION_BYVALUE_DB
#error "a gate is closed"
#endif

/* ---- Data blocks ----------------------------------------------------------------------------- */

CHECK(DB_MODE_NULL == 0x0);
CHECK(DB_MODE_CONST == 0x1);
CHECK(DB_MODE_RW == 0x2);
CHECK(DB_MODE_EW == 0x4);
CHECK(DB_MODE_RO == 0x8);
CHECK(DB_DEFAULT_MODE == DB_MODE_RW);
CHECK(DB_PROP_NONE == 0x0);
CHECK(DB_PROP_NO_ACQUIRE == 0x10);
CHECK(DB_PROP_SINGLE_ASSIGNMENT == 0x20);
CHECK(DB_PROP_NO_HINT == 0x40);
CHECK(NO_ALLOC == 0);

/* ---- EDTs ------------------------------------------------------------------------------------ */

CHECK(EDT_PROP_NONE == 0x0);
CHECK(EDT_PROP_FINISH == 0x1);
CHECK(EDT_PROP_NO_HINT == 0x2);
CHECK(EDT_PROP_LONG == 0x4);
CHECK(EDT_PROP_OEVT_VALID == 0x8);
CHECK(EDT_PARAM_UNK == 0xFFFFFFFFu);
CHECK(EDT_PARAM_DEF == 0xFFFFFFFEu);
CHECK(OCR_NO_RESULT == 0xFFFFFFFFu);

/* ---- Events ---------------------------------------------------------------------------------- */

CHECK(OCR_EVENT_ONCE_T == 1);
CHECK(OCR_EVENT_IDEM_T == 2);
CHECK(OCR_EVENT_STICKY_T == 3);
CHECK(OCR_EVENT_LATCH_T == 4);
CHECK(OCR_EVENT_COUNTED_T == 5);
CHECK(OCR_EVENT_CHANNEL_T == 6);
CHECK(OCR_EVENT_COLLECTIVE_T == 7);
CHECK(OCR_EVENT_T_MAX == 8);
CHECK(OCR_EVENT_LATCH_DECR_SLOT == 0);
CHECK(OCR_EVENT_LATCH_INCR_SLOT == 1);
CHECK(sizeof(ocrLatchEventSlot_t) == sizeof(ocrLatchEventSlots_t));
CHECK(EVT_PROP_NONE == 0x0);
CHECK(EVT_PROP_TAKES_ARG == 0x1);
CHECK(EVENT_CHANNEL_UNBOUNDED == 0xFFFFFFFFu);

/* ---- Reductions ------------------------------------------------------------------------------ */

CHECK(COL_REDUCE == 0);
CHECK(COL_ALLREDUCE == 1);
CHECK(COL_BROADCAST == 2);
CHECK(REDOP_BIT_COUNT == 16);
CHECK(REDOP_SIZE(ASSOCIATIVE) == 1 && REDOP_SIDX(ASSOCIATIVE) == 1);
CHECK(REDOP_SIZE(COMMUTATIVE) == 1 && REDOP_SIDX(COMMUTATIVE) == 2);
CHECK(REDOP_SIZE(DATUM_SIZE) == 3 && REDOP_SIDX(DATUM_SIZE) == 5);
CHECK(REDOP_SIZE(SIGNED) == 1 && REDOP_SIDX(SIGNED) == 6);
CHECK(REDOP_SIZE(TYPE) == 1 && REDOP_SIDX(TYPE) == 7);
CHECK(REDOP_SIZE(OPERATOR) == 3 && REDOP_SIDX(OPERATOR) == 10);
CHECK(REDOP_EIDX(ASSOCIATIVE) == 0 && REDOP_EIDX(OPERATOR) == 7);
CHECK(REDOP_ASSOCIATIVE == 0x1);
CHECK(REDOP_COMMUTATIVE == 0x2);
CHECK(REDOP_BS1 == 0x0 && REDOP_BS2 == 0x4 && REDOP_BS4 == 0xC && REDOP_BS8 == 0x1C);
CHECK(REDOP_UNSIGNED == 0x0 && REDOP_SIGNED == 0x20);
CHECK(REDOP_INTEGER == 0x0 && REDOP_REAL == 0x40);
CHECK(REDOP_ADD >> 7 == 0 && REDOP_MULT >> 7 == 1 && REDOP_MIN >> 7 == 2 && REDOP_MAX >> 7 == 3);
CHECK(REDOP_BITAND >> 7 == 4 && REDOP_BITOR >> 7 == 5 && REDOP_BITXOR >> 7 == 6);
CHECK(REDOP_F8_ADD == 127);
CHECK(REDOP_F8_MULT == 127 + 128);
CHECK(REDOP_F8_MIN == 127 + 256);
CHECK(REDOP_F8_MAX == 127 + 384);
CHECK(REDOP_F4_ADD == 111);
CHECK(REDOP_F4_MULT == 111 + 128);
CHECK(REDOP_F4_MIN == 111 + 256);
CHECK(REDOP_F4_MAX == 111 + 384);
CHECK(REDOP_U8_ADD == 28);
CHECK(REDOP_U8_MULT == 28 + 128);
CHECK(REDOP_U8_MIN == 28 + 256);
CHECK(REDOP_U8_MAX == 28 + 384);
CHECK(REDOP_U8_BITAND == 28 + 512);
CHECK(REDOP_U8_BITOR == 28 + 640);
CHECK(REDOP_U8_BITXOR == 28 + 768);
CHECK(REDOP_U4_ADD == 12);
CHECK(REDOP_U4_MULT == 12 + 128);
CHECK(REDOP_U4_MIN == 12 + 256);
CHECK(REDOP_U4_MAX == 12 + 384);
CHECK(REDOP_U4_BITAND == 12 + 512);
CHECK(REDOP_U4_BITOR == 12 + 640);
CHECK(REDOP_U4_BITXOR == 12 + 768);
CHECK(REDOP_S8_MIN == 60 + 256 && REDOP_S8_MAX == 60 + 384);
CHECK(REDOP_S4_MIN == 44 + 256 && REDOP_S4_MAX == 44 + 384);

/* ---- Hints ----------------------------------------------------------------------------------- */

CHECK(OCR_HINT_UNDEF_T == 0);
CHECK(OCR_HINT_EDT_T == 1);
CHECK(OCR_HINT_DB_T == 2);
CHECK(OCR_HINT_EVT_T == 3);
CHECK(OCR_HINT_GROUP_T == 4);
CHECK(OCR_HINT_EDT_PROP_START == 0);
CHECK(OCR_HINT_EDT_PRIORITY == 1);
CHECK(OCR_HINT_EDT_SLOT_MAX_ACCESS == 2);
CHECK(OCR_HINT_EDT_AFFINITY == 3);
CHECK(OCR_HINT_EDT_SPAD_USAGE == 4);
CHECK(OCR_HINT_EDT_DISPERSE == 5);
CHECK(OCR_HINT_EDT_SPACE == 6);
CHECK(OCR_HINT_EDT_TIME == 7);
CHECK(OCR_HINT_EDT_STATS_HW_CYCLES == 8);
CHECK(OCR_HINT_EDT_STATS_L1_HITS == 9);
CHECK(OCR_HINT_EDT_STATS_L1_MISSES == 10);
CHECK(OCR_HINT_EDT_STATS_FLOAT_OPS == 11);
CHECK(OCR_HINT_EDT_SPAWNING == 12);
CHECK(OCR_HINT_EDT_TIME_PARAMS == 13);
CHECK(OCR_HINT_EDT_RETRY == 14);
CHECK(OCR_HINT_EDT_PROP_END == 15);
CHECK(OCR_HINT_DB_PROP_START == 14);
CHECK(OCR_HINT_DB_AFFINITY == 15);
CHECK(OCR_HINT_DB_NEAR == 16);
CHECK(OCR_HINT_DB_INTER == 17);
CHECK(OCR_HINT_DB_FAR == 18);
CHECK(OCR_HINT_DB_HIGHBW == 19);
CHECK(OCR_HINT_DB_EAGER == 20);
CHECK(OCR_HINT_DB_LAZY == 21);
CHECK(OCR_HINT_DB_PROP_END == 22);
CHECK(OCR_HINT_EVT_PROP_START == 23);
CHECK(OCR_HINT_EVT_PROP_END == 24);
CHECK(OCR_HINT_GROUP_PROP_START == 25);
CHECK(OCR_HINT_GROUP_PROP_END == 26);
CHECK(OCR_HINT_EDT_DISPERSE_FAR == 0);
CHECK(OCR_HINT_EDT_DISPERSE_NEAR == 1);

/* ---- Labels, affinity, legacy, queries, traces ----------------------------------------------- */

CHECK(GUID_PROP_NONE == 0x0);
CHECK(GUID_PROP_IS_LABELED == 0x100);
CHECK(GUID_PROP_CHECK == 0x300);
CHECK(GUID_PROP_BLOCK == 0x500);
CHECK(OCR_GUID_NONE == GUID_USER_NONE);
CHECK(GUID_USER_NONE == 0);
CHECK(GUID_USER_DB == 2);
CHECK(GUID_USER_EDT == 3);
CHECK(GUID_USER_EDT_TEMPLATE == 4);
CHECK(GUID_USER_EVENT_ONCE == 17);
CHECK(GUID_USER_EVENT_COUNTED == 18);
CHECK(GUID_USER_EVENT_IDEM == 19);
CHECK(GUID_USER_EVENT_STICKY == 21);
CHECK(GUID_USER_EVENT_LATCH == 22);
CHECK(GUID_USER_EVENT_CHANNEL == 23);
CHECK(GUID_USER_EVENT_COLLECTIVE == 24);
CHECK(AFFINITY_CURRENT == 0);
CHECK(AFFINITY_PD == 1);
CHECK(AFFINITY_PD_MASTER == 2);
CHECK(AFFINITY_SIM == 3);
CHECK(AFFINITY_GUID == 4);
CHECK(AFFINITY_OCL == 5);
CHECK(LEGACY_PROP_NONE == 0x0);
CHECK(LEGACY_PROP_WAIT_FOR_CREATE == 0x1);
CHECK(LEGACY_PROP_WAIT_IF_CREATED == 0x2);
CHECK(LEGACY_PROP_CHECK == 0x4);
CHECK(LEGACY_BLOCK_PROGRESS_5_ARGS == 1);
CHECK(ELS_USER_SIZE == 4);
CHECK(OCR_QUERY_READY_EDTS == 0);
CHECK(OCR_QUERY_EVENTS == 1);
CHECK(OCR_QUERY_LAST_SATISFIED_DB == 2);
CHECK(OCR_QUERY_ALL_EDTS == 3);
CHECK(OCR_TRACE_TYPE_EDT == 1000);
CHECK(OCR_TRACE_TYPE_API_EDT == 1001);
CHECK(OCR_TRACE_TYPE_EVENT == 1002);
CHECK(OCR_TRACE_TYPE_API_EVENT == 1003);
CHECK(OCR_TRACE_TYPE_DATABLOCK == 1004);
CHECK(OCR_TRACE_TYPE_API_DATABLOCK == 1005);
CHECK(OCR_TRACE_TYPE_MESSAGE == 1006);
CHECK(OCR_TRACE_TYPE_WORKER == 1007);
CHECK(OCR_TRACE_TYPE_SCHEDULER == 1008);
CHECK(OCR_TRACE_TYPE_API_AFFINITY == 1009);
CHECK(OCR_TRACE_TYPE_API_HINT == 1010);
CHECK(OCR_TRACE_TYPE_ALLOCATOR == 1011);
CHECK(OCR_TRACE_TYPE_MAX == 1012);
CHECK(OCR_ACTION_CREATE == 0);
CHECK(OCR_ACTION_TEMPLATE_CREATE == 1);
CHECK(OCR_ACTION_DESTROY == 2);
CHECK(OCR_ACTION_RUNNABLE == 3);
CHECK(OCR_ACTION_SCHEDULED == 4);
CHECK(OCR_ACTION_ADD_DEP == 5);
CHECK(OCR_ACTION_SATISFY == 6);
CHECK(OCR_ACTION_EXECUTE == 7);
CHECK(OCR_ACTION_FINISH == 8);
CHECK(OCR_ACTION_DATA_ACQUIRE == 9);
CHECK(OCR_ACTION_DATA_RELEASE == 10);
CHECK(OCR_ACTION_ALLOCATE == 11);
CHECK(OCR_ACTION_DEALLOCATE == 12);
CHECK(OCR_ACTION_END_TO_END == 13);
CHECK(OCR_ACTION_WORK_REQUEST == 14);
CHECK(OCR_ACTION_WORK_TAKEN == 15);
CHECK(OCR_ACTION_SCHED_MSG_SEND == 16);
CHECK(OCR_ACTION_SCHED_MSG_RCV == 17);
CHECK(OCR_ACTION_SCHED_INVOKE == 18);
CHECK(OCR_ACTION_GET_CURRENT == 19);
CHECK(OCR_ACTION_GET_AT == 20);
CHECK(OCR_ACTION_GET_COUNT == 21);
CHECK(OCR_ACTION_QUERY == 22);
CHECK(OCR_ACTION_INIT == 23);
CHECK(OCR_ACTION_SET_VAL == 24);
CHECK(OCR_ACTION_RANGE_CREATE == 25);
CHECK(OCR_ACTION_MAX == 26);
CHECK(GET_MULTI_WORK_MAX_SIZE == 8);
CHECK(CE_GET_MULTI_WORK_MAX_SIZE == 4);

/* ---- Errors ---------------------------------------------------------------------------------- */

CHECK(OCR_EPERM == 1);
CHECK(OCR_ENOENT == 2);
CHECK(OCR_EINTR == 4);
CHECK(OCR_EIO == 5);
CHECK(OCR_ENXIO == 6);
CHECK(OCR_E2BIG == 7);
CHECK(OCR_ENOEXEC == 8);
CHECK(OCR_EAGAIN == 11);
CHECK(OCR_ENOMEM == 12);
CHECK(OCR_EACCES == 13);
CHECK(OCR_EFAULT == 14);
CHECK(OCR_EBUSY == 16);
CHECK(OCR_ENODEV == 19);
CHECK(OCR_EINVAL == 22);
CHECK(OCR_ENOSPC == 28);
CHECK(OCR_ESPIPE == 29);
CHECK(OCR_EROFS == 30);
CHECK(OCR_EDOM == 33);
CHECK(OCR_ERANGE == 34);
CHECK(OCR_ENOSYS == 38);
CHECK(OCR_ENOTEMPTY == 39);
CHECK(OCR_ENOTSUP == 95);
CHECK(OCR_EGUIDEXISTS == 100);
CHECK(OCR_EACQ == 101);
CHECK(OCR_EPEND == 102);
CHECK(OCR_ENOP == 103);
CHECK(OCR_EDEFERRED == 104);
CHECK(OCR_ECANCELED == 125);

/* ---- Version and gates ----------------------------------------------------------------------- */

CHECK(sizeof(OCR_VERSION) == sizeof("1.1.0"));
CHECK(OCR_MAJOR_VERSION == 1 && OCR_MINOR_VERSION == 1 && OCR_PATCH_VERSION == 0);
CHECK(OCR_VERSION_LEGACY_BIT == 1 << 1);
CHECK(OCR_VERSION_AFFINITY_BIT == 1 << 2);
CHECK(OCR_VERSION_PARAMS_EVT_BIT == 1 << 3);
CHECK(OCR_VERSION_COUNTED_EVT_BIT == 1 << 4);
CHECK(OCR_VERSION_RTITF_BIT == 1 << 5);
CHECK(OCR_VERSION_PAUSE_BIT == 1 << 6);
CHECK(OCR_VERSION_LABELING_BIT == 1 << 7);

#if ENABLE_EXTENSION_AFFINITY != 1 || ENABLE_EXTENSION_CHANNEL_EVT != 1 ||        \
    ENABLE_EXTENSION_COLLECTIVE_EVT != 1 || ENABLE_EXTENSION_COUNTED_EVT != 1 ||  \
    ENABLE_EXTENSION_DB_INFO != 1 || ENABLE_EXTENSION_DEBUG != 1 ||               \
    ENABLE_EXTENSION_LABELING != 1 ||                                             \
    ENABLE_EXTENSION_LEGACY != 1 || ENABLE_EXTENSION_MULTI_OUTPUT_SLOT != 1 ||    \
    ENABLE_EXTENSION_PARAMS_EVT != 1 || ENABLE_EXTENSION_PAUSE != 1 ||            \
    ENABLE_EXTENSION_RTITF != 1
#error "an extension is off"
#endif
CHECK(ENABLE_EXTENSION_LABELING == 1);

/* ---- Forms ----------------------------------------------------------------------------------- */

static ocrGuid_t staticNull = NULL_GUID_INITIALIZER;
static const ocrGuid_t staticOthers[] = {UNINITIALIZED_GUID_INITIALIZER, ERROR_GUID_INITIALIZER};
#ifndef __STRICT_ANSI__
ocrGuid_t globalNull = NULL_GUID; /* what GNU C allows */
#endif

#ifdef __cplusplus
/* Programs that say so themselves, because other headers leave it to them. */
extern "C" ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);
#endif

static ocrGuid_t worker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    START_PROFILE(worker);
    ocrGuid_t *guids = (ocrGuid_t *)paramv;
    u64 *data = (u64 *)depv[0].ptr;
    ocrDbAccessMode_t mode = depv[0].mode;
    ocrAssert(paramc == 1);
    ocrAssert(depc == 1 && "one block");
    ASSERT(mode != DB_MODE_NULL);
    ASSERT(data);
    PAUSE_PROFILE;
    ocrEventSatisfy(guids[0], depv[0].guid);
    RESUME_PROFILE;
    EXIT_PROFILE;
    RETURN_PROFILE(NULL_GUID);
}

static void finish(u32 code) {
    START_PROFILE(finish);
    if (code == 0)
        ocrAssert(code == 0);
    else
        ocrAbort((u8)code);
    if (code)
        ASSERT(code < 256);
    else
        ocrShutdown();
    if (code)
        VERIFY(code == 0, "code %u\n", code);
    else
        VERIFY(code == 0, "no code\n");
    RETURN_PROFILE();
}

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *depSizes,
                  ocrNdRange_t *nd) {
    ocrAssert(paramc == 1 && depc == 1);
    nd->workDim = 1;
    nd->globalSize[0] = (size_t)(paramv[0] + depSizes[0]);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    u8 unused = 0; /* used by an assertion alone */
    unused = (u8)paramc;
    ocrAssert(unused == 0);
    ocrAssert(paramv == NULL);
    ocrAssert(depc == 1);

    u64 argc = ocrGetArgc(depv[0].ptr) + getArgc(depv[0].ptr);
    char *argv0 = ocrGetArgv(depv[0].ptr, 0);
    ocrPrintf("%" PRId64 " %" PRIu64 " " GUIDF " %s\n", (s64)argc, argc, GUIDA(depv[0].guid),
              getArgv(depv[0].ptr, 0));
    PRINTF("%" PRId32 " %s\n", argc, argv0); /* wrong, and common: must not be an error */
    char text[16];
    SNPRINTF(text, sizeof(text), GUIDSx " " GUIDLx, GUIDFS(staticNull), GUIDFL(staticNull));

    /* GUIDs */
    ocrGuid_t none = NULL_GUID;
    ocrGuid_t open[] = {UNINITIALIZED_GUID, NULL_GUID, ERROR_GUID};
    GUID_ASSIGN_VALUE(none, NULL_GUID);
    none.guid = NULL_GUID.guid;
#ifndef __cplusplus
    ocrGuid_t designated = {.guid = 5};
    none = designated;
#endif
    bool all = ocrGuidIsNull(none) || ocrGuidIsUninitialized(open[0]) || ocrGuidIsError(open[2]) ||
               ocrGuidIsEq(none, staticOthers[0]) || ocrGuidIsLt(none, staticOthers[1]) ||
               IS_GUID_NULL(none) || IS_GUID_UNINITIALIZED(none) || IS_GUID_ERROR(none) ||
               IS_GUID_EQUAL(none, NULL_GUID) || IS_GUID_LESS_THAN(none, addValueToGuid(none, 1));
    VERIFY(all, "guid " GUIDF "\n", GUIDA(none));

    /* Events: properties as booleans too */
    ocrGuid_t event, latch, channel;
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, true);
    ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG | GUID_PROP_CHECK);
    ocrEventParams_t params;
    params.EVENT_LATCH.counter = 2;
    params.EVENT_COUNTED.nbDeps = 1;
    params.EVENT_COLLECTIVE.op = REDOP_F8_ADD;
    params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
    ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, false, &params);
    params.EVENT_CHANNEL.maxGen = EVENT_CHANNEL_UNBOUNDED;
    params.EVENT_CHANNEL.nbSat = 1;
    params.EVENT_CHANNEL.nbDeps = 1;
    ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_NONE, &params);
    ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
    ocrEventCollectiveSatisfySlot(event, &argc, 0);

    /* Templates and EDTs */
    ocrGuid_t edt, edtTemplate, output;
    ocrEdt_t function = worker;
    ocrEdtTemplateCreate(&edtTemplate, worker, 1, 1);
    u8 status = ocrEdtTemplateCreate(&edtTemplate, function, EDT_PARAM_UNK, EDT_PARAM_UNK);
    ocrHint_t hint;
    ocrHintInit(&hint, OCR_HINT_EDT_T);
    ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(none));
    ocrHintVal_t priority;
    ocrHintSetValue(&hint, OCR_HINT_EDT_PRIORITY, 1);
    ocrHintGetValue(&hint, OCR_HINT_EDT_PRIORITY, &priority);
    ocrHintUnsetValue(&hint, OCR_HINT_EDT_PRIORITY);
    /* Values of both signs: OCR 1.1.0 has s64, OCR 1.2 u64. And what is no lvalue, or no integer of 64 bits. */
    s64 signedValue = -3;
    const s64 fixedValue = -4;
    u32 small = 1;
    ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, signedValue);
    ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, fixedValue);
    ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, priority);
    ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, small);
    ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, -1);
    ocrSetHintValue(NULL_HINT, OCR_HINT_EDT_DISPERSE, OCR_HINT_EDT_DISPERSE_NEAR);
    ocrHintSetValue(&hint, OCR_HINT_EDT_PRIORITY, signedValue + 1);
    ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &priority);
    ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, &signedValue);
    ocrHintGetValue(&hint, OCR_HINT_EDT_PRIORITY, &signedValue);
    ocrGetHintValue(&hint, OCR_HINT_EDT_PRIORITY, NULL);
    u8 (*setHintValue)(ocrHint_t *, ocrHintProp_t, u64) = ocrSetHintValue;
    u8 (*getHintValue)(ocrHint_t *, ocrHintProp_t, u64 *) = ocrGetHintValue;
    setHintValue(&hint, OCR_HINT_EDT_PRIORITY, 1);
    getHintValue(&hint, OCR_HINT_EDT_PRIORITY, &priority);

    /* The function behind the macro, as other languages bind it. */
    u8 (*createTemplate)(ocrGuid_t *, ocrEdt_t, u32, u32) = ocrEdtTemplateCreate;
    createTemplate(&edtTemplate, worker, 1, 1);
    (ocrEdtTemplateCreate)(&edtTemplate, worker, 1, 1);

    /* Local identifiers */
    ocrEdtCreate(&edt, edtTemplate, 0, NULL, 1, NULL, EDT_PROP_LID | EDT_PROP_FINISH, NULL_HINT, NULL);
    ocrIdType idType = ocrGetIdType(edt);
    if (idType == OCR_ID_LID)
        ocrGetGuid(&edt, edt);
    ocrGuidUserKind noKind = OCR_GUID_NONE;
    ocrGetGuidKind(&noKind, edt);
    status |= ocrEdtCreate(&edt, edtTemplate, sizeof(ocrGuid_t) / sizeof(u64), (u64 *)&event, 1,
                           open, EDT_PROP_NONE, PICK_1_1(&hint, none), &output);
    status |= ocrEdtCreate(&edt, edtTemplate, EDT_PARAM_DEF, (u64 *)&event, EDT_PARAM_DEF, NULL,
                           EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, NULL_HINT, NULL);
    ocrAddDependence(none, edt, 0, DB_MODE_CONST);
    ocrAddDependence(NULL_GUID, edt, 0, DB_DEFAULT_MODE);
#ifndef __cplusplus
    ocrAddDependence(event, edt, 0, false);
    ocrAddDependence(event, edt, 0, true);
    ocrAddDependence(event, edt, 0, 0);
#endif
    ocrAddDependenceSlot(event, 0, edt, 0, DB_MODE_RO);

    /* Data blocks */
    ocrGuid_t db;
    u64 *data;
    status |= ocrDbCreate(&db, (void **)&data, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    status |= ocrDbCreate(&db, (void **)&data, 8, false, NULL, NO_ALLOC);
    u64 size = 0;
    ocrDbGetSize(db, &size);
    ocrPreAttachDebugLabel("next", 0, NULL);
    ocrAttachDebugLabel(db, "tile", 1, &size);
    ocrNoteCausality(db, db);
    ocrDbRelease(db);

    /* Variants */
    ocrEdtTemplateAddKernel(edtTemplate, "kernel void k() {}", NULL, "k", range, OCR_NO_RESULT);
    ocrEdtTemplateAddFunction(edtTemplate, worker, "worker");
    size_t global[1] = {64};
    ocrOpenclTemplateCreate(&edtTemplate, "kernel void k() {}", "", "k", 0, 0, "k");
    ocrOpenclTaskCreate(&edt, edtTemplate, 1, NULL, global, NULL, 0, NULL, 0, NULL, EDT_PROP_NONE,
                        NULL_GUID, NULL);
    ocrAttachDebugLabel(edt, "op", 1, data);
    u64 code = ocrEncodeFunctionPointer((ocrFuncPtr_t)worker);
    ocrRegisterEdtFuntion((ocrEdt_t)ocrDecodeFunctionPointer(code));
    pdlGetDevicePropertyInt(none, "thread-count", &size);
    ocrPrintf("%s\n", pdlGetDevicePropertyString(none, "hostname"));
    ocrProgressReport(1);
    ocrStats_t stats;
    ocrStatsGet(&stats);
    ocrPrintf("%s %lu\n", ocrPolicyName(), stats.functionEdts);

    u64 bits = OCR_VERSION_EXTENSION_BITMAP & OCR_VERSION_LABELING_BIT;
    u32 version = OCR_VERSION_GET_MAJOR(OCR_VERSION) + OCR_VERSION_GET_MINOR(OCR_VERSION) +
                  OCR_VERSION_GET_PATCH(OCR_VERSION);
    finish((u32)(bits != 0) + version + status);
    return NULL_GUID;
}
