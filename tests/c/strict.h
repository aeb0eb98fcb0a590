/*
 * strict.h - check.h for the programs that misuse the interface under OCR_CHECK=strict: what its helpers
 * create has the name of its function, as where a program calls ocrEdtTemplateCreate itself.
 */
#ifndef STRICT_H
#define STRICT_H

#include "check.h"

#include <extensions/ocr-debug.h>

static inline ocrGuid_t named_template(ocrEdt_t function, const char *name, u32 paramc, u32 depc) {
    ocrGuid_t guid;
    OK(ocrEdtTemplateCreate_internal(&guid, function, paramc, depc, name));
    return guid;
}

static inline ocrGuid_t named_edt(ocrEdt_t function, const char *name, u32 paramc, u64 *paramv, u32 depc,
                                  ocrGuid_t *depv, ocrGuid_t *output) {
    ocrGuid_t tmpl = named_template(function, name, paramc, depc);
    ocrGuid_t guid = edt_of(tmpl, paramc, paramv, depc, depv, EDT_PROP_NONE, output);
    OK(ocrEdtTemplateDestroy(tmpl));
    return guid;
}

#define TEMPLATE(function, paramc, depc) named_template(function, #function, paramc, depc)
/* An EDT with an output event, and one without. */
#define EDT_WITH(function, paramc, paramv, depc, depv, output) \
    named_edt(function, #function, paramc, paramv, depc, depv, output)
#define EDT(function, paramc, paramv, depc, depv) EDT_WITH(function, paramc, paramv, depc, depv, NULL)
#define END(depc) EDT(end_edt, 0, NULL, depc, NULL)

#endif
