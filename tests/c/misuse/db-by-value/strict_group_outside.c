/* Strict mode: a group outside of EDTs. */
// misuse: OCR-db-by-value-e
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrGroupBegin: a group is of an EDT, and none runs here

#include "strict.h"
#include <extensions/ocr-db-by-value.h>
#include <extensions/ocr-legacy.h>

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    ocrGroupBegin();
    ocrShutdown();
    return ocrLegacyFinalize(context, true);
}
