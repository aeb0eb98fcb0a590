/* 2.3.5: every conversion that OCR promises, under both names, and the number of bytes returned. */
// clause: 2.3.5
// deviates: 2.3.5
#include "check.h"

#define PRINTS(text, ...) CHECK_EQ(ocrPrintf(__VA_ARGS__), strlen(text))

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
    (void)paramc, (void)paramv, (void)depc, (void)depv;
    s32 negative = -42;
    u32 large = 4000000000u;
    s64 wide = -1234567890123456789;
    u64 top = 18446744073709551615u;
    PRINTS("", "");
    PRINTS("plain\n", "plain\n");
    PRINTS("100%\n", "100%%\n");
    PRINTS("<one> <two>\n", "<%s> <%s>\n", "one", "two");
    PRINTS("-42 4000000000 ee6b2800 EE6B2800\n", "%d %u %x %X\n", negative, large, large, large);
    PRINTS("-1234567890123456789 18446744073709551615\n", "%ld %lu\n", (long)wide, (unsigned long)top);
    PRINTS("-1234567890123456789 18446744073709551615\n", "%lld %llu\n", (long long)wide, (unsigned long long)top);
    PRINTS("123456789abcdef0 123456789ABCDEF0\n", "%lx %lX\n", 0x123456789abcdef0ul, 0x123456789abcdef0ul);
    PRINTS("123456789abcdef0 123456789ABCDEF0\n", "%llx %llX\n", 0x123456789abcdef0ull, 0x123456789abcdef0ull);
    PRINTS("0xff 0xff00ff00ff 0xff00ff00ff\n", "%#x %#lx %#llx\n", 255u, 0xff00ff00fful, 0xff00ff00ffull);
    PRINTS("0x1234\n", "%p\n", (void *)0x1234);
    PRINTS("3.141593 3.14 3\n", "%f %.2f %.0f\n", 3.14159265, 3.14159265, 3.14159265);
    PRINTS("6.02e+23 -1.6E-19 1.000000e+00\n", "%.2e %.1E %e\n", 6.02e23, -1.6e-19, 1.0);
    PRINTS("12 of 34: s 0.5\n", "%u of %lu: %s %.1f\n", 12u, 34ul, "s", 0.5);
    CHECK_EQ(PRINTF("old name %d\n", 7), strlen("old name 7\n"));
    /* The longest line that every implementation can be asked for. */
    char line[1000];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\0';
    CHECK_EQ(ocrPrintf("%s\n", line), sizeof line);
    char text[16];
    CHECK_EQ(SNPRINTF(text, sizeof text, "%s-%d", "abc", 12), 6);
    CHECK_EQ(strcmp(text, "abc-12"), 0);
    CHECK_EQ(SNPRINTF(text, 5, "%s", "abcdefgh"), 8);
    CHECK_EQ(strcmp(text, "abcd"), 0);
    ocrShutdown();
    return NULL_GUID;
}
