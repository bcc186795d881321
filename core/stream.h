/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of a stream, where a write that failed anywhere before it is heard of. */
#ifndef SB_STREAM_H
#define SB_STREAM_H

#include <stdio.h>

/*
 * Writes out what is buffered: before an exit status says that all went well. @what is named in
 * the message: "writing WHAT". Returns 0, or -errno after a message; -EIO where the write that
 * failed was an earlier one, whose errno is gone.
 */
int sb_flush(FILE *file, const char *what);

/* The same, and closes the stream in any case. */
int sb_close(FILE *file, const char *what);

#endif
