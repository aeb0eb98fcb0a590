/* A program that prints and ends, or, by its first argument:
   hang        waits for an event that is never satisfied;
   write       writes the file that the second argument names; with a third argument, behind what that has;
   write-hang  writes that file, and waits as by hang;
   replace     puts a file of its own, named by the second argument, in the place of its standard output;
   fill        prints what has room in the buffer of its standard output, and hangs then. */
#include <fcntl.h>
#include <ocr.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    return NULL_GUID;
}

static void hang(void)
{
    ocrGuid_t template, event, edt;
    ocrEdtTemplateCreate(&template, waits, 0, 1);
    ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
    ocrEdtCreate(&edt, template, 0, NULL, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    void *args = depv[0].ptr;
    const char *how = ocrGetArgc(args) > 1 ? ocrGetArgv(args, 1) : "";
    printf("begun\n");
    if (strcmp(how, "hang") == 0) {
        hang();
        return NULL_GUID;
    }
    if (strncmp(how, "write", 5) == 0) {
        FILE *own = fopen(ocrGetArgv(args, 2), ocrGetArgc(args) > 3 ? "a" : "w");
        fputs("data of the program\n", own);
        fclose(own);
    }
    if (strcmp(how, "write-hang") == 0) {
        hang();
        return NULL_GUID;
    }
    if (strcmp(how, "fill") == 0) {
        for (int line = 0; line < 40; ++line) {
            printf("%063d\n", line);
        }
        hang();
        return NULL_GUID;
    }
    if (strcmp(how, "replace") == 0) {
        fflush(stdout);
        int own = open(ocrGetArgv(args, 2), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(own, STDOUT_FILENO);
        printf("data of the program\n");
    }
    ocrShutdown();
    return NULL_GUID;
}
