/* A program with its own main, which goes to another directory before it begins with OCR. */
#include <ocr.h>
#include <extensions/ocr-legacy.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    ocrConfig_t config = { 0 };
    ocrGuid_t context;
    if (chdir(argv[1]) != 0) {
        perror(argv[1]);
        return 9;
    }
    ocrParseArgs(argc, (const char **)argv, &config);
    ocrLegacyInit(&context, &config);
    ocrShutdown();
    return ocrLegacyFinalize(context, true);
}
