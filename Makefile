# SPDX-License-Identifier: GPL-2.0-only
# Targets: all deps check bench install clean; more in tests/ and CONTRIBUTING.md. Honours CC CFLAGS LDFLAGS DESTDIR PREFIX.
#   SANITIZE=1   everything under ASan and UBSan, in build/sanitize
#   STATIC=1     static programs for guests, in build/static
#   TSAN=1       everything under TSan, in build/tsan
#   FUZZ=1       the fuzzers, by clang, in build/fuzz (make fuzz runs them)

# A benchmark is a folder with this name, a main program of this name, and a line here.
BENCHES := keygcbench dentrybench srcubench

PREFIX ?= /usr/local
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g

ifdef SANITIZE
BUILD := build/sanitize
VARIANT := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else ifdef STATIC
BUILD := build/static
LINK := -static
PKG_CONFIG += --static
else ifdef TSAN
BUILD := build/tsan
VARIANT := -fsanitize=thread -fno-omit-frame-pointer
else ifdef FUZZ
BUILD := build/fuzz
VARIANT := -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer
else
BUILD := build/host
endif

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CPP := -D_GNU_SOURCE $(shell $(PKG_CONFIG) --cflags libtracefs 2>/dev/null)
ALL_CFLAGS := -std=gnu11 $(WARN) $(CPP) $(CFLAGS) $(VARIANT)
ALL_LDFLAGS := $(LDFLAGS) $(VARIANT) $(LINK)
BENCH_LIBS := -lkeyutils -luring $(shell $(PKG_CONFIG) --libs libtracefs 2>/dev/null) -lz -lmd -lm -lpthread
REPORT_LIBS := -lcsv -ljansson -lgsl -lgslcblas -lm

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
CORE := $(call objects,$(wildcard core/*.c))
REPORT := $(call objects,$(wildcard report/*.c))
PROGRAMS := $(foreach b,$(BENCHES),$(BUILD)/$(b)/$(b)) $(BUILD)/report/benchcmp

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all deps check bench install clean programs

all: programs
ifeq ($(BUILD),build/host)
# The programs where people look for them; other flavours stay under build/.
all: $(foreach b,$(BENCHES),$(b)/$(b)) report/benchcmp

$(foreach b,$(BENCHES),$(b)/$(b)) report/benchcmp: %: $(BUILD)/%
	@cp -f $< $@
endif

programs: $(PROGRAMS)

deps:
	scripts/deps build run plot test

define bench_rule
$(BUILD)/$(1)/$(1): $(call objects,$(wildcard $(1)/*.c)) $(BUILD)/core.a
	@echo "  LD      $$@"
	@$(CC) $(ALL_LDFLAGS) -o $$@ $$^ $(BENCH_LIBS)
endef
$(foreach b,$(BENCHES),$(eval $(call bench_rule,$(b))))

$(BUILD)/report/benchcmp: $(REPORT) $(BUILD)/core.a
	@echo "  LD      $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(REPORT_LIBS)

$(BUILD)/core.a: $(CORE)
	@rm -f $@
	@$(AR) rcs $@ $^

# Objects are rebuilt when the flags change, not only the sources.
$(BUILD)/flags: force
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' >$@
.PHONY: force

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC      $@"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

include guest/Makefile.inc
include tests/Makefile.inc
include tests/fuzz/Makefile.inc
include tests/guest/Makefile.inc

install: all
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 $(foreach b,$(BENCHES),$(b)/$(b)) report/benchcmp '$(DESTDIR)$(PREFIX)/bin'

clean:
	rm -rf build/host build/sanitize build/static build/tsan build/fuzz $(foreach b,$(BENCHES),$(b)/$(b)) report/benchcmp

-include $(shell find build -name '*.d' 2>/dev/null)
