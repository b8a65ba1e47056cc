//===- PendingAccesses.cpp - Accesses since the last sync -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PendingAccesses.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/MathExtras.h"

using namespace distaff;

Value distaff::rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

bool distaff::isRoot(Value root) {
  if (isa<BlockArgument>(root))
    return isFunctionArgument(root);
  return isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(
      root.getDefiningOp());
}

/// Returns one key for all reads of a global's address.
static const void *rootKey(Value root) {
  auto global = root.getDefiningOp<memref::GetGlobalOp>();
  return global ? global.getNameAttr().getAsOpaquePointer()
                : root.getAsOpaquePointer();
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

std::optional<SmallVector<uint64_t>>
PendingAccesses::Grid::cellsOf(const MemoryBox &box) const {
  constexpr size_t most = 64;
  if (box.start.empty() || box.start.size() != cell.size())
    return std::nullopt;
  SmallVector<uint64_t> cells = {0};
  for (auto [start, extent, size] :
       llvm::zip_equal(box.start, box.extent, cell)) {
    if (!start)
      return std::nullopt;
    int64_t last;
    if (llvm::AddOverflow(*start, std::max<int64_t>(extent, 1) - 1, last))
      return std::nullopt;
    int64_t begin = llvm::divideFloorSigned(*start, size);
    int64_t end = llvm::divideFloorSigned(last, size);
    if (uint64_t(end - begin) >= most / cells.size())
      return std::nullopt;
    SmallVector<uint64_t> longer;
    for (uint64_t prefix : cells)
      for (int64_t i = begin; i <= end; ++i)
        longer.push_back(llvm::hash_combine(prefix, i));
    cells = std::move(longer);
  }
  return cells;
}

//===----------------------------------------------------------------------===//
// Insertion
//===----------------------------------------------------------------------===//

bool PendingAccesses::contains(const Entry &entry) const {
  std::pair<int64_t, Operation *> key(entry.access->group, entry.loop);
  for (const PendingAccesses *layer = this; layer; layer = layer->outer)
    if (layer->keys.contains(key))
      return true;
  return false;
}

void PendingAccesses::addTo(Index &index, unsigned number) {
  const auto &[access, loop] = entries[number];
  Value root = rootOf(access->memref);
  index.all.push_back(number);
  if (!isRoot(root))
    index.unknown.push_back(number);
  if (places.contains(root))
    index.placed.push_back(number);
  InMemRef &here = index.roots[rootKey(root)][access->memref];
  here.all.push_back(number);
  if (here.grid.cell.empty())
    for (int64_t extent : access->box.extent)
      here.grid.cell.push_back(std::max<int64_t>(extent, 1));
  // In another iteration the access was at another place.
  auto cells = loop ? std::nullopt : here.grid.cellsOf(access->box);
  if (!cells)
    return here.anywhere.push_back(number);
  for (uint64_t cell : *cells)
    here.grid.inCell[cell].push_back(number);
}

void PendingAccesses::insert(Entry entry) {
  assert(entry.access->box.start.size() == entry.access->box.extent.size() &&
         entry.access->box.start.size() == entry.access->box.motion.size() &&
         "along each dim a box begins, moves and ends");
  if (contains(entry))
    return;
  keys.insert({entry.access->group, entry.loop});
  entries.push_back(entry);
  addTo(entry.access->writes ? writes : reads, entries.size() - 1);
}

void PendingAccesses::clear() {
  outer = nullptr;
  entries.clear();
  keys.clear();
  reads = writes = Index();
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Visits the entries of `root` that may overlap `access` until one visit ends
/// the search.
void PendingAccesses::findNear(
    const InRoot &root, const MemoryAccess &access,
    llvm::function_ref<bool(ArrayRef<unsigned>)> visit) {
  for (const auto &[memref, here] : root) {
    auto cells =
        memref == access.memref ? here.grid.cellsOf(access.box) : std::nullopt;
    if (!cells) {
      if (visit(here.all))
        return;
      continue;
    }
    if (visit(here.anywhere))
      return;
    for (uint64_t cell : *cells)
      if (auto found = here.grid.inCell.find(cell);
          found != here.grid.inCell.end() && visit(found->second))
        return;
  }
}

const PendingAccesses::Entry *
PendingAccesses::findIn(const Index &index, const MemoryAccess &access,
                        llvm::function_ref<bool(const Entry &)> test) const {
  const Entry *result = nullptr;
  auto visit = [&](ArrayRef<unsigned> numbers) {
    for (unsigned number : numbers)
      if (test(entries[number])) {
        result = &entries[number];
        return true;
      }
    return false;
  };
  Value root = rootOf(access.memref);
  if (!isRoot(root)) {
    visit(index.all);
    return result;
  }
  auto found = index.roots.find(rootKey(root));
  if (found != index.roots.end())
    findNear(found->second, access, visit);
  if (!result)
    visit(index.unknown);
  if (!result && places.contains(root))
    visit(index.placed);
  return result;
}

const PendingAccesses::Entry *
PendingAccesses::find(const MemoryAccess &access,
                      llvm::function_ref<bool(const Entry &)> test) const {
  for (const PendingAccesses *layer = this; layer; layer = layer->outer) {
    if (const Entry *entry = layer->findIn(layer->writes, access, test))
      return entry;
    if (!access.writes)
      continue;
    if (const Entry *entry = layer->findIn(layer->reads, access, test))
      return entry;
  }
  return nullptr;
}
