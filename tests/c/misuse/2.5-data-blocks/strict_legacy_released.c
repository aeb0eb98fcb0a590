// Strict mode: a thread outside of EDTs releases a data block twice.
//
// misuse: OCR-2.5.3-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrDbRelease: the thread has released the data block before
// stderr: in a thread outside of EDTs (the main thread): ocrDbRelease(
// stderr: Remove one of the two calls.
// stderr-without: The end of the EDT
#include "check.h"

#include <extensions/ocr-legacy.h>

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context, block;
    void *address;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    block = block_of(64, &address);
    OK(ocrDbRelease(block));
    ocrDbRelease(block);
    return 0;
}
