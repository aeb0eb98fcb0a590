/*
 * ocr-map-creator.h - maps that create their objects when they are first asked for (extension:
 * OCR-Vx; "OCR extensions", sections 3 and 4).
 *
 * A map stands for `size` objects. EDTs that know the map and an index get the same object, however
 * many of them ask at the same time: the first call of ocrMapGet for an index runs a function of the
 * program, the creator, which creates the object, and later calls return it:
 *
 *   static void creator(ocrGuid_t objectLid, u64 index, u32 paramc, u64 *paramv, u32 guidc,
 *                       ocrGuid_t *guidv) {
 *       ocrEdtCreate(&objectLid, guidv[0], EDT_PARAM_DEF, &index, EDT_PARAM_DEF, NULL,
 *                    EDT_PROP_MAPPED, NULL_HINT, NULL);
 *   }
 *
 * Identifiers. Where OCR-Vx returns identifiers that are good in one EDT alone (LIDs), ocrMapGet, and
 * create functions that are given EDT_PROP_LID and the like, return the GUID of the object, which is
 * there: it may be used, stored and passed on as any other. A program that takes it for a LID asks
 * ocrGetGuid before it stores or passes it on, and gets the same again.
 * The only LID is what a creator is given, for the create function. It is good in that creator alone,
 * until the object is created; after that the variable has the object's GUID.
 */
#ifndef OCR_API_EXT_MAP_CREATOR_H
#define OCR_API_EXT_MAP_CREATOR_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an identifier is. */
typedef enum ocrIdType {
    OCR_ID_GUID = 0, /* good everywhere, for as long as the object lives */
    OCR_ID_LID  = 1, /* what a creator was given */
    OCR_ID_UNK  = 2  /* not an identifier */
} ocrIdType;

/*
 * Creates the object of a map at an index: an EDT, an event, a data block or an EDT template.
 *
 *   objectLid  for the create function: it is called with &objectLid for the GUID, and with one of
 *              the properties below
 *   index      which object
 *   paramc, paramv, guidc, guidv
 *              what ocrMapCreate was given: the map's own copies, which all calls share
 *
 * It runs in the thread that has called ocrMapGet, as a part of that EDT: what it creates belongs to
 * that EDT's finish scope, and it holds a data block that it creates until it releases it or the EDT
 * ends (the pointer reaches no other EDT). Creators for several indices may run at the same time. The
 * object can be used by others as soon as the create function has returned. The creator may create
 * other objects, too, and call ocrMapGet for other indices, of the same map or of others.
 */
typedef void (*ocrCreator_t)(ocrGuid_t objectLid, u64 index, u32 paramc, u64 *paramv, u32 guidc,
                             ocrGuid_t *guidv);

/*
 * Properties for the create functions in a creator: ocrEventCreate and ocrEventCreateParams,
 * ocrEdtCreate and ocrOpenclTaskCreate, ocrDbCreate, and with EDT_PROP_MAPPED ocrEdtTemplateCreateLabeled of
 * ocr-labeling.h, since ocrEdtTemplateCreate has no properties. They are combined with others by |; but the
 * object has a GUID of its own, so with none of GUID_PROP_. The first argument is in and out:
 * objectLid before the call, the GUID of the object after it. Everything else, depv and outputEvent
 * among it, is as without the property.
 *
 * Outside of a creator, with another identifier, or with one whose object was created, the functions
 * return OCR_EINVAL and create nothing. The values are this runtime's own (those of OCR-Vx, 0x2 and
 * 0x4, are EDT_PROP_NO_HINT and EDT_PROP_LONG in OCR 1.2). DB_PROP_MAPPED is this runtime's addition.
 */
#define EVT_PROP_MAPPED ((u16)0x900)
#define EDT_PROP_MAPPED ((u16)0x900)
#define DB_PROP_MAPPED  ((u16)0x900)

/*
 * Properties for the create functions, anywhere: the caller needs an identifier that is good in this
 * EDT alone. A GUID may be returned all the same ("OCR extensions", section 3), and is here always,
 * since it takes no time to know it. The paper names the first; the others are for events, with
 * ocrEventCreate and ocrEventCreateParams, and for data blocks. The value is this runtime's own.
 */
#define EDT_PROP_LID ((u16)0x80)
#define EVT_PROP_LID ((u16)0x80)
#define DB_PROP_LID  ((u16)0x80)

/*
 * Creates a map. Nothing is created in it yet, and creator is not called.
 *
 *   mapGuid        out: its GUID
 *   size           how many objects it stands for, at least 1. Each takes 8 bytes, once objects near
 *                  it (on the same page of memory) have been asked for.
 *   creatorFunc    the creator
 *   paramc, paramv numbers for the creator; copied
 *   guidc, guidv   GUIDs for the creator; copied
 *
 * Errors: OCR_EINVAL (mapGuid or creatorFunc is NULL, size is 0, or an array is NULL that is not
 * empty), OCR_ENOMEM, OCR_EPERM (no runtime runs). Nothing is written then.
 */
u8 ocrMapCreate(ocrGuid_t *mapGuid, u64 size, ocrCreator_t creatorFunc, u32 paramc, u64 *paramv,
                u32 guidc, ocrGuid_t *guidv);

/*
 * Destroys a map: its GUID is no longer accepted. Its objects stay, and are destroyed as others are.
 * Calls of ocrMapGet that are under way, in other EDTs, come to their end.
 *
 * Errors: OCR_EINVAL (not a map), OCR_EPERM (no runtime runs).
 */
u8 ocrMapDestroy(ocrGuid_t mapGuid);

/*
 * The object of a map at an index. The first call for an index runs the creator and returns when it
 * has returned. Of calls at the same time one runs it; the others return as soon as the object is
 * created, and wait until then: other EDTs run meanwhile, also with a single worker.
 *
 * When an object was destroyed by a call (ocrDbDestroy, ocrEventDestroy, ocrEdtDestroy,
 * ocrEdtTemplateDestroy, or a copy of the
 * type DB_COPY_PARTITION_BACK from it), the next call for its index runs the creator again and returns
 * the GUID of a new object. So an index can be used over and over; who has stored the GUID of the old
 * object asks again. A call of ocrMapGet at the same time as the destruction may return either GUID. An
 * object that ends by itself has done its work, and is not created again: for an EDT that has run, or
 * an event that goes when it has triggered, ocrMapGet still returns the GUID, which names nothing then.
 *
 *   lid      out: the GUID of the object
 *   mapGuid  the map
 *   index    from 0
 *
 * A creator that calls ocrMapGet before it has created its own object must not do that in a circle:
 * if the object that it asks for is being created by a creator that waits, directly or by way of
 * others, for this one, the call that would close the circle returns OCR_EPEND, in whatever order
 * the EDTs run. After it has created its object, a creator may ask for any index; only that of a
 * creator whose call of ocrMapGet runs this one, and which has not created its object, is refused too.
 *
 * Errors: OCR_EINVAL (lid is NULL, not a map, or no such index); OCR_ENOENT (the creator has returned
 * and has not called a create function with objectLid and a property above), or what that function has
 * answered if it has failed; OCR_EPEND (a circle); OCR_ECANCELED (the program has called ocrShutdown
 * while this waited, or the caller has paused the runtime with ocrPause); OCR_ENOMEM; OCR_EPERM (no
 * runtime runs). *lid is as before then. Where the creator has created nothing, the next call for the
 * index runs it again; so do those that were waiting for it.
 */
u8 ocrMapGet(ocrGuid_t *lid, ocrGuid_t mapGuid, u64 index);

/*
 * What an identifier is: OCR_ID_LID for what a creator was given; OCR_ID_GUID for other GUIDs, whether
 * their objects exist or not, and for NULL_GUID; OCR_ID_UNK for anything else.
 */
ocrIdType ocrGetIdType(ocrGuid_t id);

/*
 * The GUID of what an identifier names. For a GUID that is the GUID itself, and no object is touched.
 *
 * Errors: OCR_EINVAL (guid is NULL; sourceId is not an identifier, or is what a creator was given that
 * has returned), OCR_EPEND (the creator, which runs, has not created its object).
 */
u8 ocrGetGuid(ocrGuid_t *guid, ocrGuid_t sourceId);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_MAP_CREATOR_H */
