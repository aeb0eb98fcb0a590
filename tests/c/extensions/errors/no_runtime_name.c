/* The warning that no runtime runs names the call, also one that strict mode does not look at. */
// clause: ocr-errors.h
// stderr: ocr: warning: ocrNbWorkers was called while no runtime runs
#include "check.h"
#include <extensions/ocr-legacy.h>
#include <extensions/ocr-runtime-itf.h>

int main(void) {
    CHECK_EQ(ocrNbWorkers(), 0);
    return 0;
}
