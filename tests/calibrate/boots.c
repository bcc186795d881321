// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../core/msg.h"
#include "../../core/num.h"
#include "../../report/readcsv.h"
#include "calibrate.h"

static int on_figure(char **f, unsigned long line, void *data)
{
	struct boots *d = data;
	unsigned int row = 0;
	uint64_t boot;
	double value;

	while (row < d->rows && strcmp(d->row_name[row], f[2]))
		row++;
	if (sb_parse_u64(f[3], &boot) || !boot || boot > REAL_BOOTS_MOST ||
	    sb_parse_double(f[4], &value) || row == ROWS_MOST) {
		sb_msg("line %lu: not a figure of a boot", line);
		return -EINVAL;
	}
	if (row == d->rows)
		snprintf(d->row_name[d->rows++], sizeof(d->row_name[0]), "%s", f[2]);
	d->figure[row][boot - 1] = value;
	if (!*f[5])
		d->wobble[row] = NAN;
	else if (!sb_parse_double(f[5], &value))
		d->wobble[row] = value / 100;
	if (boot > d->boots)
		d->boots = (unsigned int)boot;
	d->exact = !strcmp(f[1], "virtual");
	snprintf(d->name, sizeof(d->name), "%s, %s time", f[0], f[1]);
	return 0;
}

int boots_read(struct boots *d, const char *path)
{
	static const char *const columns[] = { "kernel", "clock",	   "row", "boot",
					       "figure", "wobble_percent", NULL };
	int ret;

	memset(d, 0, sizeof(*d));
	ret = readcsv(path, columns, on_figure, d);
	if (ret == -ENOENT)
		return sb_err(ENOENT, "%s", path);
	for (unsigned int r = 0; r < d->rows && !ret; r++) {
		for (unsigned int b = 0; b < d->boots && !ret; b++) {
			if (d->figure[r][b] > 0)
				continue;
			sb_msg("%s: no figure of row %s, boot %u", path, d->row_name[r], b + 1);
			ret = -EINVAL;
		}
	}
	return ret;
}
