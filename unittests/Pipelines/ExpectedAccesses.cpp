//===- ExpectedAccesses.cpp - How wide layouts are chosen for -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ExpectedAccesses.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

/// Elements along the innermost dim of the memory that one lane holds side by
/// side.
static int64_t contiguousElements(const Layout &layout, AffineMap map) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto memoryDim = dyn_cast<AffineDimExpr>(expr);
    if (!memoryDim || memoryDim.getPosition() + 1 != map.getNumDims() ||
        layout.digits(dim).empty())
      continue;
    const Digit &innermost = layout.digits(dim).back();
    return innermost.axis == Axis::Register ? innermost.size : 1;
  }
  return 1;
}

FailureOr<AccessCounts> distaff::expectedAccesses(FunctionOpInterface kernel,
                                                  const Target &target) {
  FailureOr<HardwareShape> hardware = hardwareShapeOf(kernel);
  FailureOr<LayoutMap> layouts = propagateLayouts(kernel);
  if (failed(hardware) || failed(layouts))
    return failure();
  AccessCounts counts;
  IndexFacts facts;
  kernel->walk([&](VectorTransferOpInterface op) {
    auto type = dyn_cast<MemRefType>(op.getShapedType());
    bool isLoad = isa<vector::TransferReadOp>(op);
    vector_ext::VectorLayoutInterface layout =
        isLoad ? layouts->get(op->getResult(0))
               : layouts->getUse(op->getOpOperand(0));
    if (!type || !layout)
      return;
    Layout digits = layout.getLayout();
    Layout placed =
        digits.forTarget(hardware->subgroups * hardware->lanes, hardware->lanes)
            .value_or(digits);
    // Both are powers of two: pieces of what a lane has side by side.
    int64_t run = contiguousElements(placed, op.getPermutationMap());
    int64_t elements = std::min(run & -run, widestAccess(op, facts, target));
    bool isShared = gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
    ++counts[{isShared ? "shared" : "global", isLoad,
              bytesInMemory(type.getElementType()) * elements}];
  });
  return counts;
}
