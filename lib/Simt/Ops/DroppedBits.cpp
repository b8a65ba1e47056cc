//===- DroppedBits.cpp - Contractions with reduced precision --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DroppedBits.h"
#include "../Values/IndexSpace.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace distaff;
using namespace distaff::simt;

static int64_t largest(ArrayRef<int64_t> offsets) {
  return offsets.empty() ? 0 : *llvm::max_element(offsets);
}

/// Returns the cells of an operand that a contraction of one lane accesses.
static int64_t cellsOf(ArrayRef<int64_t> batch, ArrayRef<int64_t> outer,
                       ArrayRef<int64_t> inner) {
  return largest(batch) + largest(outer) + largest(inner) + 1;
}

/// The reduced format of 32-bit numbers in the instructions.
static const Kind fewer = Kind::ofFloat(FloatFormat::TF32);

Unary simt::droppingBits(Operation *op, const Domain &domain, Kind operand) {
  Kind single = Kind::ofFloat(FloatFormat::F32);
  if (!op->hasAttr("allow_tf32") || !domain.coversEveryOrder() ||
      !(operand == single))
    return {};
  return domain.convert(Conversion::FloatToFloat, single, fewer);
}

Contract simt::contractionOf(Operation *op, const Domain &domain,
                             vector::CombiningKind combining, Kind lhs,
                             Kind rhs, Kind acc) {
  Unary round = droppingBits(op, domain, lhs);
  if (!round || !(lhs == rhs))
    return domain.contract(combining, lhs, rhs, acc, false);
  Contract contract = domain.contract(combining, fewer, fewer, acc, false);
  if (!contract)
    return {};
  return [round, contract, bytes = domain.cellBytes(fewer)](
             const ContractionSpace &space, int64_t lanes, const void *left,
             const void *right, void *sums) {
    auto rounded = [&](const void *cells, int64_t count) {
      std::vector<uint8_t> result(count * lanes * bytes);
      round(count * lanes, cells, result.data());
      return result;
    };
    contract(
        space, lanes,
        rounded(left, cellsOf(space.lhsBatch, space.lhsM, space.lhsK)).data(),
        rounded(right, cellsOf(space.rhsBatch, space.rhsK, space.rhsN)).data(),
        sums);
  };
}
