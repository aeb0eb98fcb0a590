/* A run may be ended, and EDTs run, by a function of atexit, also one that was registered before the run began. */
// clause: process
// env: OCR_CHECK=strict
// stdout-lines: 1 ended
// stderr-without: ocr: error
// stderr-without: exit(
#include "check.h"

#include <extensions/ocr-legacy.h>

static ocrGuid_t context;

static void cleanup(void) {
    ocrGuid_t done = event_of(OCR_EVENT_STICKY_T), output;
    ocrGuid_t edt = spawn_with(end_edt, 0, NULL, 1, NULL, EDT_PROP_NONE, &output);
    link_to(output, done, 0, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    OK(ocrLegacyFinalize(context, true));
    puts("ended");
}

int main(void) {
    CHECK_EQ(atexit(cleanup), 0);
    ocrLegacyInit(&context, NULL);
    return 0;
}
