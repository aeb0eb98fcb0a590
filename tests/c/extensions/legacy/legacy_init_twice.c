// A second ocrLegacyInit without ocrLegacyFinalize is distinguished from anything else that may go wrong.
//
// clause: ocr-legacy.h
// status: 1
// stderr: ocrLegacyInit: the runtime runs already
#include "check.h"

#include <extensions/ocr-legacy.h>

int main(void) {
    ocrConfig_t config = {0, NULL, NULL};
    ocrGuid_t context;
    ocrLegacyInit(&context, &config);
    ocrLegacyInit(&context, &config);
    return 0;
}
