// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "num.h"
#include "progress.h"

#define REDRAW_NS (200 * SB_NS_PER_MS)

static FILE *live_terminal(void)
{
	if (isatty(STDERR_FILENO))
		return stderr;
	return getenv("STALLBENCH_TTY") ? fopen("/dev/tty", "we") : NULL;
}

void sb_progress_phase(struct sb_progress *p, const char *bench, const char *phase, bool quiet)
{
	uint64_t now = sb_now_ns();

	*p = (struct sb_progress){
		.live = quiet ? NULL : live_terminal(),
		.quiet = quiet,
		.bench = bench,
		.phase = phase,
		.phase_began = now,
		.step_began = now,
	};
}

void sb_progress_step(struct sb_progress *p, const char *step, uint64_t total)
{
	p->step = step;
	p->total = total;
	p->step_began = sb_now_ns();
	p->shown = 0;
	sb_progress_at(p, 0);
}

void sb_progress_at(struct sb_progress *p, uint64_t done)
{
	char a[SB_NUM_LEN], b[SB_NUM_LEN];
	uint64_t now;
	double left;

	if (!p->live)
		return;
	now = sb_now_ns();
	if (p->shown && now - p->shown < REDRAW_NS)
		return;
	p->shown = now;
	fprintf(p->live, "\r\033[K%s %s: %s", p->bench, p->phase, p->step);
	if (p->total)
		fprintf(p->live, " %s/%s", sb_num_grouped(a, done),
			sb_num_grouped(b, p->total));
	if (done && done < p->total) {
		left = (double)(now - p->step_began) / (double)done * (double)(p->total - done);
		fprintf(p->live, ", %.0f s left", left / SB_NS_PER_S);
	}
	fflush(p->live);
}

void sb_progress_clear(struct sb_progress *p)
{
	if (!p->live)
		return;
	fputs("\r\033[K", p->live);
	fflush(p->live);
}

void sb_progress_end(struct sb_progress *p, const char *outcome)
{
	if (p->quiet)
		return;
	sb_progress_clear(p);
	fprintf(stderr, "%s %s: %s, %.1f s\n", p->bench, p->phase, outcome,
		(double)(sb_now_ns() - p->phase_began) / SB_NS_PER_S);
	if (p->live && p->live != stderr)
		fclose(p->live);
	p->live = NULL;
}
