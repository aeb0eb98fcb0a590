/* The smallest program with two tasks: mainEdt, where every OCR program begins, creates an EDT with a parameter and a
 * data block, and that EDT ends the program.
 *
 * Prints: hello from EDT 1, with 12 bytes: hello, world */
#include <ocr.h>

#include <string.h>

static ocrGuid_t helloEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc;
    const char *text = depv[0].ptr;
    ocrPrintf("hello from EDT %" PRIu64 ", with %" PRIu64 " bytes: %s\n", paramv[0], paramv[1], text);
    ocrDbDestroy(depv[0].guid);
    ocrShutdown(); /* a program that does not ask to end waits for more to do */
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    static const char text[] = "hello, world";

    ocrGuid_t block;
    void *ptr;
    ocrDbCreate(&block, &ptr, sizeof text, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    memcpy(ptr, text, sizeof text);
    ocrDbRelease(block); /* from here on others see what was written */

    ocrGuid_t template, edt;
    ocrEdtTemplateCreate(&template, helloEdt, 2, 1);
    u64 params[] = { 1, sizeof text - 1 };
    ocrEdtCreate(&edt, template, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ocrEdtTemplateDestroy(template); /* EDTs that exist do not need it any more */

    /* Its only pre-slot: satisfied at once, since a data block is there already. The EDT may run from now on. */
    ocrAddDependence(block, edt, 0, DB_MODE_CONST);
    return NULL_GUID;
}
