// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives files to a target, one after the other, where no fuzzer is: REPLAY FILE... Exits 0 when
 * all came back; a target that does not ends the program by a signal, after the file's name.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"

#define INPUT_MAX (1 << 20)

int main(int argc, char **argv)
{
	static uint8_t buf[INPUT_MAX];

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "re");
		uint8_t *data;
		size_t len;

		if (!file) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return 1;
		}
		len = fread(buf, 1, sizeof(buf), file);
		fclose(file);
		/* Of its own length, so that ASan sees a read behind it. */
		data = malloc(len ? len : 1);
		if (!data)
			return 1;
		memcpy(data, buf, len);
		printf("%s\n", argv[i]);
		fflush(stdout);
		LLVMFuzzerTestOneInput(data, len);
		free(data);
	}
	return argc > 1 ? 0 : 2;
}
