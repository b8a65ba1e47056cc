//===- UnrollCopies.cpp - Unrolling of loops that fill shared memory ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's share of a panel is a loop of a few iterations. As a loop, each
// iteration waits for its loads before the next one begins, and the K loop
// around it is not an innermost loop, from which LLVM would hoist
// loop-invariant code:
//
//   for %i = 0 to 4 {                      %a = load %from[%row]
//     %a = load %from[%row + %i]           %b = load %from[%row + 1]
//     store %a, %to[%place + %i]    =>     ...
//   }                                      store %a, %to[%place]
//                                          store %b, %to[%place + 1]
//
// Loops are unrolled from the inside out, while the whole unrolled code remains
// short. Iterations differ by constants, which then come last in a sum of
// indices: the preceding part is the same in all iterations, and an access has
// an immediate offset.
//
//===----------------------------------------------------------------------===//
#include "ConstantsLast.h"
#include "distaff/Staging/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace distaff {
#define GEN_PASS_DEF_UNROLLCOPIES
#include "distaff/Staging/Passes.h.inc"
} // namespace distaff

using namespace distaff;

/// The limit of instructions of one unrolled loop. Eight iterations of a copy
/// through registers are some 100.
static constexpr int64_t mostInstructions = 256;

/// Returns whether an op computes an index, or moves numbers to workgroup
/// memory; `writes` becomes true in the latter case. Iterations with branches
/// do not become straight-line code.
static bool isPartOfCopy(Operation *op, bool &writes) {
  if (isa<scf::ForOp, scf::YieldOp>(op))
    return true;
  if (isMemoryEffectFree(op))
    return op->getNumRegions() == 0;
  auto known = dyn_cast<MemoryEffectOpInterface>(op);
  if (!known)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  known.getEffects(effects);
  return llvm::all_of(effects, [&](const MemoryEffects::EffectInstance &at) {
    auto type = at.getValue() ? dyn_cast<MemRefType>(at.getValue().getType())
                              : MemRefType();
    if (!type)
      return false;
    if (isa<MemoryEffects::Read>(at.getEffect()))
      return true;
    bool isPanel = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
    writes |= isPanel;
    return isPanel && isa<MemoryEffects::Write>(at.getEffect());
  });
}

/// Returns whether a loop only fills workgroup memory.
static bool isCopy(scf::ForOp loop) {
  if (loop.getNumResults() != 0)
    return false;
  bool writes = false;
  WalkResult walk = loop.getBody()->walk([&](Operation *op) {
    return isPartOfCopy(op, writes) ? WalkResult::advance()
                                    : WalkResult::interrupt();
  });
  return writes && !walk.wasInterrupted();
}

/// Counts the ops of an iteration; those of inner loops count once.
static int64_t countInstructions(scf::ForOp loop) {
  int64_t count = 0;
  loop.getBody()->walk([&](Operation *op) {
    count += !op->hasTrait<OpTrait::ConstantLike>() && !isa<scf::YieldOp>(op);
  });
  return count;
}

namespace {
struct UnrollCopies final : distaff::impl::UnrollCopiesBase<UnrollCopies> {
  void runOnOperation() override {
    // Inner loops come first, so that their copies have no loops.
    SmallVector<scf::ForOp> loops;
    bool unrolls = false;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      std::optional<APInt> turns = loop.getStaticTripCount();
      if (!turns || turns->ugt(mostInstructions) || !isCopy(loop))
        continue;
      int64_t all = turns->getZExtValue() * countInstructions(loop);
      if (all > mostInstructions)
        continue;
      if (failed(loopUnrollFull(loop)))
        return signalPassFailure();
      unrolls = true;
    }
    if (unrolls)
      moveConstantsLast(getOperation());
  }
};
} // namespace
