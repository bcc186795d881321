// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "env.h"
#include "kconfig.h"
#include "version.h"

static void row(struct sb_csv *out, const char *key, const char *value)
{
	sb_csv_text(out, key);
	sb_csv_text(out, value && *value ? value : "unknown");
	sb_csv_end_row(out);
}

static void row_u64(struct sb_csv *out, const char *key, uint64_t value)
{
	sb_csv_text(out, key);
	sb_csv_u64(out, value);
	sb_csv_end_row(out);
}

/* First line of a file, without its end and outer blanks; "" when there is none. */
static void first_line(const char *path, char *line, int len)
{
	FILE *f = fopen(path, "re");
	size_t end;

	if (!f || !fgets(line, len, f))
		line[0] = '\0';
	if (f)
		fclose(f);
	end = strlen(line);
	while (end && isspace((unsigned char)line[end - 1]))
		line[--end] = '\0';
}

static void row_file(struct sb_csv *out, const char *key, const char *path)
{
	char line[1024];

	first_line(path, line, sizeof(line));
	row(out, key, line);
}

/* x86 names the model; arm64 only has numbers, of which the part is the best there is. */
static void row_cpu(struct sb_csv *out)
{
	static const char *const keys[] = { "model name", "CPU part", "Hardware" };
	char line[256], *colon = NULL;
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && !colon && fgets(line, sizeof(line), f))
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !colon; i++)
			if (!strncmp(line, keys[i], strlen(keys[i])))
				colon = strchr(line, ':');
	if (f)
		fclose(f);
	if (colon)
		colon[strcspn(colon, "\n")] = '\0';
	row(out, "cpu_model", colon && colon[1] ? colon + 2 : NULL);
}

static void row_environ(struct sb_csv *out, const char *key, const char *variable,
			const char *otherwise)
{
	const char *value = getenv(variable);

	row(out, key, value ? value : otherwise);
}

static void row_sysctl(struct sb_csv *out, const char *name)
{
	char key[160], path[160];

	snprintf(key, sizeof(key), "sysctl.%s", name);
	for (char *c = key; *c; c++)
		if (*c == '/')
			*c = '.';
	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	if (!access(path, F_OK))
		row_file(out, key, path);
}

static void row_parameter(struct sb_csv *out, const char *name)
{
	char key[160], path[160];
	int module = (int)strcspn(name, ".");

	snprintf(key, sizeof(key), "parameter.%s", name);
	snprintf(path, sizeof(path), "/sys/module/%.*s/parameters/%s", module, name,
		 name + module + 1);
	row_file(out, key, path);
}

/* Every sysctl lies in a folder, no parameter does. */
static void rows_facts(struct sb_csv *out, const char *const *facts)
{
	for (; facts && *facts; facts++)
		if (strchr(*facts, '/'))
			row_sysctl(out, *facts);
		else
			row_parameter(out, *facts);
}

static void rows_kernel(struct sb_csv *out)
{
	struct sb_kconfig k;
	struct utsname uts;

	uname(&uts);
	sb_kconfig_read(&k);
	row(out, "kernel_release", uts.release);
	row(out, "kernel_version", uts.version);
	row(out, "machine", uts.machine);
	row_file(out, "kernel_cmdline", "/proc/cmdline");
	row(out, "kernel_config_sha256", k.sha256);
	row(out, "hz", k.hz);
	row(out, "preemption", k.preemption);
}

int sb_env_write(struct sb_csv *out, const char *const *facts, const char *const *extra,
		 unsigned int extra_count)
{
	sb_csv_header(out, "key,value");
	row(out, "stallbench_version", SB_VERSION);
	rows_kernel(out);
	row_cpu(out);
	row_u64(out, "cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	row_u64(out, "memory_mib",
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) >> 20);
	/* A guest's init says what it runs on; without it this is the machine itself. */
	row_environ(out, "accelerator", "STALLBENCH_ACCEL", "none");
	row_environ(out, "clock", "STALLBENCH_CLOCK", "real");
	row_environ(out, "qemu_version", "STALLBENCH_QEMU", "none");
	row_file(out, "clocksource",
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	row_file(out, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	row_file(out, "spectre_v2", "/sys/devices/system/cpu/vulnerabilities/spectre_v2");
	rows_facts(out, facts);
	for (unsigned int i = 0; i < extra_count; i++) {
		char key[64];
		const char *value = strchr(extra[i], '=');

		snprintf(key, sizeof(key), "%.*s", (int)(value - extra[i]), extra[i]);
		row(out, key, value + 1);
	}
	return sb_csv_close(out);
}
