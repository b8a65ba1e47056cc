//===- ContractionChoice.cpp - Which MMA, split over subgroups how --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/ContractionChoice.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;
using namespace distaff::compat;

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

std::optional<ScalarKind> distaff::scalarKindOf(Type type) {
  if (type.isF16())
    return ScalarKind::F16;
  if (type.isBF16())
    return ScalarKind::BF16;
  if (type.isF32())
    return ScalarKind::F32;
  return std::nullopt;
}

/// The element type of `value` before an exact extension and any to_layout.
static Type elementBeforeExtension(Value value) {
  Value source = value;
  while (auto toLayout = source.getDefiningOp<vector_ext::ToLayoutOp>())
    source = toLayout.getInput();
  Operation *op = source.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(op))
    source = op->getOperand(0);
  return getElementTypeOrSelf(source.getType());
}

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
  problem.lhsElement = elementBeforeExtension(op.getLhs());
  problem.rhsElement = elementBeforeExtension(op.getRhs());
  problem.accElement = getElementTypeOrSelf(op.getResultType());
  problem.adds = op.getKind() == vector::CombiningKind::ADD;
  problem.config = dyn_cast_or_null<LoweringConfigAttr>(
      op->getDiscardableAttr(LoweringConfigAttr::attributeName));
  return problem;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {

/// The iteration dims that the instruction's m, n and k run over: the innermost
/// of their kind.
struct MmaDims {
  unsigned m, n, k;
};

} // namespace

static std::optional<MmaDims> findMmaDims(const ContractionProblem &problem) {
  std::optional<unsigned> m, n, k;
  for (unsigned dim = 0; dim < problem.extents.size(); ++dim) {
    bool inLhs = problem.lhs.isFunctionOfDim(dim);
    bool inRhs = problem.rhs.isFunctionOfDim(dim);
    if (problem.reduced[dim] && inLhs && inRhs)
      k = dim;
    else if (!problem.reduced[dim] && inLhs && !inRhs)
      m = dim;
    else if (!problem.reduced[dim] && !inLhs && inRhs)
      n = dim;
  }
  if (!m || !n || !k)
    return std::nullopt;
  return MmaDims{*m, *n, *k};
}

static bool typesFit(const ContractionProblem &problem, const MmaRow &row) {
  return problem.adds && scalarKindOf(problem.lhsElement) == row.a &&
         scalarKindOf(problem.rhsElement) == row.b &&
         scalarKindOf(problem.accElement) == row.c;
}

/// The instruction's extents along the problem's m, n and k.
static std::array<int64_t, 3> extentsOf(const MmaRow &row, bool transposed) {
  if (transposed)
    return {row.n, row.m, row.k};
  return {row.m, row.n, row.k};
}

static bool extentsFit(const ContractionProblem &problem, const MmaDims &dims,
                       const MmaRow &row, bool transposed) {
  auto [m, n, k] = extentsOf(row, transposed);
  return problem.extents[dims.m] % m == 0 && problem.extents[dims.n] % n == 0 &&
         problem.extents[dims.k] % k == 0;
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

/// Appends all ways to put divisors of `left` on the dims from `dim` on.
static void enumerateSplits(ArrayRef<int64_t> room, unsigned dim, int64_t left,
                            SmallVector<int64_t> &split,
                            SmallVectorImpl<SmallVector<int64_t>> &splits) {
  if (dim == room.size()) {
    splits.push_back(split);
    return;
  }
  for (int64_t count = left; count >= 1; --count) {
    if (left % count != 0 || room[dim] % count != 0)
      continue;
    split.push_back(count);
    enumerateSplits(room, dim + 1, left / count, split, splits);
    split.pop_back();
  }
}

/// The splits that use the most subgroups that any split can use.
static SmallVector<SmallVector<int64_t>> widestSplits(ArrayRef<int64_t> room,
                                                      int64_t subgroups) {
  SmallVector<SmallVector<int64_t>> splits;
  SmallVector<int64_t> split;
  enumerateSplits(room, 0, subgroups, split, splits);
  int64_t most = 1;
  for (ArrayRef<int64_t> candidate : splits)
    most = std::max(most, llvm::product_of(candidate));
  llvm::erase_if(splits, [&](ArrayRef<int64_t> candidate) {
    return llvm::product_of(candidate) != most;
  });
  return splits;
}

/// The split that the op's lowering_config demands, if it does.
static std::optional<SmallVector<int64_t>>
configuredSplit(const ContractionProblem &problem) {
  if (!problem.config)
    return std::nullopt;
  auto basis = problem.config.getSubgroupBasis();
  if (!basis || basis->positions.size() != problem.extents.size())
    return std::nullopt;
  SmallVector<int64_t> split;
  for (int64_t position : basis->positions)
    split.push_back(basis->counts[position]);
  return split;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static void setFragment(NestedDim &cut, const Fragment &fragment, int dim) {
  cut.outerTile = fragment.outer[dim];
  cut.threadTile = fragment.thread[dim];
  cut.threadStride = fragment.threadStrides[dim];
  cut.elementTile = fragment.element[dim];
}

/// The layout of a value that `map` reads from iteration dims so cut.
static NestedLayout layoutOn(AffineMap map, ArrayRef<NestedDim> dims) {
  NestedLayout layout;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    layout.dims.push_back(dims[map.getDimPosition(i)]);
  layout.normalize();
  return layout;
}

static int64_t wordsOf(const NestedLayout &layout, Type element) {
  return llvm::divideCeil(llvm::product_of(layout.distributedShape()) *
                              element.getIntOrFloatBitWidth(),
                          32);
}

/// S and B of every dim, for fragments of `tile` elements.
static SmallVector<NestedDim> splitDims(const ContractionProblem &problem,
                                        ArrayRef<int64_t> split,
                                        ArrayRef<int64_t> tile) {
  SmallVector<NestedDim> dims(problem.extents.size());
  int64_t stride = 1;
  for (int64_t dim = dims.size() - 1; dim >= 0; --dim) {
    dims[dim].subgroupTile = split[dim];
    dims[dim].subgroupStride = stride;
    dims[dim].batchTile = problem.extents[dim] / (split[dim] * tile[dim]);
    stride *= split[dim];
  }
  return dims;
}

static ContractionCandidate buildCandidate(const ContractionProblem &problem,
                                           const MmaDims &dims,
                                           const MmaRow &row, bool transposed,
                                           ArrayRef<int64_t> split,
                                           ArrayRef<int64_t> tile) {
  ContractionCandidate candidate;
  candidate.row = &row;
  candidate.transposed = transposed;
  candidate.subgroups.assign(split.begin(), split.end());
  SmallVector<NestedDim> base = splitDims(problem, split, tile);

  // Transposed, the instruction's A (m, k) holds rhs (n, k) and so on.
  const Fragment &forLhs = transposed ? row.fragmentB : row.fragmentA;
  const Fragment &forRhs = transposed ? row.fragmentA : row.fragmentB;
  SmallVector<NestedDim> lhs = base, rhs = base, acc = base;
  setFragment(lhs[dims.m], forLhs, transposed ? 1 : 0);
  setFragment(lhs[dims.k], forLhs, transposed ? 0 : 1);
  setFragment(rhs[dims.k], forRhs, transposed ? 1 : 0);
  setFragment(rhs[dims.n], forRhs, transposed ? 0 : 1);
  setFragment(acc[dims.m], row.fragmentC, transposed ? 1 : 0);
  setFragment(acc[dims.n], row.fragmentC, transposed ? 0 : 1);
  candidate.lhs = layoutOn(problem.lhs, lhs);
  candidate.rhs = layoutOn(problem.rhs, rhs);
  candidate.acc = layoutOn(problem.acc, acc);

  candidate.instructions = 1;
  for (const NestedDim &dim : base)
    candidate.instructions *= dim.batchTile;
  candidate.cost = candidate.instructions * row.issueCost;
  candidate.operandWords = wordsOf(candidate.lhs, problem.lhsElement) +
                           wordsOf(candidate.rhs, problem.rhsElement);
  return candidate;
}

/// Fragments of one instruction agree on K, as its definition says.
static bool agreesOnK(const MmaRow &row) {
  const Fragment &a = row.fragmentA, &b = row.fragmentB;
  return a.outer[1] == b.outer[0] && a.thread[1] == b.thread[0] &&
         a.threadStrides[1] == b.threadStrides[0] &&
         a.element[1] == b.element[0];
}

/// C is laid out like B: the transposed product is an operand of the next
/// transposed product as it is, where the plain one has to be moved first.
static bool chainsTransposed(const MmaRow &row) {
  const Fragment &b = row.fragmentB, &c = row.fragmentC;
  auto same = [](const int64_t (&x)[2], const int64_t (&y)[2]) {
    return x[0] == y[0] && x[1] == y[1];
  };
  return same(b.outer, c.outer) && same(b.thread, c.thread) &&
         same(b.threadStrides, c.threadStrides) && same(b.element, c.element);
}

static void enumerateRow(const ContractionProblem &problem, const MmaDims &dims,
                         const MmaRow &row, bool transposed, int64_t subgroups,
                         std::vector<ContractionCandidate> &candidates) {
  if (!extentsFit(problem, dims, row, transposed) || !agreesOnK(row))
    return;
  SmallVector<int64_t> tile(problem.extents.size(), 1);
  std::tie(tile[dims.m], tile[dims.n], tile[dims.k]) =
      std::tuple_cat(extentsOf(row, transposed));
  // Who splits K over subgroups has them meet in shared memory: only on demand.
  std::optional<SmallVector<int64_t>> split = configuredSplit(problem);
  SmallVector<int64_t> room;
  for (auto [dim, extent] : llvm::enumerate(problem.extents))
    room.push_back(problem.reduced[dim] && !split ? 1 : extent / tile[dim]);
  SmallVector<SmallVector<int64_t>> splits;
  if (split) {
    bool fits = llvm::all_of(llvm::zip_equal(room, *split), [](auto pair) {
      return std::get<0>(pair) % std::get<1>(pair) == 0;
    });
    if (fits && llvm::product_of(*split) <= subgroups)
      splits.push_back(std::move(*split));
  } else {
    splits = widestSplits(room, subgroups);
  }
  for (ArrayRef<int64_t> split : splits)
    candidates.push_back(
        buildCandidate(problem, dims, row, transposed, split, tile));
}

std::vector<ContractionCandidate>
distaff::enumerateMma(const ContractionProblem &problem, const Target &target,
                      int64_t subgroups) {
  std::vector<ContractionCandidate> candidates;
  std::optional<MmaDims> dims = findMmaDims(problem);
  if (!dims)
    return candidates;
  MmaLayoutAttr demanded =
      problem.config ? problem.config.getMmaKind() : MmaLayoutAttr();
  for (const MmaRow &row : target.mma) {
    if (!typesFit(problem, row) || (demanded && demanded.getName() != row.name))
      continue;
    for (bool transposed : {false, true}) {
      bool offered = demanded ? demanded.getColMajor() == transposed
                              : !transposed || chainsTransposed(row);
      if (offered)
        enumerateRow(problem, *dims, row, transposed, subgroups, candidates);
    }
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const ContractionCandidate &a, const ContractionCandidate &b) {
        return std::tie(a.cost, a.operandWords) <
               std::tie(b.cost, b.operandWords);
      });
  return candidates;
}

//===----------------------------------------------------------------------===//
// What a user has chosen
//===----------------------------------------------------------------------===//

/// Takes the split of the dims of `map` over subgroups and batches.
static void takeSplit(const NestedLayout &layout, AffineMap map,
                      SmallVectorImpl<NestedDim> &dims) {
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    NestedDim &dim = dims[map.getDimPosition(i)];
    dim.subgroupTile = layout[i].subgroupTile;
    dim.subgroupStride = layout[i].subgroupStride;
    dim.batchTile = layout[i].batchTile;
  }
}

ContractionCandidate
distaff::anchoredMma(const ContractionProblem &problem, MmaLayoutAttr kind,
                     const std::optional<NestedLayout> &lhs,
                     const std::optional<NestedLayout> &rhs,
                     int64_t subgroups) {
  ContractionCandidate candidate;
  candidate.row = kind.getRow();
  candidate.transposed = kind.getColMajor();
  const MmaRow &row = *candidate.row;
  candidate.instructions =
      std::max<int64_t>(1, llvm::product_of(problem.extents) /
                               (int64_t(row.m) * row.n * row.k * subgroups));
  candidate.cost = candidate.instructions * row.issueCost;
  std::optional<MmaDims> dims = findMmaDims(problem);
  if (!dims || !lhs || !rhs)
    return candidate;
  SmallVector<NestedDim> cuts(problem.extents.size());
  takeSplit(*lhs, problem.lhs, cuts);
  takeSplit(*rhs, problem.rhs, cuts);
  for (const NestedDim &dim : cuts)
    candidate.subgroups.push_back(dim.subgroupTile);
  setFragment(cuts[dims->m], row.fragmentC, candidate.transposed ? 1 : 0);
  setFragment(cuts[dims->n], row.fragmentC, candidate.transposed ? 0 : 1);
  candidate.lhs = *lhs;
  candidate.rhs = *rhs;
  candidate.acc = layoutOn(problem.acc, cuts);
  return candidate;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

std::string distaff::whyNoMma(const ContractionProblem &problem,
                              const Target &target) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::optional<MmaDims> dims = findMmaDims(problem);
  if (!problem.adds)
    return "the combining kind is not add";
  if (!dims)
    return "it has not an m, an n and a k dimension";
  const Target *full = lookupTarget(target.name);
  if (target.mma.empty() && full && !full->mma.empty())
    return "strict-fp keeps the order of sums, which no instruction does";
  if (llvm::none_of(target.mma, [&](const MmaRow &row) {
        return typesFit(problem, row);
      })) {
    os << target.name << " has no instruction for " << problem.lhsElement
       << " x " << problem.rhsElement << " -> " << problem.accElement;
    return text;
  }
  os << problem.extents[dims->m] << "x" << problem.extents[dims->n] << "x"
     << problem.extents[dims->k]
     << " (m, n, k) is no multiple of an instruction's shape";
  return text;
}

MmaLayoutAttr ContractionCandidate::getKind(MLIRContext *context) const {
  return MmaLayoutAttr::get(context, row->name, transposed);
}

std::string ContractionCandidate::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "m" << row->m << "n" << row->n << "k" << row->k << " " << nameOf(row->a)
     << (transposed ? " transposed" : "");
  if (subgroups.empty())
    return text;
  os << ", subgroups ";
  llvm::interleave(subgroups, os, "x");
  return text;
}
