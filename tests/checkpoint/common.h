/* What the programs of tests/checkpoint.rs share. */
#include "check.h"

#include <extensions/ocr-checkpoint.h>
#include <signal.h>

/* Whether the checkpoint with this number is there, or the run has begun from one. */
static inline bool is_there_or_restored(unsigned number) {
    const char *directory = getenv("OCR_CHECKPOINT");
    char file[4096];
    if (getenv("OCR_RESTORE") != NULL)
        return true;
    snprintf(file, sizeof file, "%.*s/checkpoint-%06u.ocr", (int)strcspn(directory, ":"), directory, number);
    return access(file, F_OK) == 0;
}

/* Kills a run that has not begun from a checkpoint, when the one with this number is there. */
static inline void die_unless_restored(unsigned number) {
    while (!is_there_or_restored(number))
        breathe();
    if (getenv("OCR_RESTORE") == NULL)
        kill(getpid(), SIGKILL);
}
