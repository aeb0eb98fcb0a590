// An exception that nothing catches ends the program as one that leaves main would, and says what it is; strict
// mode names the EDT.
//
// env: OCR_CHECK=strict
// needs: signals
#include "crash.h"

#include <stdexcept>

namespace {

void throws(ocrEdtDep_t[]) { throw std::runtime_error("nobody catches this"); }

ocrGuid_t crashes(u32, u64 *, u32, ocrEdtDep_t depv[]) {
    crash(throws, depv, SIGABRT, "crashed with SIGABRT");
    crash(throws, depv, SIGABRT, "nobody catches this");
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
