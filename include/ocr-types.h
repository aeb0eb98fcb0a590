/*
 * ocr-types.h - types and constants of the OCR interface (OCR 1.1.0, 2.1).
 *
 * Values that OCR 1.1.0 leaves open are those that programs written for OCR 1.1 and 1.2 expect.
 * Constants of an extension are here whether or not its header is included, so that the order of
 * includes does not matter.
 */
#ifndef OCR_API_TYPES_H
#define OCR_API_TYPES_H

#include <inttypes.h> /* programs print with PRIu64 and the like */
#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers (OCR 1.1.0, 2.1) ---------------------------------------------------------------- */

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t  u8;
typedef int64_t  s64;
typedef int32_t  s32;
typedef int8_t   s8;

/* bool, true and false are the language's own (in C through <stdbool.h>): one byte, 0 or 1. */
#ifndef TRUE
#define TRUE true
#endif
#ifndef FALSE
#define FALSE false
#endif

/* ---- GUIDs (OCR 1.1.0, 2.1 and 2.4) ---------------------------------------------------------- */

/*
 * Names one OCR object. Eight bytes, copied freely; an array of GUIDs can serve as the parameter
 * array of an EDT. Two GUIDs are compared with ocrGuidIsEq. A GUID is unique while its object
 * exists; that of an object that is gone is recognised as such and never reaches another object of the
 * same run (a labeled GUID reaches the next one on its label). A program that runs OCR several times, from a main
 * of its own, keeps no GUID from one run to the next: there it may name another object.
 */
typedef struct {
    int64_t guid;
} ocrGuid_t;

#define GUID_BIT_COUNT 64

/* For initialisers, static ones included: static ocrGuid_t event = NULL_GUID_INITIALIZER; */
#define NULL_GUID_INITIALIZER          { 0 }
#define UNINITIALIZED_GUID_INITIALIZER { -2 }
#define ERROR_GUID_INITIALIZER         { -1 }

/* For expressions. */
#ifdef __cplusplus
#define NULL_GUID          (ocrGuid_t NULL_GUID_INITIALIZER)
#define UNINITIALIZED_GUID (ocrGuid_t UNINITIALIZED_GUID_INITIALIZER)
#define ERROR_GUID         (ocrGuid_t ERROR_GUID_INITIALIZER)
#else
#define NULL_GUID          ((ocrGuid_t)NULL_GUID_INITIALIZER)          /* no object */
#define UNINITIALIZED_GUID ((ocrGuid_t)UNINITIALIZED_GUID_INITIALIZER) /* not known yet */
#define ERROR_GUID         ((ocrGuid_t)ERROR_GUID_INITIALIZER)         /* not a GUID */
#endif

/*
 * The GUID that lies `value` places above `input`: for functions given to ocrGuidMapCreate, which
 * compute start + i * skip. On the GUIDs of other objects the result names nothing useful.
 * Extension: OCR 1.2, labeled GUIDs.
 */
ocrGuid_t addValueToGuid(ocrGuid_t input, u64 value);

/* ---- Data blocks (OCR 1.1.0, 1.4.4 and 2.5) -------------------------------------------------- */

/*
 * How an EDT uses a data block. In the table, "wanted" may or may not start while "held" is held:
 *
 *      held \ wanted   RO   CONST  RW   EW
 *      RO              yes  yes    yes  yes
 *      CONST           yes  yes    no   no
 *      RW              yes  no     yes  no
 *      EW              yes  no     no   no
 *
 * An EDT that may not start waits until the holders have released the block.
 */
typedef enum {
    DB_MODE_NULL  = 0x0, /* control dependence: nothing is acquired, the EDT sees NULL_GUID
                            and NULL (extension: OCR 1.2). `false` and 0 mean the same in C. */
    DB_MODE_CONST = 0x1, /* read only; the contents stay as they are while the block is held */
    DB_MODE_RW    = 0x2, /* read and write, shared with other EDTs; they synchronise themselves */
    DB_MODE_EW    = 0x4, /* read and write; no other EDT writes at the same time */
    DB_MODE_RO    = 0x8  /* read only; writes of others may show, in part or in whole */
} ocrDbAccessMode_t;

/* The mode of blocks and events that are named in the depv argument of ocrEdtCreate. */
#define DB_DEFAULT_MODE ((ocrDbAccessMode_t)DB_MODE_RW)

/* Properties of ocrDbCreate; combined with | (OCR 1.1.0, 2.5). */
#define DB_PROP_NONE              ((u16)0x0)
#define DB_PROP_NO_ACQUIRE        ((u16)0x10) /* the creator does not acquire the block */
#define DB_PROP_SINGLE_ASSIGNMENT ((u16)0x20) /* written once: after the first writer has released
                                                 the block, no other may (extension: OCR 1.2) */
#define DB_PROP_NO_HINT           ((u16)0x40) /* no hint will be set on it; no effect here
                                                 (extension: OCR 1.2) */

/* Allocator inside a data block. There is none: a block holds the program's data alone. */
typedef enum {
    NO_ALLOC = 0
} ocrInDbAllocator_t;

/* ---- EDTs (OCR 1.1.0, 1.4.2 and 2.7) --------------------------------------------------------- */

/*
 * What an EDT is given for one pre-slot. For a control dependence guid is NULL_GUID and ptr NULL.
 * ptr is valid until the block is released, at the latest at the end of the EDT.
 */
typedef struct {
    ocrGuid_t guid;
    void *ptr;
    ocrDbAccessMode_t mode; /* the mode in which the block is held (extension: OCR 1.2) */
} ocrEdtDep_t;

/*
 * The function of an EDT: its parameters, its acquired data blocks. The result is NULL_GUID, a data
 * block to pass to the output event, or an event: then the output event triggers when that event
 * does, with its block. OCR 1.1.0, 2.7.
 */
typedef ocrGuid_t (*ocrEdt_t)(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

/* Properties of ocrEdtCreate; combined with |. */
#define EDT_PROP_NONE       ((u16)0x0)
#define EDT_PROP_FINISH     ((u16)0x1) /* the output event waits for all descendants too */
#define EDT_PROP_NO_HINT    ((u16)0x2) /* no hint will be set on it; no effect here
                                          (extension: OCR 1.2) */
#define EDT_PROP_LONG       ((u16)0x4) /* the EDT runs for long or blocks; no effect here
                                          (extension: OCR 1.2) */
#define EDT_PROP_OEVT_VALID ((u16)0x8) /* *outputEvent is an existing event, used as the output
                                          event instead of a new one (extension: OCR 1.2) */

#define EDT_PARAM_UNK ((u32)-1) /* in a template: the number is given with each EDT */
#define EDT_PARAM_DEF ((u32)-2) /* in ocrEdtCreate: the number that the template says */

/* ---- Events (OCR 1.1.0, 1.4.3 and 2.6) ------------------------------------------------------- */

/* When an event triggers, and how long it lives. */
typedef enum {
    OCR_EVENT_ONCE_T       = 1, /* when satisfied; then it is gone */
    OCR_EVENT_IDEM_T       = 2, /* when first satisfied, later ones are ignored; until destroyed */
    OCR_EVENT_STICKY_T     = 3, /* when satisfied, a second time is OCR_EPERM; until destroyed */
    OCR_EVENT_LATCH_T      = 4, /* when its counter comes to 0; then it is gone */
    OCR_EVENT_COUNTED_T    = 5, /* when satisfied; until nbDeps dependences have been served
                                   (OCR 1.1.0, B.4) */
    OCR_EVENT_CHANNEL_T    = 6, /* k-th satisfaction meets k-th dependence; until destroyed
                                   (OCR 1.1.0, B.5) */
    OCR_EVENT_COLLECTIVE_T = 7, /* per generation, when all have contributed; until destroyed
                                   (extension: OCR 1.2) */
    OCR_EVENT_T_MAX        = 8
} ocrEventTypes_t;

/* The pre-slots of a latch event. Both names of the type are in use. */
typedef enum {
    OCR_EVENT_LATCH_DECR_SLOT = 0,
    OCR_EVENT_LATCH_INCR_SLOT = 1
} ocrLatchEventSlot_t;
typedef ocrLatchEventSlot_t ocrLatchEventSlots_t;

/* Properties of ocrEventCreate. Programs also pass false and true. */
#define EVT_PROP_NONE      ((u16)0x0)
#define EVT_PROP_TAKES_ARG ((u16)0x1) /* it will carry a data block. Events without it do, too, since programs
                                         rely on that, where OCR 1.1.0 has OCR_EPERM; strict mode ends those */

/* ---- Labeled GUIDs (OCR 1.1.0, B.2.3) -------------------------------------------------------- */

/*
 * Properties of the create functions, combined with the others: *guid is an input, a GUID from
 * ocrGuidFromIndex or ocrGuidFromLabel, and the object gets it.
 */
#define GUID_PROP_NONE       ((u16)0x0)
#define GUID_PROP_IS_LABELED ((u16)0x100) /* the caller sees to it that only one creates it */
#define GUID_PROP_CHECK      ((u16)0x300) /* the first creates it, others get OCR_EGUIDEXISTS */
#define GUID_PROP_BLOCK      ((u16)0x500) /* the call waits until the GUID is free */
/* More about them: extensions/ocr-labeling.h. */

/* ---- Hints (OCR 1.1.0, B.1) ------------------------------------------------------------------ */

/* What kind of object a hint is for. */
typedef enum {
    OCR_HINT_UNDEF_T = 0,
    OCR_HINT_EDT_T   = 1, /* EDTs and EDT templates */
    OCR_HINT_DB_T    = 2,
    OCR_HINT_EVT_T   = 3,
    OCR_HINT_GROUP_T = 4
} ocrHintType_t;

/*
 * The properties of each kind lie between its START and its END. What they do: extensions/ocr-hints.h.
 */
typedef enum {
    OCR_HINT_EDT_PROP_START      = 0,
    OCR_HINT_EDT_PRIORITY        = 1,  /* how urgent it is among runnable EDTs */
    OCR_HINT_EDT_SLOT_MAX_ACCESS = 2,  /* the pre-slot whose block is used most */
    OCR_HINT_EDT_AFFINITY        = 3,  /* where to run: a value of ocrAffinityToHintValue */
    OCR_HINT_EDT_SPAD_USAGE      = 4,
    OCR_HINT_EDT_DISPERSE        = 5,  /* OCR_HINT_EDT_DISPERSE_FAR or _NEAR its creator */
    OCR_HINT_EDT_SPACE           = 6,
    OCR_HINT_EDT_TIME            = 7,
    OCR_HINT_EDT_STATS_HW_CYCLES = 8,
    OCR_HINT_EDT_STATS_L1_HITS   = 9,
    OCR_HINT_EDT_STATS_L1_MISSES = 10,
    OCR_HINT_EDT_STATS_FLOAT_OPS = 11,
    OCR_HINT_EDT_SPAWNING        = 12, /* it creates other EDTs */
    OCR_HINT_EDT_TIME_PARAMS     = 13, /* which parameters decide the time; an extension */
    OCR_HINT_EDT_RETRY           = 14, /* how often it may run again; an extension */
    OCR_HINT_EDT_PROP_END        = 15,

    OCR_HINT_DB_PROP_START       = 14,
    OCR_HINT_DB_AFFINITY         = 15, /* where to live: a value of ocrAffinityToHintValue */
    OCR_HINT_DB_NEAR             = 16,
    OCR_HINT_DB_INTER            = 17,
    OCR_HINT_DB_FAR              = 18,
    OCR_HINT_DB_HIGHBW           = 19,
    OCR_HINT_DB_EAGER            = 20, /* move it before it is asked for */
    OCR_HINT_DB_LAZY             = 21, /* move it only when it is asked for */
    OCR_HINT_DB_PROP_END         = 22,

    OCR_HINT_EVT_PROP_START      = 23,
    OCR_HINT_EVT_PROP_END        = 24,

    OCR_HINT_GROUP_PROP_START    = 25,
    OCR_HINT_GROUP_PROP_END      = 26
} ocrHintProp_t;

#define OCR_HINT_EDT_DISPERSE_FAR  0
#define OCR_HINT_EDT_DISPERSE_NEAR 1

typedef uint64_t ocrHintVal_t;

/*
 * A set of hint properties with their values: advice that the runtime may ignore. A local variable,
 * set up with ocrHintInit and filled with ocrSetHintValue; the members are the library's business.
 */
typedef struct {
    ocrHintType_t type;
    u64 propMask; /* bit i: property START + 1 + i is set */
    union {
        u64 propEDT[OCR_HINT_EDT_PROP_END - OCR_HINT_EDT_PROP_START - 1];
        u64 propDB[OCR_HINT_DB_PROP_END - OCR_HINT_DB_PROP_START - 1];
        /* These kinds have no properties yet; ISO C and C++ have no arrays of length 0. */
        u64 propEVT[1];
        u64 propGROUP[1];
    } args;
} ocrHint_t;

#define NULL_HINT ((ocrHint_t *)0)

/* ---- Legacy programs (extension: OCR 1.2; see extensions/ocr-legacy.h) ----------------------- */

/* Properties of ocrLegacyBlockProgress. */
#define LEGACY_PROP_NONE            ((u16)0x0)
#define LEGACY_PROP_WAIT_FOR_CREATE ((u16)0x1) /* wait for a labeled handle to be created */
#define LEGACY_PROP_WAIT_IF_CREATED ((u16)0x2) /* wait only if the handle exists */
#define LEGACY_PROP_CHECK           ((u16)0x4) /* do not wait for the handle to be satisfied */

/* ---- Introspection and tracing (extension: OCR 1.2) ------------------------------------------ */

/* What ocrQuery of extensions/ocr-pause.h asks for. */
typedef enum {
    OCR_QUERY_READY_EDTS        = 0,
    OCR_QUERY_EVENTS            = 1,
    OCR_QUERY_LAST_SATISFIED_DB = 2,
    OCR_QUERY_ALL_EDTS          = 3
} ocrQueryType_t;

/* What a trace record is about. */
typedef enum {
    OCR_TRACE_TYPE_EDT           = 1000,
    OCR_TRACE_TYPE_API_EDT       = 1001,
    OCR_TRACE_TYPE_EVENT         = 1002,
    OCR_TRACE_TYPE_API_EVENT     = 1003,
    OCR_TRACE_TYPE_DATABLOCK     = 1004,
    OCR_TRACE_TYPE_API_DATABLOCK = 1005,
    OCR_TRACE_TYPE_MESSAGE       = 1006,
    OCR_TRACE_TYPE_WORKER        = 1007,
    OCR_TRACE_TYPE_SCHEDULER     = 1008,
    OCR_TRACE_TYPE_API_AFFINITY  = 1009,
    OCR_TRACE_TYPE_API_HINT      = 1010,
    OCR_TRACE_TYPE_ALLOCATOR     = 1011,
    OCR_TRACE_TYPE_MAX           = 1012
} ocrTraceType_t;

/* What happened to it. */
typedef enum {
    OCR_ACTION_CREATE          = 0,
    OCR_ACTION_TEMPLATE_CREATE = 1,
    OCR_ACTION_DESTROY         = 2,
    OCR_ACTION_RUNNABLE        = 3,
    OCR_ACTION_SCHEDULED       = 4,
    OCR_ACTION_ADD_DEP         = 5,
    OCR_ACTION_SATISFY         = 6,
    OCR_ACTION_EXECUTE         = 7,
    OCR_ACTION_FINISH          = 8,
    OCR_ACTION_DATA_ACQUIRE    = 9,
    OCR_ACTION_DATA_RELEASE    = 10,
    OCR_ACTION_ALLOCATE        = 11,
    OCR_ACTION_DEALLOCATE      = 12,
    OCR_ACTION_END_TO_END      = 13,
    OCR_ACTION_WORK_REQUEST    = 14,
    OCR_ACTION_WORK_TAKEN      = 15,
    OCR_ACTION_SCHED_MSG_SEND  = 16,
    OCR_ACTION_SCHED_MSG_RCV   = 17,
    OCR_ACTION_SCHED_INVOKE    = 18,
    OCR_ACTION_GET_CURRENT     = 19,
    OCR_ACTION_GET_AT          = 20,
    OCR_ACTION_GET_COUNT       = 21,
    OCR_ACTION_QUERY           = 22,
    OCR_ACTION_INIT            = 23,
    OCR_ACTION_SET_VAL         = 24,
    OCR_ACTION_RANGE_CREATE    = 25,
    OCR_ACTION_MAX             = 26
} ocrTraceAction_t;

/* Names that OCR 1.2 has in this header; without effect here. */
#define GET_MULTI_WORK_MAX_SIZE    8
#define CE_GET_MULTI_WORK_MAX_SIZE 4
#define SPAD_COPY                  ((u64)1 << 63)

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_TYPES_H */
