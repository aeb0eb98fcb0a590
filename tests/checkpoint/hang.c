/* Hangs: with the argument "event", an EDT waits for an event that nobody satisfies; with "mutex", one for a mutex that
 * it has itself. */
#include "check.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    if (strcmp(ocrGetArgv(depv[0].ptr, 1), "mutex") == 0) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_lock(&mutex);
    }
    link_to(event_of(OCR_EVENT_STICKY_T), end_after(1), 0, DB_MODE_NULL);
    return NULL_GUID;
}
