/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a run's kernels, for KCIDB. */
#ifndef REPORT_KCIDB_BUILD_H
#define REPORT_KCIDB_BUILD_H

#include <jansson.h>
#include <sha2.h>

#include "dataset.h"

/* From the files that a run keeps about a kernel; what is empty is not known. */
struct kcidb_kernel {
	char image[256]; /* sha256 of the image; of the running kernel what it calls itself */
	char variant[128], flavour[64], release[128];
	char source[256], source_sha256[SHA256_DIGEST_STRING_LENGTH];
	char compiler[256], machine[32], config_sha256[SHA256_DIGEST_STRING_LENGTH];
	char patchset_hash[SHA256_DIGEST_STRING_LENGTH]; /* as the schema defines it */
	json_t *patches;				 /* names and their sha256 */
	SHA2_CTX patch_sums;
	bool built_here; /* there is a manifest, so no patches means none */
};

/* Reads what there is into k, which is zeroed. Returns 0 or -errno after a message; to be freed
 * in any case. */
int kcidb_kernel_read(const struct dataset *d, const char *kernel, struct kcidb_kernel *k);
void kcidb_kernel_free(struct kcidb_kernel *k);

/* Objects of the schema, owned by the caller; NULL when memory is out. */
json_t *kcidb_checkout(const struct kcidb_kernel *k, const char *origin);
json_t *kcidb_build(const struct kcidb_kernel *k, const char *origin);

#endif
