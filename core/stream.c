// SPDX-License-Identifier: GPL-2.0-only
#include "stream.h"

#include <errno.h>

#include "msg.h"

int sb_flush(FILE *file, const char *what)
{
	errno = 0;
	if (!fflush(file) && !ferror(file))
		return 0;
	return sb_err(errno ? errno : EIO, "writing %s", what);
}

int sb_close(FILE *file, const char *what)
{
	int ret = sb_flush(file, what);

	if (fclose(file) && !ret)
		ret = sb_err(errno ? errno : EIO, "writing %s", what);
	return ret;
}
