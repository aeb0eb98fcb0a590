/*
 * ocr-edt.h - event-driven tasks, events, and the dependences between them (OCR 1.1.0, 2.6 to 2.8).
 *
 * An EDT becomes runnable when all its pre-slots are satisfied; it then acquires its data blocks,
 * runs once, and is gone. Effects of the functions here are in place when the call returns, and
 * every EDT that happens after it sees them; one that the call makes runnable may have run by then.
 */
#ifndef OCR_API_EDT_H
#define OCR_API_EDT_H

#include "ocr-types.h"
#include "extensions/ocr-reduction-event.h"

/*
 * Programs test macros ENABLE_EXTENSION_X, in #ifdef or in #if, before they use an extension. Builds
 * pass -DENABLE_EXTENSION_X, which is 1, and programs define them themselves, often empty, before
 * the header that has the extension. That header leaves such a definition alone, and defines the
 * macro as 1 where there is none. No declaration depends on them.
 */
#ifndef ENABLE_EXTENSION_CHANNEL_EVT
#define ENABLE_EXTENSION_CHANNEL_EVT 1
#endif
#ifndef ENABLE_EXTENSION_COLLECTIVE_EVT
#define ENABLE_EXTENSION_COLLECTIVE_EVT 1
#endif
#ifndef ENABLE_EXTENSION_COUNTED_EVT
#define ENABLE_EXTENSION_COUNTED_EVT 1
#endif
#ifndef ENABLE_EXTENSION_MULTI_OUTPUT_SLOT
#define ENABLE_EXTENSION_MULTI_OUTPUT_SLOT 1
#endif
#ifndef ENABLE_EXTENSION_PARAMS_EVT
#define ENABLE_EXTENSION_PARAMS_EVT 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The first EDT ------------------------------------------------------------------------------
 *
 * The program defines its first EDT:
 *
 *     ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);
 *
 * It has no parameters, and depv[0] is the data block with the program's arguments (see ocrGetArgc).
 * Its result is ignored; ocrShutdown or ocrAbort ends the program. A C++ program may define it with
 * or without extern "C". It is not declared here, since programs define it with other types. OCR
 * 1.1.0, 2.2.
 */

/* ---- Events ---------------------------------------------------------------------------------- */

/*
 * Creates an event.
 *
 *   guid        out: its GUID, usable at once. In: with a GUID_PROP_ property, the labeled GUID.
 *   eventType   when it triggers and how long it lives: see ocrEventTypes_t
 *   properties  EVT_PROP_ and GUID_PROP_ values, combined with |; false and true will do. Bits that
 *               no property has do nothing, since programs pass such (0xdead); the
 *               specification has OCR_EINVAL for them, and strict mode ends the program
 *
 * A latch event begins with counter 0; of a channel event any number wait for a partner, as in
 * OCR-Vx. Counted and collective events need parameters: use ocrEventCreateParams.
 *
 * Errors: OCR_EINVAL (guid is NULL, bad type, parameters needed), OCR_ENOMEM; with a GUID_PROP_
 * property those of creating on a label (extensions/ocr-labeling.h). *guid is as before then.
 * OCR 1.1.0, 2.6.1.
 */
u8 ocrEventCreate(ocrGuid_t *guid, ocrEventTypes_t eventType, u16 properties);

/* Parameters of a latch event (OCR 1.1.0, B.3.2). */
typedef struct {
    u64 counter; /* where the counter begins */
} ocrEventLatchParams_t;

/*
 * Parameters of a counted event (OCR 1.1.0, B.4.1). It serves nbDeps dependences, with EDTs or
 * events, whether they are added before or after its satisfaction, and is gone when it is satisfied
 * and has served them. One dependence more while they wait, or a second satisfaction, is OCR_EPERM.
 */
typedef struct {
    u64 nbDeps; /* not 0 */
} ocrEventCounterParams_t;

/*
 * Parameters of a channel event (OCR 1.1.0, B.5.2). Its k-th satisfaction goes to the k-th dependence
 * that is added, whichever comes first; calls that are ordered keep their order. Up to maxGen
 * satisfactions, or dependences, wait for a partner; one more is OCR_EPERM. What comes from another
 * event, or from the end of an EDT, is not refused, since no caller would get the code: it waits, too; strict
 * mode ends the program.
 */
typedef struct {
    u32 maxGen; /* not 0 */
    u32 nbSat;  /* satisfactions in a generation: 1 */
    u32 nbDeps; /* dependences in a generation: 1 */
} ocrEventChannelParams_t;

#define EVENT_CHANNEL_UNBOUNDED ((u32)-1) /* a maxGen without limit */

/* Parameters of a collective event (extension: OCR 1.2): see extensions/ocr-reduction-event.h. */
typedef struct {
    u32 maxGen;            /* how far a contributor may be ahead of the others, in generations; not 0 */
    u32 nbContribs;        /* contributors in all; each has a slot, from 0 */
    u32 nbContribsPd;      /* of them on this machine; not 0, at most nbContribs */
    u16 nbDatum;           /* elements in a contribution, and in the result; not 0 */
    u8 arity;              /* of the reduction tree; a hint */
    redOp_t op;            /* how elements are combined, and what they are */
    collectiveType_t type; /* who gets the result */
    bool reuseDbPerGen;    /* blocks may be used again for later generations; a hint */
} ocrEventCollectiveParams_t;

/* The member that belongs to the type of event is the one that counts (OCR 1.1.0, B.3.2). */
#ifdef __GNUC__
__extension__ /* unnamed members are of C11 */
#endif
typedef struct {
    union {
        ocrEventLatchParams_t EVENT_LATCH;
        ocrEventCounterParams_t EVENT_COUNTED;
        ocrEventChannelParams_t EVENT_CHANNEL;
        ocrEventCollectiveParams_t EVENT_COLLECTIVE;
    };
} ocrEventParams_t;

/*
 * Like ocrEventCreate, with parameters, which are copied. Where the type of event has none, or may
 * do without, params may be NULL.
 *
 * Errors: those of ocrEventCreate; OCR_EINVAL where a parameter is out of range or params is NULL
 * for a counted or collective event; OCR_ENOTSUP for a type of collective event that is not
 * supported.
 * OCR 1.1.0, B.3.3.
 */
u8 ocrEventCreateParams(ocrGuid_t *guid, ocrEventTypes_t eventType, u16 properties,
                        ocrEventParams_t *params);

/*
 * Destroys an event: for those that do not go by themselves, and for those that are not going to be
 * satisfied. The pre-slots of EDTs that still wait for it are unconnected again: they can be given
 * another dependence, and wait forever if they are not. Events that wait for it are not satisfied.
 *
 * Errors: OCR_EINVAL (not an event, or no more).
 * OCR 1.1.0, 2.6.2.
 */
u8 ocrEventDestroy(ocrGuid_t guid);

/*
 * ocrEventSatisfySlot for slot 0: for a latch event, the decrement. Both GUIDs NULL_GUID: nothing
 * happens, and 0 is returned.
 *
 * Errors: those of ocrEventSatisfySlot.
 * OCR 1.1.0, 2.6.3.
 */
u8 ocrEventSatisfy(ocrGuid_t eventGuid, ocrGuid_t dataGuid);

/*
 * Satisfies a pre-slot of an event. If that triggers the event, what depends on it is satisfied,
 * too, before the call returns; EDTs whose last pre-slot that was become runnable.
 *
 *   eventGuid  the event; programs of OCR 1.2 also name an EDT here, which is ocrAddDependence with the
 *              block as source, in DB_DEFAULT_MODE
 *   dataGuid   the data block to pass on, or NULL_GUID. The caller has released it if it wrote it.
 *   slot       0; for a latch event OCR_EVENT_LATCH_DECR_SLOT or OCR_EVENT_LATCH_INCR_SLOT; of an EDT, any
 *
 * A latch event passes on the block that it is satisfied with last, as programs of OCR 1.2 expect;
 * OCR 1.1.0 (1.4.3.1) says that it drops blocks. A collective event is not satisfied with blocks, but
 * by ocrEventCollectiveSatisfySlot. Both GUIDs NULL_GUID: nothing happens, and 0 is returned.
 *
 * Errors: OCR_EINVAL (no such object, not a data block, no such slot, an EDT that is runnable), OCR_EPERM
 * (satisfied already, and its type permits that only once; a channel event with maxGen satisfactions that
 * wait; a collective event; a pre-slot of an EDT that is connected or satisfied), OCR_ENOMEM. A data block
 * for an event that was created without EVT_PROP_TAKES_ARG is OCR_EPERM in the specification, and accepted
 * here, since programs rely on it; strict mode ends the program, but for a latch event, which ignores blocks
 * in OCR 1.1.0. It ends one, too, that satisfies an event with a block that it has written and not released.
 * OCR 1.1.0, 2.6.4.
 */
u8 ocrEventSatisfySlot(ocrGuid_t eventGuid, ocrGuid_t dataGuid, u32 slot);

/* ---- EDT templates --------------------------------------------------------------------------- */

/*
 * ocrEdtTemplateCreate(guid, funcPtr, paramc, depc) creates a template: what EDTs of one kind have
 * in common. OCR 1.1.0, 2.7.1.
 *
 *   guid     out: its GUID, usable at once
 *   funcPtr  the function that its EDTs run. A C++ exception that leaves it ends the program as one
 *            that leaves main does.
 *   paramc   how many parameters they have, or EDT_PARAM_UNK
 *   depc     how many pre-slots they have, or EDT_PARAM_UNK
 *
 * There is a function of this name, for other languages, and for who needs its address: it has no name to pass
 * on, so messages name its EDTs by the symbol table. Calls in C and C++ are of the macro, so that the template
 * knows how the program writes the function: messages name EDTs by it. Elsewhere it is passed only under
 * OCR_ENABLE_EDT_NAMING; here always, at the cost of one string. Where that is not the function's name, as in a
 * helper with a parameter for the function, messages have the name from the symbol table, unless the program was
 * stripped.
 *
 * Errors: OCR_EINVAL (guid or funcPtr is NULL, EDT_PARAM_DEF as a number), OCR_ENOMEM.
 */
u8 ocrEdtTemplateCreate(ocrGuid_t *guid, ocrEdt_t funcPtr, u32 paramc, u32 depc);

#define ocrEdtTemplateCreate(guid, funcPtr, paramc, depc) \
    ocrEdtTemplateCreate_internal((guid), (funcPtr), (paramc), (depc), #funcPtr)

/*
 * What the macro calls (OCR 1.1.0, 2.7.1), with the same parameters and
 *
 *   funcName  the function as the program writes it; copied. Where it is NULL or empty, and there is no
 *             symbol, messages show the address.
 *
 * Errors: those of ocrEdtTemplateCreate.
 */
u8 ocrEdtTemplateCreate_internal(ocrGuid_t *guid, ocrEdt_t funcPtr, u32 paramc, u32 depc,
                                 const char *funcName);

/*
 * Destroys a template. EDTs created from it are not affected, whether or not they have run.
 *
 * Errors: OCR_EINVAL (not a template, or no more).
 * OCR 1.1.0, 2.7.2.
 */
u8 ocrEdtTemplateDestroy(ocrGuid_t guid);

/* ---- EDTs ------------------------------------------------------------------------------------ */

/*
 * Creates an EDT.
 *
 *   guid          out: its GUID. NULL if it is not needed; then depv names all dependences. In: with
 *                 a GUID_PROP_ property, the labeled GUID; then depv is not used.
 *   templateGuid  its template, which may be destroyed right after
 *   paramc        how many parameters, or EDT_PARAM_DEF: the number the template says
 *   paramv        the parameters, which are copied; NULL exactly if there are none
 *   depc          how many pre-slots, fewer than 2^27, or EDT_PARAM_DEF
 *   depv          NULL, or one GUID a pre-slot: a data block or an event, connected with mode
 *                 DB_DEFAULT_MODE; NULL_GUID, satisfied without data; UNINITIALIZED_GUID, left
 *                 open for ocrAddDependence. Copied.
 *   properties    EDT_PROP_ and GUID_PROP_ values, combined with |; other bits do nothing (strict mode
 *                 ends the program)
 *   hint          NULL_HINT, or an OCR_HINT_EDT_T hint, applied on top of the template's
 *   outputEvent   NULL (also with EDT_PROP_OEVT_VALID: then no event reports the end), or where to put
 *                 the GUID of the output event. In: with EDT_PROP_OEVT_VALID, the event to use.
 *
 * The output event is satisfied with the EDT's result when the EDT has ended and its data blocks
 * are released. For a finish EDT that is when its descendants have ended, too: the EDTs that it
 * created, those that they created, and so on. A new output event is a once event: connect it
 * before the EDT can run, that is while a pre-slot is still open. An EDT without an open pre-slot
 * may run, and be gone, before the call returns; then guid and outputEvent name nothing any more.
 *
 * With EDT_PROP_OEVT_VALID the output event is one of the program's, of any kind but collective. If
 * that is a latch event and the EDT a finish EDT, the end of the scope is one decrement; a latch that
 * stands at 0 when the EDT is created is set to 1 for it. So the program can keep the scope open with
 * increments of its own.
 *
 * A finish EDT's result is passed on like that of any other EDT, when its descendants have ended;
 * OCR 1.1.0 (1.4.2) says that it is dropped.
 *
 * Where the template and the call say different numbers, the EDT has those of the call, as in
 * OCR-Vx, whose programs rely on it, and there is a warning; strict mode ends the program, since OCR 1.1.0
 * calls them invalid (OCR_EINVAL).
 *
 * Errors: OCR_EINVAL (not a template; numbers that are not known, or too large; paramv without
 * parameters or parameters without paramv; depv names what cannot be connected; with
 * EDT_PROP_OEVT_VALID, not an event, or a collective one), OCR_EPERM (guid is NULL and
 * pre-slots stay open), OCR_ENOMEM; with a GUID_PROP_ property those of creating on a label
 * (extensions/ocr-labeling.h). Without success there is no EDT: what stands in guid and outputEvent is what
 * stood there before the call, and an event given with EDT_PROP_OEVT_VALID is as it was. Counted, channel and
 * collective events before the one in depv that was refused have served a dependence, as of an EDT that is
 * destroyed. If another thread
 * destroys an event of depv during the call, either the call is refused so, or the EDT is created and that
 * pre-slot is open, as if the event had been destroyed after the call.
 *
 * A paramv that contradicts paramc (given without parameters, or NULL with some) has no code in the
 * specification, and programs do not test for one. So besides OCR_EINVAL there is a warning, and the
 * exit status of the run is 1, whatever the program does about it: an EDT is missing.
 *
 * OCR 1.1.0, 2.7.3.
 */
u8 ocrEdtCreate(ocrGuid_t *guid, ocrGuid_t templateGuid, u32 paramc, u64 *paramv, u32 depc,
                ocrGuid_t *depv, u16 properties, ocrHint_t *hint, ocrGuid_t *outputEvent);

/*
 * Destroys an EDT that will never be runnable, and its output event, also one that was given with
 * EDT_PROP_OEVT_VALID. Finish EDTs among its ancestors do not wait for it any more. An EDT whose
 * pre-slots are all satisfied must not be destroyed; where that can be seen, it is an error.
 *
 * Errors: OCR_EINVAL (not an EDT, or no more), OCR_EPERM (it is runnable or running).
 * OCR 1.1.0, 2.7.4.
 */
u8 ocrEdtDestroy(ocrGuid_t guid);

/* ---- Dependences ----------------------------------------------------------------------------- */

/*
 * Connects source with a pre-slot of destination: when source is satisfied, so is the pre-slot.
 *
 *   source       an event; a data block or NULL_GUID, which count as satisfied: the call then
 *                satisfies the pre-slot, with that block or without
 *   destination  an EDT or an event
 *   slot         which pre-slot of it, from 0
 *   mode         for an EDT, how it will use the block that arrives; for an event, not used
 *
 * An EDT may get the same block in several pre-slots: in one mode, and to be released once. Both
 * GUIDs NULL_GUID: nothing happens, and 0 is returned.
 *
 * Errors: OCR_EINVAL (no such object or slot; no such mode, where destination is an EDT; the EDT is
 * runnable already), OCR_EPERM (these two cannot be connected; the pre-slot is taken already; the event
 * has all its dependences, or as many that wait as it allows), OCR_ENOMEM. Where destination is an event
 * that takes no further satisfaction, a counted, channel or collective source has given it one all the
 * same, and that is lost.
 * OCR 1.1.0, 2.8.1.
 */
u8 ocrAddDependence(ocrGuid_t source, ocrGuid_t destination, u32 slot, ocrDbAccessMode_t mode);

/*
 * ocrAddDependence for a source with several post-slots: a collective event has one for each
 * contributor, of the same number. For every other source, sslot is 0; ocrAddDependence means 0.
 * dslot and mode are the slot and mode of ocrAddDependence.
 *
 * Errors: those of ocrAddDependence, and OCR_EINVAL if there is no post-slot sslot, but where both GUIDs
 * are NULL_GUID.
 * Extension: OCR 1.2, several output slots.
 */
u8 ocrAddDependenceSlot(ocrGuid_t source, u32 sslot, ocrGuid_t destination, u32 dslot,
                        ocrDbAccessMode_t mode);

/* ---- How a program fares (extension: OCR-Vx) ------------------------------------------------- */

/*
 * Reports that the program has done an amount of its work; the unit is the program's own. Amounts of
 * all calls add up to a sum modulo 2^64, which the report at the end of the run shows (OCR_STATS,
 * OCR_REPORT); a call counts when it returns.
 *
 * Errors: OCR_EPERM (no runtime runs).
 */
u8 ocrProgressReport(u64 progress);

/*
 * Says which programs that run at the same time belong together. Not supported: nothing is shared
 * out between programs here. Returns OCR_ENOTSUP.
 */
u8 ocrApplicationGroup(u64 group);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EDT_H */
