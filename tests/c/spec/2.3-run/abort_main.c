/* 2.3.2: mainEdt itself may abort. */
// clause: 2.3.2
// status: 3
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrAbort(3);
    return NULL_GUID;
}
