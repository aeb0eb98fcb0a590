/*
 * ocr-std.h - printing and assertions (OCR 1.1.0, 2.3.5; extension: OCR 1.2).
 */
#ifndef OCR_API_STD_H
#define OCR_API_STD_H

#include "ocr-types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Prints to the standard output, like printf of the C library, and returns the number of bytes written, or 0 if it
 * fails. The standard output has a buffer. If something of it cannot be written later, an error says so at the end, and
 * the exit status is not 0; so it is for what the program prints by the C library. Each call is written in one piece:
 * lines of EDTs that print at the same time do not mix. The specification lets a runtime cut off long texts (some do at
 * 1024 bytes); this one does not.
 *
 * PRINTF is the name in OCR 1.1.0, 2.3.5; ocrPrintf (OCR 1.2) does the same. Neither carries a
 * format attribute: programs print 64-bit numbers with whatever conversion the platform once had.
 */
u32 ocrPrintf(const char *fmt, ...);
u32 PRINTF(const char *fmt, ...);

/*
 * Writes to buf, at most size bytes with the closing zero, and returns the number of bytes that the
 * whole text has without it, like snprintf of the C library, or 0 if it fails. Extension: OCR 1.2.
 */
u32 SNPRINTF(char *buf, u32 size, const char *fmt, ...);

/*
 * What an assertion calls.
 *
 *   val         whether it holds: then nothing is done. Otherwise the process ends with abort(), after
 *               a line on the standard error with the others
 *   str         the expression
 *   file, line  where it stands
 *
 * Extension: OCR 1.2.
 */
void _ocrAssert(bool val, const char *str, const char *file, u32 line);

#ifdef __cplusplus
}
#endif

/*
 * ocrAssert(a) checks a if the program is compiled with -DOCR_ASSERT. Otherwise it does not even
 * evaluate a; sizeof makes the compiler see it still, so that no variable becomes an unused one.
 * ASSERT is the name in OCR 1.1. Extension: OCR 1.2.
 *
 * #a is formed in the outer macro, where a is not expanded yet: the message shows what was written.
 */
#ifdef OCR_ASSERT
#define OCR_ASSERT_TEXT(a, text)                                \
    do {                                                        \
        if (!((a) != 0)) {                                      \
            _ocrAssert(false, text, __FILE__, (u32)(__LINE__)); \
        }                                                       \
    } while (0)
#else
#define OCR_ASSERT_TEXT(a, text) ((void)sizeof((a) != 0))
#endif

#define ocrAssert(a) OCR_ASSERT_TEXT(a, #a)
#ifndef ASSERT
#define ASSERT(a) OCR_ASSERT_TEXT(a, #a)
#endif

/*
 * VERIFY(cond, fmt, ...) prints "PASSED @ 'file:line' " or "FAILURE @ 'file:line' ", then the text;
 * fmt is a string literal. The program goes on either way. Extension: OCR 1.2.
 *
 * The 0 at the end is an argument that no conversion asks for: it lets fmt come alone, which a
 * macro with `...` may not in ISO C before C23.
 */
#ifndef VERIFY
#define VERIFY(cond, ...) OCR_VERIFY_TEXT(cond, __VA_ARGS__, 0)
#define OCR_VERIFY_TEXT(cond, fmt, ...)                                                     \
    do {                                                                                    \
        ocrPrintf(((cond) != 0) ? "PASSED @ '%s:%d' " fmt : "FAILURE @ '%s:%d' " fmt,       \
                  __FILE__, __LINE__, __VA_ARGS__);                                         \
    } while (0)
#endif

#endif /* OCR_API_STD_H */
