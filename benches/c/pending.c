/* pending [EDTS [GRAPH]]: EDTs with two pre-slots and two parameters that all wait at the same time, and then run.
 * GRAPH is independent, chain or wavefront: in a chain each EDT waits for the output event of the one before, in a
 * wavefront, which is a square, for those of its left and its upper neighbour.
 *
 * bytes_per_edt   resident memory of the process: difference between before they are created and when all wait
 * ns_create       creating one
 * ns_per_edt      satisfying its two pre-slots and running it */
#include "bench.h"

#include <string.h>

typedef enum { INDEPENDENT, CHAIN, WAVEFRONT } Graph;
static Graph graph;
static u64 edts, width; /* width of a wavefront; in a chain 1 */
static double begin, satisfying, bytesPerEdt, nsCreate;

static ocrGuid_t empty(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    return NULL_GUID;
}

static ocrGuid_t outputOr(const ocrGuid_t *outputs, bool there, u64 at) {
    return there ? outputs[at] : NULL_GUID;
}

static ocrGuid_t createAll(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    UNUSED;
    const ocrGuid_t emptyTemplate = template(empty, 2, 2);
    ocrGuid_t *edt = malloc(edts * sizeof *edt), *output = malloc(edts * sizeof *output);
    EXPECT(edt != NULL && output != NULL);
    memset(edt, 0xff, edts * sizeof *edt); /* resident, before it counts */
    memset(output, 0xff, edts * sizeof *output);
    const double before = residentBytes();
    begin = now();
    for (u64 i = 0; i < edts; i++) {
        u64 params[2] = { i, i };
        ocrGuid_t depv[2] = { outputOr(output, i % width != 0, i - 1), outputOr(output, i >= width, i - width) };
        const bool open = graph == INDEPENDENT || i == 0;
        MUST(ocrEdtCreate(&edt[i], emptyTemplate, EDT_PARAM_DEF, params, EDT_PARAM_DEF, open ? NULL : depv,
                          EDT_PROP_NONE, NULL_HINT, graph == INDEPENDENT ? NULL : &output[i]));
    }
    nsCreate = (now() - begin) / (double)edts;
    bytesPerEdt = (residentBytes() - before) / (double)edts;
    satisfying = now();
    for (u64 i = 0; i < (graph == INDEPENDENT ? edts : 1); i++) {
        MUST(ocrAddDependence(NULL_GUID, edt[i], 0, DB_MODE_NULL));
        MUST(ocrAddDependence(NULL_GUID, edt[i], 1, DB_MODE_NULL));
    }
    free(output);
    free(edt);
    return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const double ended = now();
    UNUSED;
    expectEdts(edts);
    figure("bytes_per_edt", bytesPerEdt);
    figure("ns_create", nsCreate);
    figure("ns_per_edt", (ended - satisfying) / (double)edts);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    edts = sizeArgument(depv, 1, 1000000);
    const char *const names[] = { "independent", "chain", "wavefront" };
    const char *wanted = ocrGetArgc(depv[0].ptr) > 2 ? ocrGetArgv(depv[0].ptr, 2) : names[INDEPENDENT];
    while (graph <= WAVEFRONT && strcmp(wanted, names[graph]) != 0)
        graph++;
    EXPECT(graph <= WAVEFRONT);
    for (width = 1; graph == WAVEFRONT && (width + 1) * (width + 1) <= edts;)
        width++;
    edts = graph == WAVEFRONT ? width * width : edts;
    runScope(createAll, end);
    return NULL_GUID;
}
