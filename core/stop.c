// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "msg.h"
#include "stop.h"

/* A signal handler can reach nothing but a global: the one exception to "no global state". */
static volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	stop_signal = sig;
}

int sb_stop_install(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], &action, NULL))
			return sb_err(errno, "sigaction");
	action.sa_handler = SIG_IGN;
	if (sigaction(SIGPIPE, &action, NULL))
		return sb_err(errno, "sigaction");
	return 0;
}

int sb_stopped(void)
{
	return stop_signal;
}
