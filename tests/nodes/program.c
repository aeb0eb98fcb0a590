/*
 * A program that tests/nodes.rs starts as several nodes. Its first argument says what it does.
 *
 * With OCR_TEST_FOLDER, each process writes its number and its rank into a file of that folder before main begins, as
 * RANK.pid. So a test sees all processes, though mainEdt runs on node 0 alone.
 */
#define _GNU_SOURCE
#include <ocr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *rank(void)
{
    const char *names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (unsigned at = 0; at < 2; at++) {
        if (getenv(names[at]) != NULL) {
            return getenv(names[at]);
        }
    }
    return "none";
}

__attribute__((constructor)) static void tellProcess(void)
{
    const char *folder = getenv("OCR_TEST_FOLDER");
    char name[4096];
    if (folder == NULL) {
        return;
    }
    snprintf(name, sizeof name, "%s/%s.pid", folder, rank());
    FILE *file = fopen(name, "a");
    if (file != NULL) {
        fprintf(file, "%d\n", getpid());
        fclose(file);
    }
}

static void registered(void) { printf("the program has exited on rank %s\n", rank()); }

static ocrGuid_t add(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)depc;
    u64 *sum = depv[0].ptr;
    *sum += paramv[0];
    return NULL_GUID;
}

static ocrGuid_t sumUp(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    printf("sum %lu on rank %s\n", (unsigned long)*(u64 *)depv[0].ptr, rank());
    ocrShutdown();
    return NULL_GUID;
}

/* Adds 1 to 100 in a block, by EDTs of a finish EDT. */
static ocrGuid_t all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    ocrGuid_t template, edt;
    ocrEdtTemplateCreate(&template, add, 1, 1);
    for (u64 number = 1; number <= 100; number++) {
        ocrEdtCreate(&edt, template, 1, &number, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
        ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_EW);
    }
    ocrEdtTemplateDestroy(template);
    return NULL_GUID;
}

static void compute(void)
{
    ocrGuid_t block, template, edt, end, done;
    u64 *sum;
    ocrDbCreate(&block, (void **)&sum, sizeof *sum, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    *sum = 0;
    ocrDbRelease(block);
    ocrEdtTemplateCreate(&template, sumUp, 0, 2);
    ocrEdtCreate(&end, template, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrEdtTemplateDestroy(template);
    ocrEdtTemplateCreate(&template, all, 0, 1);
    ocrEdtCreate(&edt, template, 0, NULL, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &done);
    ocrEdtTemplateDestroy(template);
    ocrAddDependence(block, end, 0, DB_MODE_RO);
    ocrAddDependence(done, end, 1, DB_MODE_NULL);
    ocrAddDependence(block, edt, 0, DB_MODE_RO);
}

static void run(const char *what, const char *argument)
{
    int number = argument == NULL ? 0 : atoi(argument);
    if (strcmp(what, "sum") == 0) {
        compute();
        return;
    }
    if (strcmp(what, "lines") == 0) {
        char line[256];
        while (fgets(line, sizeof line, stdin) != NULL) {
            printf("rank %s reads %s", rank(), line);
        }
    } else if (strcmp(what, "abort") == 0) {
        ocrAbort((u8)number);
    } else if (strcmp(what, "exit") == 0) {
        exit(number);
    } else if (strcmp(what, "crash") == 0) {
        fflush(stdout);
        *(volatile int *)8 = number;
    } else if (strcmp(what, "assert") == 0) {
        ocrAssert(0 && "on purpose");
    } else if (strcmp(what, "hang") == 0) {
        /* Nobody shuts down. */
        return;
    } else if (strcmp(what, "wait") == 0) {
        /* Until the standard input ends. */
        printf("waits\n");
        fflush(stdout);
        while (getchar() != EOF) {
        }
    } else if (strcmp(what, "stay") == 0) {
        /* Until somebody ends it: a launcher closes the standard input when another process has ended. */
        printf("waits\n");
        fflush(stdout);
        for (;;) {
            sleep(1);
        }
    } else if (strcmp(what, "child") == 0) {
        /* Another OCR program, and one of this process alone. */
        char command[4200];
        snprintf(command, sizeof command, "'%s' sum", argument);
        int status = system(command);
        printf("the child has ended with %d\n", WEXITSTATUS(status));
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            exit(0);
        }
        waitpid(child, &status, 0);
        printf("the fork has ended with %d\n", WEXITSTATUS(status));
    } else if (strcmp(what, "maps") == 0) {
        /* Which MPI is loaded. */
        char line[4096];
        FILE *maps = fopen("/proc/self/maps", "r");
        int found = 0;
        while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
            found = found || strstr(line, "libocr-mpi") != NULL || strstr(line, "libmpi") != NULL;
        }
        printf("%s\n", found ? "MPI is loaded" : "no MPI is loaded");
    } else if (strcmp(what, "close") == 0) {
        fclose(stdout);
    }
    ocrShutdown();
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[])
{
    (void)paramc, (void)paramv, (void)depc;
    u64 argc = ocrGetArgc(depv[0].ptr);
    atexit(registered);
    printf("mainEdt on rank %s, %lu arguments\n", rank(), (unsigned long)argc);
    run(argc > 1 ? ocrGetArgv(depv[0].ptr, 1) : "sum", argc > 2 ? ocrGetArgv(depv[0].ptr, 2) : NULL);
    return NULL_GUID;
}
