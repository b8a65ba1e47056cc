//===- LegalizeWidth.cpp - Legal vector widths of a function --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is for CPUs (VX-119, VX-120). Two choices are made per function,
// for all uses of a vector must agree on its native vector chunks: their width,
// and whether they end with rows. Nested rows need no shuffles; short rows
// leave much of a register unused, and so do narrow elements:
//
//   vector<64x3xf32>, 8 words       64 chunks of 3       24 flattened chunks
//   vector<8x32xi8>, 256 bits       32 chunks of 8       8 chunks of 32
//
// Another legalization may save arithmetic but lose where rows must be
// recovered, and only the code shows that. So the function is lowered under
// each legalization that differs for it, and the cheapest code is taken.
//
//===----------------------------------------------------------------------===//
#include "Prices.h"
#include "ScalarRegisters.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Threading.h"

using namespace distaff;
using namespace distaff::registers;

/// Returns whether flattening changes the rows of an elementwise op: no other
/// op gains by it.
static bool hasShortRows(FunctionOpInterface function, int64_t width) {
  return function
      ->walk([&](Operation *op) {
        if (!OpTrait::hasElementwiseMappableTraits(op))
          return WalkResult::advance();
        auto type = dyn_cast<VectorType>(op->getResult(0).getType());
        bool isShort = type && type.getRank() > 1 &&
                       type.getShape().back() % width != 0 &&
                       type.getNumElements() > type.getShape().back();
        return isShort ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns the widths of chunks that could be good for a function, the usual
/// one first: more elements fill a register where all are narrow.
static SmallVector<int64_t> widthsFor(FunctionOpInterface function,
                                      int64_t usual, int64_t vectorBits) {
  int64_t longest = 0;
  int64_t narrowest = 32;
  function->walk([&](Operation *op) {
    for (Type result : op->getResultTypes()) {
      auto type = dyn_cast<VectorType>(result);
      Type element = type ? type.getElementType() : Type();
      if (!type || type.getRank() == 0 || !element.isIntOrFloat() ||
          element.isInteger(1))
        continue;
      longest = std::max(longest, type.getShape().back());
      narrowest = std::min<int64_t>(narrowest, element.getIntOrFloatBitWidth());
    }
  });
  SmallVector<int64_t> widths = {usual};
  int64_t most = std::min<int64_t>(
      {vectorBits / std::max<int64_t>(narrowest, 8), longest, 32});
  for (int64_t width = usual * 2; width <= most; width *= 2)
    widths.push_back(width);
  return widths;
}

/// Returns the cost of a function's code under a legalization; none if the
/// lowering fails.
static std::optional<int64_t> priceOf(FunctionOpInterface function,
                                      LegalWidth cut, const RuleSet &rules,
                                      const Target &target, bool strictFp) {
  // Functions that are lowered concurrently still emit their diagnostics.
  ScopedDiagnosticHandler silent(
      function.getContext(), [thread = llvm::get_threadid()](Diagnostic &) {
        return success(llvm::get_threadid() == thread);
      });
  OwningOpRef<Operation *> holder(
      function->getParentOp()->cloneWithoutRegions());
  IRRewriter b(function.getContext());
  holder->getRegion(0).emplaceBlock();
  b.setInsertionPointToStart(&holder->getRegion(0).front());
  auto copy = cast<FunctionOpInterface>(b.clone(*function));
  if (failed(
          Lowering(copy, rules, target, strictFp, cut, /*log=*/nullptr).run()))
    return std::nullopt;
  (void)runRegionDCE(b, copy->getRegions()); // fails if there is no dead code
  return Prices(target).function(copy);
}

/// Returns of several legalizations, by their names, the requested one, or else
/// the cheapest.
static LegalWidth
chooseAmong(FunctionOpInterface function, const core::StrategyChoice &choice,
            ArrayRef<std::pair<StringRef, LegalWidth>> cuts,
            function_ref<std::optional<int64_t>(LegalWidth)> priceOf,
            DecisionLog *log) {
  if (cuts.size() == 1)
    return cuts.front().second;
  StringRef asked = core::strategyAskedFor(function, choice);
  SmallVector<Candidate> candidates;
  SmallVector<LegalWidth> ofCandidates;
  for (auto [name, cut] : cuts)
    if (std::optional<int64_t> price = priceOf(cut)) {
      candidates.push_back({name, *price});
      ofCandidates.push_back(cut);
    }
  if (candidates.empty())
    return cuts.front().second; // its errors will be emitted
  size_t best = 0;
  for (size_t i = 1; i < candidates.size(); ++i)
    if (candidates[best].name != asked &&
        (candidates[i].name == asked ||
         candidates[i].cost < candidates[best].cost))
      best = i;
  if (log)
    recordStrategies(function->getLoc(), function.getName(), choice, asked,
                     candidates[best], candidates, *log);
  return ofCandidates[best];
}

LegalWidth registers::chooseCut(FunctionOpInterface function,
                                const RuleSet &rules, const Target &target,
                                bool strictFp, DecisionLog *log) {
  auto price = [&](LegalWidth cut) {
    return priceOf(function, cut, rules, target, strictFp);
  };
  int64_t usual = target.simd.vectorBits / 32;
  SmallVector<int64_t> widths =
      widthsFor(function, usual, target.simd.vectorBits);
  // A requested width need not be one that could be good.
  int64_t asked = 0;
  if (!core::strategyAskedFor(function, core::pieceStrategies)
           .getAsInteger(10, asked) &&
      !llvm::is_contained(widths, asked))
    widths.push_back(asked);
  SmallVector<std::string> names = llvm::map_to_vector(
      widths, [](int64_t width) { return llvm::utostr(width); });
  SmallVector<std::pair<StringRef, LegalWidth>> cuts;
  for (auto [width, name] : llvm::zip_equal(widths, names))
    cuts.push_back({name, {width, /*isFlattened=*/false}});
  LegalWidth cut =
      chooseAmong(function, core::pieceStrategies, cuts, price, log);
  if (!hasShortRows(function, cut.width))
    return cut;
  return chooseAmong(function, core::vectorStrategies,
                     {{"nested", cut}, {"flattened", {cut.width, true}}}, price,
                     log);
}
