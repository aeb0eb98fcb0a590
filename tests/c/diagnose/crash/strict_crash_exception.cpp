// An exception that nothing catches ends the program as one that leaves main would, and says what it is, whether it
// leaves an EDT or a function that the runtime calls for one: the creator of a map, the function of labels. Strict
// mode names the EDT.
//
// clause: crash
// env: OCR_CHECK=strict
// needs: signals
#include "crash.h"

#include <extensions/ocr-labeling.h>
#include <extensions/ocr-map-creator.h>

#include <stdexcept>

namespace {

void throws(ocrEdtDep_t[]) { throw std::runtime_error("no EDT catches this"); }

void creator(ocrGuid_t, u64, u32, u64 *, u32, ocrGuid_t *) { throw std::runtime_error("not created"); }

ocrGuid_t label(ocrGuid_t, u64, s64 *, s64 *) { throw std::runtime_error("not labeled"); }

void creates(ocrEdtDep_t[]) {
    ocrGuid_t map, object;
    OK(ocrMapCreate(&map, 1, creator, 0, nullptr, 0, nullptr));
    ocrMapGet(&object, map, 0);
}

void labels(ocrEdtDep_t[]) {
    s64 tuple[] = {0};
    ocrGuid_t map, found;
    OK(ocrGuidMapCreate(&map, 0, label, nullptr, 1, GUID_USER_EVENT_STICKY));
    ocrGuidFromLabel(&found, map, tuple);
}

ocrGuid_t crashes(u32, u64 *, u32, ocrEdtDep_t depv[]) {
    crash(throws, depv, SIGABRT, "crashed with SIGABRT");
    crash(throws, depv, SIGABRT, "no EDT catches this");
    crash(creates, depv, SIGABRT, "not created");
    crash(labels, depv, SIGABRT, "not labeled");
    ocrShutdown();
    return NULL_GUID;
}

} // namespace

extern "C" ocrGuid_t mainEdt(u32, u64 *, u32, ocrEdtDep_t[]) {
    ocrGuid_t tmpl;
    OK(ocrEdtTemplateCreate(&tmpl, crashes, 0, 0));
    edt_of(tmpl, 0, nullptr, 0, nullptr, EDT_PROP_NONE, nullptr);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
