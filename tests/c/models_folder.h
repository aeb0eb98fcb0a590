/* models_folder.h - what the programs share that look at the times which runs keep. */
#ifndef MODELS_FOLDER_H
#define MODELS_FOLDER_H

#include "check.h"
#include <dirent.h>

static char folder[] = "/tmp/ocr-models-XXXXXX";

/* In how many lines of the files both texts are. */
static inline int lines_with(const char *one, const char *other) {
    int found = 0;
    char line[4096], path[4096];
    DIR *files = opendir(folder);
    CHECK(files != NULL);
    for (struct dirent *entry; (entry = readdir(files));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = strstr(entry->d_name, ".models") ? fopen(path, "r") : NULL;
        while (file && fgets(line, sizeof line, file))
            found += strstr(line, one) && strstr(line, other);
        if (file)
            fclose(file);
    }
    closedir(files);
    return found;
}

static void remove_all(void) {
    char path[4096];
    DIR *files = opendir(folder);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        remove(path);
    }
    if (files)
        closedir(files);
    rmdir(folder);
}

/* Has runs keep their times in a folder of this program's, which goes when the program ends. */
static inline void use_models_folder(void) {
    CHECK(mkdtemp(folder) != NULL);
    CHECK(setenv("OCR_MODELS", folder, 1) == 0);
    atexit(remove_all);
}

#endif
