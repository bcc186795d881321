// SPDX-License-Identifier: GPL-2.0-only
/* Writes what the supervisor found out about a guest. */
#include "report.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha2.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/clock.h"
#include "../core/msg.h"
#include "../core/results.h"

static int open_csv(struct sb_csv *csv, const char *dir, const char *name)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return sb_err(ENAMETOOLONG, "%s", dir);
	return sb_csv_open(csv, path);
}

/* Writes a line to @name by way of @temporary, so that the file is there whole or as before. */
__attribute__((format(printf, 4, 5))) static int write_line(const char *dir, const char *name,
							    const char *temporary,
							    const char *fmt, ...)
{
	char path[PATH_MAX], part[PATH_MAX];
	va_list ap;
	FILE *file;
	int err = 0;

	if ((size_t)snprintf(part, sizeof(part), "%s/%s", dir, temporary) >= PATH_MAX ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= PATH_MAX)
		return sb_err(ENAMETOOLONG, "%s", dir);
	file = fopen(part, "we");
	if (!file)
		return sb_err(errno, "%s", part);
	va_start(ap, fmt);
	vfprintf(file, fmt, ap);
	va_end(ap);
	if (ferror(file))
		err = -EIO;
	if (fclose(file) && !err)
		err = -errno;
	if (!err && rename(part, path))
		err = -errno;
	return err ? sb_err(err, "%s", path) : 0;
}

int report_status(const char *dir, enum guest_status status)
{
	return write_line(dir, "status", ".status", "%s\n", guest_status_word(status));
}

int report_verdict(const char *dir, const struct guest *g)
{
	return write_line(dir, "verdict.txt", ".verdict", "%s%s%s\n",
			  guest_status_word(g->status), g->why[0] ? ": " : "", g->why);
}

static int write_fact(struct sb_csv *csv, const struct report_fact *fact)
{
	const char *value = strchr(fact->text, '=');
	char key[64], hash[SHA256_DIGEST_STRING_LENGTH];

	if (!value || value - fact->text >= (ptrdiff_t)sizeof(key))
		return sb_err(EINVAL, "fact '%s'", fact->text);
	snprintf(key, sizeof(key), "%.*s", (int)(value - fact->text), fact->text);
	value++;
	if (fact->hash) {
		if (!SHA256File(value, hash))
			return sb_err(errno, "%s", value);
		value = hash;
	}
	sb_csv_text(csv, key);
	sb_csv_text(csv, value);
	sb_csv_end_row(csv);
	return 0;
}

int report_facts(const char *dir, const struct report_fact *facts, size_t count)
{
	struct sb_csv csv;
	int err = open_csv(&csv, dir, "guest-env.csv"), closed;

	if (err)
		return err;
	sb_csv_header(&csv, "key,value");
	for (size_t i = 0; !err && i < count; i++)
		err = write_fact(&csv, &facts[i]);
	closed = sb_csv_close(&csv);
	return err ? err : closed;
}

static int add_one(struct sb_results *results, const struct sb_metric *metric, double value)
{
	struct sb_series *series = sb_results_series(results, "boot", metric);

	return series ? sb_series_add(series, value) : -ENOMEM;
}

int report_boot(const char *dir, const struct report_id *id, const struct guest *g)
{
	static const struct sb_metric to_init = {
		.name = "kernel_to_init",
		.unit = "us",
		.better = "lower",
		.help = "guest clock when init starts",
	};
	static const struct sb_metric hogged = {
		.name = "hogged_cpu",
		.unit = "count",
		.better = "lower",
		.help = "console lines about a work item that hogged its CPU",
	};
	struct sb_results results = { .kernel = id->kernel, .bench = "boot", .boot = id->boot };
	struct sb_csv csv;
	int err = 0;

	if (g->collect.at_ns[STEP_INIT])
		err = add_one(&results, &to_init, (double)g->collect.guest_us[STEP_INIT]);
	if (!err)
		err = add_one(&results, &hogged, (double)g->hogged);
	if (!err)
		err = open_csv(&csv, dir, "boot.csv");
	if (!err)
		err = sb_results_write(&results, &csv);
	sb_results_free(&results);
	return err;
}

int report_timing(const char *dir, const struct guest *g)
{
	static const char *const names[STEPS] = {
		[STEP_INIT] = "boot",	[STEP_START] = "prepare", [STEP_STOP] = "command",
		[STEP_END] = "collect", [STEP_GONE] = "shutdown",
	};
	const uint64_t *at = g->collect.at_ns;
	uint64_t last = at[STEP_QEMU];
	struct sb_csv csv;
	int err = open_csv(&csv, dir, "timing.csv");

	if (err)
		return err;
	sb_csv_header(&csv, "step,seconds");
	for (int i = STEP_QEMU + 1; i < STEPS; i++) {
		if (!at[i])
			continue;
		/* What QEMU's last words tell of was read after its end was seen. */
		if (at[i] < last)
			last = at[i];
		sb_csv_text(&csv, names[i]);
		sb_csv_double(&csv, (double)(at[i] - last) / SB_NS_PER_S);
		sb_csv_end_row(&csv);
		last = at[i];
	}
	return sb_csv_close(&csv);
}

/* The place where the last @lines lines of the @len bytes at @text begin. */
static size_t tail_start(const char *text, size_t len, unsigned int lines)
{
	size_t at = len;

	if (at > 0 && text[at - 1] == '\n')
		at--;
	for (; at > 0; at--)
		if (text[at - 1] == '\n' && --lines == 0)
			break;
	return at;
}

void report_tail(const char *dir, const char *name, unsigned int lines)
{
	char path[PATH_MAX], text[16384];
	ssize_t len;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	lseek(fd, -(off_t)sizeof(text), SEEK_END); /* fails on a shorter file, which is fine */
	len = read(fd, text, sizeof(text));
	close(fd);
	if (len <= 0)
		return;
	fprintf(stderr, "--- end of %s ---\n", name);
	for (size_t i = tail_start(text, (size_t)len, lines); i < (size_t)len; i++)
		if (text[i] != '\r')
			fputc(isprint((unsigned char)text[i]) || text[i] == '\n' ||
					      text[i] == '\t'
				      ? text[i]
				      : '?',
			      stderr);
	if (text[len - 1] != '\n')
		fputc('\n', stderr);
}
