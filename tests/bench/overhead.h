/* SPDX-License-Identifier: GPL-2.0-only */
/* The harness's own loop against a bare one: rounds of both take turns, the median ratio
 * counts. */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#define OVERHEAD_ROUNDS 62

struct overhead {
	const char *what;  /* is done in a round */
	unsigned int each; /* so many times */
	double least;	   /* ratio */
	double (*bare)(void *data),
		(*benchmark)(void *data); /* per second of CPU time; 0: failed */
};

/* Seconds of CPU time of this thread: other load on the machine does not count. */
double overhead_cpu_s(void);

/*
 * First the one, then the other in front: a machine that changes its speed hits both alike.
 * Prints a line. Returns 0; -EIO when a round failed; -ERANGE when the benchmark's rate is less
 * than least of the bare one.
 */
int overhead_compare(const struct overhead *o, void *data);

#endif
