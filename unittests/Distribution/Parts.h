//===- Parts.h - Distributes marked parts of a kernel -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test gives the text of a kernel in which ops carry names, and distributes
// their regions one by one, each for its own members. Around the parts the
// kernel is the code of a lane:
//
//   %sg = gpu.subgroup_id : index
//   %lane = gpu.lane_id
//   %first = arith.cmpi ult, %sg, %c2 : index
//   scf.if %first {
//     ...
//   } {part = "upper"}
//
//   PartKernel kernel(text);
//   NamedBarrier barrier(/*id=*/1, /*threads=*/64);
//   kernel.distribute("upper", kernel.members(0, 2, barrier));
//
// A part's op says how the vectors are laid out that cross its boundary:
// `inputs`, the region's vector arguments first and then what it takes from
// outside in the order of use, and `outputs`, one per operand of its terminator
// (unit where that is no vector).
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_DISTRIBUTION_PARTS_H
#define DISTAFF_UNITTESTS_DISTRIBUTION_PARTS_H

#include "../Simt/Kernel.h"
#include "distaff/Distribution/Distribution.h"
#include "mlir/IR/BuiltinOps.h"

namespace distaff::part_test {

using simt::kernel_test::Argument;
using simt::kernel_test::array;
using simt::kernel_test::Values;

/// A barrier of some subgroups: `id` plus, if given, `offset`.
class NamedBarrier final : public MemberSync {
public:
  NamedBarrier(int64_t id, int64_t threads, Value offset = {})
      : id(id), threads(threads), offset(offset) {}

  void wait(OpBuilder &b, Location loc) const override;
  LogicalResult arrive(OpBuilder &b, Location loc) const override;
  LogicalResult fence(OpBuilder &b, Location loc) const override;
  bool isWait(Operation *op) const override;

private:
  Value number(OpBuilder &b, Location loc) const;

  int64_t id, threads;
  Value offset;
};

/// Members that need not wait: that somebody makes them fails the test.
class NoBarrier final : public MemberSync {
public:
  void wait(OpBuilder &b, Location loc) const override;
  LogicalResult arrive(OpBuilder &b, Location loc) const override;
  LogicalResult fence(OpBuilder &b, Location loc) const override;
  bool isWait(Operation *op) const override { return false; }
};

class PartKernel {
public:
  explicit PartKernel(StringRef text);

  /// The op that is marked `part = NAME`.
  Operation *op(StringRef part);
  /// The only op of a kind.
  template <typename Op> Op only() {
    Op found;
    function->walk([&](Op op) { found = op; });
    return found;
  }
  /// A builder behind the ids of subgroup and lane.
  OpBuilder behindIds();

  /// Subgroups [first, first + count), with their lanes.
  DistributionOptions members(int64_t first, int64_t count,
                              const MemberSync &sync,
                              int64_t subgroupSize = 32);

  LogicalResult distribute(StringRef part, const DistributionOptions &options,
                           unsigned region = 0);

  /// Runs the kernel in a workgroup of `subgroups`; gives what an argument
  /// holds afterwards, in every schedule the same.
  Values run(ArrayRef<Argument> arguments, int64_t subgroups, size_t wanted,
             int64_t subgroupSize = 32);
  /// The first diagnostic of a run, empty where there is none.
  std::string runError(ArrayRef<Argument> arguments, int64_t subgroups,
                       int64_t subgroupSize = 32);
  int64_t count(StringRef opName);
  std::string text();

  MLIRContext context;
  std::string messages;

private:
  void giveNewTypes(Operation *op);

  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;

public:
  FunctionOpInterface function;
};

/// A nested layout of rank 2 under a name: tiles of both dims, from subgroups
/// to elements.
std::string layout2(StringRef name, std::array<int64_t, 2> subgroup,
                    std::array<int64_t, 2> batch, std::array<int64_t, 2> thread,
                    std::array<int64_t, 2> element);
/// Of rank 1.
std::string layout1(StringRef name, int64_t subgroup, int64_t batch,
                    int64_t thread, int64_t element);

/// Whole numbers up to `most`, of which sums are exact.
Argument wholeNumbers(ArrayRef<int64_t> shape, unsigned seed, int most = 64);
/// An output.
Argument unwritten(ArrayRef<int64_t> shape);

} // namespace distaff::part_test

#endif // DISTAFF_UNITTESTS_DISTRIBUTION_PARTS_H
