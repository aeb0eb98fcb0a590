// An exception that leaves the function of an index space ends the program, which says what it was.
//
// clause: crash ocr-variants.h
// needs: opencl
// env: OCR_SCHED=device
// needs: signals
// status: nonzero
// stderr: no index space
#include "check.h"
#include <extensions/ocr-variants.h>

#include <stdexcept>

namespace {

void range(u32, const u64 *, u32, const u64 *, ocrNdRange_t *) { throw std::runtime_error("no index space"); }

ocrGuid_t function(u32, u64 *, u32, ocrEdtDep_t[]) {
    CHECK(!"its kernel runs");
    return NULL_GUID;
}

} // namespace

extern "C" ocrGuid_t mainEdt(u32, u64 *, u32, ocrEdtDep_t[]) {
    ocrGuid_t tmpl;
    OK(ocrEdtTemplateCreate(&tmpl, function, 0, 0));
    OK(ocrEdtTemplateAddKernel(tmpl, "__kernel void nothing(void) {}", nullptr, "nothing", range, OCR_NO_RESULT));
    edt_of(tmpl, 0, nullptr, 0, nullptr, EDT_PROP_NONE, nullptr);
    return NULL_GUID;
}
