//===- MaskedReductions.cpp - Unmasking of large reductions ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %r = vector.mask %m { vector.multi_reduction <add>, %x, %acc [1] }
//   =>   %s = select %m, %x, -0.0
//        %r = vector.multi_reduction <add>, %s, %acc [1]
//
// Combining the identity changes nothing, bit for bit (VX-199).
//
//===----------------------------------------------------------------------===//
#include "MaskedReductions.h"
#include "distaff/Analysis/Linalg/CombiningIdentity.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::vectortiles;

static std::optional<vector::CombiningKind> kindOf(Operation *reduction) {
  if (auto op = dyn_cast_or_null<vector::MultiDimReductionOp>(reduction))
    return op.getKind();
  if (auto op = dyn_cast_or_null<vector::ReductionOp>(reduction))
    return op.getKind();
  return std::nullopt;
}

void vectortiles::unmaskLargeReductions(func::FuncOp kernel,
                                        const Machine &machine) {
  SmallVector<vector::MaskOp> masks;
  kernel.walk([&](vector::MaskOp mask) { masks.push_back(mask); });
  for (vector::MaskOp mask : masks) {
    Operation *op = mask.getMaskableOp();
    std::optional<vector::CombiningKind> kind = kindOf(op);
    if (!kind || mask.getPassthru())
      continue;
    Value source = op->getOperand(0);
    auto type = cast<VectorType>(source.getType());
    Type element = type.getElementType();
    if (type.isScalable() || machine.registersOf(type) <= machine.registers ||
        typeToCombineIn(*kind, element) != element)
      continue;
    OpBuilder b(mask);
    Location loc = op->getLoc();
    Value identity = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, identityOf(*kind, element)));
    Operation *unmasked = op->clone();
    unmasked->setOperand(
        0, arith::SelectOp::create(b, loc, mask.getMask(), source, identity));
    b.insert(unmasked);
    mask.replaceAllUsesWith(unmasked->getResults());
    mask.erase();
  }
}
