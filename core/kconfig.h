/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of the running kernel, as far as it can be found. */
#ifndef SB_KCONFIG_H
#define SB_KCONFIG_H

#define SB_SHA256_LEN 65

struct sb_kconfig {
	char hz[16];
	char preemption[32]; /* none, voluntary, full, lazy, rt; with " (dynamic)" */
	char sha256[SB_SHA256_LEN];
};

/* Fills in what is known and "unknown" for the rest. */
void sb_kconfig_read(struct sb_kconfig *k);

/* The same from a text in memory (len bytes, with an end behind it); for tests. */
void sb_kconfig_parse(struct sb_kconfig *k, const char *text, unsigned long len);

#endif
