/*
 * ocr-reduction-event.h - collective events (extension: OCR 1.2, collective events).
 *
 * Each of nbContribs contributors has a slot, from 0, and adds nbDatum elements in each generation
 * (ocrEventCollectiveSatisfySlot). Its first contribution belongs to generation 0, its second to
 * generation 1, and so on; so do the dependences that are added on its slot (ocrAddDependenceSlot,
 * with an EDT or an event as destination). In which order contributions and dependences come, and
 * how those of one contributor follow those of another, makes no difference.
 *
 * When the last contributor has contributed, the generation triggers: a new data block gets the
 * nbDatum combined elements, and every dependence on that generation is satisfied with it, also one
 * that is added later. Elements are combined from slot 0 to the last one, whoever came first: a sum
 * of real numbers is the same in every run.
 *
 * Any contributor may be up to maxGen generations ahead of those that have triggered, in
 * contributions and in dependences; EVENT_CHANNEL_UNBOUNDED is no limit. A result is kept until each
 * contributor has had its dependence on it.
 *
 * Every contributor may create the event, with the same parameters and on the same labeled GUID, of
 * kind GUID_USER_EVENT_COLLECTIVE; it is enough if one does. It lives until it is destroyed.
 *
 * All contributors are on this machine: a generation needs nbContribs contributions, whatever
 * nbContribsPd says. arity and reuseDbPerGen are hints, and not taken: each generation gets a block
 * of its own. The program may destroy it when no EDT needs it any more; otherwise it is there until
 * the end.
 */
#ifndef OCR_API_EXT_REDUCTION_EVENT_H
#define OCR_API_EXT_REDUCTION_EVENT_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Who gets the result. Only COL_ALLREDUCE is supported, as elsewhere: the other two need a root, and
 * there is no parameter that says who that is. A program reduces to one contributor by having only
 * that one use the result.
 */
typedef enum {
    COL_REDUCE    = 0, /* refused, with OCR_ENOTSUP */
    COL_ALLREDUCE = 1, /* everybody gets the combined elements */
    COL_BROADCAST = 2  /* refused, with OCR_ENOTSUP */
} collectiveType_t;

/*
 * How elements are combined. A sum of one value from each of these fields; from bit 0:
 *
 *   bits   field         values
 *   0      ASSOCIATIVE   REDOP_ASSOCIATIVE
 *   1      COMMUTATIVE   REDOP_COMMUTATIVE
 *   2-4    DATUM_SIZE    REDOP_BS1, _BS2, _BS4, _BS8: bytes in an element, less one
 *   5      SIGNED        REDOP_SIGNED, REDOP_UNSIGNED
 *   6      TYPE          REDOP_REAL, REDOP_INTEGER
 *   7-9    OPERATOR      REDOP_ADD ... REDOP_BITXOR
 *
 * OCR 1.2 says the same about the bits, but its operator values are not shifted to bits 7-9, so
 * that all but ADD fall into other fields. Here they are; values with ADD are the same in both.
 *
 * Any size goes with integers, 4 and 8 bytes with REAL; BITAND, BITOR and BITXOR with integers only.
 * Integers wrap around. Of a number and a NaN, the minimum and the maximum are the number. What is
 * said about ASSOCIATIVE and COMMUTATIVE makes no difference.
 */
typedef u16 redOp_t;

#define REDOP_BIT_COUNT 16

/* Of each field: how many bits it has, and the bit after its last (SIDX). */
#define REDOP_ASSOCIATIVE_SIZE 1
#define REDOP_COMMUTATIVE_SIZE 1
#define REDOP_DATUM_SIZE_SIZE  3
#define REDOP_SIGNED_SIZE      1
#define REDOP_TYPE_SIZE        1
#define REDOP_OPERATOR_SIZE    3

#define REDOP_ASSOCIATIVE_SIDX REDOP_ASSOCIATIVE_SIZE
#define REDOP_COMMUTATIVE_SIDX (REDOP_ASSOCIATIVE_SIDX + REDOP_COMMUTATIVE_SIZE)
#define REDOP_DATUM_SIZE_SIDX  (REDOP_COMMUTATIVE_SIDX + REDOP_DATUM_SIZE_SIZE)
#define REDOP_SIGNED_SIDX      (REDOP_DATUM_SIZE_SIDX + REDOP_SIGNED_SIZE)
#define REDOP_TYPE_SIDX        (REDOP_SIGNED_SIDX + REDOP_TYPE_SIZE)
#define REDOP_OPERATOR_SIDX    (REDOP_TYPE_SIDX + REDOP_OPERATOR_SIZE)

#define REDOP_SIZE(field) REDOP_##field##_SIZE
#define REDOP_SIDX(field) REDOP_##field##_SIDX
#define REDOP_EIDX(field) (REDOP_SIDX(field) - REDOP_SIZE(field)) /* its first bit */

#define REDOP_ASSOCIATIVE 0x01
#define REDOP_COMMUTATIVE 0x02

#define REDOP_BS1 0x00
#define REDOP_BS2 0x04
#define REDOP_BS4 0x0C
#define REDOP_BS8 0x1C

#define REDOP_UNSIGNED 0x00
#define REDOP_SIGNED   0x20

#define REDOP_INTEGER 0x00
#define REDOP_REAL    0x40

#define REDOP_ADD    (0 << 7)
#define REDOP_MULT   (1 << 7)
#define REDOP_MIN    (2 << 7)
#define REDOP_MAX    (3 << 7)
#define REDOP_BITAND (4 << 7)
#define REDOP_BITOR  (5 << 7)
#define REDOP_BITXOR (6 << 7)

/* The usual sums: F double and float, U unsigned, S signed; 8 or 4 bytes. */
#define REDOP_F8_ADD                                                                 \
    (REDOP_ASSOCIATIVE | REDOP_COMMUTATIVE | REDOP_BS8 | REDOP_SIGNED | REDOP_REAL | \
     REDOP_ADD)
#define REDOP_F8_MULT (REDOP_F8_ADD | REDOP_MULT)
#define REDOP_F8_MIN  (REDOP_F8_ADD | REDOP_MIN)
#define REDOP_F8_MAX  (REDOP_F8_ADD | REDOP_MAX)

#define REDOP_F4_ADD                                                                 \
    (REDOP_ASSOCIATIVE | REDOP_COMMUTATIVE | REDOP_BS4 | REDOP_SIGNED | REDOP_REAL | \
     REDOP_ADD)
#define REDOP_F4_MULT (REDOP_F4_ADD | REDOP_MULT)
#define REDOP_F4_MIN  (REDOP_F4_ADD | REDOP_MIN)
#define REDOP_F4_MAX  (REDOP_F4_ADD | REDOP_MAX)

#define REDOP_U8_ADD    (REDOP_BS8 | REDOP_UNSIGNED | REDOP_INTEGER | REDOP_ADD)
#define REDOP_U8_MULT   (REDOP_U8_ADD | REDOP_MULT)
#define REDOP_U8_MIN    (REDOP_U8_ADD | REDOP_MIN)
#define REDOP_U8_MAX    (REDOP_U8_ADD | REDOP_MAX)
#define REDOP_U8_BITAND (REDOP_U8_ADD | REDOP_BITAND)
#define REDOP_U8_BITOR  (REDOP_U8_ADD | REDOP_BITOR)
#define REDOP_U8_BITXOR (REDOP_U8_ADD | REDOP_BITXOR)

#define REDOP_U4_ADD    (REDOP_BS4 | REDOP_UNSIGNED | REDOP_INTEGER | REDOP_ADD)
#define REDOP_U4_MULT   (REDOP_U4_ADD | REDOP_MULT)
#define REDOP_U4_MIN    (REDOP_U4_ADD | REDOP_MIN)
#define REDOP_U4_MAX    (REDOP_U4_ADD | REDOP_MAX)
#define REDOP_U4_BITAND (REDOP_U4_ADD | REDOP_BITAND)
#define REDOP_U4_BITOR  (REDOP_U4_ADD | REDOP_BITOR)
#define REDOP_U4_BITXOR (REDOP_U4_ADD | REDOP_BITXOR)

#define REDOP_S8_MIN (REDOP_BS8 | REDOP_SIGNED | REDOP_INTEGER | REDOP_MIN)
#define REDOP_S8_MAX (REDOP_BS8 | REDOP_SIGNED | REDOP_INTEGER | REDOP_MAX)
#define REDOP_S4_MIN (REDOP_BS4 | REDOP_SIGNED | REDOP_INTEGER | REDOP_MIN)
#define REDOP_S4_MAX (REDOP_BS4 | REDOP_SIGNED | REDOP_INTEGER | REDOP_MAX)

/*
 * Adds the contribution of one contributor to its next generation.
 *
 *   eventGuid  the collective event
 *   dataPtr    nbDatum elements, copied during the call
 *   islot      which contributor, from 0
 *
 * If it is the last one to its generation, what depends on that is satisfied before the call
 * returns. Calls for one contributor must be ordered; those for different ones need not be.
 *
 * Errors: OCR_EINVAL (not a collective event, dataPtr is NULL, no such contributor), OCR_EPERM (the
 * contributor is maxGen generations ahead), OCR_ENOMEM (nothing was contributed). Where all have contributed
 * and there is no memory for the result, the program ends with a message: no EDT could contribute anew.
 * Extension: OCR 1.2, collective events.
 */
u8 ocrEventCollectiveSatisfySlot(ocrGuid_t eventGuid, void *dataPtr, u32 islot);

/* The names that collective events had before OCR 1.2, for programs that ask for them so. */
#ifdef ENABLE_EXTENSION_REDUCTION_EVT
#define OCR_EVENT_REDUCTION_T          OCR_EVENT_COLLECTIVE_T
#define GUID_USER_EVENT_REDUCTION      GUID_USER_EVENT_COLLECTIVE
#define EVENT_REDUCTION                EVENT_COLLECTIVE /* of ocrEventParams_t */
#define ocrEventReductionSatisfySlot   ocrEventCollectiveSatisfySlot
#endif

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_REDUCTION_EVENT_H */
