/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SB_VERSION_H
#define SB_VERSION_H

#define SB_VERSION "0.1.0"

#endif
