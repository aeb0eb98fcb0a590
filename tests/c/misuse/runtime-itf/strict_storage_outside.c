/* Strict mode: a thread outside of EDTs has no storage. */
// misuse: OCR-runtime-itf-a
// env: OCR_CHECK=strict
// status: 1
// stderr: strict mode: ocrElsUserGet: no EDT runs here
// stderr: in a thread outside of EDTs (the main thread): ocrElsUserGet(offset 0)
#include "strict.h"
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrGuid_t context;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    ocrElsUserGet(0);
    ocrShutdown();
    return ocrLegacyFinalize(context, true);
}
