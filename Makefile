# run | test | bench | docs: each installs what is missing (Debian packages),
# configures, builds into build/, then does its job.
BUILD := build
PYTHON := python3

.PHONY: run test bench docs build packages format clean

run: build
	@$(PYTHON) utils/run_examples.py --build $(BUILD)

test: build
	@$(PYTHON) utils/run_tests.py --build $(BUILD)

bench: build
	@$(PYTHON) benchmark/compile_time.py --build $(BUILD)
	@$(BUILD)/bin/stage-benchmark

# Regenerates the checked-in pages under docs/generated; `make test` fails
# while they are stale.
docs: build
	@$(PYTHON) utils/generate_docs.py --build $(BUILD)

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
