# run | test | test-all | bench | docs | sanitize | mutants: each installs what is missing (Debian packages),
# configures, builds into build/, then does its job.
BUILD := build
PYTHON := python3

.PHONY: run test test-all bench docs sanitize mutants build packages format clean

run: build
	@$(PYTHON) utils/run_examples.py --build $(BUILD)

test: build
	@$(PYTHON) utils/run_tests.py --build $(BUILD)

# Every case of the long suites, and the tests of what `make mutants` runs, too.
test-all: build
	@utils/install-packages.sh libclang-22-dev
	@cmake -B $(BUILD) >/dev/null && ninja -C $(BUILD) distaff-mutants
	@$(PYTHON) utils/run_tests.py --build $(BUILD) --all

bench: build
	@$(PYTHON) benchmark/compile_time.py --build $(BUILD)
	@$(PYTHON) benchmark/growth.py --build $(BUILD)
	@$(BUILD)/bin/stage-benchmark
	@$(PYTHON) test/ThirdParty/public_kernels.py --build $(BUILD)

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

$(BUILD)/build.ninja: | packages
	@cmake --preset release -B $(BUILD)

packages:
	@utils/install-packages.sh

format:
	@git ls-files '*.h' '*.cpp' '*.c' | xargs /usr/lib/llvm-22/bin/clang-format -i

clean:
	@rm -rf $(BUILD)
