// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks what the limit of negative dentries promises, a rule at a time and to the dentry: what
 * is counted and what not, when the limit is met, and what happens then. Nothing else may run.
 */
#include "dentryhelp.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DISK "/dev/ram0"
#define WHERE "/disk"
/* Files of a rule; fewer than a batch of the kernel's and more, so that both are met. */
#define FEW 100
#define MANY 1500

static struct {
	const char *image;
	long misses, per_page;
	double limit;
} opt = { .per_page = 21, .limit = 20 };

static const struct setting options[] = {
	{ "misses", 'm', "N", "only show the bound, with so many look-ups that fail",
	  .whole = &opt.misses },
	{ "per-page", 'p', "N",
	  "dentries in a page (default 21; 0: unknown, the formula is not checked)",
	  .whole = &opt.per_page },
	{ "limit", 'l', "S", "seconds that freeing may take (default 20)",
	  .fraction = &opt.limit },
};

static const char doc[] =
	"Checks the rules of fs.neg-dentry-limit on an ext4 IMAGE, copied to " DISK ".\v"
	"Exit status: 0 passed, 1 failed, 2 usage, 77 cannot run here.";

/* -- Comparing ------------------------------------------------------------------------------
 */

static struct dentries mark;

static void from_here(void)
{
	mark = dentries();
}

/* What has changed since from_here(): dentries that count, and negative ones. */
static void expect(const char *what, long counted, long negative)
{
	struct dentries d = dentries();

	if (d.counted - mark.counted != counted || d.negative - mark.negative != negative)
		die(FAILED, "%s: counted %+ld, negative %+ld instead of %+ld and %+ld", what,
		    d.counted - mark.counted, d.negative - mark.negative, counted, negative);
	check_sum(what);
	mark = d;
}

static void expect_killed(const char *what, long killed)
{
	struct dentries d = dentries();

	if (d.killed - mark.killed != killed)
		die(FAILED, "%s: %ld killed instead of %ld", what, d.killed - mark.killed,
		    killed);
}

static void drain(const char *what)
{
	struct dentries d;

	if (!drop_counted(0, opt.limit))
		die(FAILED, "%s: %ld are still counted with all caches dropped", what,
		    dentries().counted);
	d = dentries();
	if (d.left != d.total || d.excess)
		die(FAILED, "%s: all are gone, and %ld of %ld are left", what,
		    d.left - d.excess, d.total);
}

/* -- The rules ------------------------------------------------------------------------------
 */

static void refused(const char *path, const char *value)
{
	long before = read_number(path);

	if (write_file(path, value))
		die(FAILED, "%s takes %s", path, value);
	if (errno != EINVAL)
		die(FAILED, "%s, written to %s, gives: %m", value, path);
	if (read_number(path) != before)
		die(FAILED, "%s, refused, changed %s to %ld", value, path, read_number(path));
}

static void bounds(void)
{
	refused(LIMIT, "-1");
	refused(LIMIT, "101");
	refused(LIMIT, "many");
	refused(ENFORCE, "-1");
	refused(ENFORCE, "2");
}

static void rename_files(const char *from, const char *to)
{
	char old[32], new[32];
	long i;

	for (i = 0; i < FEW; i++) {
		snprintf(old, sizeof(old), "%s%ld", from, i);
		snprintf(new, sizeof(new), "%s%ld", to, i);
		if (rename(old, new) < 0)
			die(FAILED, "cannot rename %s: %m", old);
	}
}

static void link_files(const char *from, const char *to)
{
	char old[32], new[32];
	long i;

	for (i = 0; i < FEW; i++) {
		snprintf(old, sizeof(old), "%s%ld", from, i);
		snprintf(new, sizeof(new), "%s%ld", to, i);
		if (link(old, new) < 0)
			die(FAILED, "cannot link %s: %m", old);
	}
}

/* What counts: names that a failed look-up left, until they get a file or go. */
static void counting(void)
{
	from_here();
	miss("off", FEW);
	expect("misses without a limit", 0, FEW);
	set_limit(10);
	miss("off", FEW);
	expect("a limit, set later", 0, 0);
	miss("a", MANY);
	expect("misses", MANY, MANY);
	miss("a", MANY);
	expect("the same misses again", 0, 0);
	create("a", FEW);
	expect("files of names that were missed", -FEW, -FEW);
	remove_files("a", FEW);
	expect("files removed", 0, FEW);
	miss("a", FEW);
	expect("names of removed files", 0, 0);
	create("a", FEW);
	expect("files of such names", 0, -FEW);
	create("b", FEW);
	expect("files of new names", 0, 0);
	miss("c", FEW);
	expect("misses", FEW, FEW);
	rename_files("b", "c");
	expect("files moved to names that were missed", -FEW, -FEW);
	miss("b", FEW);
	expect("names from which files were moved", FEW, FEW);
	link_files("c", "b");
	expect("links of names that were missed", -FEW, -FEW);
	rename_files("a", "c");
	expect("files moved upon files", 0, 0);
	miss("a", FEW);
	expect("their old names", FEW, FEW);
}

static void folders(void)
{
	from_here();
	if (mkdir("new", 0755) < 0 || chdir("new") < 0)
		die(FAILED, "a new folder: %m");
	miss("d", MANY);
	if (chdir("..") < 0)
		die(FAILED, "chdir: %m");
	expect("misses in a folder", MANY, MANY);
	if (rename("new", "moved") < 0 || access("moved/d0", F_OK) == 0)
		die(FAILED, "the folder moved: %m");
	expect("the folder moved", 0, 0);
	if (rmdir("moved") < 0)
		die(FAILED, "rmdir: %m");
	/* Its own name stays as a negative dentry, which nobody missed. */
	expect("the folder removed", -MANY, 1 - MANY);
}

/* The limit may change, and be off for a while, without a dentry being lost or made up. */
static void changes(void)
{
	from_here();
	miss("e", MANY);
	set_limit(0);
	expect("the limit switched off", MANY, MANY);
	miss("f", FEW);
	expect("misses meanwhile", 0, FEW);
	create("e", FEW);
	expect("files made meanwhile", -FEW, -FEW);
	set_limit(100);
	expect("the limit at its highest", 0, 0);
	set_limit(1);
	expect("the limit at its lowest", 0, 0);
	drop_caches();
	drain("caches dropped");
	from_here();
	miss("q", MANY);
	expect("misses after that", MANY, MANY);
	set_limit(0);
	drain("drained while off");
	set_limit(1);
	drain("on again");
}

/*
 * Pages that are reclaimed easily: where there are none, the kernel, to free but a few, takes
 * all dentries, as these are only free after a grace period.
 */
static void easy_memory(void)
{
	static char block[1 << 16];
	int fd, i;

	fd = open("pages", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	if (fd < 0)
		die(FAILED, "pages: %m");
	for (i = 0; i < 8 << 20; i += sizeof(block))
		if (write(fd, block, sizeof(block)) != sizeof(block))
			die(FAILED, "pages: %m");
	if (fsync(fd) < 0)
		die(FAILED, "pages: %m");
	close(fd);
}

/* Look-ups that take a reference; those of access() and stat() leave no trace at the dentry. */
static void use_again(const char *prefix)
{
	char name[32];
	long i;

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%s%ld", prefix, i);
		if (unlink(name) == 0 || errno != ENOENT)
			die(FAILED, "%s: removed, or: %m", name);
	}
}

/* Once used, a negative dentry is the next to go; used twice, it is one like any other. */
static void order(void)
{
	struct dentries before, now;
	long lost, lost_used, files;
	int tries;

	set_limit(100);
	easy_memory();
	create("old", MANY);
	miss("once", MANY);
	miss("used", MANY);
	use_again("used");
	create("young", MANY);
	before = dentries();
	for (tries = 0; tries < 200; tries++) {
		reclaim("16K");
		now = dentries();
		if (before.unused - now.unused > MANY / 4)
			break;
	}
	lost = before.unused - now.unused;
	if (lost <= 0 || lost > MANY)
		die(FAILED, "order: reclaim took %ld dentries, of use are up to %d", lost,
		    MANY);
	files = lost - (before.negative - now.negative);
	/* Unused negative dentries of the kernel's own file systems may go, too. */
	if (files < 0)
		files = 0;
	if (files > lost / 10)
		die(FAILED, "order: of %ld dentries reclaimed %ld were files", lost, files);
	/* Those that are gone count anew when they are missed again. */
	before = dentries();
	miss("used", MANY);
	lost_used = dentries().counted - before.counted;
	if (lost_used > lost / 10)
		die(FAILED, "order: of %ld reclaimed %ld had been used again", lost, lost_used);
	printf("order: of %ld dentries reclaimed %ld were files, %ld had been used twice\n",
	       lost, files, lost_used);
	drain("order");
}

/* A minute later it may be said again, once. For virtual time, where idling takes none. */
static void say_again(void)
{
	long before = warnings();

	sleep_for(61);
	miss("p", 2);
	if (warnings() != before + 1)
		die(FAILED, "%ld warnings a minute later", warnings() - before);
}

/* So many look-ups that fail, by a thread that stays on its CPU, beyond the limit. */
static void excess(void)
{
	long before = warnings(), limit;
	struct dentries d;

	set_limit(1);
	d = dentries();
	limit = d.pool + d.share;
	from_here();
	miss("g", limit);
	expect("misses up to the limit", limit, limit);
	if (warnings() != before)
		die(FAILED, "a warning at %ld, where the limit is", limit);
	miss("h", 1);
	expect("one more", 1, 1);
	if (warnings() != before + 1)
		die(FAILED, "%ld warnings about one more than the limit", warnings() - before);
	miss("i", d.total);
	expect("many more", d.total, d.total);
	/* With the pool used up, another size of it must not make up for what has been taken.
	 */
	set_limit(2);
	expect("twice the limit", 0, 0);
	set_limit(1);
	expect("the limit as before", 0, 0);
	if (warnings() != before + 1)
		die(FAILED, "%ld warnings within a minute", warnings() - before);
	say_again();
}

/* Continues where excess() ends. Nothing but what is new, negative and too much is killed. */
static void enforcement(void)
{
	struct dentries d;

	set_enforce(1);
	from_here();
	miss("j", MANY);
	expect_killed("misses", MANY);
	expect("misses that are too much", 0, 0);
	miss("g", MANY);
	expect_killed("old ones", 0);
	expect("misses from before", 0, 0);
	create("k", FEW);
	expect_killed("files", 0);
	if (dentries().unused - mark.unused != FEW)
		die(FAILED, "of %d files %ld are cached", FEW, dentries().unused - mark.unused);
	expect("files made", 0, 0);
	remove_files("k", FEW);
	expect_killed("removed files", 0);
	expect("files removed", 0, FEW);
	create("g", FEW);
	expect("files of names that were missed", -FEW, -FEW);
	drain("enforcement");
	from_here();
	d = mark;
	miss("l", 2 * (d.pool + d.share));
	expect_killed("twice the limit", d.pool + d.share);
	expect("twice the limit", d.pool + d.share, d.pool + d.share);
	set_enforce(0);
	drain("enforcement ended");
}

static void unmounting(void)
{
	from_here();
	miss("m", MANY);
	expect("misses", MANY, MANY);
	if (chdir("/") < 0)
		die(FAILED, "chdir: %m");
	unmount(WHERE);
	if (dentries().counted > mark.counted - MANY)
		die(FAILED, "unmounting left %ld counted", dentries().counted);
	drain("unmounted");
}

/* -- The bound ------------------------------------------------------------------------------
 */

/* The most that the counter of negative dentries grew by during so many misses. */
static long most_negative(const char *prefix)
{
	long before = dentries().negative, most = 0, i, grown;
	char step[64];

	for (i = 0; i < opt.misses; i += 1000) {
		snprintf(step, sizeof(step), "%s%ld.", prefix, i);
		miss(step, opt.misses - i < 1000 ? opt.misses - i : 1000);
		grown = dentries().negative - before;
		if (grown > most)
			most = grown;
	}
	return most;
}

static void bound(void)
{
	struct dentries d;
	long most;

	set_limit(1);
	set_enforce(1);
	d = dentries();
	most = most_negative("n");
	printf("bound: %ld misses, enforced: at most %ld negative dentries; pool %ld + "
	       "share %ld = %ld, all shares %ld\n",
	       opt.misses, most, d.pool, d.share, d.pool + d.share, d.total);
	if (most > d.total)
		die(FAILED, "%ld negative dentries are more than %ld", most, d.total);
	if (most < d.pool + d.share && most < opt.misses)
		die(FAILED, "no more than %ld negative dentries, where %ld may be", most,
		    d.pool + d.share);
	drain("enforced");
	set_enforce(0);
	most = most_negative("o");
	printf("bound: %ld misses, not enforced: %ld negative dentries\n", opt.misses, most);
	if (most != opt.misses)
		die(FAILED, "%ld negative dentries after %ld misses", most, opt.misses);
	say_again();
	drain("not enforced");
	set_limit(0);
}

static void rules(void)
{
	bounds();
	check_formula(opt.per_page);
	counting();
	folders();
	changes();
	order();
	excess();
	enforcement();
	unmounting();
	set_limit(0);
	puts("rules: what counts, the limit, what is killed: as promised");
}

int main(int argc, char **argv)
{
	cpu_set_t first;

	opt.image = read_options_and_file(argc, argv, options,
					  sizeof(options) / sizeof(options[0]), "IMAGE", doc);
	need_limit();
	/* A single thread meets the limit at the pool and one share: that of one CPU. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first) < 0)
		die(SKIPPED, "cannot stay on a CPU: %m");
	enter_cgroup();
	copy_image(opt.image, DISK);
	mount_disk(DISK, WHERE);
	if (chdir(WHERE) < 0)
		die(FAILED, "%s: %m", WHERE);
	if (opt.misses)
		bound();
	else
		rules();
	return PASSED;
}
