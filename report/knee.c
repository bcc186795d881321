// SPDX-License-Identifier: GPL-2.0-only
#include "knee.h"

#include "../core/stats.h"
#include "interval.h"

double knee_cost(double here, double there, bool lower)
{
	return lower ? here / there - 1 : there / here - 1;
}

static void cost_of(struct knee_point *p, const struct knee_point *plateau, bool lower)
{
	struct sb_stats costs = { 0 };
	double half;

	for (unsigned int b = 0; b < p->boots && b < plateau->boots; b++) {
		double here = p->figure[b], there = plateau->figure[b];

		if (!p->known[b] || !plateau->known[b] || here <= 0 || there <= 0)
			continue;
		sb_stats_add(&costs, knee_cost(here, there, lower));
	}
	p->pairs = (unsigned int)costs.n;
	p->interval = interval_half(&costs, &half);
	if (!costs.n)
		return;
	p->cost = sb_stats_avg(&costs);
	p->low = p->cost - half;
	p->high = p->cost + half;
}

void knee_costs(struct knee_point *points, unsigned int count, bool lower)
{
	for (unsigned int i = 0; i < count; i++)
		cost_of(&points[i], &points[count - 1], lower);
}

unsigned int knee_find(const struct knee_point *points, unsigned int count)
{
	unsigned int knee = count - 1;

	while (knee > 0 && points[knee - 1].pairs && points[knee - 1].cost <= KNEE_WITHIN)
		knee--;
	return knee;
}
