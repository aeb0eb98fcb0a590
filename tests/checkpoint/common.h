/* What the programs of tests/checkpoint.rs share. */
#include "check.h"

#include <extensions/ocr-checkpoint.h>
#include <signal.h>

/* Kills a run that has not begun from a checkpoint, when its first one is there. */
static inline void die_unless_restored(void) {
    const char *directory = getenv("OCR_CHECKPOINT");
    char file[4096];
    if (getenv("OCR_RESTORE") != NULL)
        return;
    snprintf(file, sizeof file, "%.*s/checkpoint-000001.ocr", (int)strcspn(directory, ":"), directory);
    while (access(file, F_OK) != 0)
        breathe();
    kill(getpid(), SIGKILL);
}
