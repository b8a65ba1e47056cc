//===- stage-growth.cpp - Time per stage of one program at many sizes -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: stage-growth TARGET REPETITIONS KERNEL.mlir...
//
// Takes each kernel along its pipeline and through emission, all in one
// process, and prints a line per kernel: its ops, then milliseconds of CPU time
// per stage as `stage=time`, with `emit`, which is LLVM's, at the end. Each
// time is the least of the repetitions, which go around all kernels, so that
// what slows the machine down for a while slows down all sizes.
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/KernelInput.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace distaff;

namespace {

/// Of all threads of the process.
double cpuMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * now.tv_sec + 1e-6 * now.tv_nsec;
}

struct Kernel {
  std::string text, path;
  int64_t ops = 0;
  llvm::MapVector<StringRef, double> least; // per stage, in order
};

/// Runs `work` and keeps its time if it is the least so far.
LogicalResult timed(Kernel &kernel, StringRef stage,
                    llvm::function_ref<LogicalResult()> work) {
  double begin = cpuMilliseconds();
  if (failed(work()))
    return failure();
  double taken = cpuMilliseconds() - begin;
  auto [known, isNew] = kernel.least.insert({stage, taken});
  if (!isNew)
    known->second = std::min(known->second, taken);
  return success();
}

LogicalResult run(Kernel &kernel, const Target &target, bool emits) {
  KernelInput input;
  if (failed(input.parse(kernel.text, kernel.path)))
    return failure();
  ModuleOp module = input.getModule();
  kernel.ops = 0;
  module.walk([&](Operation *) { ++kernel.ops; });
  for (const Stage *stage : allPipelines().front()->stages) {
    if (!emits && stage->name == "convert")
      return success();
    StageManager manager(input.getContext());
    addStage(manager, {.target = &target}, *stage);
    if (failed(timed(kernel, stage->name, [&] { return manager.run(module); })))
      return failure();
  }
  StringRef kind = lookupBackend(target)->kinds.front().name;
  return timed(kernel, "emit", [&] {
    return success(succeeded(emitCode(module, target, kind)));
  });
}

} // namespace

int main(int argc, char **argv) {
  const Target *target = argc > 3 ? lookupTarget(argv[1]) : nullptr;
  int repetitions = argc > 3 ? atoi(argv[2]) : 0;
  if (!target || repetitions == 0) {
    llvm::errs() << "usage: stage-growth TARGET REPETITIONS KERNEL.mlir... "
                    "(a negative number ends with lower)\n";
    return 2;
  }
  std::vector<Kernel> kernels;
  for (int i = 3; i < argc; ++i) {
    auto text = llvm::MemoryBuffer::getFile(argv[i]);
    if (!text) {
      llvm::errs() << "error: cannot read " << argv[i] << "\n";
      return 2;
    }
    kernels.push_back({(*text)->getBuffer().str(), argv[i], 0, {}});
  }
  for (int round = 0; round < std::abs(repetitions); ++round)
    for (Kernel &kernel : kernels)
      if (failed(run(kernel, *target, repetitions > 0)))
        return 1;
  for (const Kernel &kernel : kernels) {
    llvm::outs() << kernel.ops;
    for (auto [stage, time] : kernel.least)
      llvm::outs() << " " << stage << "=" << llvm::format("%.2f", time);
    llvm::outs() << "\n";
  }
  return 0;
}
