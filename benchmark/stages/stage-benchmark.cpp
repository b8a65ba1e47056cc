//===- stage-benchmark.cpp - Time per stage and of the machine ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every example kernel: how long each stage of the pipeline takes in a warm
// process, how long emission takes, which is LLVM's part, and how fast the SIMT
// machine runs what comes out (lane instructions per second). Not a test:
// nothing is timed in CI.
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/KernelInput.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Simt/Simt.h"
#include "distaff/Target/Target.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <benchmark/benchmark.h>
#include <random>

using namespace distaff;

namespace {

struct Example {
  const char *kernel;
  const char *target;
};

constexpr Example examples[] = {
    {"reduce_8x64", "gfx942"},    {"contract_mma_sync", "sm_80"},
    {"matmul_f16", "sm_80"},      {"matmul_f16", "gfx942"},
    {"softmax", "gfx942"},        {"row_sum", "gfx942"},
    {"softmax", "sm_80"},         {"row_sum", "sm_80"},
    {"flash_attention", "sm_80"}, {"flash_attention", "gfx942"},
    {"matmul_f16", "host"},       {"softmax", "host"},
};

ArrayRef<const Stage *> stagesTo(const Target &target) {
  for (const Pipeline *pipeline : allPipelines())
    if (pipeline->isOfHost == target.isHost())
      return pipeline->stages;
  return {};
}

/// A kernel that has gone through all stages before `stage` (all if null).
class Prepared {
public:
  Prepared(const Example &example, const Stage *stage)
      : target(lookupTarget(example.target)) {
    std::string path =
        std::string(DISTAFF_EXAMPLES "/") + example.kernel + ".mlir";
    auto text = llvm::MemoryBuffer::getFile(path);
    ok = text && succeeded(input.parse((*text)->getBuffer(), path));
    if (!ok)
      return;
    PassManager manager(input.getContext());
    for (const Stage *earlier : stagesTo(*target)) {
      if (earlier == stage)
        break;
      earlier->add(manager, {.target = target});
    }
    ok = succeeded(manager.run(input.getModule()));
  }

  KernelInput input;
  const Target *target;
  bool ok;
};

void runStage(benchmark::State &state, Example example, const Stage *stage) {
  Prepared prepared(example, stage);
  for (auto iteration : state) {
    state.PauseTiming();
    OwningOpRef<ModuleOp> module = prepared.input.getModule().clone();
    PassManager manager(prepared.input.getContext());
    stage->add(manager, {.target = prepared.target});
    state.ResumeTiming();
    if (!prepared.ok || failed(manager.run(*module)))
      return state.SkipWithError("the stage failed");
  }
}

void runEmit(benchmark::State &state, Example example) {
  Prepared prepared(example, nullptr);
  StringRef kind = lookupBackend(*prepared.target)->kinds.front().name;
  for (auto iteration : state) {
    OwningOpRef<ModuleOp> module = prepared.input.getModule().clone();
    if (!prepared.ok || failed(emitCode(*module, *prepared.target, kind)))
      return state.SkipWithError("emission failed");
  }
}

simt::Array randomArray(Type type) {
  auto shaped = cast<MemRefType>(type);
  simt::Array array =
      simt::Array::unwritten(shaped.getElementType(), shaped.getShape());
  array.written = true;
  std::mt19937 generator(1);
  // Small positive floats of any width: high byte 0x3a, the rest random.
  int64_t size = simt::elementBytes(array.elementType);
  for (size_t i = 0; i < array.bytes.size(); ++i)
    array.bytes[i] =
        i % size == static_cast<size_t>(size - 1) ? 0x3a : generator();
  return array;
}

void runMachine(benchmark::State &state, Example example) {
  Prepared prepared(example, nullptr);
  if (!prepared.ok)
    return state.SkipWithError("compilation failed");
  FunctionOpInterface kernel = findKernel(prepared.input.getModule());
  LaunchSizes sizes = launchSizesOf(kernel);
  simt::Options options;
  options.subgroupSize = *sizes.subgroup;
  options.workgroupSize = *sizes.workgroup;
  options.target = example.target;
  SmallVector<simt::Array> arrays;
  for (Type type : kernel.getArgumentTypes())
    arrays.push_back(randomArray(type));
  simt::Counters counters;
  for (auto iteration : state) {
    SmallVector<simt::Array *> arguments;
    for (simt::Array &array : arrays)
      arguments.push_back(&array);
    SmallVector<simt::Array> results;
    simt::Outcome outcome = simt::run(kernel, findGridFunction(kernel),
                                      arguments, results, options);
    counters += outcome.counters;
    if (failed(simt::report(outcome)))
      return state.SkipWithError("the machine failed");
  }
  state.counters["lane_instructions"] = benchmark::Counter(
      static_cast<double>(counters.instructions) * options.subgroupSize,
      benchmark::Counter::kIsRate);
}

void registerAll() {
  for (const Example &example : examples) {
    std::string name = std::string(example.kernel) + "/" + example.target + "/";
    const Target &target = *lookupTarget(example.target);
    for (const Stage *stage : stagesTo(target))
      benchmark::RegisterBenchmark((name + stage->name.str()).c_str(), runStage,
                                   example, stage)
          ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((name + "emit").c_str(), runEmit, example)
        ->Unit(benchmark::kMillisecond);
    if (target.isHost()) // runs by itself
      continue;
    benchmark::RegisterBenchmark((name + "machine").c_str(), runMachine,
                                 example)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  registerAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
