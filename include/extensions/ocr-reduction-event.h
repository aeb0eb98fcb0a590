/*
 * ocr-reduction-event.h - collective events (extension: OCR 1.2, collective events).
 *
 * Each of nbContribs contributors adds nbDatum elements in each generation, in any order. When the
 * last has, the generation triggers: who depends on it gets a data block with the combined
 * elements. Every contributor creates the event with the same parameters on the same labeled GUID,
 * of kind GUID_USER_EVENT_COLLECTIVE, and connects its consumer with ocrAddDependenceSlot.
 */
#ifndef OCR_API_EXT_REDUCTION_EVENT_H
#define OCR_API_EXT_REDUCTION_EVENT_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who gets the result. */
typedef enum {
    COL_REDUCE    = 0,
    COL_ALLREDUCE = 1, /* everybody gets the combined elements */
    COL_BROADCAST = 2
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
 * Errors: OCR_EINVAL (not a collective event, dataPtr is NULL, no such contributor), OCR_EPERM (the
 * contributor is maxGen generations ahead), OCR_ENOMEM.
 * Extension: OCR 1.2, collective events.
 */
u8 ocrEventCollectiveSatisfySlot(ocrGuid_t eventGuid, void *dataPtr, u32 islot);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_REDUCTION_EVENT_H */
