/* A function that is sent on as a code comes back as itself, and can be called and given to a template. */
// clause: ocr-heterogeneous.h
#include "check.h"
#include <extensions/ocr-heterogeneous.h>

static int registrations;

/* Programs define it, to register their functions; it is called once, before mainEdt. */
void registerEdtFunctions(void) { ++registrations; }

static u64 doubled(u64 number) { return 2 * number; }

static ocrGuid_t calls(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)depc, (void)depv;
    u64 (*function)(u64) = (u64(*)(u64))ocrDecodeFunctionPointer(paramv[0]);
    CHECK(function == doubled);
    CHECK_EQ(function(21), 42);
    ocrShutdown();
    return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(registrations, 1);
    OK(ocrRegisterEdtFuntion(calls));
    OK(ocrRegisterFunctionPointer((ocrFuncPtr_t)doubled));
    REFUSED(OCR_EINVAL, ocrRegisterEdtFuntion(NULL));
    REFUSED(OCR_EINVAL, ocrRegisterFunctionPointer(NULL));
    CHECK_EQ(ocrEncodeFunctionPointer(NULL), 0);
    CHECK(ocrDecodeFunctionPointer(0) == NULL);
    u64 code = ocrEncodeFunctionPointer((ocrFuncPtr_t)doubled);
    ocrEdt_t edt = (ocrEdt_t)ocrDecodeFunctionPointer(ocrEncodeFunctionPointer((ocrFuncPtr_t)calls));
    spawn(edt, 1, &code, 0, NULL);
    return NULL_GUID;
}
