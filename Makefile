# run | check | test | test-all | bench | docs | sanitize | mutants: each installs what is missing (Debian packages),
# configures, builds what it needs, then does its job.
BUILD := build
PRESET := dev
PYTHON := python3

.PHONY: run check test test-all bench docs sanitize mutants build packages format clean

# Builds the compiler, and none of the tests.
run: $(BUILD)/build.ninja
	@ninja -C $(BUILD) distaff
	@$(PYTHON) utils/run_examples.py --build $(BUILD)

# What tests IR, units and the repository; for every commit.
check: build
	@$(PYTHON) utils/run_tests.py --build $(BUILD) --depth check

# The execution suites too, as CI runs them.
test: build
	@$(PYTHON) utils/run_tests.py --build $(BUILD) --depth test

# Every case of the long suites and every stage of each, by a build in which each source is a translation unit, and the
# tests of what `make mutants` runs.
test-all:
	@utils/install-packages.sh libclang-22-dev
	@$(MAKE) --no-print-directory build BUILD=build-files PRESET=files
	@ninja -C build-files distaff-mutants
	@$(PYTHON) utils/run_tests.py --build build-files --depth all

# Without assertions.
bench:
	@$(MAKE) --no-print-directory build BUILD=build-release PRESET=release
	@$(PYTHON) benchmark/compile_time.py --build build-release
	@$(PYTHON) benchmark/growth.py --build build-release
	@build-release/bin/stage-benchmark
	@$(PYTHON) test/ThirdParty/public_kernels.py --build build-release
	@$(PYTHON) test/ThirdParty/dispatches.py --build build-release
	@$(PYTHON) benchmark/hot_loops/table.py --build build-release

# Regenerates the checked-in pages under docs/generated; `make test` fails
# while they are stale.
docs: build
	@$(PYTHON) utils/generate_docs.py --build $(BUILD)

# All tests, and FUZZ inputs of every kind, under AddressSanitizer with leak
# detection and UndefinedBehaviorSanitizer. The MLIR libraries are not
# instrumented, and their bump allocators poison what they own: hence no user
# poisoning. A test may expect a tool to fail, so what the sanitizers find while
# tests run is written to files, of which none may be there in the end.
FUZZ := 200
FINDINGS := build-asan/findings
SANITIZE := exitcode=99:halt_on_error=1:print_stacktrace=1
sanitize: export ASAN_OPTIONS := allow_user_poisoning=0:detect_leaks=1:detect_stack_use_after_return=0:$(SANITIZE)
sanitize: export UBSAN_OPTIONS := $(SANITIZE)
sanitize:
	@utils/install-packages.sh libclang-rt-22-dev
	@[ -f build-asan/build.ninja ] || cmake --preset asan
	@ninja -C build-asan
	@rm -rf $(FINDINGS) && mkdir $(FINDINGS)
	@ASAN_OPTIONS=$$ASAN_OPTIONS:log_path=$(CURDIR)/$(FINDINGS)/found UBSAN_OPTIONS=$$UBSAN_OPTIONS:log_path=$(CURDIR)/$(FINDINGS)/found \
		$(PYTHON) utils/run_tests.py --build build-asan
	@cat /dev/null $(FINDINGS)/* 2>/dev/null; [ -z "$$(ls $(FINDINGS))" ]
	@$(PYTHON) test/Fuzz/fuzz.py mlir=$(FUZZ) npy=$(FUZZ) package=$(FUZZ) flags=$(FUZZ) --bin build-asan/bin --sanitized

# Draws MUTANTS mutants of all sources, and writes docs/Mutations.md: which ones the
# tests notice. Goes on where the last run ended; hours on 2 cores.
MUTANTS := 1000
mutants: packages
	@utils/install-packages.sh libclang-22-dev
	@$(PYTHON) utils/mutants/mutants.py --sample $(MUTANTS) --work build-mutants --page docs/Mutations.md

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

# A build keeps what the presets said when it was configured.
$(BUILD)/build.ninja: CMakePresets.json | packages
	@cmake --preset $(PRESET) -B $(BUILD)

packages:
	@utils/install-packages.sh

format:
	@git ls-files '*.h' '*.cpp' '*.c' | xargs /usr/lib/llvm-22/bin/clang-format -i

clean:
	@rm -rf build build-files build-release build-asan
