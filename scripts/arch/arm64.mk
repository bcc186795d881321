# SPDX-License-Identifier: GPL-2.0-only
# ARCH=arm64: static programs for arm64 guests, on a machine of another architecture. Headers and
# libraries are those that scripts/deps arm64 has unpacked.
SYSROOT := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/stallbench/sysroot-arm64
CC := aarch64-linux-gnu-gcc --sysroot=$(SYSROOT)
AR := aarch64-linux-gnu-ar
PKG_CONFIG := PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig:$(SYSROOT)/usr/share/pkgconfig $(PKG_CONFIG)
