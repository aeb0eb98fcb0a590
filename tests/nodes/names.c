/*
 * EDTs whose functions have names of the system's, which MPI calls. The linker lets all libraries have these.
 */
#include "nodes.h"

ocrGuid_t shutdown(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    printf("right: the last EDT on node %lu\n", (unsigned long)here());
    fflush(stdout);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t send(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    start(shutdown, 0, 0, NULL, 0, NULL);
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    start(send, 1, 0, NULL, 0, NULL);
    return NULL_GUID;
}
