// SPDX-License-Identifier: GPL-2.0-only
/* Room in the quota: refusing with the arithmetic, or raising the limits for the run. */
#include <errno.h>
#include <unistd.h>

#include "../core/num.h"
#include "keygcbench.h"

static int refuse(struct sb_run *run, uint64_t keys, const struct quota_plan *plan,
		  const struct quota_need *need)
{
	const struct quota *q = &keygc_state(run)->quota;
	bool on_keys = quota_binds_on_keys(q, need);
	char asked[SB_NUM_LEN], fit[SB_NUM_LEN], limit[SB_NUM_LEN], used[SB_NUM_LEN],
		wanted[SB_NUM_LEN];

	sb_msg("--keys %s does not fit: kernel.keys.%smax%s is %s for uid %u, %s are in use, and "
	       "the run needs %s; %s keys fit",
	       sb_num_grouped(asked, keys), q->uid ? "" : "root_", on_keys ? "keys" : "bytes",
	       sb_num_grouped(limit, on_keys ? q->max_keys : q->max_bytes), q->uid,
	       sb_num_grouped(used, on_keys ? q->keys : q->bytes),
	       sb_num_grouped(wanted, on_keys ? need->keys : need->bytes),
	       sb_num_grouped(fit, quota_fit(q, plan)));
	return -EINVAL;
}

/* Raises one limit of root's if it has to be. Returns 0 or -errno. */
static int raise_limit(struct sb_run *run, const char *name, uint64_t *limit, uint64_t wanted)
{
	char text[SB_NUM_LEN];
	int ret;

	if (*limit >= wanted)
		return 0;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)wanted);
	ret = sb_sysctl_set(&run->sysctls, name, text);
	if (!ret)
		*limit = wanted;
	return ret;
}

int room_make(struct sb_run *run, uint64_t keys)
{
	const struct keygc_params *params = keygc_params(run);
	struct quota *q = &keygc_state(run)->quota;
	const struct quota_plan plan = { params->keyrings, params->payload };
	struct quota_need need = quota_need(&plan, keys);
	int ret = quota_read(q, keygc_state(run)->owner);

	if (ret)
		return sb_err(ret, "reading the key quota");
	if (q->keys + need.keys <= q->max_keys && q->bytes + need.bytes <= q->max_bytes)
		return 0;
	if (geteuid())
		return refuse(run, keys, &plan, &need);
	/* Limits are ints in the kernel: root can raise them so far. */
	if (q->bytes + need.bytes > INT32_MAX || q->keys + need.keys > INT32_MAX) {
		q->max_keys = INT32_MAX;
		q->max_bytes = INT32_MAX;
		return refuse(run, keys, &plan, &need);
	}
	ret = raise_limit(run, q->uid ? "kernel/keys/maxkeys" : "kernel/keys/root_maxkeys",
			  &q->max_keys, q->keys + need.keys);
	if (!ret)
		ret = raise_limit(run,
				  q->uid ? "kernel/keys/maxbytes" : "kernel/keys/root_maxbytes",
				  &q->max_bytes, q->bytes + need.bytes);
	return ret ? refuse(run, keys, &plan, &need) : 0;
}
