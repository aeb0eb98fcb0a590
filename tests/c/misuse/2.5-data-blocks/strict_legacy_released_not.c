// Strict mode: a thread outside of EDTs releases a data block that another thread has.
//
// misuse: OCR-2.5.3-b
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbRelease: the thread has not acquired the data block
// stderr: created by ocrDbCreate in a thread outside of EDTs (the main thread)
// stderr: A thread outside of EDTs has the blocks that it has created
#include "check.h"

#include <extensions/ocr-legacy.h>
#include <pthread.h>

static void *releases(void *block) {
    ocrDbRelease(*(ocrGuid_t *)block);
    return NULL;
}

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, block;
    void *address;
    pthread_t thread;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    block = block_of(64, &address);
    CHECK_EQ(pthread_create(&thread, NULL, releases, &block), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return 0;
}
