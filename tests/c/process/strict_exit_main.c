/* The same of a main of the program's own that returns before the runtime has ended. */
// clause: process
// needs: signals
// status: 0
// env: OCR_CHECK=strict
// stderr: strict mode: the program called exit(0), or returned from its main, while the runtime runs
// stderr: ends with ocrShutdown and ocrLegacyFinalize (OCR 1.1.0, 2.3)
// stderr-without: ocr: error
#include "check.h"

#define ENABLE_EXTENSION_LEGACY
#include <extensions/ocr-legacy.h>

int main(int argc, char **argv) {
    ocrGuid_t context;
    ocrConfig_t config;
    (void)argc, (void)argv;
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    return 0;
}
