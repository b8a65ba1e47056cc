//===- UntiledOps.cpp - Messages for ops without a tiling rule ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "UntiledOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace distaff;
using namespace distaff::pcf;

static bool isIndexedByLoops(linalg::LinalgOp op) {
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isProjectedPermutation();
  });
}

/// Returns what to write instead of an op that has no tiling rule.
static StringRef adviseInstead(Operation *op) {
  if (matchPattern(op, m_Constant()))
    return " of different elements; pass it as an argument";
  if (isa_and_present<tensor::TensorDialect>(op->getDialect()))
    return ", whose elements are at other places than those of its operands; "
           "put it outside of phases, where elements are arranged in memory";
  if (isa<CallOpInterface>(op))
    return "; inline what it calls";
  if (isa<LoopLikeOpInterface>(op))
    return "; put phases into the loop, and let it carry their handles";
  if (isa<gpu::BarrierOp>(op))
    return "; a group waits at a pcf.barrier between its phases";
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return "; put it in a run_thread, in which every member runs it";
  if (!linalgOp.hasPureTensorSemantics())
    return " on memory; read and write tensors by pcf.read_slice and "
           "pcf.write_slice";
  if (!isIndexedByLoops(linalgOp))
    return ", which indexes a tensor by more than loops; put it outside of "
           "phases, where windows of reduced loops are split into slices";
  return ", of which members would have several tiles of what it reduces; put "
         "it outside of phases, where operands go through memory";
}

std::string pcf::describeUntiled(Operation *op) {
  return ("no tiling rule for " + op->getName().getStringRef() +
          adviseInstead(op))
      .str();
}
