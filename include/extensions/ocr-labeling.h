/*
 * ocr-labeling.h - labeled GUIDs (OCR 1.1.0, B.2).
 *
 * EDTs that know the same range and index (or the same map and tuple) get the same GUID, without
 * passing it on to each other. Reserving a GUID creates no object, and takes no memory but for the
 * objects that are made: that is done by the create functions, with a GUID_PROP_ property:
 *
 *   ocrEventCreate, ocrEventCreateParams, ocrDbCreate, ocrEdtCreate, ocrOpenclTaskCreate, and
 *   ocrEdtTemplateCreateLabeled below
 *
 * The kind of the range says what can be created on its GUIDs: a data block, an EDT, a template, or
 * an event. The event may be of another type than the kind says, since programs rely on that; strict
 * mode ends the program. The object has the labeled GUID everywhere, in depv[i].guid, too.
 *
 *   GUID_PROP_CHECK       Of all calls that create on a GUID while it has no object, one makes the
 *                         object and returns 0. The others return OCR_EGUIDEXISTS, *guid is as
 *                         before, and nothing else is made or written (no output event). In both
 *                         cases the object is there when the call returns.
 *   GUID_PROP_IS_LABELED  The same. Programs that use it see to it that one call is made. But each
 *                         contributor may create a collective event so: where it is there with
 *                         the same parameters the call returns 0, with others OCR_EINVAL. And where
 *                         the EDT on the label has begun to run its function, the next EDT is made,
 *                         and has the label from then on, as in OCR-Vx; but not in strict mode,
 *                         since in OCR 1.1.0 an EDT keeps its GUID until it has ended.
 *   GUID_PROP_BLOCK       Where there is an object, the call waits until it is gone, and makes the
 *                         next. Other EDTs run meanwhile, also with a single worker; the EDT that
 *                         waits keeps its data blocks, and a thread. If the object can never go,
 *                         the program hangs and is ended with a message that says so. After
 *                         ocrShutdown, and where the caller has paused the runtime (ocrPause), the
 *                         call returns OCR_ECANCELED.
 *
 * Other errors of creating on a label: OCR_EINVAL (the place of the GUID is NULL; the GUID is not
 * labeled, is one for another kind of object, or its range was destroyed).
 *
 * Before its first object is created, a labeled GUID can be used where dependences are added and events satisfied: by
 * ocrAddDependence and ocrAddDependenceSlot, as source or destination, in depv of ocrEdtCreate and ocrOpenclTaskCreate,
 * by ocrEventSatisfy and ocrEventSatisfySlot, as event or data block, and as what an EDT returns; not as *outputEvent
 * with EDT_PROP_OEVT_VALID, which is refused. Such a call returns 0 and waits. It takes effect within the call that
 * creates the object; on an event that is created, the calls that waited for it take effect in the order in which they
 * were made, also those that others make meanwhile, which return 0 as well. One that waits for a data block takes
 * effect when that is created, behind those that others make on the event until then. What else is wrong with the call
 * is refused at once, as far as it can be seen; what turns out later (a slot that the EDT does not have) is reported on
 * the standard error. What the call names may be destroyed while it waits, as it may be afterwards. If no EDT creates
 * the object, the message about a hang says so. Other functions, such as ocrAddDependenceByValue and
 * ocrEventCollectiveSatisfySlot, do not wait: given a GUID without object, they return OCR_EINVAL and do nothing.
 *
 * A data block satisfies dependences from its creation on. Who is to find what its creator writes asks
 * for it in DB_MODE_CONST or DB_MODE_EW, which wait for the release; what depv names is had in
 * DB_MODE_RW, which does not.
 *
 * After its object is gone, a labeled GUID names nothing, until the next object is created on it: functions that are
 * given it return OCR_EINVAL (ocrDbDestroy: OCR_EPERM) and do nothing. An object that goes by itself (a once event, a
 * latch event, an EDT) leaves its label free for another: calls that are meant to create one object must all come
 * before it goes. A dependence of an event on a label from another event, which has not been satisfied when the one on
 * the label is destroyed, stays: it satisfies the next event that is created there. A dependence that was asked for
 * before either of its labels had an object goes to what is on its destination when its source has been created. A data
 * block is gone when the last EDT that holds it has released it, and one that was divided when its parts have been put
 * together after that; from ocrDbDestroy until then its GUID cannot be used, and not created on. Creating on a label
 * waits where a device has still to give up its copy of a block that no EDT holds any more, or where calls that have
 * waited for an event are still being made; a caller that has paused the runtime gets OCR_ECANCELED in the former case.
 */
#ifndef OCR_API_EXT_LABELING_H
#define OCR_API_EXT_LABELING_H

#include "ocr-types.h"

#ifndef ENABLE_EXTENSION_LABELING
#define ENABLE_EXTENSION_LABELING 1 /* see ocr-edt.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of objects that a GUID can stand for. */
typedef enum {
    GUID_USER_NONE             = 0, /* no object */
    OCR_GUID_NONE              = 0, /* the same, as ocrGetGuidKind names it in OCR 1.1.0, B.2.2.6 */
    GUID_USER_DB               = 2,
    GUID_USER_EDT              = 3,
    GUID_USER_EDT_TEMPLATE     = 4,
    GUID_USER_EVENT_ONCE       = 17,
    GUID_USER_EVENT_COUNTED    = 18, /* extension: OCR 1.2 */
    GUID_USER_EVENT_IDEM       = 19,
    GUID_USER_EVENT_STICKY     = 21,
    GUID_USER_EVENT_LATCH      = 22,
    GUID_USER_EVENT_CHANNEL    = 23, /* extension: OCR-Vx */
    GUID_USER_EVENT_COLLECTIVE = 24  /* extension: OCR 1.2 */
} ocrGuidUserKind;

/*
 * Reserves GUIDs for tuples.
 *
 *   mapGuid     out: the map, for ocrGuidFromLabel
 *   numParams   how many params there are
 *   mapFunc     finds the GUID of a tuple: addValueToGuid(startGuid, i * skipGuid), with a
 *               different i < numberGuid for each tuple. Called by ocrGuidFromLabel, on the
 *               caller's thread; always the same answer for the same tuple.
 *   params      handed to mapFunc; copied. NULL if there are none.
 *   numberGuid  how many GUIDs
 *   kind        of the objects that will have them
 *
 * The map, and the GUIDs, can be used at once, by every EDT that gets them.
 *
 * Errors: OCR_EINVAL (a pointer is NULL, params is NULL though numParams is not 0, numberGuid is 0,
 * no such kind), OCR_ENOMEM (also for more GUIDs than are left: in all there are 2^31 events, and of
 * the other kinds 2^30 each, less a few).
 * OCR 1.1.0, B.2.2.1.
 */
u8 ocrGuidMapCreate(ocrGuid_t *mapGuid, u32 numParams,
                    ocrGuid_t (*mapFunc)(ocrGuid_t startGuid, u64 skipGuid, s64 *params,
                                         s64 *tuple),
                    s64 *params, u64 numberGuid, ocrGuidUserKind kind);

/*
 * Reserves GUIDs for the indices 0 to numberGuid - 1 and objects of a kind. *rangeGuid is for
 * ocrGuidFromIndex, at once.
 * Errors: OCR_EINVAL (rangeGuid is NULL, numberGuid is 0, no such kind), OCR_ENOMEM.
 * OCR 1.1.0, B.2.2.2.
 */
u8 ocrGuidRangeCreate(ocrGuid_t *rangeGuid, u64 numberGuid, ocrGuidUserKind kind);

/*
 * Destroys a map or a range. Objects that were created on its GUIDs stay; but nothing can be created
 * on its GUIDs any more, and those without object will not be given to anybody else. Takes the GUID
 * by value, as OCR 1.2 does and the text of the clause says. From the return on the map or range cannot be used;
 * what another EDT does with it at the same time comes before or after.
 * Errors: OCR_EINVAL (neither a map nor a range). OCR 1.1.0, B.2.2.3.
 */
u8 ocrGuidMapDestroy(ocrGuid_t mapGuid);

/*
 * Sets a map for later use by default. Not supported: returns OCR_ENOTSUP, whatever its arguments.
 * Extension: OCR 1.2.
 */
u8 ocrGuidMapSetDefaultMap(u32 numParams,
                           ocrGuid_t (*mapFunc)(ocrGuid_t startGuid, u64 skipGuid, s64 *params,
                                                s64 *tuple),
                           s64 *params, u64 numberGuid, ocrGuidUserKind kind);

/*
 * The GUID of a tuple, by the function of a map.
 * Errors: OCR_EINVAL (a pointer is NULL, not a map, the function's answer is not a GUID of the map).
 * OCR 1.1.0, B.2.2.4.
 */
u8 ocrGuidFromLabel(ocrGuid_t *outGuid, ocrGuid_t mapGuid, s64 *tuple);

/*
 * The GUID of an index in a range.
 * Errors: OCR_EINVAL (outGuid is NULL, not a range, no such index). OCR 1.1.0, B.2.2.5.
 */
u8 ocrGuidFromIndex(ocrGuid_t *outGuid, ocrGuid_t rangeGuid, u64 idx);

/*
 * What kind of object a GUID stands for at this moment; OCR_GUID_NONE, which is GUID_USER_NONE, if there is
 * none: that is no error. Another EDT may create or destroy it before the caller looks at the answer.
 * Errors: OCR_EINVAL (outKind is NULL). OCR 1.1.0, B.2.2.6.
 */
u8 ocrGetGuidKind(ocrGuidUserKind *outKind, ocrGuid_t guid);

/*
 * Creates an EDT template on a labeled GUID: ocrEdtTemplateCreate has no properties.
 *
 *   guid        the labeled GUID, of a range of kind GUID_USER_EDT_TEMPLATE
 *   properties  GUID_PROP_IS_LABELED, GUID_PROP_CHECK or GUID_PROP_BLOCK; or, in the creator of a map
 *               (ocr-map-creator.h), EDT_PROP_MAPPED, where guid is what the creator was given;
 *               OCR_EINVAL without
 *   funcName    what messages and reports call it; copied; may be NULL
 *
 * The others as for ocrEdtTemplateCreate.
 * Errors: those of ocrEdtTemplateCreate, and of creating on a label (above).
 * Extension: this runtime.
 */
u8 ocrEdtTemplateCreateLabeled(ocrGuid_t *guid, ocrEdt_t funcPtr, u32 paramc, u32 depc,
                               u16 properties, const char *funcName);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_LABELING_H */
