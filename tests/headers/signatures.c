/*
 * signatures.c - every function and type of the interface declared once more, with the types that
 * programs rely on: a header that says something else does not compile together with this. Compiled
 * like usage.c.
 */
#include "ocr.h"

#include "extensions/ocr-affinity.h"
#include "extensions/ocr-checkpoint.h"
#include "extensions/ocr-db-by-value.h"
#include "extensions/ocr-db-info.h"
#include "extensions/ocr-db-partitioning.h"
#include "extensions/ocr-debug.h"
#include "extensions/ocr-file.h"
#include "extensions/ocr-heterogeneous.h"
#include "extensions/ocr-labeling.h"
#include "extensions/ocr-legacy.h"
#include "extensions/ocr-map-creator.h"
#include "extensions/ocr-opencl.h"
#include "extensions/ocr-pause.h"
#include "extensions/ocr-pdl.h"
#include "extensions/ocr-runtime-itf.h"

/* ---- ocr-guid-functions.h -------------------------------------------------------------------- */

static __inline__ bool ocrGuidIsNull(ocrGuid_t);
static __inline__ bool ocrGuidIsUninitialized(ocrGuid_t);
static __inline__ bool ocrGuidIsError(ocrGuid_t);
static __inline__ bool ocrGuidIsEq(ocrGuid_t, ocrGuid_t);
static __inline__ bool ocrGuidIsLt(ocrGuid_t, ocrGuid_t);
static __inline__ bool IS_GUID_NULL(ocrGuid_t);
static __inline__ bool IS_GUID_UNINITIALIZED(ocrGuid_t);
static __inline__ bool IS_GUID_ERROR(ocrGuid_t);
static __inline__ bool IS_GUID_EQUAL(ocrGuid_t, ocrGuid_t);
static __inline__ bool IS_GUID_LESS_THAN(ocrGuid_t, ocrGuid_t);

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ----------------------------------------------------------------------------------- */

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int64_t s64;
typedef int32_t s32;
typedef int8_t s8;
typedef uint64_t ocrHintVal_t;
typedef u16 redOp_t;
typedef ocrGuid_t (*ocrEdt_t)(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);
typedef void (*ocrCreator_t)(ocrGuid_t lid, u64 index, u32 paramc, u64 *paramv, u32 guidc, ocrGuid_t *guidv);
typedef void (*ocrFuncPtr_t)(void);

/* ---- ocr.h, ocr-std.h, ocr-version.h --------------------------------------------------------- */

void ocrShutdown(void);
void ocrAbort(u8);
u64 ocrGetArgc(void *);
char *ocrGetArgv(void *, u64);
u64 getArgc(void *);
char *getArgv(void *, u64);
u32 ocrPrintf(const char *, ...);
u32 PRINTF(const char *, ...);
u32 SNPRINTF(char *, u32, const char *, ...);
void _ocrAssert(bool, const char *, const char *, u32);
u32 ocrVersionExtractMajor(u8 *);
u32 ocrVersionExtractMinor(u8 *);
u32 ocrVersionExtractPatch(u8 *);
u64 ocrVersionExtensionBitmap(void);

/* ---- ocr-db.h, extensions/ocr-db-info.h ------------------------------------------------------ */

u8 ocrDbCreate(ocrGuid_t *, void **, u64, u16, ocrHint_t *, ocrInDbAllocator_t);
u8 ocrDbDestroy(ocrGuid_t);
u8 ocrDbRelease(ocrGuid_t);
u8 ocrDbMalloc(ocrGuid_t, u64, void **);
u8 ocrDbMallocOffset(ocrGuid_t, u64, u64 *);
u8 ocrDbFree(ocrGuid_t, void *);
u8 ocrDbFreeOffset(ocrGuid_t, u64);
u8 ocrDbCopy(ocrGuid_t, u64, ocrGuid_t, u64, u64, u64, ocrGuid_t *);
u8 ocrDbGetSize(ocrGuid_t, u64 *);

/* ---- ocr-edt.h, extensions/ocr-hints.h, extensions/ocr-reduction-event.h --------------------- */

u8 ocrEventCreate(ocrGuid_t *, ocrEventTypes_t, u16);
u8 ocrEventCreateParams(ocrGuid_t *, ocrEventTypes_t, u16, ocrEventParams_t *);
u8 ocrEventDestroy(ocrGuid_t);
u8 ocrEventSatisfy(ocrGuid_t, ocrGuid_t);
u8 ocrEventSatisfySlot(ocrGuid_t, ocrGuid_t, u32);
u8 ocrEventCollectiveSatisfySlot(ocrGuid_t, void *, u32);
u8 ocrEdtTemplateCreate_internal(ocrGuid_t *, ocrEdt_t, u32, u32, const char *);
u8 ocrEdtTemplateDestroy(ocrGuid_t);
u8 ocrEdtCreate(ocrGuid_t *, ocrGuid_t, u32, u64 *, u32, ocrGuid_t *, u16, ocrHint_t *, ocrGuid_t *);
u8 ocrEdtDestroy(ocrGuid_t);
u8 ocrAddDependence(ocrGuid_t, ocrGuid_t, u32, ocrDbAccessMode_t);
u8 ocrAddDependenceSlot(ocrGuid_t, u32, ocrGuid_t, u32, ocrDbAccessMode_t);
ocrGuid_t addValueToGuid(ocrGuid_t, u64);
u8 ocrProgressReport(u64);
u8 ocrApplicationGroup(u64);
u8 ocrHintInit(ocrHint_t *, ocrHintType_t);
/* In parentheses: a macro of the same name stands before the function. */
u8 (ocrSetHintValue)(ocrHint_t *, ocrHintProp_t, u64);
u8 ocrUnsetHintValue(ocrHint_t *, ocrHintProp_t);
u8 (ocrGetHintValue)(ocrHint_t *, ocrHintProp_t, u64 *);
u8 (ocrEdtTemplateCreate)(ocrGuid_t *, ocrEdt_t, u32, u32);
u8 ocrSetHint(ocrGuid_t, ocrHint_t *);
u8 ocrGetHint(ocrGuid_t, ocrHint_t *);
double ocrSystemLoadGet(void);

/* ---- Extensions of OCR 1.2 ------------------------------------------------------------------- */

u8 ocrAffinityCount(ocrAffinityKind, u64 *);
u8 ocrAffinityGet(ocrAffinityKind, u64 *, ocrGuid_t *);
u8 ocrAffinityGetAt(ocrAffinityKind, u64, ocrGuid_t *);
u8 ocrAffinityGetCurrent(ocrGuid_t *);
u8 ocrAffinityQuery(ocrGuid_t, u64 *, ocrGuid_t *);
u64 ocrAffinityToHintValue(ocrGuid_t);

u8 ocrGuidMapCreate(ocrGuid_t *, u32, ocrGuid_t (*)(ocrGuid_t, u64, s64 *, s64 *), s64 *, u64, ocrGuidUserKind);
u8 ocrGuidRangeCreate(ocrGuid_t *, u64, ocrGuidUserKind);
u8 ocrGuidMapDestroy(ocrGuid_t);
u8 ocrGuidMapSetDefaultMap(u32, ocrGuid_t (*)(ocrGuid_t, u64, s64 *, s64 *), s64 *, u64, ocrGuidUserKind);
u8 ocrGuidFromLabel(ocrGuid_t *, ocrGuid_t, s64 *);
u8 ocrGuidFromIndex(ocrGuid_t *, ocrGuid_t, u64);
u8 ocrGetGuidKind(ocrGuidUserKind *, ocrGuid_t);

void ocrParseArgs(int, const char *[], ocrConfig_t *);
void ocrLegacyInit(ocrGuid_t *, ocrConfig_t *);
u8 ocrLegacyFinalize(ocrGuid_t, bool);
u8 ocrLegacySpawnOCR(ocrGuid_t *, ocrGuid_t, u64, u64 *, u64, ocrGuid_t *, ocrGuid_t);
u8 ocrLegacyBlockProgress(ocrGuid_t, ocrGuid_t *, void **, u64 *, u16);
ocrGuid_t ocrWait(ocrGuid_t);
bool ocrLegacyIsChannelReady(ocrGuid_t);

ocrGuid_t ocrElsUserGet(u8);
void ocrElsUserSet(u8, ocrGuid_t);
u8 ocrEdtLocalStorageGet(void **, u64 *);
u8 ocrCurrentEdtGet(ocrGuid_t *);
ocrGuid_t currentEdtUserGet(void);
u8 ocrCurrentEdtOutputGet(ocrGuid_t *);
u64 ocrNbWorkers(void);
void ocrCurrentWorkerGuid(ocrGuid_t *);
u8 ocrInformLegacyCodeBlocking(void);

u32 ocrPause(bool);
ocrGuid_t ocrQuery(ocrQueryType_t, ocrGuid_t, void **, u32 *, u8);
void ocrResume(u32);
void ocrInjectFault(void);

/* ---- Extensions of this runtime's own -------------------------------------------------------- */

u8 ocrCheckpoint(void);

/* ---- Extensions of OCR-Vx -------------------------------------------------------------------- */

u8 ocrOpenclTemplateCreate(ocrGuid_t *, const char *, const char *, const char *, u32, u32, const char *);
u8 ocrOpenclTaskCreate(ocrGuid_t *, ocrGuid_t, u32, const size_t *, const size_t *, const size_t *, u32, u64 *, u32,
                       ocrGuid_t *, u16, ocrGuid_t, ocrGuid_t *);
const char *pdlGetDevicePropertyString(ocrGuid_t, const char *);
u8 pdlGetDevicePropertyInt(ocrGuid_t, const char *, u64 *);
ocrIdType ocrGetIdType(ocrGuid_t);
u8 ocrGetGuid(ocrGuid_t *, ocrGuid_t);
u8 ocrMapCreate(ocrGuid_t *, u64, ocrCreator_t, u32, u64 *, u32, ocrGuid_t *);
u8 ocrMapDestroy(ocrGuid_t);
u8 ocrMapGet(ocrGuid_t *, ocrGuid_t, u64);
u8 ocrFileOpen(ocrGuid_t *, const char *, const char *, ocrGuid_t *, u32);
u8 ocrFileRelease(ocrGuid_t);
ocrGuid_t ocrFileGetGuid(void *);
u64 ocrFileGetSize(void *);
u8 ocrFileGetChunk(ocrGuid_t *, ocrGuid_t, u64, u64);
u8 ocrDbPartition(ocrGuid_t, u32, ocrDbPart_t *, u32);
u8 ocrAddDependenceByValue(ocrGuid_t, ocrGuid_t, u32, ocrDbAccessMode_t);
u8 ocrGroupBegin(void);
u8 ocrGroupEnd(void);
void registerEdtFunctions(void);
u8 ocrRegisterEdtFuntion(ocrEdt_t);
u8 ocrRegisterFunctionPointer(ocrFuncPtr_t);
u64 ocrEncodeFunctionPointer(ocrFuncPtr_t);
ocrFuncPtr_t ocrDecodeFunctionPointer(u64);
u8 ocrAttachDebugLabel(ocrGuid_t, const char *, u32, u64 *);
u8 ocrPreAttachDebugLabel(const char *, u32, u64 *);
u8 ocrNoteCausality(ocrGuid_t, ocrGuid_t);

#ifdef __cplusplus
}
#endif

/* ---- Members --------------------------------------------------------------------------------- */

#define MEMBER(type, place) { type *member = &(place); (void)member; }

static __inline__ void members(ocrGuid_t *guid, ocrEdtDep_t *dep, ocrEventParams_t *event, ocrHint_t *hint,
                           struct _ocrConfig_t *config, ocrDbPart_t *part) {
    MEMBER(intptr_t, guid->guid)
    MEMBER(ocrGuid_t, dep->guid)
    MEMBER(void *, dep->ptr)
    MEMBER(ocrDbAccessMode_t, dep->mode)
    MEMBER(ocrEventLatchParams_t, event->EVENT_LATCH)
    MEMBER(u64, event->EVENT_LATCH.counter)
    MEMBER(ocrEventCounterParams_t, event->EVENT_COUNTED)
    MEMBER(u64, event->EVENT_COUNTED.nbDeps)
    MEMBER(ocrEventChannelParams_t, event->EVENT_CHANNEL)
    MEMBER(u32, event->EVENT_CHANNEL.maxGen)
    MEMBER(u32, event->EVENT_CHANNEL.nbSat)
    MEMBER(u32, event->EVENT_CHANNEL.nbDeps)
    MEMBER(ocrEventCollectiveParams_t, event->EVENT_COLLECTIVE)
    MEMBER(u32, event->EVENT_COLLECTIVE.maxGen)
    MEMBER(u32, event->EVENT_COLLECTIVE.nbContribs)
    MEMBER(u32, event->EVENT_COLLECTIVE.nbContribsPd)
    MEMBER(u16, event->EVENT_COLLECTIVE.nbDatum)
    MEMBER(u8, event->EVENT_COLLECTIVE.arity)
    MEMBER(redOp_t, event->EVENT_COLLECTIVE.op)
    MEMBER(collectiveType_t, event->EVENT_COLLECTIVE.type)
    MEMBER(bool, event->EVENT_COLLECTIVE.reuseDbPerGen)
    MEMBER(ocrHintType_t, hint->type)
    MEMBER(u64, hint->propMask)
    MEMBER(u64, hint->args.propEDT[11])
    MEMBER(u64, hint->args.propDB[6])
    MEMBER(int, config->userArgc)
    MEMBER(char **, config->userArgv)
    MEMBER(const char *, config->iniFile)
    MEMBER(u64, part->offset)
    MEMBER(u64, part->size)
    MEMBER(ocrGuid_t, part->guid)
}
