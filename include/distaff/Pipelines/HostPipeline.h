//===- HostPipeline.h - Pipeline for CPUs -----------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup of a CPU has one lane, so nothing is distributed: its vectors
// become vectors of the machine. Configuring, tiling and vectorizing are those
// of vector-distribute; a kernel's layouts, subgroups and shared memory concern
// GPUs, and are dropped.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_HOSTPIPELINE_H
#define DISTAFF_PIPELINES_HOSTPIPELINE_H

#include "distaff/Pipelines/Pipeline.h"

namespace distaff {

/// Adds the passes that bufferize tensors and drop layouts.
void addBufferizeStage(OpPassManager &manager);

struct HostLowerStageOptions {
  const Target &target;
  bool strictFp = false;
  DecisionLog *log = nullptr; ///< receives what was emitted; may be null
};
/// Adds the passes that legalize vectors to those that the machine has.
void addHostLowerStage(OpPassManager &manager,
                       const HostLowerStageOptions &options);

extern const Pipeline hostPipeline;

} // namespace distaff

#endif // DISTAFF_PIPELINES_HOSTPIPELINE_H
