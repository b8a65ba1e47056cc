//===- RenamedRegisters.cpp - Layouts equal up to register order ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RenamedRegisters.h"
#include "Blocks.h"
#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Layout/Conversion.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace distaff;
using vector_ext::ToLayoutOp;
using vector_ext::VectorLayoutInterface;

/// Returns whether each layout becomes the other by renaming every member's
/// registers.
static bool renamesOnly(const Layout &a, const Layout &b,
                        HardwareShape hardware) {
  return a.shape() == b.shape() && a.numRegisters() == b.numRegisters() &&
         classifyConversion(a, b, hardware) <= Tier::RegisterPermutation &&
         classifyConversion(b, a, hardware) <= Tier::RegisterPermutation;
}

bool distaff::areRenamings(VectorLayoutInterface a, VectorLayoutInterface b,
                           const DistributionOptions &options) {
  if (a == b)
    return true;
  FailureOr<Placement> from = placeFor(a, options, nullptr);
  FailureOr<Placement> to = placeFor(b, options, nullptr);
  HardwareShape hardware{options.numSubgroups, options.subgroupSize};
  if (failed(from) || failed(to) ||
      !renamesOnly(from->layout, to->layout, hardware))
    return false;
  if (!options.keepsBlocks)
    return true;
  // The blocks must be renamings on the lanes, too, of which there are as many
  // as the blocks need.
  Layout blockA = layoutOfBlock(a).getLayout();
  Layout blockB = layoutOfBlock(b).getLayout();
  int64_t lanes = std::max(blockA.neededLanes(), blockB.neededLanes());
  return renamesOnly(blockA, blockB, {/*subgroups=*/1, lanes});
}

namespace {
/// A renaming is a use of a value in another layout than its own.
struct Renaming {
  OpOperand *use;
  VectorLayoutInterface layout;
};

/// Uses renamed to match other operands: once each, since the op's result may
/// require the old layout again.
using RenamedUses = llvm::SmallPtrSet<OpOperand *, 8>;
} // namespace

/// Returns the layout that an op needs for one of its operands, determined by
/// the others and its results, or by its results alone where several operands
/// contradict them; null where that is not determined.
static VectorLayoutInterface findNeeded(Operation *op, OpLayouts slots,
                                        unsigned operand) {
  std::string why;
  slots.operandLayouts[operand] = {};
  OpLayouts byResults = slots;
  if (succeeded(inferLayouts(op, slots, why)))
    return slots.operandLayouts[operand];
  llvm::fill(byResults.operandLayouts, VectorLayoutInterface());
  if (failed(inferLayouts(op, byResults, why)))
    return {};
  return byResults.operandLayouts[operand];
}

/// Returns the layout that an op needs for one of its operands, determined by
/// the others, for any layout of its results; null where that is not
/// determined.
static VectorLayoutInterface
findNeededBesideOthers(Operation *op, OpLayouts slots, unsigned operand) {
  std::string why;
  slots.operandLayouts[operand] = {};
  llvm::fill(slots.resultLayouts, VectorLayoutInterface());
  return succeeded(inferLayouts(op, slots, why)) ? slots.operandLayouts[operand]
                                                 : VectorLayoutInterface();
}

/// Returns the first renaming that an op's operands need.
static std::optional<Renaming> findRenaming(Operation *op,
                                            const LayoutMap &layouts,
                                            const DistributionOptions &options,
                                            RenamedUses &besideOthers) {
  auto renames = [&](VectorLayoutInterface has, VectorLayoutInterface needed) {
    return has && needed && has != needed && areRenamings(has, needed, options);
  };
  if (isa<ToLayoutOp>(op))
    return std::nullopt;
  for (auto [source, target] : ties(op)) {
    VectorLayoutInterface from = layouts.getUse(*source),
                          to = layouts.get(target);
    if (renames(from, to))
      return Renaming{source, to};
  }
  OpLayouts slots = OpLayouts::get(op);
  for (auto [operand, layout] :
       llvm::zip_equal(slots.operands, slots.operandLayouts))
    layout = layouts.getUse(*operand);
  for (auto [result, layout] :
       llvm::zip_equal(slots.results, slots.resultLayouts))
    layout = layouts.get(result);
  std::string why;
  if (OpLayouts filled = slots; succeeded(inferLayouts(op, filled, why)))
    return std::nullopt;
  // Results come first: they determine one layout for all operands.
  for (auto [number, operand] : llvm::enumerate(slots.operands))
    if (VectorLayoutInterface needed = findNeeded(op, slots, number);
        renames(slots.operandLayouts[number], needed))
      return Renaming{operand, needed};
  for (auto [number, operand] : llvm::enumerate(slots.operands))
    if (VectorLayoutInterface needed =
            findNeededBesideOthers(op, slots, number);
        renames(slots.operandLayouts[number], needed) &&
        besideOthers.insert(operand).second)
      return Renaming{operand, needed};
  return std::nullopt;
}

void distaff::renameRegisters(Region &region, const RegionBoundary &boundary,
                              const DistributionOptions &options) {
  std::optional<Renaming> found;
  RenamedUses besideOthers;
  auto findFirst = [&](const LayoutMap &layouts) {
    region.walk([&](Operation *op) {
      found = findRenaming(op, layouts, options, besideOthers);
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found.has_value();
  };
  while (findFirst(propagateWhatIsKnown(region, boundary))) {
    Operation *user = found->use->getOwner();
    OpBuilder builder(user);
    found->use->set(ToLayoutOp::create(builder, user->getLoc(),
                                       found->use->get(), found->layout));
  }
}
