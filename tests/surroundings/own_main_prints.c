/* A program with its own main that prints, before it uses OCR and behind. */
#include <ocr.h>
#include <extensions/ocr-legacy.h>
#include <stdio.h>

int main(void) {
    ocrConfig_t config = { 0 };
    ocrGuid_t context;
    printf("before\n");
    ocrLegacyInit(&context, &config);
    ocrPrintf("in the run\n");
    ocrShutdown();
    ocrLegacyFinalize(context, true);
    printf("behind\n");
    return 0;
}
