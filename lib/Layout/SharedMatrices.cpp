//===- SharedMatrices.cpp - Shared memory by matrix instructions ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix instructions may access a side of the round trip whose registers are
// tiles (MatrixTiles.h): the search plans the layout of the tiles' rows. That
// plan is taken where it is no worse: an instruction moves up to four words of
// a lane, in as many wavefronts as an access of 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

using namespace distaff;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// A choice is one side as it is, or as rows of tiles.
struct SideChoice {
  const Layout *layout;
  std::optional<MatrixTiles> tiles;

  const Layout &moved() const { return tiles ? tiles->rows : *layout; }
  int64_t row() const { return tiles ? tiles->perRow : 0; }
};
} // namespace

static SmallVector<SideChoice>
loadsOf(const Layout &layout, HardwareShape hardware, int64_t elementBits,
        const BankModel &banks, ArrayRef<int64_t> order) {
  SmallVector<SideChoice> choices{{&layout, std::nullopt}};
  for (MatrixTiles &tiles :
       sharedLoadsOf(layout, hardware, elementBits, banks, order))
    choices.push_back({&layout, std::move(tiles)});
  return choices;
}

static SmallVector<SideChoice> storesOf(const Layout &layout,
                                        HardwareShape hardware,
                                        int64_t elementBits, bool hasMatrices) {
  SmallVector<SideChoice> choices{{&layout, std::nullopt}};
  // All lanes of a subgroup take part in a matrix store, or none; replica lanes
  // are useless for it.
  if (!hasMatrices || layout.neededLanes() < hardware.lanes)
    return choices;
  for (bool transposed : {false, true})
    if (std::optional<MatrixTiles> tiles =
            MatrixTiles::get(layout, hardware, elementBits, transposed))
      choices.push_back({&layout, std::move(tiles)});
  return choices;
}

/// Corrects the wavefronts of fewer than four tiles, for which the replica
/// lanes load nothing; for stores the search takes no replica lanes.
static void dropRepeats(SharedAccess &access,
                        const std::optional<MatrixTiles> &tiles) {
  if (!tiles || tiles->isExchanged())
    return;
  access.wavefronts = access.wavefronts * tiles->tiles / 4;
  access.ideal = access.ideal * tiles->tiles / 4;
}

static int64_t conflictsOf(const SharedMemoryPlan &plan) {
  return plan.store.wavefronts - plan.store.ideal + plan.load.wavefronts -
         plan.load.ideal;
}

SharedMemoryPlan distaff::withMatrixTiles(
    SharedMemoryPlan plan, const Layout &src, const Layout &dst,
    HardwareShape hardware, const BankModel &banks, int64_t maxBytes,
    const MoveCosts &costs, int64_t storeRow, const OperandOrder &loadOrder) {
  if (!banks.loadsMatrices && !banks.storesMatrices &&
      banks.transposingLoad.columns == 0)
    return plan;
  int64_t bits = 8 * plan.elementBytes;
  for (const SideChoice &store :
       storesOf(src, hardware, bits, banks.storesMatrices && storeRow == 0))
    for (const SideChoice &load :
         loadsOf(dst, hardware, bits, banks, loadOrder.registers)) {
      if (!store.tiles && !load.tiles)
        continue;
      std::optional<SharedMemoryPlan> found = searchSharedRows(
          store.moved(), store.tiles ? store.row() : storeRow, load.moved(),
          load.row(), hardware, plan.elementBytes, banks, maxBytes, costs);
      if (!found)
        continue;
      found->storeTiles = store.tiles;
      found->loadTiles = load.tiles;
      if (!load.tiles)
        found->movedWords =
            countMovedWords(found->load, loadOrder, plan.elementBytes);
      dropRepeats(found->load, load.tiles);
      // On a tie the plan with tiles wins: it keeps rows whole, as
      // asynchronous copies do. A load that transposes among lanes replaces
      // accesses of single elements: its wavefronts, conflicts among them, are
      // its whole cost.
      bool mayConflict = load.tiles && load.tiles->isExchanged();
      if (!isBetter(plan, *found, hardware, costs) &&
          (mayConflict || conflictsOf(*found) <= conflictsOf(plan)))
        plan = std::move(*found);
    }
  return plan;
}
