//===- FragmentMatch.cpp - Layouts as repeated MMA fragments --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Layout/FragmentMatch.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/Twine.h"
#include <map>

using namespace distaff;

namespace {
/// The iteration dims that an instruction spans: the last of each kind.
struct SpannedDims {
  int64_t m = -1, n = -1, k = -1, batch = -1;
};
} // namespace

static bool hasDim(AffineMap map, int64_t dim) {
  return map.getResultPosition(getAffineDimExpr(dim, map.getContext()))
      .has_value();
}

static SpannedDims dimsOf(AffineMap a, AffineMap b, AffineMap c) {
  SpannedDims dims;
  for (int64_t dim = 0, e = a.getNumDims(); dim < e; ++dim) {
    bool inA = hasDim(a, dim), inB = hasDim(b, dim), inC = hasDim(c, dim);
    if (inA && inB)
      (inC ? dims.batch : dims.k) = dim;
    else if (inA && inC)
      dims.m = dim;
    else if (inB && inC)
      dims.n = dim;
  }
  return dims;
}

namespace {
/// Matches an operand as batches of a fragment.
class FragmentMatch {
public:
  /// `dims` are the iteration dims that the fragment's dims run over.
  FragmentMatch(const Fragment &fragment, ArrayRef<int64_t> dims, AffineMap map,
                const Layout &layout, int64_t lanes)
      : fragment(fragment), whole(layoutOf(fragment)), map(map), layout(layout),
        lanes(lanes), at(layout.rank(), -1), held(layout.rank()) {
    for (auto [own, dim] : llvm::enumerate(dims))
      at[*map.getResultPosition(getAffineDimExpr(dim, map.getContext()))] = own;
  }

  /// Returns nullopt if the layout is not the fragment's under any tables.
  std::optional<FragmentView> view();

private:
  int64_t extentAt(int64_t dim) const {
    return at[dim] < 0 ? 1 : whole.shape()[at[dim]];
  }
  int64_t fragmentIndex(int64_t dim, int64_t lane, int64_t reg) const {
    return at[dim] < 0 ? 0 : whole.indexOf({0, lane, reg})[at[dim]];
  }
  bool findHeld();
  std::optional<SmallVector<int64_t>> nameDim(int64_t dim) const;
  std::optional<SmallVector<int64_t>> orderRegisters(ArrayRef<int64_t> batches);

  const Fragment &fragment;
  Layout whole;
  AffineMap map;
  const Layout &layout;
  int64_t lanes;
  SmallVector<int64_t> at; // dim of the fragment by dim of the operand, or -1
  /// The indices that lane 0 holds along each dim, with their registers: all of
  /// the layout's, and those of the fragment.
  struct Held {
    std::map<int64_t, int64_t> indices;
    std::map<int64_t, int64_t> ofFragment;
  };
  SmallVector<Held> held;
  std::map<SmallVector<int64_t>, int64_t> registerAt;
};
} // namespace

/// Returns false if the registers of lane 0 are not a whole number of
/// fragments.
bool FragmentMatch::findHeld() {
  for (int64_t reg = 0; reg < layout.numRegisters(); ++reg) {
    SmallVector<int64_t> index = layout.indexOf({0, 0, reg});
    for (auto [dim, i] : llvm::enumerate(index))
      held[dim].indices.insert({i, reg});
    registerAt[index] = reg;
  }
  int64_t batches = 1;
  for (auto [dim, one] : llvm::enumerate(held)) {
    for (int64_t reg = 0; reg < fragment.numRegisters(); ++reg)
      one.ofFragment.insert({fragmentIndex(dim, 0, reg), reg});
    if (one.indices.size() % one.ofFragment.size() != 0)
      return false;
    batches *= one.indices.size() / one.ofFragment.size();
  }
  return int64_t(registerAt.size()) == layout.numRegisters() &&
         batches * fragment.numRegisters() == layout.numRegisters();
}

/// Returns the table of one dim, if all lanes agree on it. Indices are sums of
/// contributions of the subgroup, the lane and the register, so one register
/// per index suffices, and a lane's indices are those of lane 0 plus its own
/// first one.
std::optional<SmallVector<int64_t>> FragmentMatch::nameDim(int64_t dim) const {
  const Held &one = held[dim];
  int64_t extent = extentAt(dim), perBatch = one.ofFragment.size();
  SmallVector<int64_t> names(one.indices.size() / perBatch * extent, -1);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t firstOfLane = layout.indexOf({0, lane, 0})[dim];
    int64_t firstOfFragment = fragmentIndex(dim, lane, 0);
    auto index = one.indices.begin();
    for (int64_t batch = 0; index != one.indices.end(); ++batch)
      for (int64_t inFragment : llvm::make_first_range(one.ofFragment)) {
        int64_t actual = firstOfLane + index->first;
        int64_t &name = names[batch * extent + firstOfFragment + inFragment];
        if (name >= 0 && name != actual)
          return std::nullopt;
        name = actual;
        ++index;
      }
  }
  SmallVector<int64_t> sorted(names);
  llvm::sort(sorted);
  if (sorted.front() < 0 ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return std::nullopt;
  return names;
}

/// Returns the layout's registers, batch by batch in the fragment's order.
std::optional<SmallVector<int64_t>>
FragmentMatch::orderRegisters(ArrayRef<int64_t> batches) {
  SmallVector<SmallVector<int64_t>> indices;
  SmallVector<std::map<int64_t, int64_t>> rank(held.size());
  for (auto [dim, one] : llvm::enumerate(held)) {
    indices.push_back(llvm::to_vector(llvm::make_first_range(one.indices)));
    for (auto [i, entry] : llvm::enumerate(one.ofFragment))
      rank[dim][entry.first] = i;
  }
  SmallVector<int64_t> strides = computeStrides(batches), registers;
  for (int64_t number = 0; number < computeProduct(batches); ++number) {
    SmallVector<int64_t> batch = delinearize(number, strides);
    for (int64_t reg = 0; reg < fragment.numRegisters(); ++reg) {
      SmallVector<int64_t> index;
      for (auto [dim, one] : llvm::enumerate(held))
        index.push_back(indices[dim][batch[dim] * one.ofFragment.size() +
                                     rank[dim][fragmentIndex(dim, 0, reg)]]);
      auto found = registerAt.find(index);
      if (found == registerAt.end())
        return std::nullopt;
      registers.push_back(found->second);
    }
  }
  return registers;
}

std::optional<FragmentView> FragmentMatch::view() {
  if (!findHeld())
    return std::nullopt;
  FragmentView view;
  view.map = map;
  for (auto [dim, one] : llvm::enumerate(held)) {
    std::optional<SmallVector<int64_t>> names = nameDim(dim);
    if (!names)
      return std::nullopt;
    view.names.push_back(std::move(*names));
    view.shape.push_back(one.indices.size() / one.ofFragment.size());
  }
  std::optional<SmallVector<int64_t>> registers = orderRegisters(view.shape);
  if (!registers)
    return std::nullopt;
  view.registers = std::move(*registers);
  view.shape.append({fragment.shape[0], fragment.shape[1]});
  return view;
}

/// Returns whether two operands have equal tables for shared dims, in each
/// subgroup.
static bool namedAlike(const Layout &a, const FragmentView &viewA,
                       const Layout &b, const FragmentView &viewB,
                       int64_t numSubgroups) {
  for (auto [atA, expr] : llvm::enumerate(viewA.map.getResults())) {
    auto atB = viewB.map.getResultPosition(expr);
    if (!atB)
      continue;
    if (viewA.names[atA] != viewB.names[*atB])
      return false;
    for (int64_t subgroup = 0; subgroup < numSubgroups; ++subgroup)
      if (a.indexOf({subgroup, 0, 0})[atA] != b.indexOf({subgroup, 0, 0})[*atB])
        return false;
  }
  return true;
}

static std::string whyNoFragment(const MmaRow &row, const Fragment &fragment,
                                 StringRef operand, const Layout &layout) {
  return (operand + " is laid out as " + toString(layout) +
          ", which is no repetition of a fragment of '" + row.name + "', " +
          toString(layoutOf(fragment)) + ", not even with its indices renamed")
      .str();
}

std::optional<MmaOperands>
distaff::fitToMma(const MmaRow &row, bool transposed,
                  ArrayRef<AffineMap> contractionMaps,
                  const std::array<Layout, 3> &layouts, int64_t subgroups,
                  MmaMisfit &misfit) {
  assert(llvm::all_of(layouts,
                      [&](const Layout &layout) {
                        return layout.fits({subgroups, row.subgroupSize});
                      }) &&
         "operands are laid out for the hardware");
  constexpr StringLiteral operands[] = {"lhs", "rhs", "acc"};
  // The operand of the contraction for each of the instruction's A, B and C.
  const unsigned order[] = {transposed ? 1u : 0u, transposed ? 0u : 1u, 2u};
  SmallVector<AffineMap> maps;
  for (unsigned operand : order)
    maps.push_back(contractionMaps[operand]);
  SpannedDims dims = dimsOf(maps[0], maps[1], maps[2]);
  if (dims.m < 0 || dims.n < 0 || dims.k < 0) {
    misfit = {"is no matrix product: a row, column or inner dim is missing",
              std::nullopt};
    return std::nullopt;
  }
  if (row.blocks > 1 && dims.batch < 0) {
    misfit = {("has no batch dim, and '" + row.name + "' multiplies " +
               Twine(row.blocks) + " blocks")
                  .str(),
              std::nullopt};
    return std::nullopt;
  }
  const Fragment *fragments[] = {&row.fragmentA, &row.fragmentB,
                                 &row.fragmentC};
  const std::array<int64_t, 2> spanned[] = {
      {dims.m, dims.k}, {dims.k, dims.n}, {dims.m, dims.n}};
  MmaOperands found;
  FragmentView *views[] = {&found.a, &found.b, &found.c};
  for (unsigned i = 0; i < 3; ++i) {
    SmallVector<int64_t> own(spanned[i].begin(), spanned[i].end());
    if (row.blocks > 1)
      own.insert(own.begin(), dims.batch);
    const Layout &layout = layouts[order[i]];
    std::optional<FragmentView> view =
        FragmentMatch(*fragments[i], own, maps[i], layout, row.subgroupSize)
            .view();
    if (!view) {
      misfit = {whyNoFragment(row, *fragments[i], operands[order[i]], layout),
                order[i]};
      return std::nullopt;
    }
    *views[i] = std::move(*view);
  }
  for (auto [x, y] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)})
    if (!namedAlike(layouts[order[x]], *views[x], layouts[order[y]], *views[y],
                    subgroups)) {
      misfit.why = "has operands that split a common dim over subgroups or "
                   "batches differently, or name its indices so: ";
      for (unsigned i = 0; i < 3; ++i)
        misfit.why += (i == 0 ? "" : ", ") + operands[order[i]].str() + " " +
                      toString(layouts[order[i]]);
      misfit.operand = 1;
      return std::nullopt;
    }
  return found;
}
