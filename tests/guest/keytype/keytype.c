// SPDX-License-Identifier: GPL-2.0
/*
 * A key type that comes and goes while keys of it live, for tests/guest/keytypes.c.
 *
 * The module stays while its type is unregistered, unlike a real one, so that a destructor
 * called too late is counted where it would otherwise jump into freed memory. Under
 * /sys/module/keytype/parameters:
 *   registered  write 1 or 0; writing 0 returns when unregister_key_type() does
 *   hold        keep a reference of its own to the next so many keys; write 0 to drop them all
 *   live        payloads that exist
 *   late        payloads destroyed while the type was not registered
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/key-type.h>
#include <linux/key.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#define HELD_MAX 4096

static atomic_t live = ATOMIC_INIT(0);
static atomic_t late = ATOMIC_INIT(0);
static bool registered;

static DEFINE_SPINLOCK(held_lock);
static struct key *held[HELD_MAX];
static unsigned int held_nr, hold;

static int sb_instantiate(struct key *key, struct key_preparsed_payload *prep)
{
	char *data;
	int ret;

	ret = key_payload_reserve(key, prep->datalen);
	if (ret < 0)
		return ret;
	data = kmemdup(prep->data, prep->datalen, GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	rcu_assign_keypointer(key, data);
	atomic_inc(&live);

	spin_lock(&held_lock);
	if (hold && held_nr < HELD_MAX) {
		held[held_nr++] = key_get(key);
		hold--;
	}
	spin_unlock(&held_lock);
	return 0;
}

static void sb_destroy(struct key *key)
{
	kfree(key->payload.data[0]);
	atomic_dec(&live);
	if (!READ_ONCE(registered))
		atomic_inc(&late);
}

static void sb_describe(const struct key *key, struct seq_file *m)
{
	seq_puts(m, key->description);
}

static struct key_type sb_key_type = {
	.name = "stallbench",
	.instantiate = sb_instantiate,
	.destroy = sb_destroy,
	.describe = sb_describe,
};

static int registered_set(const char *val, const struct kernel_param *kp)
{
	bool want;
	int ret;

	ret = kstrtobool(val, &want);
	if (ret || want == registered)
		return ret;
	if (want) {
		ret = register_key_type(&sb_key_type);
		if (!ret)
			WRITE_ONCE(registered, true);
		return ret;
	}
	unregister_key_type(&sb_key_type);
	/* From here on the type may be gone, as far as the collector can know. */
	WRITE_ONCE(registered, false);
	return 0;
}

static int hold_set(const char *val, const struct kernel_param *kp)
{
	struct key *key;
	unsigned int want;
	int ret;

	ret = kstrtouint(val, 0, &want);
	if (ret)
		return ret;
	spin_lock(&held_lock);
	hold = want;
	while (!want && held_nr) {
		key = held[--held_nr];
		spin_unlock(&held_lock);
		key_put(key);
		spin_lock(&held_lock);
	}
	spin_unlock(&held_lock);
	return 0;
}

static int count_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read((atomic_t *)kp->arg));
}

static const struct kernel_param_ops registered_ops = {
	.set = registered_set,
	.get = param_get_bool,
};

static const struct kernel_param_ops hold_ops = {
	.set = hold_set,
	.get = param_get_uint,
};

static const struct kernel_param_ops count_ops = {
	.get = count_get,
};

module_param_cb(registered, &registered_ops, &registered, 0600);
module_param_cb(hold, &hold_ops, &hold, 0600);
module_param_cb(live, &count_ops, &live, 0400);
module_param_cb(late, &count_ops, &late, 0400);

static int __init sb_init(void)
{
	return 0;
}

static void __exit sb_exit(void)
{
	hold_set("0", NULL);
	if (registered)
		unregister_key_type(&sb_key_type);
}

module_init(sb_init);
module_exit(sb_exit);
MODULE_DESCRIPTION("A key type to be unregistered while keys of it live");
MODULE_LICENSE("GPL");
