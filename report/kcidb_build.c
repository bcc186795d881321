// SPDX-License-Identifier: GPL-2.0-only
#include "kcidb_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "cellfile.h"
#include "readcsv.h"

struct reading {
	struct kcidb_kernel *kernel;
	unsigned int line;
};

/* kernels/NAME: where it is, then "SHA256  -", or what uname says of the running kernel. */
static int on_kernel_line(char *text, void *data)
{
	struct reading *r = data;

	if (r->line++ != 1)
		return 0;
	if (strlen(text) > 64 && !strcmp(text + 64, "  -"))
		text[64] = '\0';
	snprintf(r->kernel->image, sizeof(r->kernel->image), "%s", text);
	return 0;
}

static int on_patch(struct kcidb_kernel *k, const char *name, const char *sum)
{
	SHA256Update(&k->patch_sums, (const uint8_t *)sum, strlen(sum));
	SHA256Update(&k->patch_sums, (const uint8_t *)"\n", 1);
	if (json_array_append_new(k->patches,
				  json_pack("{s:s, s:s}", "name", name, "sha256", sum)))
		return sb_err(ENOMEM, "patches of a kernel");
	return 0;
}

static int on_manifest_line(char *text, void *data)
{
	struct kcidb_kernel *k = data;
	const struct {
		const char *key;
		char *to;
		size_t size;
	} wanted[] = {
		{ "variant", k->variant, sizeof(k->variant) },
		{ "flavour", k->flavour, sizeof(k->flavour) },
		{ "release", k->release, sizeof(k->release) },
		{ "source", k->source, sizeof(k->source) },
		{ "source_sha256", k->source_sha256, sizeof(k->source_sha256) },
		{ "compiler", k->compiler, sizeof(k->compiler) },
		{ "sha256.config", k->config_sha256, sizeof(k->config_sha256) },
	};
	char *value = strchr(text, '=');

	/* The name of a patch may hold anything but what its sum is made of. */
	if (!strncmp(text, "patch.", 6))
		value = strrchr(text, '=');
	if (!value)
		return 0;
	*value++ = '\0';
	if (!strncmp(text, "patch.", 6))
		return on_patch(k, text + 6, value);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strcmp(text, wanted[i].key))
			snprintf(wanted[i].to, wanted[i].size, "%s", value);
	return 0;
}

static int on_environment(char **f, unsigned long line, void *data)
{
	struct kcidb_kernel *k = data;

	(void)line;
	if (!strcmp(f[0], "machine"))
		snprintf(k->machine, sizeof(k->machine), "%s", f[1]);
	else if (!strcmp(f[0], "kernel_release") && !k->release[0])
		snprintf(k->release, sizeof(k->release), "%s", f[1]);
	return 0;
}

/* The first cell of the kernel that got as far as writing its environment. */
static int environment(const struct dataset *d, const char *kernel, struct kcidb_kernel *k)
{
	static const char *const pair[] = { "key", "value", NULL };

	for (unsigned int i = 0; i < d->cells && !k->machine[0]; i++) {
		char *path;
		int ret;

		if (strcmp(d->cell[i].kernel, kernel))
			continue;
		path = dataset_path(d, d->cell[i].dir, "env.csv");
		ret = path ? readcsv(path, pair, on_environment, k) : -ENOMEM;
		free(path);
		if (ret && ret != -ENOENT)
			return ret;
	}
	return 0;
}

int kcidb_kernel_read(const struct dataset *d, const char *kernel, struct kcidb_kernel *k)
{
	struct reading r = { k, 0 };
	int ret;

	SHA256Init(&k->patch_sums);
	k->patches = json_array();
	if (!k->patches)
		return sb_err(ENOMEM, "kernel %s", kernel);
	ret = cellfile_lines(d, "kernels", kernel, on_kernel_line, &r);
	if (!ret && !k->image[0])
		ret = -ENOENT;
	if (ret == -ENOENT)
		ret = sb_err(ENOENT, "%s/kernels/%s", d->dir, kernel);
	if (ret)
		return ret;
	ret = cellfile_lines(d, "manifests", kernel, on_manifest_line, k);
	k->built_here = !ret;
	if (json_array_size(k->patches))
		SHA256End(&k->patch_sums, k->patchset_hash);
	return ret && ret != -ENOENT ? ret : environment(d, kernel, k);
}

void kcidb_kernel_free(struct kcidb_kernel *k)
{
	json_decref(k->patches);
}

static const char *known(const char *text)
{
	return text[0] ? text : NULL;
}

/* What nobody knows the sources of is identified by the image. */
static json_t *checkout_id(const struct kcidb_kernel *k, const char *origin)
{
	if (!k->source_sha256[0])
		return json_sprintf("%s:image-%s", origin, k->image);
	return json_sprintf("%s:%s+%s", origin, k->source_sha256, k->patchset_hash);
}

json_t *kcidb_checkout(const struct kcidb_kernel *k, const char *origin)
{
	json_t *misc = json_pack("{s:s*, s:O*}", "source_sha256", known(k->source_sha256),
				 "patches", json_array_size(k->patches) ? k->patches : NULL);

	return json_pack("{s:o, s:s, s:s*, s:s*, s:b, s:o}", "id", checkout_id(k, origin),
			 "origin", origin, "comment",
			 known(k->source[0] ? k->source : k->release), "patchset_hash",
			 k->built_here ? k->patchset_hash : NULL, "valid", 1, "misc", misc);
}

json_t *kcidb_build(const struct kcidb_kernel *k, const char *origin)
{
	json_t *name = NULL;
	json_t *misc = json_pack("{s:s*, s:s*, s:s*}", "release", known(k->release),
				 "config_sha256", known(k->config_sha256), "image", k->image);

	if (k->variant[0])
		name = json_sprintf("%s%s%s", k->variant, k->flavour[0] ? "@" : "", k->flavour);
	return json_pack("{s:o, s:o, s:s, s:s*, s:s*, s:o*, s:s, s:o}", "id",
			 json_sprintf("%s:%s", origin, k->image), "checkout_id",
			 checkout_id(k, origin), "origin", origin, "architecture",
			 known(k->machine), "compiler", known(k->compiler), "config_name", name,
			 "status", "PASS", "misc", misc);
}
