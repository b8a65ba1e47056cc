//===- PhaseReader.h - Reads phases of pcf as records -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads one outermost op that opens a scope, and its body, in two passes:
// groups and memories first, then steps.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_ANALYSIS_PHASES_PHASEREADER_H
#define DISTAFF_LIB_ANALYSIS_PHASES_PHASEREADER_H

#include "../Access/IndexText.h"
#include "distaff/Analysis/Phases/PhaseProgram.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "llvm/ADT/StringSet.h"

namespace distaff {

/// Returns the name of the workers of a scope: `subgroups`, `lanes`, ...
std::string workersOf(Attribute scope);

/// Returns the op that delinearizes an id into the numbers of a tile along
/// several dimensions; null if there is none.
affine::AffineDelinearizeIndexOp digitsOf(Value id);

/// Returns the bytes of a shaped or scalar type; nullopt if its shape is
/// unknown.
std::optional<int64_t> bytesOf(Type type);

class PhaseReader {
public:
  PhaseReader(PhaseProgram &program, IndexText &text)
      : program(program), text(text) {}

  void read(pcf::RefOwnerOpInterface owner);

private:
  using Steps = std::vector<PhaseStep>;
  /// Consecutive ops outside of phases.
  using Code = SmallVector<Operation *>;

  // PhaseGroups.cpp: groups and memories.
  void addMembers(pcf::RefOwnerOpInterface owner);
  void addMemories(pcf::RefOwnerOpInterface owner);
  void addClusters(pcf::TileGroupOp split);
  size_t groupOf(Operation *from, Type handle);
  size_t memoryOf(Value ref);
  /// Sets `[0, p)` per dimension, and the number of members if it is constant.
  void describe(PhaseGroup &group, pcf::ClusterType type,
                ArrayRef<Value> ranges);
  std::string boundOf(AffineExpr bound, ArrayRef<Value> ranges,
                      ArrayRef<std::string> counts) const;

  // PhaseProgram.cpp: steps.
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

  // PhaseBody.cpp: the body of a phase.
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
