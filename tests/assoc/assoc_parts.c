// SPDX-License-Identifier: GPL-2.0-only
/*
 * The associative array of a kernel variant, compiled as a program with ASan and UBSan, against
 * a plain table of what should be in it: objects are added and deleted at random, collected and
 * destroyed in parts, with a walk in RCU mode that began before and ends after, and with memory
 * that runs out.
 */
#include <stdio.h>

#include <linux/stubs.h>
#include <linux/assoc_array_priv.h>

#define OBJECTS 3000
#define PART 64

struct object {
	unsigned long key[3];
	int references; /* what the array holds, and what is on its way to be freed */
	bool linked, dead, seen, added;
};

static struct object object[OBJECTS];
static struct assoc_array array;
static unsigned int seed;
static struct rcu_head *waiting;
static int failing; /* one allocation in so many fails; 0 = none */

static unsigned int draw(unsigned int below)
{
	return (unsigned int)rand_r(&seed) % below;
}

void *kmalloc(size_t size, int flags)
{
	(void)flags;
	return failing && !draw((unsigned int)failing) ? NULL : malloc(size);
}

void *kzalloc(size_t size, int flags)
{
	void *p = kmalloc(size, flags);

	return p ? memset(p, 0, size) : NULL;
}

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	head->func = func;
	head->next = waiting;
	waiting = head;
}

/* -- the array's idea of an object ----------------------------------------------------------
 */

static unsigned long get_key_chunk(const void *key, int level)
{
	return level / BITS_PER_LONG < 3 ? ((const unsigned long *)key)[level / BITS_PER_LONG]
					 : 0;
}

static unsigned long get_object_key_chunk(const void *o, int level)
{
	return get_key_chunk(((const struct object *)o)->key, level);
}

static bool compare_object(const void *o, const void *key)
{
	return !memcmp(((const struct object *)o)->key, key, sizeof(object->key));
}

static int diff_objects(const void *o, const void *key)
{
	const unsigned long *a = ((const struct object *)o)->key, *b = key;

	for (int i = 0; i < 3; i++)
		if (a[i] != b[i])
			return i * BITS_PER_LONG + __builtin_ctzl(a[i] ^ b[i]);
	return -1;
}

static void free_object(void *o)
{
	((struct object *)o)->references--;
}

static const struct assoc_array_ops ops = {
	.get_key_chunk = get_key_chunk,
	.get_object_key_chunk = get_object_key_chunk,
	.compare_object = compare_object,
	.diff_objects = diff_objects,
	.free_object = free_object,
};

/* -- what was cut out, until a grace period is over ------------------------------------------
 */

#define CUTS 4096

static struct assoc_array cut[CUTS];
static unsigned int cuts;

static void grace_period(void)
{
	while (waiting) {
		struct rcu_head *head = waiting;

		waiting = head->next;
		head->func(head);
	}
	while (cuts) {
		unsigned long nr = 1 + draw(100), before = nr;

		if (assoc_array_destroy_part(&cut[cuts - 1], &ops, &nr))
			cuts--;
		else
			assert(!nr && before);
	}
}

/* -- the model ------------------------------------------------------------------------------
 */

static void insert(struct object *o)
{
	struct assoc_array_edit *edit = assoc_array_insert(&array, &ops, o->key, o);

	if (IS_ERR(edit))
		return;
	o->references++;
	assoc_array_apply_edit(edit);
	o->linked = o->added = true;
}

static void delete (struct object *o)
{
	struct assoc_array_edit *edit = assoc_array_delete(&array, &ops, o->key);

	if (IS_ERR(edit))
		return;
	assert(edit);
	assoc_array_apply_edit(edit);
	o->linked = false;
}

static int see(const void *o, void *data)
{
	(void)data;
	((struct object *)o)->seen = true;
	return 0;
}

/* Everything that is linked is there, is found, is counted, and has one reference. */
static void check(void)
{
	unsigned long linked = 0;

	grace_period();
	for (int i = 0; i < OBJECTS; i++)
		object[i].seen = false;
	assoc_array_iterate(&array, see, NULL);
	for (int i = 0; i < OBJECTS; i++) {
		struct object *o = &object[i];

		assert(o->seen == o->linked);
		assert(o->references == o->linked);
		assert(assoc_array_find(&array, &ops, o->key) == (o->linked ? o : NULL));
		linked += o->linked;
	}
	assert(array.nr_leaves_on_tree == linked);
}

static void churn(int steps)
{
	for (int i = 0; i < steps; i++) {
		struct object *o = &object[draw(OBJECTS)];

		if (o->linked)
			delete (o);
		else if (!draw(2))
			insert(o);
		if (!draw(50))
			grace_period();
	}
}

/* -- collecting ------------------------------------------------------------------------------
 */

static int is_dead(const void *o, void *data)
{
	(void)data;
	((struct object *)o)->seen = true;
	return ((const struct object *)o)->dead;
}

static bool keep(void *o, void *data)
{
	struct object *object = o;

	(void)data;
	object->seen = true;
	if (object->dead)
		return false;
	object->references++;
	return true;
}

/* In the way of keyring_gc(). What is linked all the time is judged, and goes if it is dead. */
static void collect(bool change)
{
	static bool all_the_time[OBJECTS];
	unsigned long position = 0, nr;
	unsigned int parts = 0;

	for (int i = 0; i < OBJECTS; i++) {
		object[i].seen = false;
		object[i].added = false;
		all_the_time[i] = object[i].linked;
	}
	do {
		nr = ULONG_MAX;
		if (assoc_array_iterate_part(&array, is_dead, NULL, PART, &position, &nr)) {
			assert(cuts < CUTS);
			assoc_array_gc_part(&array, &ops, keep, NULL, PART, &position, &nr,
					    &cut[cuts]);
			cuts += cut[cuts].root != NULL;
		}
		assert(++parts < 100 * OBJECTS);
		/* Whatever has gone by now: what is dead has no more business in the tree. */
		if (change) {
			for (int i = 0; i < OBJECTS; i++)
				if (object[i].dead && object[i].linked &&
				    !assoc_array_find(&array, &ops, object[i].key))
					object[i].linked = false;
			churn(20);
			for (int i = 0; i < OBJECTS; i++)
				all_the_time[i] &= object[i].linked && !object[i].added;
		}
	} while (position);
	for (int i = 0; i < OBJECTS; i++) {
		if (!all_the_time[i])
			continue;
		if (object[i].dead && !failing) {
			assert(!assoc_array_find(&array, &ops, object[i].key));
			object[i].linked = false;
		} else if (!object[i].dead) {
			assert(object[i].seen || failing);
			assert(assoc_array_find(&array, &ops, object[i].key) == &object[i]);
		} else {
			object[i].linked =
				assoc_array_find(&array, &ops, object[i].key) != NULL;
		}
	}
}

static void destroy(void)
{
	unsigned long nr;

	do
		nr = 1 + draw(50);
	while (!assoc_array_destroy_part(&array, &ops, &nr));
	for (int i = 0; i < OBJECTS; i++)
		object[i].linked = false;
	assert(!array.root && !array.nr_leaves_on_tree);
}

/*
 * Kinds of keys: spread out as a hash is, in few places, and alike in their first words, so
 * that there are shortcuts and parts that cannot be told apart by position.
 */
static void make_objects(unsigned int kind)
{
	for (int i = 0; i < OBJECTS; i++) {
		unsigned long *key = object[i].key;

		for (int w = 0; w < 3; w++)
			key[w] = (unsigned long)draw(INT_MAX) << 33 ^
				 (unsigned long)draw(INT_MAX);
		if (kind == 1)
			key[0] &= 0xf0f;
		else if (kind == 2)
			key[0] = draw(3) * 0x100000001ul;
		else if (kind == 3)
			key[0] &= ~0xffful;
		key[2] = (unsigned long)i; /* no two alike */
		object[i].references = 0;
		object[i].linked = false;
	}
}

static void one_round(unsigned int round)
{
	unsigned int share = 1 + draw(100);

	make_objects(round % 4);
	assoc_array_init(&array);
	for (int i = 0; i < OBJECTS; i++)
		if (draw(100) < share)
			insert(&object[i]);
	check();
	for (int pass = 0; pass < 4; pass++) {
		unsigned int dying = draw(101);

		for (int i = 0; i < OBJECTS; i++)
			object[i].dead = draw(100) < dying;
		failing = pass == 3 ? 20 : 0;
		collect(pass > 0);
		failing = 0;
		for (int i = 0; i < OBJECTS; i++)
			object[i].linked =
				assoc_array_find(&array, &ops, object[i].key) != NULL;
		check();
		churn(300);
		check();
	}
	destroy();
	check();
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : 40;

	for (unsigned int i = 0; i < rounds; i++) {
		seed = i + 1;
		one_round(i);
	}
	printf("%u rounds: what was in the array is what should be\n", rounds);
	return 0;
}
