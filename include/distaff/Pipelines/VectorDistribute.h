//===- VectorDistribute.h - Pipeline vector-distribute ----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the stages of the pipeline vector-distribute: each one function, one
// options struct with what it needs, one heading in docs/Pipeline.md. They
// communicate through the IR alone; they also log their decisions and reasons,
// but no stage reads the log.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_VECTORDISTRIBUTE_H
#define DISTAFF_PIPELINES_VECTORDISTRIBUTE_H

#include "distaff/Pipelines/Pipeline.h"

namespace distaff {

struct FormLaunchesStageOptions {
  const Target &target;
  RankerSource rankers;          ///< predicts what launches cost
  bool strictFp = false;         ///< float sums and products keep their order
  DecisionLog *log = nullptr;    ///< receives what was decided; may be null
  int64_t reservedSubgroups = 0; ///< subgroups kept free for others
  int64_t clusters = 0;          ///< clusters of phases that a kernel becomes
  int64_t producers = 0;         ///< subgroups that copy for these clusters
};
/// Normalizes kernels and forms launches of them; gives vectors in their
/// signatures a buffer.
void addFormLaunchesStage(OpPassManager &manager,
                          const FormLaunchesStageOptions &options);

/// The options of both stages: configure ranks what form-launches has formed.
using ConfigureStageOptions = FormLaunchesStageOptions;
/// Picks workgroup, subgroups and tiles of each launch.
void addConfigureStage(OpPassManager &manager,
                       const ConfigureStageOptions &options);

struct TileStageOptions {
  const Target &target;
  bool strictFp = false;
  DecisionLog *log = nullptr; ///< receives what was chosen; may be null
  bool peel = true;           ///< whole tiles and steps have their own bodies
};
/// Makes one workgroup-mapped loop of a linalg kernel, and the grid function.
void addTileStage(OpPassManager &manager, const TileStageOptions &options);

/// Vectorizes linalg on static tiles to n-D vectors on tensors.
void addVectorizeStage(OpPassManager &manager);

struct AssignLayoutsStageOptions {
  const Target &target;
  bool strictFp = false;
  bool requireAnchors = false; ///< refuse values that no to_layout reaches
  DecisionLog *log = nullptr;
  bool stagesOperands = true; ///< operands go through shared memory, by cost
};
/// Bufferizes tensors and materializes the layouts as to_layout ops.
void addAssignLayoutsStage(OpPassManager &manager,
                           const AssignLayoutsStageOptions &options);

struct DistributeStageOptions {
  const Target &target;
  bool strictFp = false;
  DecisionLog *log = nullptr;
};
/// Replaces a workgroup's vectors by what one lane holds of them.
void addDistributeStage(OpPassManager &manager,
                        const DistributeStageOptions &options);

/// The first four stages, which the pipeline for CPUs shares.
extern const Stage formLaunchesStage, configureStage, tileStage, vectorizeStage;

extern const Pipeline vectorDistribute;

} // namespace distaff

#endif // DISTAFF_PIPELINES_VECTORDISTRIBUTE_H
