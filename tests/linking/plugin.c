/* A library that a program opens. Its constructor, its destructor or a function of it runs a small program, as RUN_IN
 * says; KERNEL gives the EDT a kernel beside its function. With THREAD, a thread does that, for which it waits. */
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-variants.h>
#include <ocr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64 };

static u32 sum;

static ocrGuid_t adds(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    u32 *words = depv[0].ptr;
    for (int i = 0; i < WORDS; i++)
        words[i] += 1;
    return NULL_GUID;
}

static ocrGuid_t sums(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const u32 *words = depv[1].ptr;
    sum = 0;
    for (int i = 0; i < WORDS; i++)
        sum += words[i];
    ocrShutdown();
    return NULL_GUID;
}

static void range(u32 paramc, const u64 *paramv, u32 depc, const u64 *sizes, ocrNdRange_t *nd) {
    (void)paramc, (void)paramv, (void)depc, (void)sizes;
    nd->workDim = 1;
    nd->globalSize[0] = WORDS;
}

void run(void) {
    ocrGuid_t context, adding, summing, add, end, added, block;
    u32 *words;
    ocrLegacyInit(&context, NULL);
    ocrEdtTemplateCreate(&adding, adds, 0, 1);
    ocrEdtTemplateCreate(&summing, sums, 0, 2);
    if (getenv("KERNEL") != NULL)
        ocrEdtTemplateAddKernel(adding, "__kernel void k(__global uint *a) { a[get_global_id(0)] += 1; }", NULL, "k",
                                range, 0);
    ocrDbCreate(&block, (void **)&words, sizeof *words * WORDS, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    memset(words, 0, sizeof *words * WORDS);
    ocrDbRelease(block);
    ocrEdtCreate(&end, summing, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrEdtCreate(&add, adding, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, &added);
    ocrAddDependence(added, end, 0, DB_MODE_NULL);
    ocrAddDependence(block, end, 1, DB_MODE_CONST);
    ocrAddDependence(block, add, 0, DB_MODE_EW);
    const int status = ocrLegacyFinalize(context, true);
    printf("sum %u, status %d\n", sum, status);
    fflush(stdout);
}

static void *run_in_thread(void *arg) {
    run();
    return arg;
}

static void run_if_in(const char *place) {
    const char *all = getenv("RUN_IN");
    pthread_t thread;
    if (all == NULL || strstr(all, place) == NULL)
        return;
    if (getenv("THREAD") == NULL)
        run();
    else if (pthread_create(&thread, NULL, run_in_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

__attribute__((constructor)) static void first(void) { run_if_in("constructor"); }
__attribute__((destructor)) static void last(void) { run_if_in("destructor"); }
