/* Uses two libraries that are written in Rust. */
#include <ocr.h>

extern int other_library(void);

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    ocrPrintf("the other says %d\n", other_library());
    ocrShutdown();
    return NULL_GUID;
}
