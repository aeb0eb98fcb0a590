# Builds the libraries, the command and the examples, tests them and installs them. `make help` lists what there is to
# make.

PREFIX  ?= /usr/local
DESTDIR ?=
LIBDIR  ?= $(PREFIX)/lib
# Where makefiles of existing OCR programs look. They name it so.
OCR_INSTALL ?=
CARGO   ?= cargo
# Of the examples. What they cannot do without is in EXAMPLE_FLAGS.
CFLAGS  ?= -O3

VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
SONAME  := libocr.so.0
HOST     = $(shell rustc -vV | sed -n 's/^host: //p')

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

STATIC_LIBRARY := build/lib/libocr.a
SHARED_LIBRARY := build/lib/$(SONAME)
COMMAND        := build/bin/ocr
# The first of what is generated stands for all of it.
MANUAL         := build/share/man/man1/ocr.1
PAGES          := ocr ocr-check ocr-checkpoint ocr-compare ocr-explain ocr-info ocr-models ocr-models-list ocr-models-remove \
	ocr-models-show ocr-restore ocr-simulate ocr-trace ocr-trace-check ocr-trace-export ocr-trace-show ocr-tune
COMPLETIONS    := bash-completion/completions/ocr zsh/site-functions/_ocr fish/vendor_completions.d/ocr.fish
# Examples that are installed as programs, under the name ocr-NAME.
APPLICATIONS   := levenshtein seismic cholesky
POLICIES       := $(patsubst examples/%.c,build/examples/%.so,$(wildcard examples/policy/*.c))
EXAMPLES       := $(patsubst examples/%.c,build/examples/%,$(wildcard examples/*.c)) $(POLICIES)
# Chapters of the guide and their figures, which are read as they are.
GUIDE          := $(shell cd docs/guide/src && find . -type f -printf '%P\n' | sort)

# Plug-ins for MPI, one for each whose compiler is there under the name that Debian gives it. `make mpi-plugin` makes that
# of any other compiler. Nothing else needs an MPI.
PLUGINS        := $(foreach mpi,openmpi mpich,$(if $(shell command -v mpicc.$(mpi)),build/lib/ocr/libocr-mpi-$(mpi).so))
MPICC          ?= mpicc

# What the libraries are made of, and what the command is made of besides. Folders are named too, so that a file that
# goes away is noticed as well.
LIBRARY_SOURCES := Cargo.toml Cargo.lock build.rs $(shell find include) \
	$(shell find src crates -path crates/ocr-cli -prune -o -name '*.map' -o -name '*.md' -o -print)
COMMAND_SOURCES := $(shell find crates/ocr-cli/Cargo.toml crates/ocr-cli/src)

.PHONY: all libraries mpi-plugin command manual examples setup demo demo-nodes test shake lint loom loom-quick miri tsan asan bench results bench-peers bench-strict \
	install install-files ocr-install ocr-install-files uninstall clean help

all: libraries command examples manual ## the libraries, the command, its man pages and the examples, in build/ (default)
	@:

libraries: $(STATIC_LIBRARY) $(SHARED_LIBRARY) build/lib/libocr.so $(PLUGINS) ## build/lib/libocr.a and libocr.so, and plug-ins for MPI in build/lib/ocr where mpicc.openmpi or mpicc.mpich is there

command: $(COMMAND) ## build/bin/ocr

manual: $(MANUAL) ## build/share: man pages of the command, and completions for bash, zsh and fish

examples: $(EXAMPLES) ## build/examples/*, linked statically, and policies as shared objects

# ---- what cargo builds -----------------------------------------------------------------------------------------------

# The library, the command and the tests are compiled with one profile and the same features, so cargo compiles each crate
# once. The library and the command are compiled together: what needs one core does not wait for the other then.
build/.compiled: $(LIBRARY_SOURCES) $(COMMAND_SOURCES)
	@mkdir -p $(@D)
	$(CARGO) build --release --locked --workspace
	@touch $@

# Of cargo's archive, with all names of all that it is made of, makes the library, which lets out those of OCR.
LET_OUT = CC="$(CC)" .packaging/static-library

# What has not changed stays as it is, so that nothing is linked anew.
$(STATIC_LIBRARY): build/.compiled .packaging/static-library
	@mkdir -p $(@D)
	@sha256sum target/release/libocr.a .packaging/static-library >build/.library.new
	@test -e $@ && cmp -s build/.library.new build/.library || { \
		$(LET_OUT) target/release/libocr.a $@ && mv build/.library.new build/.library; }

$(COMMAND): build/.compiled
	@mkdir -p $(@D)
	@cmp -s target/release/ocr $@ || { cp target/release/ocr $@.new && mv $@.new $@; }

# cargo gives a cdylib neither a soname nor a weak `main`. It stays when it is closed (nodelete): it is called when
# threads that have called it end, and the process.
$(SHARED_LIBRARY): $(STATIC_LIBRARY) src/libocr.map
	$(CC) -shared -o $@ -Wl,-soname,$(SONAME) -Wl,-z,nodelete -Wl,--version-script=src/libocr.map -Wl,--gc-sections \
		-Wl,--whole-archive $(STATIC_LIBRARY) -Wl,--no-whole-archive $(LDFLAGS) -lpthread -lm -ldl

build/lib/libocr.so: $(SHARED_LIBRARY)
	@ln -sf $(SONAME) $@

PLUGIN_FLAGS := -std=c11 -O2 -Wall -Wextra -fPIC -fvisibility=hidden -shared

build/lib/ocr/libocr-mpi-%.so: src/link/mpi.c
	@mkdir -p $(@D)
	mpicc.$* $(PLUGIN_FLAGS) -o $@ $< $(LDFLAGS)

# The name is that of the implementation, by which the library finds the plug-in that suits a launcher.
mpi-plugin: ## build/lib/ocr: the plug-in for the MPI whose compiler is MPICC (mpicc)
	@mkdir -p build/lib/ocr
	@macros=$$(printf '#include <mpi.h>\n' | $(MPICC) -E -dM -x c -) || { \
			echo "$(MPICC) cannot compile for MPI: install an MPI with its compiler, or name that by MPICC=" >&2; exit 1; }; \
		case $$macros in *" OPEN_MPI "*) name=openmpi;; *" MPICH_VERSION "*) name=mpich;; *) name=other;; esac; \
		set -x; $(MPICC) $(PLUGIN_FLAGS) -o build/lib/ocr/libocr-mpi-$$name.so src/link/mpi.c $(LDFLAGS)

# The command writes them from its own options.
$(MANUAL): $(COMMAND)
	@rm -rf build/share
	$(COMMAND) generate man build/share/man
	@$(COMMAND) generate completions build/share

# ---- examples --------------------------------------------------------------------------------------------------------

EXAMPLE_FLAGS := -std=c11 -Iinclude -Iexamples -Wall -Wextra -MMD -MP

build/obj/%.o: examples/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(EXAMPLE_FLAGS) -c -o $@ $<

build/examples/levenshtein: build/obj/common/edit-distance.o

build/examples/%: build/obj/%.o $(STATIC_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(STATIC_LIBRARY) -lpthread -lm -ldl

# A policy is linked with no library of the runtime, which loads it: the command does, too.
build/examples/policy/%.so: examples/policy/%.c Makefile
	@mkdir -p $(@D) build/obj/policy
	$(CC) $(CPPFLAGS) $(CFLAGS) $(EXAMPLE_FLAGS) -MF build/obj/policy/$*.d -fPIC -shared $(LDFLAGS) -o $@ $<

-include $(wildcard build/obj/*.d build/obj/*/*.d)

# ---- set-up, demo, tests ---------------------------------------------------------------------------------------------

# Not as prerequisites of one target: what is missing has to be there before anything is built, with -j too.
setup: ## installs what the build needs and is missing (Debian, Ubuntu)
	@CC="$(CC)" CXX="$(CXX)" CARGO="$(CARGO)" .ci/setup

DEMO_LETTERS = 500000
# The page for a browser; HTML= makes none.
, := ,
HTML = build/demo.html
DEMO_COMPARE = $(COMMAND) compare --runs 6 --policies cpu,device,static:1:1,eager,eft --show distance,gcups --same distance

# What the first build is, before minutes of it.
SAY_BUILD = test -e $(COMMAND) || echo "Building the libraries, the command and the examples: the first time takes two or three minutes on two cores."

demo: setup ## compares placement policies on CPU and OpenCL, on two real sequences and on long ones, and says which to use
	@$(SAY_BUILD)
	@$(MAKE) --no-print-directory all
	@$(COMMAND) info --short
	@echo
	@echo "The edit distance of two mitochondrial genomes, human and orangutan, which take a few milliseconds:"
	@echo
	@$(DEMO_COMPARE) -- build/examples/levenshtein --quiet examples/data/human-mt.fa examples/data/orangutan-mt.fa
	@echo
	@echo "The edit distance of two random sequences of $(DEMO_LETTERS) letters, which take long enough to compare schedules."
	@$(if $(HTML),echo "What ran where and when under each policy is also written to $(HTML)$(,) a page for a browser.")
	@echo
	@$(DEMO_COMPARE) $(if $(HTML),--html $(HTML)) -- build/examples/levenshtein --quiet --random $(DEMO_LETTERS) --seed 1

demo-nodes: ## runs the seismic example on one node and on two of this machine, with Open MPI, and compares the results
	@CC="$(CC)" CXX="$(CXX)" CARGO="$(CARGO)" .ci/setup nodes
	@$(SAY_BUILD)
	@$(MAKE) --no-print-directory all
	@examples/demo-nodes

# Without an OpenCL device, tests that launch kernels are left out.
SKIP_KERNELS = if ! $(COMMAND) info --require-device >/dev/null 2>&1; then \
		echo "Tests that launch kernels are skipped: there is no OpenCL device (see build/bin/ocr info)."; \
		export OCR_TEST_NO_OPENCL=1; \
	fi

test: setup ## builds everything and runs all tests; those of kernels only where there is an OpenCL device
	@$(SAY_BUILD)
	@$(MAKE) --no-print-directory all
	@$(SKIP_KERNELS); $(CARGO) test --release --locked --no-fail-fast
	@$(MAKE) --no-print-directory shake

# For a target that is named, cargo gives RUSTFLAGS to the library and what it is made of alone, and keeps these in a
# folder of that name. So build scripts, and what they are made of, are compiled once for all of these builds: that is
# more than half of what checking the library costs.
WITH_CFG = --target $(HOST)

# By all cores at once: what is measured here is no speed. Faults are those of the usual build alone, for their time.
shake: command ## random graphs in a build with small batches, whose threads stop where others can come in between
	@$(SKIP_KERNELS); CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 RUSTFLAGS="--cfg ocr_tiny" \
		$(CARGO) test --release --locked $(WITH_CFG) --test stress -- --skip faults

# The rooms of the runtime that models call, and the crate below them that has models.
MODELS = --package ocr --package ocr-place --lib --test loom

lint: style ## formatting, clippy, documentation, what is compiled for models only
	RUSTFLAGS="--cfg loom" $(CARGO) check --locked $(WITH_CFG) $(MODELS) --profile test

# Without the models, which CI compiles to run them.
.PHONY: style
style:
	.ci/titles
	.ci/width
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --document-private-items
	RUSTFLAGS="--cfg ocr_no_strict" $(CARGO) check --locked $(WITH_CFG) --package ocr --lib

# Compiled by all cores at once. Larger models bound how often a thread is interrupted (preemption_bound); the others
# are explored in full.
loom: ## explores interleavings of the lock-free protocols
	CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 RUSTFLAGS="--cfg loom" $(CARGO) test --release --locked $(WITH_CFG) $(MODELS) loom

# As much of each model as can be explored in that number of seconds, for CI; `make loom` has no bound.
LOOM_SECONDS = 4
loom-quick: ## the same models, a few seconds each
	LOOM_MAX_DURATION=$(LOOM_SECONDS) CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 RUSTFLAGS="--cfg loom" \
		$(CARGO) test --release --locked $(WITH_CFG) $(MODELS) loom

# Tree borrows: the words of an EDT stand behind its fields, outside of what a reference to these covers by
# the older model. Left out is what calls OpenCL.
# Of random cases a few are tried, since each takes some thousand times as long there.
# Tests leak what the library keeps for good; memcheck looks for leaks.
# Later toolchains stop at a system call of parking_lot_core 0.9.12, whose argument they want as another kind of pointer.
MIRI_TOOLCHAIN = nightly-2026-05-20
# Not the crates whose tests are simulations and files: these take hours there, or what they ask of the system is not there.
miri: ## the unit tests in an interpreter that finds undefined behaviour and data races (that toolchain, with miri)
	PROPTEST_CASES=4 MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-ignore-leaks" \
		$(CARGO) +$(MIRI_TOOLCHAIN) miri test --locked --target-dir target/miri \
		--package ocr --package ocr-base --package ocr-trace \
		--lib -- --skip device::tests --skip device::opencl:: --skip output_file::

# What of this cannot be run here says so, and fails nothing.
.PHONY: verify bare bare-deb
JOBS =
verify: all ## all of these, kernels on other OpenCL implementations, memcheck, long random graphs, the oldest compiler, licences (JOBS="loom asan": some)
	@CARGO="$(CARGO)" MAKE="$(MAKE)" .ci/verify $(JOBS)

SUITE = bookworm
bare: ## make demo and make test in a bare Debian, of which SUITE names the release (as root)
	@.ci/bare $(SUITE)

bare-deb: deb ## make deb, and installs and uses the packages in a bare Debian, of which SUITE names the release (as root)
	@BARE_FILES="build/deb/*.deb" BARE_PASS=LINTIAN .ci/bare $(SUITE) .ci/deb-check

tsan: build/sanitizers/thread/libocr.a build/sanitizers/thread/memory.o ## the C programs of the tests, without kernels, under ThreadSanitizer
	OCR_TEST_SANITIZER=thread $(CARGO) test --release --locked --test c_programs

asan: build/sanitizers/address/libocr.a ## the same under AddressSanitizer
	OCR_TEST_SANITIZER=address $(CARGO) test --release --locked --test c_programs

# The library with a sanitizer in it. That needs an option which rustc calls unstable.
build/sanitizers/%/libocr.a: $(LIBRARY_SOURCES)
	@mkdir -p $(@D)
	RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$* -Cunsafe-allow-abi-mismatch=sanitizer" \
		CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=1 \
		$(CARGO) rustc --release --locked --package ocr --lib --crate-type staticlib --target $(HOST) --target-dir target/$*-sanitizer
	@cp target/$*-sanitizer/$(HOST)/release/libocr.a $@

# The library without strict mode, to measure what that costs where it is off.
build/no-strict/libocr.a: $(LIBRARY_SOURCES)
	@mkdir -p $(@D)
	RUSTFLAGS="--cfg ocr_no_strict" \
		$(CARGO) rustc --release --locked --package ocr --lib --crate-type staticlib $(WITH_CFG)
	@$(LET_OUT) target/$(HOST)/release/libocr.a $@

build/sanitizers/thread/memory.o: tests/sanitizers/memory.c
	@mkdir -p $(@D)
	$(CC) -O1 -fno-builtin -c $< -o $@

# An mdBook that is installed is taken; otherwise one is compiled for this alone. How fast it runs does not matter.
MDBOOK = $(shell command -v mdbook || echo target/mdbook/bin/mdbook)
.PHONY: guide mdbook
guide: mdbook ## the guide as a book, build/guide/index.html; mdBook is fetched and compiled if it is missing
	$(MDBOOK) build docs/guide

mdbook:
	@test -x $(MDBOOK) || CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 $(CARGO) install --quiet \
		--locked --root target/mdbook --version 0.5.4 --no-default-features --features search mdbook

bench: all ## runs the benchmarks
	$(CARGO) bench --locked --package ocr

bench-peers: all ## installs other task runtimes, where it can, and measures them beside this one
	benches/setup
	$(CARGO) bench --locked --bench peers --bench levenshtein

results: all ## runs the benchmarks, keeps their tables in benches/results, and writes them into the guide
	OCR_BENCH_RESULTS=benches/results $(CARGO) bench --locked --package ocr
	OCR_BLESS=1 $(CARGO) test --release --locked --test speed

bench-strict: all build/no-strict/libocr.a ## measures what strict mode costs where it is off
	$(CARGO) bench --locked --bench strict

# ---- installation ----------------------------------------------------------------------------------------------------

# The headers get a folder of their own, so that extensions/ is not put among those of other libraries. ocr.pc names it.
D_INCLUDE  = $(DESTDIR)$(PREFIX)/include/ocr
D_LIB      = $(DESTDIR)$(LIBDIR)
D_CMAKE    = $(D_LIB)/cmake/ocr
D_BIN      = $(DESTDIR)$(PREFIX)/bin
D_DATA     = $(DESTDIR)$(PREFIX)/share
D_SHARE    = $(D_DATA)/ocr
D_MAN      = $(D_DATA)/man
D_GUIDE    = $(D_DATA)/doc/ocr/guide

# The way from the libraries to the prefix, so that an installation can be moved.
PREFIX_FROM_LIBDIR = $(shell realpath -m --relative-to="$(LIBDIR)" "$(PREFIX)")

# What make, a shell, sed, pkg-config or CMake take for something else in the name of a folder.
TAB     := $(subst x,,x	x)
STRANGE := $$ & \ ' " ` | ; < > * ? [ ] { } ( ) ! : % \#
refuse   = $(foreach c,$(STRANGE),$(if $(findstring $(c),$(value $(1))),$(error $(1)=$(value $(1)) has the character $(c) in it, \
	which cannot be written into ocr.pc and the CMake package as it is: choose a folder without it)))\
	$(if $(findstring $(TAB),$(value $(1))),$(error $(1)=$(value $(1)) has a tabulator in it: choose a folder without it))
ifneq ($(filter install install-files ocr-install ocr-install-files uninstall deb,$(MAKECMDGOALS)),)
$(foreach folder,PREFIX LIBDIR OCR_INSTALL,$(if $(filter file,$(origin $(folder))),,$(call refuse,$(folder))))
endif

install: all ## into PREFIX (/usr/local), below DESTDIR if that is set
	@$(MAKE) --no-print-directory install-files

install-files: ## the same, of what has been built before
	@for file in $(STATIC_LIBRARY) $(SHARED_LIBRARY) $(COMMAND) $(MANUAL) $(APPLICATIONS:%=build/examples/%); do \
		test -e "$$file" || { echo "$$file is missing: run make first" >&2; exit 1; }; done
	@case "$(PREFIX)$(LIBDIR)" in /*) ;; *) echo "PREFIX and LIBDIR must be absolute paths" >&2; exit 1;; esac
	install -d "$(D_INCLUDE)/extensions" "$(D_LIB)/pkgconfig" "$(D_BIN)" "$(D_SHARE)/kernels" \
		"$(D_SHARE)/examples/common" "$(D_SHARE)/examples/data" "$(D_SHARE)/examples/policy" "$(D_SHARE)/suppressions"
	install -m 644 include/*.h "$(D_INCLUDE)"
	install -m 644 include/extensions/*.h "$(D_INCLUDE)/extensions"
	install -m 644 $(STATIC_LIBRARY) "$(D_LIB)"
	install -m 755 $(SHARED_LIBRARY) "$(D_LIB)"
	ln -sf $(SONAME) "$(D_LIB)/libocr.so"
	for file in build/lib/ocr/libocr-mpi-*.so; do test ! -e "$$file" || install -D -m 644 "$$file" "$(D_LIB)/ocr/$${file##*/}" || exit; done
	libdir="$(LIBDIR)"; case $$libdir in "$(PREFIX)"/*) libdir='$${prefix}'"$${libdir#"$(PREFIX)"}";; esac; \
		sed -e "s|@PREFIX@|$(PREFIX)|" -e "s|@LIBDIR@|$$libdir|" -e '/^[a-z]*=/s/ /\\ /g' -e 's|@VERSION@|$(VERSION)|' ocr.pc.in \
		>"$(D_LIB)/pkgconfig/ocr.pc"
	chmod 644 "$(D_LIB)/pkgconfig/ocr.pc"
	install -d "$(D_CMAKE)"
	for file in ocrConfig ocrConfigVersion; do \
		sed -e 's|@PREFIX_FROM_LIBDIR@|$(PREFIX_FROM_LIBDIR)|' -e 's|@SONAME@|$(SONAME)|' -e 's|@VERSION@|$(VERSION)|' \
			.packaging/cmake/$$file.cmake.in >"$(D_CMAKE)/$$file.cmake" && chmod 644 "$(D_CMAKE)/$$file.cmake" || exit; done
	install -m 755 $(COMMAND) "$(D_BIN)/ocr"
	for name in $(APPLICATIONS); do install -m 755 build/examples/$$name "$(D_BIN)/ocr-$$name" || exit; done
	install -m 644 kernels/*.cl "$(D_SHARE)/kernels"
	install -m 644 examples/*.c "$(D_SHARE)/examples"
	install -m 644 examples/common/* "$(D_SHARE)/examples/common"
	install -m 644 examples/policy/* "$(D_SHARE)/examples/policy"
	install -m 644 examples/data/* "$(D_SHARE)/examples/data"
	install -m 644 tests/sanitizers/thread.supp "$(D_SHARE)/suppressions"
	install -d "$(D_MAN)/man1" "$(D_MAN)/man7"
	install -m 644 $(PAGES:%=build/share/man/man1/%.1) "$(D_MAN)/man1"
	install -m 644 build/share/man/man7/ocr-settings.7 "$(D_MAN)/man7"
	for file in $(GUIDE); do install -D -m 644 docs/guide/src/$$file "$(D_GUIDE)/$$file" || exit; done
	for file in $(COMPLETIONS); do install -D -m 644 build/share/$$file "$(D_DATA)/$$file" || exit; done

ocr-install: all ## into OCR_INSTALL, for the makefiles of existing OCR programs
	@$(MAKE) --no-print-directory ocr-install-files

# What those makefiles touch, beside what install puts there: headers in include/ itself (or inc/, where they take this
# folder for the sources as well), libraries under the name of the kind of OCR, which is x86 for one machine, and a
# command that starts a program on the machines of that kind.
D_OCR = $(DESTDIR)$(OCR_INSTALL)

ocr-install-files: ## the same, of what has been built before
	@test -n "$(OCR_INSTALL)" || { echo "OCR_INSTALL must be set to a folder" >&2; exit 1; }
	@if test -d "$(D_OCR)/include/extensions" && ! test -L "$(D_OCR)/include/extensions"; then \
		echo "$(D_OCR) has another OCR in it" >&2; exit 1; fi
	@$(MAKE) --no-print-directory install-files PREFIX="$(OCR_INSTALL)" LIBDIR="$(OCR_INSTALL)/lib"
	cd "$(D_OCR)/include" && ln -sf ocr/*.h ocr/extensions .
	ln -sfn include "$(D_OCR)/inc"
	ln -sf libocr.a "$(D_OCR)/lib/libocr_x86.a"
	ln -sf libocr.so "$(D_OCR)/lib/libocr_x86.so"
	printf '#!/bin/sh\nexec "$$@"\n' >"$(D_OCR)/bin/ocrrun_x86"
	chmod 755 "$(D_OCR)/bin/ocrrun_x86"

uninstall: ## takes away what install has put there
	rm -rf "$(D_INCLUDE)" "$(D_SHARE)" "$(D_CMAKE)" "$(D_DATA)/doc/ocr"
	rm -f "$(D_LIB)"/ocr/libocr-mpi-*.so
	test ! -d "$(D_LIB)/ocr" || rmdir --ignore-fail-on-non-empty "$(D_LIB)/ocr"
	rm -f "$(D_LIB)/libocr.a" "$(D_LIB)/$(SONAME)" "$(D_LIB)/libocr.so" "$(D_LIB)/pkgconfig/ocr.pc" \
		"$(D_BIN)/ocr" $(APPLICATIONS:%="$(D_BIN)/ocr-%") $(PAGES:%="$(D_MAN)/man1/%.1") "$(D_MAN)/man7/ocr-settings.7" $(COMPLETIONS:%="$(D_DATA)/%")

# ---- packages ---------------------------------------------------------------------------------------------------------
.PHONY: deb dist

deb: all ## Debian packages, in build/deb: the library, development files, and the command with applications
	@MAKE="$(MAKE)" .packaging/deb

# Of the commit, with its time: the same commit gives the same file.
DIST := build/dist/ocr-$(VERSION).tar.gz
dist: ## the archive of a release, of the current commit, and a recipe for Spack that builds it, in build/dist
	@git diff --quiet HEAD || echo "$(DIST) is that of the last commit: what has been changed since is not in it" >&2
	@mkdir -p build/dist/spack/packages/ocr
	@git archive --format=tar --prefix=ocr-$(VERSION)/ HEAD | gzip -9n >$(DIST).new
	@mv $(DIST).new $(DIST)
	@cp .packaging/spack/repo.yaml build/dist/spack
	@sed -e 's/@VERSION@/$(VERSION)/' -e "s/@SHA256@/$$(sha256sum $(DIST) | cut -d ' ' -f 1)/" \
		-e "s/@RUST@/$$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)/" .packaging/spack/package.py.in \
		>build/dist/spack/packages/ocr/package.py
	@echo $(DIST)

clean: ## removes build/ and target/
	rm -rf build target

help: ## this list
	@echo "make TARGET [PREFIX=/usr/local] [DESTDIR=] [CC=cc] [CFLAGS=-O3]"
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'
