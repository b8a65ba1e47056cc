//===- PhaseReader.h - From pcf to records of phases ------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads one outermost op that opens a scope, and all in it, in two passes: who
// is there (groups, memories), then what is done (steps).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_PHASES_PHASEREADER_H
#define DISTAFF_LIB_ANALYSIS_PHASES_PHASEREADER_H

#include "../Access/IndexText.h"
#include "distaff/Analysis/Phases/PhaseProgram.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "llvm/ADT/StringSet.h"

namespace distaff {

/// `subgroups`, `lanes`, ... : the workers of a scope.
std::string workersOf(Attribute scope);

/// The op that takes an id apart into the numbers of a tile along several
/// dimensions; null where there is none.
affine::AffineDelinearizeIndexOp digitsOf(Value id);

/// Bytes of a shaped or scalar type; none where its shape is not known.
std::optional<int64_t> bytesOf(Type type);

class PhaseReader {
public:
  PhaseReader(PhaseProgram &program, IndexText &text)
      : program(program), text(text) {}

  void read(pcf::RefOwnerOpInterface owner);

private:
  using Steps = std::vector<PhaseStep>;
  /// Ops outside of phases that stand together.
  using Code = SmallVector<Operation *>;

  // PhaseGroups.cpp: who is there.
  void addMembers(pcf::RefOwnerOpInterface owner);
  void addMemories(pcf::RefOwnerOpInterface owner);
  void addClusters(pcf::TileGroupOp split);
  size_t groupOf(Operation *from, Type handle);
  size_t memoryOf(Value ref);
  /// `[0, p)` per dimension, and the members where they can be counted.
  void describe(PhaseGroup &group, pcf::ClusterType type,
                ArrayRef<Value> ranges);
  std::string boundOf(AffineExpr bound, ArrayRef<Value> ranges,
                      ArrayRef<std::string> counts) const;

  // PhaseProgram.cpp: what is done.
  void readBlock(Block &block, size_t group, Steps &steps);
  void readOp(Operation &op, size_t group, Steps &steps, Code &code);
  void readOwner(pcf::RefOwnerOpInterface owner, Steps &steps);
  void readBarrier(pcf::BarrierOp op, Steps &steps);
  void readRegions(Operation &op, size_t group, Steps &steps);
  void readBranch(Block &block, size_t group, std::string title, int64_t line,
                  Steps &steps);
  void readRegion(Region &region, size_t group, Steps &steps);
  template <typename RunOp> void readPhase(RunOp op, Steps &steps);
  void noteCode();
  void addCode(Code &code, size_t group, Steps &steps);
  PhaseRecord newPhase(Operation *op, size_t group, StringRef operation);

  // PhaseBody.cpp: what a phase does.
  void readBody(ArrayRef<Operation *> ops, PhaseRecord &phase);
  void addAccesses(Operation *op, const std::string &condition,
                   PhaseRecord &phase);
  void addSlice(Operation *op, Value ref, bool isWrite,
                const std::string &condition, PhaseRecord &phase);
  void addAccess(PhaseAccess access, PhaseRecord &phase);
  std::string viewOf(Value ref, size_t memory);
  std::string labelOf(const PhaseRecord &phase,
                      ArrayRef<Operation *> ops) const;
  void noteSlots(OffsetSizeAndStrideOpInterface slice, size_t memory);

  PhaseProgram &program;
  IndexText &text;
  llvm::DenseMap<Value, size_t> memories;
  llvm::DenseMap<Value, size_t> clusters;
  llvm::DenseMap<Operation *, size_t> members; // of owners
  llvm::StringSet<> seen;                      // accesses of the phase
};

} // namespace distaff

#endif // DISTAFF_LIB_ANALYSIS_PHASES_PHASEREADER_H
