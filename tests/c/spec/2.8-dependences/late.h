/* late.h - what the programs share in which a dependence comes after its event has gone. */
#ifndef LATE_H
#define LATE_H

#include "../../check.h"

/* A latch event that the next call on its decrement slot triggers. */
static inline ocrGuid_t latch_at_one(void) {
    ocrGuid_t latch = event_of(OCR_EVENT_LATCH_T);
    OK(ocrEventSatisfySlot(latch, NULL_GUID, OCR_EVENT_LATCH_INCR_SLOT));
    return latch;
}

#endif
