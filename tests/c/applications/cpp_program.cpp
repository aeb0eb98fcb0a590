/*
 * A C++ program: mainEdt with C linkage, the GUID macros as expressions, lambdas as EDTs, a chain
 * that returns its block, output events, an array of GUIDs as parameters.
 */
// clause: application
// stdout-lines: 1 sum 5050 of 0x0
// one-node: its EDTs share variables of the program
#include "check.h"
#include <atomic>
#include <vector>

namespace {

std::atomic<int> s_ran{0};

ocrGuid_t adds(u32, u64 *paramv, u32, ocrEdtDep_t depv[]) {
    s_ran++;
    *static_cast<u64 *>(depv[0].ptr) += paramv[0];
    return depv[0].guid;
}

ocrGuid_t ends(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    const ocrGuid_t *guids = reinterpret_cast<const ocrGuid_t *>(paramv);
    CHECK_EQ(paramc, 2);
    CHECK_EQ(depc, 3);
    CHECK(ocrGuidIsEq(guids[0], depv[0].guid));
    CHECK(ocrGuidIsNull(guids[1]));
    CHECK(ocrGuidIsNull(depv[1].guid) && depv[1].ptr == nullptr);
    CHECK_EQ(number_in(depv[0]), 5050);
    CHECK_EQ(s_ran.load(), 100 + 10);
    ocrPrintf("sum %lu of " GUIDF "\n", (unsigned long)number_in(depv[0]), GUIDA(NULL_GUID));
    ocrShutdown();
    return NULL_GUID;
}

} // namespace

extern "C" ocrGuid_t mainEdt(u32, u64 *, u32 depc, ocrEdtDep_t depv[]) {
    CHECK_EQ(depc, 1);
    CHECK_EQ(ocrGetArgc(depv[0].ptr), 1);
    const ocrGuid_t block = block_with(0);
    CHECK(!ocrGuidIsEq(block, ERROR_GUID) && !ocrGuidIsUninitialized(block));

    ocrGuid_t params[] = {block, NULL_GUID};
    ocrGuid_t slots[] = {UNINITIALIZED_GUID, NULL_GUID, UNINITIALIZED_GUID};
    ocrGuid_t last = spawn(ends, 2, reinterpret_cast<u64 *>(params), 3, slots);

    std::vector<ocrGuid_t> edts;
    ocrGuid_t output = NULL_GUID;
    for (u64 i = 1; i <= 100; i++) {
        ocrGuid_t before = output;
        edts.push_back(spawn_with(adds, 1, &i, 1, nullptr, EDT_PROP_NONE, &output));
        if (i > 1) {
            link_to(before, edts.back(), 0, DB_MODE_EW);
        }
    }
    link_to(output, last, 0, DB_MODE_CONST);

    /* A captureless lambda is an EDT function. */
    ocrEdt_t scope = [](u32, u64 *, u32, ocrEdtDep_t *) -> ocrGuid_t {
        for (u64 i = 0; i < 10; i++) {
            ocrGuid_t own = block_with(i);
            spawn(adds, 1, &i, 1, &own);
        }
        return NULL_GUID;
    };
    ocrGuid_t done, hold = UNINITIALIZED_GUID;
    ocrGuid_t edt = spawn_with(scope, 0, nullptr, 1, &hold, EDT_PROP_FINISH, &done);
    link_to(done, last, 2, DB_MODE_NULL);
    link_to(NULL_GUID, edt, 0, DB_MODE_NULL);
    link_to(block, edts.front(), 0, DB_MODE_RW);
    return NULL_GUID;
}
