//===- RunCluster.h - Phases and clusters of a workgroup --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of the pipeline run-cluster: each one function, one options struct
// with what it needs, one heading in docs/Pipeline.md. A workgroup's work
// becomes phases of its subgroups, those become phases of lanes, and at each of
// the two levels a member gets its part first, and clusters become a switch on
// its id then:
//
//   tile                      pcf.loop over workgroups, tensors in it
//   wrap-in-executor,
//   form-matmul-phases        what all subgroups do, as phases with a payload
//   promote-to-shared-memory,
//   specialize                panels; which workers copy, and which compute
//   distribute-subgroups      each subgroup's part; one executor of lanes
//   distribute-lanes          each lane's part; no cluster is left
//   vectorize                 a lane's tensors are vectors
//   concretize                memrefs, ids and barriers; a gpu.func
//   lower                     as on every pipeline
//
// A stage leaves alone what is as it would make it, so that a kernel may enter
// with ops of pcf that its author wrote (PCF-86).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_PIPELINES_RUNCLUSTER_H
#define DISTAFF_PIPELINES_RUNCLUSTER_H

#include "distaff/Pipelines/Pipeline.h"

namespace distaff {

struct ConfigureClustersStageOptions {
  const Target &target;
  bool strictFp = false; ///< float sums and products keep their order
  /// Panels are for more than one step at a time where there is one.
  Specialization specialization = Specialization::None;
  DecisionLog *log = nullptr; ///< receives what was decided; may be null
};
/// Picks workgroup, subgroups, tiles, and the operands that go through panels.
void addConfigureClustersStage(OpPassManager &manager,
                               const ConfigureClustersStageOptions &options);

struct TileToLoopStageOptions {
  const Target &target;
  bool strictFp = false;
  bool requireAnchors = false; ///< layouts are the kernel's own
  /// Whether workgroups go through steps, in which something is copied ahead.
  Specialization specialization = Specialization::None;
  DecisionLog *log = nullptr;
};
/// Makes one pcf.loop over workgroups of a kernel, and its grid function: of
/// tensors around one product, else of vectors with layouts.
void addTileToLoopStage(OpPassManager &manager,
                        const TileToLoopStageOptions &options);

/// Makes what a workgroup does with tensors its subgroups' together.
void addWrapInExecutorStage(OpPassManager &manager);

struct FormMatmulPhasesStageOptions {
  /// Whether steps of loops end where a product of matrices begins and ends.
  Specialization specialization = Specialization::None;
};
/// Makes a contraction phases that pass the accumulator on.
void addFormMatmulPhasesStage(OpPassManager &manager,
                              const FormMatmulPhasesStageOptions &options);

struct PromoteToSharedMemoryStageOptions {
  const Target &target;
  /// Whether phases of loops read only what others can copy ahead.
  Specialization specialization = Specialization::None;
};
/// Copies promoted operands to panels, in phases of their own.
void addPromoteToSharedMemoryStage(
    OpPassManager &manager, const PromoteToSharedMemoryStageOptions &options);

struct SpecializeStageOptions {
  const Target &target;
  bool strictFp = false;
  Specialization specialization = Specialization::None;
  DecisionLog *log = nullptr;
};
/// Gives phases to clusters of subgroups; none: to all, as they are. Then
/// chooses how products in phases are computed.
void addSpecializeStage(OpPassManager &manager,
                        const SpecializeStageOptions &options);

struct DistributeSubgroupsStageOptions {
  const Target &target;
};
/// Replaces what subgroups do together by what each does: an executor of lanes.
void addDistributeSubgroupsStage(
    OpPassManager &manager, const DistributeSubgroupsStageOptions &options);

struct DistributeLanesStageOptions {
  const Target &target;
  bool strictFp = false;
  DecisionLog *log = nullptr;
};
/// Replaces what lanes do together by what each does. What subgroups do with
/// tensors in code of their own lanes do together.
void addDistributeLanesStage(OpPassManager &manager,
                             const DistributeLanesStageOptions &options);

/// Turns a lane's tensors into vectors.
void addVectorizeLanesStage(OpPassManager &manager);

struct ConcretizeStageOptions {
  const Target &target;
  DecisionLog *log = nullptr;
};
/// Ends pcf: memory has spaces and layouts, workers have ids, a kernel is a
/// gpu.func.
void addConcretizeStage(OpPassManager &manager,
                        const ConcretizeStageOptions &options);

extern const Pipeline runCluster;

} // namespace distaff

#endif // DISTAFF_PIPELINES_RUNCLUSTER_H
