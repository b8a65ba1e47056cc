//===- ShareWorkgroups.cpp - Outermost loop over workgroups ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ShareWorkgroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace distaff;
using namespace distaff::vectortiles;

/// Returns the only op of a kernel that does more than compute indices and
/// constants; null where it is no loop over tiles.
static scf::ForOp findOnlyLoop(func::FuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return {};
  scf::ForOp only;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isMemoryEffectFree(&op) && op.getNumRegions() == 0)
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (only || !loop || loop.getNumResults() != 0)
      return {};
    only = loop;
  }
  return only;
}

void vectortiles::shareWorkgroups(func::FuncOp kernel, int64_t pieces,
                                  const Machine &machine) {
  scf::ForOp loop = findOnlyLoop(kernel);
  if (!loop || kernel.getNumResults() != 0)
    return;
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (getConstantIntValue(loop.getLowerBound()) != 0 || !end || !step)
    return;
  int64_t iterations = llvm::divideCeil(*end, *step);
  int64_t most = std::min(pieces / machine.workgroupPieces, machine.workgroups);
  int64_t count = largestDivisor(iterations, most);
  if (count < 2)
    return;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto mapping = b.getArrayAttr(
      gpu::GPUBlockMappingAttr::get(b.getContext(), gpu::MappingId::DimX));
  auto workgroups = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>(b.getIndexAttr(count)), ValueRange(),
      mapping);
  b.setInsertionPointToStart(workgroups.getBody());
  int64_t share = iterations / count * *step;
  Value size = arith::ConstantIndexOp::create(b, loc, share);
  Value first =
      arith::MulIOp::create(b, loc, workgroups.getInductionVar(0), size);
  loop->moveBefore(workgroups.getBody()->getTerminator());
  b.setInsertionPoint(loop);
  Value last = arith::AddIOp::create(b, loc, first, size);
  if (count == iterations) { // no loop is left
    loop.getInductionVar().replaceAllUsesWith(first);
    loop.getBody()->getTerminator()->erase();
    workgroups.getBody()->getOperations().splice(
        loop->getIterator(), loop.getBody()->getOperations());
    loop.erase();
    last.getDefiningOp()->erase();
    return;
  }
  loop.getLowerBoundMutable().assign(first);
  loop.getUpperBoundMutable().assign(last);
}
