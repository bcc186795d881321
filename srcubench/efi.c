// SPDX-License-Identifier: GPL-2.0-only
/*
 * Phase efi_boot: real firmware under KVM, from QEMU's start until it looks for something to
 * boot. When it writes to its flash, QEMU deletes and adds the flash's memory slot, and each
 * change waits for SRCU.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "efi_flash.h"
#include "efi_qemu.h"
#include "srcubench.h"

struct boot {
	struct efi_flash flash;
	struct efi_qemu qemu;
	uint64_t length; /* ns */
};

/* On messages' own lines, so that it is seen which are QEMU's. */
static void show_errors(const struct efi_qemu *qemu)
{
	const char *line = qemu->errors;

	while (*line) {
		size_t len = strcspn(line, "\r\n");

		if (len)
			sb_msg("    QEMU: %.*s", (int)len, line);
		line += len + (line[len] != '\0');
	}
}

static const char *how_far(const struct efi_qemu *qemu)
{
	const char *last = efi_serial_last(&qemu->serial);

	return *last ? last : "nothing";
}

/* The flash tells more: firmware is silent until its end. Asked when QEMU is gone. */
static void explain_timeout(struct sb_run *run, const struct boot *b)
{
	char flash[64] = "";
	uint64_t changed;

	if (b->flash.fd >= 0 && !efi_flash_changed(&b->flash, &changed))
		snprintf(flash, sizeof(flash), "; flash bytes changed: %" PRIu64, changed);
	sb_msg("%s: no end mark of the firmware after %" PRIu64
	       " s (--efi-timeout); last on its "
	       "serial line: %s%s",
	       run->label, srcu_params(run)->efi_timeout, how_far(&b->qemu), flash);
	show_errors(&b->qemu);
}

static void explain_death(struct sb_run *run, const struct boot *b)
{
	int status = b->qemu.wait_status;

	sb_msg("%s: QEMU %s %d before the end mark of the firmware; last on its serial line: %s",
	       run->label, WIFSIGNALED(status) ? "was killed by signal" : "ended with status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), how_far(&b->qemu));
	show_errors(&b->qemu);
}

static int explain(struct sb_run *run, const struct boot *b, int ret)
{
	sb_progress_clear(&run->progress);
	if (ret == -ETIMEDOUT)
		explain_timeout(run, b);
	else if (ret == -ECHILD)
		explain_death(run, b);
	else if (ret == -ENOTSUP)
		return sb_skip(run, "KVM here cannot run firmware (QEMU: KVM internal error)");
	return ret;
}

/* Fills in what one boot took and did. */
static int boot(struct sb_run *run, const struct efi_firmware *firmware, struct boot *b)
{
	uint64_t limit = srcu_params(run)->efi_timeout * SB_NS_PER_S;
	uint64_t start = sb_now_ns();
	int ret = efi_qemu_start(&b->qemu, firmware, &b->flash);

	if (ret)
		return ret;
	ret = efi_qemu_wait(&b->qemu, start + limit);
	b->length = sb_now_ns() - start;
	efi_qemu_stop(&b->qemu);
	return ret ? explain(run, b, ret) : 0;
}

static int keep(struct sb_run *run, const struct boot *b)
{
	uint64_t changed;
	int ret = sb_sample(run, "total", sb_us(b->length));

	/* Of a flash that is in QEMU's memory nothing is known. */
	if (ret || b->flash.fd < 0)
		return ret;
	ret = efi_flash_changed(&b->flash, &changed);
	/* Then it was no firmware that keeps its variables there. */
	if (!ret && !changed)
		sb_msg("%s: the firmware changed nothing in its flash", run->label);
	return ret ? ret : sb_sample(run, "flash_changed", (double)changed);
}

/* An error is a call that failed; a signal or a machine that cannot is none. */
static int count_error(struct sb_run *run, int ret)
{
	struct sb_series *s =
		ret && ret != -EINTR && ret != -SB_SKIP ? sb_series(run, "total") : NULL;

	if (s)
		s->errors++;
	return ret;
}

static int boot_once(struct sb_run *run, const struct efi_firmware *firmware)
{
	struct boot b = { .flash = EFI_FLASH_INIT };
	int ret = firmware->vars ? efi_flash_open(&b.flash, firmware->vars) : 0;

	if (ret)
		return ret;
	/* As a user's first boot: each begins with fresh flash, at another moment of the tick.
	 */
	if (run->seed)
		sb_perturb(&srcu_state(run)->random);
	ret = count_error(run, boot(run, firmware, &b));
	if (!ret)
		ret = keep(run, &b);
	efi_flash_close(&b.flash);
	return ret;
}

int srcu_phase_efi_boot(struct sb_run *run)
{
	const char *unusable = getenv("STALLBENCH_KVM_UNUSABLE");
	uint64_t boots = srcu_params(run)->efi_boots;
	struct efi_firmware firmware;
	char why[256];
	int ret = 0;

	/* The harness has tried a guest, and says how that failed. */
	if (unusable && *unusable)
		return sb_skip(run, "KVM does not work here: %s", unusable);
	if (efi_firmware_find(&firmware, srcu_params(run)->efi_firmware == SRCU_EFI_BIOS, why,
			      sizeof(why)))
		return sb_skip(run, "%s", why);
	sb_progress_step(&run->progress, "booting firmware", boots);
	for (uint64_t i = 0; i < boots && !ret; i++) {
		ret = sb_stopped() ? -EINTR : boot_once(run, &firmware);
		sb_progress_at(&run->progress, i + 1);
	}
	return ret;
}
