/*
 * A program that hangs since EDTs wait for each other's output events, one of them through another event: the message
 * names the circle.
 */
// clause: hang
// status: 1
// stderr: the program hangs
// stderr: These wait for each other, so that none can go on: EDT 0x
// stderr: ) for the output event of EDT 0x
// stderr: ) for the output event of EDT 0x
// stderr: ) for the output event of EDT 0x
// stderr: leave out a dependence
// needs: halt
#include "strict.h"

static ocrGuid_t worker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrGuid_t edts[3], done[3], sticky = event_of(OCR_EVENT_STICKY_T);
    for (int n = 0; n < 3; n++)
        edts[n] = EDT_WITH(worker, 0, NULL, 1, NULL, &done[n]);
    for (int n = 0; n < 2; n++)
        OK(ocrAddDependence(done[n], edts[n + 1], 0, DB_MODE_NULL));
    OK(ocrAddDependence(done[2], sticky, 0, DB_MODE_NULL));
    OK(ocrAddDependence(sticky, edts[0], 0, DB_MODE_NULL));
    return NULL_GUID;
}
