// SPDX-License-Identifier: GPL-2.0-only
#include "compare_gates.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "primary.h"
#include "readcsv.h"

static int on_metric(char **f, unsigned long line, void *data)
{
	struct gates *g = data;
	struct gate *grown = reallocarray(g->gate, g->count + 1, sizeof(*grown)), *new;

	(void)line;
	if (!grown)
		return sb_err(ENOMEM, "reading metrics");
	g->gate = grown;
	new = &g->gate[g->count++];
	*new = (struct gate){ names_id(g->names, f[0]), names_id(g->names, f[1]), { 0 }, NAN };
	new->statistic[COMPARE_AVG] = primary_word(f[2], "avg");
	new->statistic[COMPARE_MAX] = primary_word(f[2], "max");
	new->statistic[COMPARE_TOTAL] = primary_word(f[2], "total");
	new->statistic[COMPARE_P99] = primary_word(f[2], "p99");
	if (*f[3] && !sb_parse_double(f[3], &new->wobble))
		new->wobble /= 100;
	return 0;
}

int gates_read(struct gates *g, const struct side *s, struct names *names)
{
	static const char *const columns[] = { "bench", "metric", "primary", "wobble_percent",
					       NULL };
	int ret;

	*g = (struct gates){ .names = names };
	if (s->bare)
		return 0;
	ret = readcsv_at(columns, on_metric, g, "%s/metrics.csv", s->path);
	g->known = !ret;
	return ret == -ENOENT ? 0 : ret;
}

void gates_free(struct gates *g)
{
	free(g->gate);
	*g = (struct gates){ 0 };
}

const struct gate *gates_find(const struct gates *g, uint32_t bench, uint32_t metric)
{
	for (uint32_t i = 0; i < g->count; i++)
		if (g->gate[i].bench == bench && g->gate[i].metric == metric)
			return &g->gate[i];
	return NULL;
}
