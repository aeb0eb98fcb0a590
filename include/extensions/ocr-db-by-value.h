/*
 * ocr-db-by-value.h - pass the content of a data block instead of the block (extension: OCR-Vx).
 *
 * An EDT that gets a content so has a data block of its own: others may write or destroy the block
 * that it came from, and no other EDT sees what this one writes. Gate: ENABLE_EXTENSION_BYVALUE_DB.
 */
#ifndef OCR_API_EXT_DB_BY_VALUE_H
#define OCR_API_EXT_DB_BY_VALUE_H

#include "ocr-types.h"

#ifndef ENABLE_EXTENSION_BYVALUE_DB
#define ENABLE_EXTENSION_BYVALUE_DB 1 /* see ocr-edt.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Satisfies a pre-slot with what a data block holds when the call is made.
 *
 *   sourceDb     the block; the caller holds it, in any mode, and still does afterwards. NULL_GUID: the
 *                pre-slot is satisfied without data
 *   destination  an EDT or an event
 *   slot         which of its pre-slots
 *   mode         how the EDT uses its copy, a DB_MODE_ value; of no meaning for an event
 *
 * The copy is a new data block of the same size, which the EDT acquires as any block on its pre-slot: it
 * may release it early, destroy it, and ask for its size. If it does not destroy it, the copy goes
 * when the EDT ends or releases it. If an event leads to several EDTs, they share the copy, in the
 * modes that they ask for, and it goes with the last of them. EDTs of another node than the event's
 * have copies of their own. It cannot be passed on: the calls that
 * take a block refuse it with OCR_EINVAL, and an EDT that returns it returns nothing. Its content
 * can, by this function.
 *
 * That holds for an event that passes the copy on when it is satisfied, and for the events that it
 * leads to: once events, latch events, the output events of EDTs. Idempotent, sticky, counted and
 * channel events keep what they are satisfied with for dependences that come later, so the
 * last consumer is not known. If such an event keeps the copy, or a thread gets it in a call of
 * ocr-legacy.h, the copy is a block like any other, which the program destroys. So it is if it comes
 * to a dependence on a labeled GUID that waits for its object (ocr-labeling.h).
 *
 * When the call returns, the content has been copied: what the caller writes then does not get there. The
 * pre-slot is satisfied by then, too, unless destination is an event on a label that another EDT is
 * creating.
 *
 * Errors: those of ocrAddDependence for destination, slot and mode; and OCR_EINVAL (sourceDb is not a
 * data block), OCR_EACCES (the caller does not hold it: it has released it, or never acquired it),
 * OCR_ENOMEM.
 */
u8 ocrAddDependenceByValue(ocrGuid_t sourceDb, ocrGuid_t destination, u32 slot,
                           ocrDbAccessMode_t mode);

/*
 * Enclose calls of ocrAddDependenceByValue, releases and destructions of the calling EDT that belong
 * together. A runtime may do them together: where a block is destroyed in the group in which its
 * content is passed on, the content could move. This one makes a copy at each call, and calls have
 * their effect when they are made, in a group as outside. A group ends before its EDT, or with it
 * (strict mode says so); groups do not nest.
 *
 * Errors: OCR_EPERM (ocrGroupBegin: the EDT has a group open; ocrGroupEnd: it has none; both: no EDT
 * runs here).
 */
u8 ocrGroupBegin(void);
u8 ocrGroupEnd(void);

#ifdef __cplusplus
}
#endif

#endif /* OCR_API_EXT_DB_BY_VALUE_H */
