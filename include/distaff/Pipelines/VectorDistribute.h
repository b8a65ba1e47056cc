//===- VectorDistribute.h - Layouts on a workgroup's vectors ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of the pipeline vector-distribute: each one function, one options
// struct with what it needs, one heading in docs/Pipeline.md. They speak to
// each other through the IR alone; what they decided and why they also write to
// a log that none of them reads.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_VECTORDISTRIBUTE_H
#define DISTAFF_PIPELINES_VECTORDISTRIBUTE_H

#include "distaff/Pipelines/Pipeline.h"

namespace distaff {

struct ConfigureStageOptions {
  const Target &target;
  bool strictFp = false;         ///< float sums and products keep their order
  DecisionLog *log = nullptr;    ///< receives what was decided; may be null
  int64_t reservedSubgroups = 0; ///< of a workgroup, for others
  int64_t clusters = 0;          ///< of phases that it becomes
  int64_t producers = 0;         ///< subgroups that copy for these
};
/// Picks workgroup, subgroups and tiles; gives vectors at the border a buffer.
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

/// Turns linalg on static tiles into n-D vectors on tensors.
void addVectorizeStage(OpPassManager &manager);

struct AssignLayoutsStageOptions {
  const Target &target;
  bool strictFp = false;
  bool requireAnchors = false; ///< refuse what no to_layout reaches
  DecisionLog *log = nullptr;
  bool stagesOperands = true; ///< through shared memory, by cost
};
/// Goes from tensors to memrefs and writes the layouts down as to_layout ops.
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

/// The rows of the first three, which the pipeline to CPUs begins with too.
extern const Stage configureStage, tileStage, vectorizeStage;

extern const Pipeline vectorDistribute;

} // namespace distaff

#endif // DISTAFF_PIPELINES_VECTORDISTRIBUTE_H
