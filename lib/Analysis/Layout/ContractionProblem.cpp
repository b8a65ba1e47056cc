//===- ContractionProblem.cpp - Input of the choice of MMA ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "llvm/ADT/STLExtras.h"

using namespace distaff;
using namespace distaff::iree;

ContractionProblem ContractionProblem::get(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  ContractionProblem problem;
  problem.lhs = maps[0];
  problem.rhs = maps[1];
  problem.acc = maps[2];
  problem.extents.assign(maps[0].getNumDims(), 1);
  auto record = [&](VectorType type, AffineMap map) {
    for (auto [i, extent] : llvm::enumerate(type.getShape()))
      problem.extents[map.getDimPosition(i)] = extent;
  };
  record(op.getLhsType(), maps[0]);
  record(op.getRhsType(), maps[1]);
  for (Attribute iterator : op.getIteratorTypes())
    problem.reduced.push_back(
        cast<vector::IteratorTypeAttr>(iterator).getValue() ==
        vector::IteratorType::reduction);
  problem.lhsFactor = Multiplicand::get(op.getLhs());
  problem.rhsFactor = Multiplicand::get(op.getRhs());
  problem.mayDropBits = distaff::mayDropBits(op);
  problem.mayRenumberK = true;
  problem.accElement = getElementTypeOrSelf(op.getResultType());
  problem.adds = op.getKind() == vector::CombiningKind::ADD;
  problem.config = dyn_cast_or_null<LoweringConfigAttr>(
      op->getDiscardableAttr(LoweringConfigAttr::attributeName));
  return problem;
}

//===----------------------------------------------------------------------===//
// Instructions of matching types
//===----------------------------------------------------------------------===//

bool distaff::typesFit(const ContractionProblem &problem, const MmaRow &row,
                       bool transposed) {
  const Multiplicand &a = transposed ? problem.rhsFactor : problem.lhsFactor;
  const Multiplicand &b = transposed ? problem.lhsFactor : problem.rhsFactor;
  return row.issueCost != infiniteCost && problem.adds &&
         a.is(row.a, problem.mayDropBits) && b.is(row.b, problem.mayDropBits) &&
         problem.accElement ==
             elementTypeOf(row.c, problem.accElement.getContext());
}

bool distaff::typesFitExtended(const ContractionProblem &problem,
                               const MmaRow &row, bool transposed) {
  std::optional<Multiplicand> lhs =
      problem.lhsFactor.as(transposed ? row.b : row.a, problem.mayDropBits);
  std::optional<Multiplicand> rhs =
      problem.rhsFactor.as(transposed ? row.a : row.b, problem.mayDropBits);
  if (!lhs || !rhs)
    return false;
  ContractionProblem extended = problem;
  extended.lhsFactor = *lhs;
  extended.rhsFactor = *rhs;
  return typesFit(extended, row, transposed);
}

/// Returns the problem with its operands extended for the first instruction
/// that accepts them.
static std::optional<ContractionProblem>
extendedForAny(const ContractionProblem &problem, ArrayRef<MmaRow> rows,
               MmaLayoutAttr demanded) {
  for (const MmaRow &row : rows)
    for (bool transposed : {false, true}) {
      if ((demanded && demanded.getName() != row.name) ||
          !typesFitExtended(problem, row, transposed))
        continue;
      ContractionProblem extended = problem;
      extended.lhsFactor = *problem.lhsFactor.as(transposed ? row.b : row.a,
                                                 problem.mayDropBits);
      extended.rhsFactor = *problem.rhsFactor.as(transposed ? row.a : row.b,
                                                 problem.mayDropBits);
      return extended;
    }
  return std::nullopt;
}

ContractionProblem distaff::withFactorsOf(const ContractionProblem &problem,
                                          const Target &target) {
  MmaLayoutAttr demanded = problem.demandedKind();
  auto fitsAny = [&](const ContractionProblem &one) {
    return llvm::any_of(target.mma, [&](const MmaRow &row) {
      return (!demanded || demanded.getName() == row.name) &&
             (typesFit(one, row) || typesFit(one, row, /*transposed=*/true));
    });
  };
  for (auto [lhs, rhs] : {std::pair(false, false), std::pair(true, false),
                          std::pair(false, true), std::pair(true, true)}) {
    ContractionProblem extended = problem;
    if (lhs)
      extended.lhsFactor = problem.lhsFactor.extended();
    if (rhs)
      extended.rhsFactor = problem.rhsFactor.extended();
    if (fitsAny(extended))
      return extended;
  }
  // Unused bits cost less than multiply-adds.
  return extendedForAny(problem, target.mma, demanded).value_or(problem);
}

MmaOffer MmaOffer::get(const ContractionProblem &asWritten,
                       const Target &target) {
  MmaOffer offer{withFactorsOf(asWritten, target), {}};
  MmaLayoutAttr demanded = offer.problem.demandedKind();
  for (const MmaRow &row : target.mma)
    if ((!demanded || demanded.getName() == row.name) &&
        (typesFit(offer.problem, row) ||
         typesFit(offer.problem, row, /*transposed=*/true)))
      offer.rows.push_back(&row);
  return offer;
}
