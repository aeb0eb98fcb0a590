/*
 * ocr-profiler.h - marks that programs for OCR 1.2 put into their functions for a profiler.
 *
 * They do nothing here but for RETURN_PROFILE, which returns. See OCR_STATS and OCR_REPORT for what
 * the runtime itself can tell about a run.
 */
#ifndef OCR_API_PROFILER_H
#define OCR_API_PROFILER_H

#define START_PROFILE(name)
#define PAUSE_PROFILE
#define RESUME_PROFILE
#define RETURN_PROFILE(val) return val;
#define EXIT_PROFILE

#endif /* OCR_API_PROFILER_H */
