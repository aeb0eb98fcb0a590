/* A chunk that was destroyed and is written at the end of the program is not left, nor is what the runtime had to do
 * for it. */
// clause: leak
// needs: opencl
// env: OCR_CHECK=leaks
// env: OCR_DEVICE_FORCE_COPIES=1
#include "file.h"
#include "kernel.h"
#include <extensions/ocr-legacy.h>

#define WORDS 100

static const char source[] = "kernel void twice(global uint *x) { x[get_global_id(0)] *= 2; }";

int main(void) {
    char name[64];
    ocrGuid_t context, file, chunk, doubled;
    ocrConfig_t config = {0};
    u32 numbers[WORDS];
    for (u32 i = 0; i < WORDS; i++)
        numbers[i] = i;
    write_file(file_name(name, "strict_left_file"), numbers, sizeof numbers);
    ocrLegacyInit(&context, &config);
    OK(ocrFileOpen(&file, name, "r+", NULL, 0));
    OK(ocrFileGetChunk(&chunk, file, 0, sizeof numbers));
    OK(ocrFileRelease(file));
    ocrGuid_t tmpl = kernel_of(source, "twice", 0, 1);
    ocrGuid_t kernel = kernel_edt(tmpl, WORDS, 0, NULL, 1, &doubled), end = spawn(end_edt, 0, NULL, 1, NULL);
    link_to(doubled, end, 0, DB_MODE_NULL);
    link_to(chunk, kernel, 0, DB_MODE_EW);
    OK(ocrDbDestroy(chunk));
    OK(ocrEdtTemplateDestroy(tmpl));
    OK(ocrLegacyFinalize(context, true));
    size_t size;
    u32 *got = (u32 *)read_file(name, &size);
    CHECK_EQ(size, sizeof numbers);
    for (u32 i = 0; i < WORDS; i++)
        CHECK_EQ(got[i], 2 * i);
    free(got);
    CHECK_EQ(unlink(name), 0);
    return 0;
}
