/* 2.1: version string and its parts, base types, error codes. */
// clause: 2.1 ocr-version.h
#include "check.h"

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    CHECK_EQ(strcmp(OCR_VERSION, "1.1.0"), 0);
    CHECK_EQ(OCR_VERSION_GET_MAJOR((u8 *)OCR_VERSION), 1);
    CHECK_EQ(OCR_VERSION_GET_MINOR((u8 *)OCR_VERSION), 1);
    CHECK_EQ(OCR_VERSION_GET_PATCH((u8 *)OCR_VERSION), 0);
    CHECK_EQ(OCR_VERSION_GET_MAJOR((u8 *)"12.345.6"), 12);
    CHECK_EQ(OCR_VERSION_GET_MINOR((u8 *)"12.345.6"), 345);
    CHECK_EQ(OCR_VERSION_GET_PATCH((u8 *)"12.345.6"), 6);
    CHECK_EQ(OCR_VERSION_GET_PATCH((u8 *)"12.345"), 0);
    CHECK_EQ(OCR_VERSION_GET_MAJOR(NULL), 0);

    /* One bit for each extension, those of OCR 1.2 where it has them. */
    const int bits[] = {
        OCR_VERSION_LEGACY_BIT,
        OCR_VERSION_AFFINITY_BIT,
        OCR_VERSION_PARAMS_EVT_BIT,
        OCR_VERSION_COUNTED_EVT_BIT,
        OCR_VERSION_RTITF_BIT,
        OCR_VERSION_PAUSE_BIT,
        OCR_VERSION_LABELING_BIT,
        OCR_VERSION_HINTS_BIT,
        OCR_VERSION_CHANNEL_EVT_BIT,
        OCR_VERSION_COLLECTIVE_EVT_BIT,
        OCR_VERSION_MULTI_OUTPUT_SLOT_BIT,
        OCR_VERSION_DB_INFO_BIT,
        OCR_VERSION_DEBUG_BIT,
        OCR_VERSION_HETEROGENEOUS_BIT,
        OCR_VERSION_BYVALUE_DB_BIT,
        OCR_VERSION_DB_PARTITIONING_BIT,
        OCR_VERSION_FILE_BIT,
        OCR_VERSION_MAP_CREATOR_BIT,
        OCR_VERSION_OPENCL_BIT,
        OCR_VERSION_PDL_BIT,
        OCR_VERSION_VARIANTS_BIT,
        OCR_VERSION_STATS_BIT,
        OCR_VERSION_CHECKPOINT_BIT,
    };
    u64 all = 0;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        CHECK_EQ(bits[i], 1 << (i + 1));
        all |= (u64)bits[i];
    }
    CHECK_EQ(OCR_VERSION_EXTENSION_BITMAP, all);
    CHECK_EQ(EXTENSION_LABELING_BITPOS, 7);

    CHECK_EQ(sizeof(u64) * 100 + sizeof(u32) * 10 + sizeof(u16), 842);
    CHECK_EQ(sizeof(s64) * 100 + sizeof(s32) * 10 + sizeof(s8), 841);
    CHECK_EQ(sizeof(u8), 1);
    CHECK_EQ(sizeof(bool), 1);
    CHECK(true == TRUE && false == FALSE && true == 1 && false == 0);
    CHECK(NULL_HINT == NULL);
    CHECK_EQ(DB_DEFAULT_MODE, DB_MODE_RW);

    /* Distinct codes, none of them success. */
    const int codes[] = {OCR_EPERM,       OCR_ENOENT, OCR_EINTR,  OCR_EIO,      OCR_ENXIO,  OCR_E2BIG,  OCR_ENOEXEC,
                         OCR_EAGAIN,      OCR_ENOMEM, OCR_EACCES, OCR_EFAULT,   OCR_EBUSY,  OCR_ENODEV, OCR_EINVAL,
                         OCR_ENOSPC,      OCR_ESPIPE, OCR_EROFS,  OCR_EDOM,     OCR_ERANGE, OCR_ENOSYS, OCR_ENOTSUP,
                         OCR_EGUIDEXISTS, OCR_EACQ,   OCR_EPEND,  OCR_ECANCELED};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        CHECK(codes[i] > 0 && codes[i] < 256);
        for (size_t j = 0; j < i; j++) {
            CHECK(codes[i] != codes[j]);
        }
    }
    ocrShutdown();
    return NULL_GUID;
}
