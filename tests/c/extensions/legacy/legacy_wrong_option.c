// Wrong options end a program with its own main as they end others.
//
// clause: ocr-legacy.h
// args: -ocr:wrokers 3
// status: 2
// stderr: there is no setting "wrokers"
#include "check.h"

#include <extensions/ocr-legacy.h>

int main(int argc, char **argv) {
    ocrConfig_t config;
    ocrParseArgs(argc, (const char **)argv, &config);
    return 0;
}
