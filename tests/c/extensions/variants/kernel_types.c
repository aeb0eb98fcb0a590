/*
 * Parameters whose types are not built in: a typedef is given as what it stands for, an enum as a number, a struct, a
 * union or a vector of up to 8 bytes takes the bytes of the word that come first. What the source does to their names
 * behind the kernel does not matter.
 */
// clause: ocr-variants.h
// needs: opencl
// workers: 2
#include "kernel.h"

static const char source[] =
    "typedef float real;\n"
    "typedef unsigned int word;\n"
    "typedef real real_again;\n"
    "typedef char small;\n"
    "typedef long wide __attribute__((aligned(16)));\n"
    "typedef short2 two;\n"
    "typedef struct { int a; uchar b; } pair;\n"
    "struct three { uchar x[3]; };\n"
    "union either { int whole; float part; };\n"
    "enum sign { MINUS = -1, PLUS = 1 };\n"
    "typedef enum { RED, GREEN = 7 } color;\n"
    "kernel void takes(const word w, real r, real_again again, small s, wide l, two t, pair p, struct three three,\n"
    "                  union either u, enum sign sign, color c, uchar4 bytes, global long *out) {\n"
    "    int i = 0;\n"
    "    out[i++] = w; out[i++] = (long)(r * 4); out[i++] = (long)(again * 4); out[i++] = s; out[i++] = l;\n"
    "    out[i++] = t.x; out[i++] = t.y; out[i++] = p.a; out[i++] = p.b; out[i++] = three.x[0] * 100 + three.x[2];\n"
    "    out[i++] = u.part == 0.5f; out[i++] = sign; out[i++] = c; out[i++] = bytes.x + bytes.w;\n"
    "}\n"
    "#define real double\n"
    "#define pair struct no_such_type\n"
    "#define sizeof 17 +\n"
    "// The last line is a comment, which goes on: \\";

static ocrGuid_t looks(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc;
    const long long want[] = {4000000000, -6, 2, -3, -5000000000, -1, 300, -70000, 200, 503, 1, -1, 7, 13},
                    *got = depv[1].ptr;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_EQ(got[i], want[i]);
    ocrShutdown();
    return NULL_GUID;
}

#define WORD(value)                                                                                                    \
    ({                                                                                                                 \
        __typeof__(value) value_of = (value);                                                                          \
        u64 word = 0;                                                                                                  \
        memcpy(&word, &value_of, sizeof value_of);                                                                     \
        word;                                                                                                          \
    })

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    struct pair {
        int a;
        u8 b;
    };
    struct three {
        u8 x[3];
    };
    struct two {
        short x, y;
    };
    u64 params[] = {4000000000u,
                    WORD(-1.5f),
                    WORD(0.5f),
                    (u64)(s64)-3,
                    (u64)(s64)-5000000000,
                    WORD(((struct two){-1, 300})),
                    WORD(((struct pair){-70000, 200})),
                    WORD(((struct three){{5, 0, 3}})),
                    WORD(0.5f),
                    (u64)(s64)-1,
                    7,
                    WORD(((u8[4]){6, 0, 0, 7}[0] | 7 << 24)),
    };
    const u32 count = sizeof params / sizeof *params;
    ocrGuid_t tmpl = kernel_of(source, "takes", count, 1), output;
    ocrGuid_t edt = kernel_edt(tmpl, 1, count, params, 1, &output), last = spawn(looks, 0, NULL, 2, NULL);
    ocrGuid_t block = bare_block(14 * sizeof(s64));
    link_to(output, last, 0, DB_MODE_NULL);
    link_to(block, last, 1, DB_MODE_RO);
    link_to(block, edt, 0, DB_MODE_EW);
    OK(ocrEdtTemplateDestroy(tmpl));
    return NULL_GUID;
}
