//===- ContractionChoice.cpp - MMA kind and subgroup split ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;
using namespace distaff::iree;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {

/// The iteration dims that the instruction's m, n, k and blocks run over: the
/// innermost of their kind.
struct MmaDims {
  unsigned m, n, k;
  std::optional<unsigned> batch;
};

} // namespace

static std::optional<MmaDims> findMmaDims(const ContractionProblem &problem) {
  std::optional<unsigned> m, n, k, batch;
  for (unsigned dim = 0; dim < problem.extents.size(); ++dim) {
    bool inLhs = problem.lhs.isFunctionOfDim(dim);
    bool inRhs = problem.rhs.isFunctionOfDim(dim);
    if (problem.reduced[dim] && inLhs && inRhs)
      k = dim;
    else if (!problem.reduced[dim] && inLhs && !inRhs)
      m = dim;
    else if (!problem.reduced[dim] && !inLhs && inRhs)
      n = dim;
    else if (!problem.reduced[dim] && inLhs && inRhs)
      batch = dim;
  }
  if (!m || !n || !k)
    return std::nullopt;
  return MmaDims{*m, *n, *k, batch};
}

/// Returns the instruction's extents along the problem's m, n and k.
static std::array<int64_t, 3> extentsOf(const MmaRow &row, bool transposed) {
  if (transposed)
    return {row.n, row.m, row.k};
  return {row.m, row.n, row.k};
}

static bool extentsFit(const ContractionProblem &problem, const MmaDims &dims,
                       const MmaRow &row, bool transposed) {
  auto [m, n, k] = extentsOf(row, transposed);
  return problem.extents[dims.m] % m == 0 && problem.extents[dims.n] % n == 0 &&
         problem.extents[dims.k] % k == 0 &&
         (row.blocks == 1 ||
          (dims.batch && problem.extents[*dims.batch] % row.blocks == 0));
}

//===----------------------------------------------------------------------===//
// Splits
//===----------------------------------------------------------------------===//

/// Appends all ways to distribute divisors of `left` over the dims from `dim`
/// on.
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

/// Returns the splits that use the most subgroups that any split can use.
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

/// Returns the split that the op's lowering_config requires, if there is one.
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

static void setBlocks(NestedDim &cut, const FragmentBlocks &blocks) {
  cut.outerTile = blocks.outer;
  cut.threadTile = blocks.thread;
  cut.threadStride = blocks.threadStride;
}

/// Returns the layout of a value that `map` reads from iteration dims split so.
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

/// Returns S and B of every dim, for fragments of `tile` elements.
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

/// Tiles of the dims of lhs, rhs and acc.
struct OperandCuts {
  SmallVector<NestedDim> lhs, rhs, acc;
};

/// Returns the tiles of the instruction's fragments on dims that are split over
/// subgroups and batches. Transposed, its A (m, k) holds rhs (n, k) and so on.
/// `elementsOfK` adjacent values of K stay together, or the table's number.
static OperandCuts cutByFragments(ArrayRef<NestedDim> base, const MmaDims &dims,
                                  const MmaRow &row, bool transposed,
                                  std::optional<int64_t> elementsOfK) {
  const Fragment &forLhs = transposed ? row.fragmentB : row.fragmentA;
  const Fragment &forRhs = transposed ? row.fragmentA : row.fragmentB;
  OperandCuts cuts{llvm::to_vector(base), llvm::to_vector(base),
                   llvm::to_vector(base)};
  setFragment(cuts.lhs[dims.m], forLhs, transposed ? 1 : 0);
  setFragment(cuts.lhs[dims.k], forLhs, transposed ? 0 : 1);
  setFragment(cuts.rhs[dims.k], forRhs, transposed ? 1 : 0);
  setFragment(cuts.rhs[dims.n], forRhs, transposed ? 0 : 1);
  setFragment(cuts.acc[dims.m], row.fragmentC, transposed ? 1 : 0);
  setFragment(cuts.acc[dims.n], row.fragmentC, transposed ? 0 : 1);
  if (elementsOfK)
    for (NestedDim *k : {&cuts.lhs[dims.k], &cuts.rhs[dims.k]}) {
      k->outerTile = k->outerTile * k->elementTile / *elementsOfK;
      k->elementTile = *elementsOfK;
    }
  if (row.blocks > 1) {
    setBlocks(cuts.lhs[*dims.batch], forLhs.blocks);
    setBlocks(cuts.rhs[*dims.batch], forRhs.blocks);
    setBlocks(cuts.acc[*dims.batch], row.fragmentC.blocks);
  }
  return cuts;
}

static ContractionCandidate
buildCandidate(const ContractionProblem &problem, const MmaDims &dims,
               const MmaRow &row, bool transposed, ArrayRef<int64_t> split,
               ArrayRef<int64_t> tile, std::optional<int64_t> elementsOfK) {
  ContractionCandidate candidate;
  candidate.row = &row;
  candidate.transposed = transposed;
  candidate.subgroups.assign(split.begin(), split.end());
  SmallVector<NestedDim> base = splitDims(problem, split, tile);
  OperandCuts cuts = cutByFragments(base, dims, row, transposed, elementsOfK);
  candidate.lhs = layoutOn(problem.lhs, cuts.lhs);
  candidate.rhs = layoutOn(problem.rhs, cuts.rhs);
  candidate.acc = layoutOn(problem.acc, cuts.acc);
  candidate.elementsOfK = elementsOfK;

  candidate.instructions = 1;
  for (const NestedDim &dim : base)
    candidate.instructions *= dim.batchTile;
  candidate.cost = candidate.instructions * row.issueCost;
  candidate.operandWords = wordsOf(candidate.lhs, problem.lhsFactor.element) +
                           wordsOf(candidate.rhs, problem.rhsFactor.element);
  return candidate;
}

/// Returns whether the fragments of one instruction have the same layout of K.
static bool agreesOnK(const MmaRow &row) {
  const Fragment &a = row.fragmentA, &b = row.fragmentB;
  return a.outer[1] == b.outer[0] && a.thread[1] == b.thread[0] &&
         a.threadStrides[1] == b.threadStrides[0] &&
         a.element[1] == b.element[0];
}

/// Returns whether C has the layout of B: then the transposed product is an
/// operand of the next transposed product, where the plain one must be
/// converted.
static bool chainsTransposed(const MmaRow &row) {
  const Fragment &b = row.fragmentB, &c = row.fragmentC;
  auto same = [](const int64_t (&x)[2], const int64_t (&y)[2]) {
    return x[0] == y[0] && x[1] == y[1];
  };
  return same(b.outer, c.outer) && same(b.thread, c.thread) &&
         same(b.threadStrides, c.threadStrides) && same(b.element, c.element);
}

/// Returns the number of adjacent values of K with which the acc of several
/// instructions is the A of the next one (transposed: its B) without a
/// conversion; nullopt if the table has this number (VX-101, VX-104).
static std::optional<int64_t> chainedElements(const MmaRow &row,
                                              bool transposed) {
  const Fragment &operand = transposed ? row.fragmentB : row.fragmentA;
  int k = transposed ? 0 : 1; // the dim of the acc is m, or n
  const Fragment &c = row.fragmentC;
  bool sameLanes = operand.thread[k] == c.thread[k] &&
                   operand.threadStrides[k] == c.threadStrides[k] &&
                   operand.thread[1 - k] == c.thread[1 - k] &&
                   operand.threadStrides[1 - k] == c.threadStrides[1 - k];
  int64_t registers = operand.outer[k] * operand.element[k];
  if (!sameLanes || row.blocks != 1 || c.element[k] == operand.element[k] ||
      registers % c.element[k] != 0)
    return std::nullopt;
  return c.element[k];
}

static void enumerateRow(const ContractionProblem &problem, const MmaDims &dims,
                         const MmaRow &row, bool transposed, int64_t subgroups,
                         std::vector<ContractionCandidate> &candidates) {
  if (!extentsFit(problem, dims, row, transposed) || !agreesOnK(row))
    return;
  SmallVector<int64_t> tile(problem.extents.size(), 1);
  std::tie(tile[dims.m], tile[dims.n], tile[dims.k]) =
      std::tuple_cat(extentsOf(row, transposed));
  if (row.blocks > 1)
    tile[*dims.batch] = row.blocks;
  // A split of K over subgroups is reduced in shared memory: only on request.
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
  std::optional<int64_t> chained;
  if (problem.mayRenumberK)
    chained = chainedElements(row, transposed);
  for (ArrayRef<int64_t> split : splits) {
    candidates.push_back(buildCandidate(problem, dims, row, transposed, split,
                                        tile, std::nullopt));
    if (chained)
      candidates.push_back(
          buildCandidate(problem, dims, row, transposed, split, tile, chained));
  }
}

/// Returns whether operands and result have the dims of the iteration space.
[[maybe_unused]] static bool isWhole(const ContractionProblem &problem) {
  size_t dims = problem.extents.size();
  auto isOfIt = [&](AffineMap map) {
    return map.getNumDims() == dims && map.isProjectedPermutation();
  };
  return problem.reduced.size() == dims && isOfIt(problem.lhs) &&
         isOfIt(problem.rhs) && isOfIt(problem.acc);
}

std::vector<ContractionCandidate> MmaOffer::enumerate(ArrayRef<int64_t> extents,
                                                      int64_t subgroups) const {
  std::vector<ContractionCandidate> candidates;
  ContractionProblem sized = problem;
  sized.extents.assign(extents.begin(), extents.end());
  assert(isWhole(sized) && "operands are indexed by the iteration space");
  std::optional<MmaDims> dims = findMmaDims(sized);
  if (!dims)
    return candidates;
  MmaLayoutAttr demanded = sized.demandedKind();
  for (const MmaRow *row : rows)
    for (bool transposed : {false, true}) {
      bool chains = chainsTransposed(*row) ||
                    (sized.mayRenumberK && chainedElements(*row, true));
      bool offered = demanded ? demanded.getColMajor() == transposed
                              : !transposed || chains ||
                                    !extentsFit(sized, *dims, *row, false);
      if (offered && typesFit(sized, *row, transposed))
        enumerateRow(sized, *dims, *row, transposed, subgroups, candidates);
    }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const ContractionCandidate &a, const ContractionCandidate &b) {
        return std::tie(a.cost, a.operandWords) <
               std::tie(b.cost, b.operandWords);
      });
  return candidates;
}

std::vector<ContractionCandidate>
distaff::enumerateMma(const ContractionProblem &problem, const Target &target,
                      int64_t subgroups) {
  return MmaOffer::get(problem, target).enumerate(problem.extents, subgroups);
}

//===----------------------------------------------------------------------===//
// The user's choice
//===----------------------------------------------------------------------===//

/// Copies the split of the dims of `map` over subgroups and batches.
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
distaff::anchoredMma(const ContractionProblem &problem, const MmaRow &row,
                     bool transposed, const std::optional<NestedLayout> &lhs,
                     const std::optional<NestedLayout> &rhs,
                     int64_t subgroups) {
  assert((!lhs || lhs->rank() == problem.lhs.getNumResults()) &&
         (!rhs || rhs->rank() == problem.rhs.getNumResults()) &&
         "a layout has the dims of its operand");
  ContractionCandidate candidate;
  candidate.row = &row;
  candidate.transposed = transposed;
  candidate.instructions = std::max<int64_t>(
      1, llvm::product_of(problem.extents) / (row.multiplyAdds() * subgroups));
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
  if (row.blocks > 1 && dims->batch)
    setBlocks(cuts[*dims->batch], row.fragmentC.blocks);
  candidate.lhs = *lhs;
  candidate.rhs = *rhs;
  candidate.acc = layoutOn(problem.acc, cuts);
  return candidate;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static void print(raw_ostream &os, const Multiplicand &factor) {
  os << (factor.isUnsigned ? "unsigned " : "") << factor.element;
}

/// Returns the shapes of the instructions that have the problem's types, each
/// once.
static std::string shapesOf(ArrayRef<const MmaRow *> rows) {
  SmallVector<std::string> said;
  for (const MmaRow *row : rows) {
    std::string shape = std::to_string(row->m) + "x" + std::to_string(row->n) +
                        "x" + std::to_string(row->k);
    if (row->blocks > 1)
      shape += " in " + std::to_string(row->blocks) + " blocks of a batch";
    if (!llvm::is_contained(said, shape))
      said.push_back(shape);
  }
  return llvm::join(said, ", ");
}

/// Returns why no instruction has the problem's types.
static std::string whyNoTypes(const ContractionProblem &problem,
                              const Target &target) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << target.name << " has no instruction for ";
  print(os, problem.lhsFactor);
  os << " x ";
  print(os, problem.rhsFactor);
  os << " -> " << problem.accElement;
  ContractionProblem rounded = problem;
  rounded.mayDropBits = true;
  if (llvm::any_of(target.mma,
                   [&](const MmaRow &row) { return typesFit(rounded, row); }))
    os << "; with `" << allowTf32Name << "` it has one that drops bits";
  return text;
}

// VX-105.
std::string distaff::whyNoMma(const ContractionProblem &asWritten,
                              const Target &target) {
  ContractionProblem problem = withFactorsOf(asWritten, target);
  std::optional<MmaDims> dims = findMmaDims(problem);
  if (!problem.adds)
    return "the combining kind is not add";
  if (!dims)
    return "it has not an m, an n and a k dimension";
  const Target *full = lookupTarget(target.name);
  if (target.mma.empty() && full && !full->mma.empty())
    return "strict-fp keeps the order of sums, which no instruction does";
  SmallVector<const MmaRow *> ofTypes;
  for (const MmaRow &row : target.mma)
    if (typesFit(problem, row) || typesFit(problem, row, /*transposed=*/true))
      ofTypes.push_back(&row);
  if (ofTypes.empty())
    return whyNoTypes(problem, target);
  MmaLayoutAttr demanded = problem.demandedKind();
  if (demanded) {
    llvm::erase_if(ofTypes, [&](const MmaRow *row) {
      return row->name != demanded.getName() ||
             !typesFit(problem, *row, demanded.getColMajor());
    });
    if (ofTypes.empty())
      return demanded.getName().str() + " takes other types";
  }
  bool isTransposed = demanded && demanded.getColMajor();
  auto fitsAs = [&](const MmaRow &row, bool transposed) {
    return typesFit(problem, row, transposed) &&
           extentsFit(problem, *dims, row, transposed);
  };
  bool fits = llvm::any_of(ofTypes, [&](const MmaRow *row) {
    return fitsAs(*row, isTransposed) ||
           (!demanded && fitsAs(*row, !isTransposed));
  });
  std::string shape = std::to_string(problem.extents[dims->m]) + "x" +
                      std::to_string(problem.extents[dims->n]) + "x" +
                      std::to_string(problem.extents[dims->k]) + " (m, n, k)";
  if (!fits)
    return shape + " is no multiple of " + shapesOf(ofTypes) +
           (isTransposed ? " transposed" : "");
  if (problem.config && problem.config.getSubgroupBasis())
    return shape +
           " does not come apart as the lowering_config's "
           "subgroup_basis says, into multiples of " +
           shapesOf(ofTypes);
  return "this is a bug in Distaff: no layout is found for " +
         shapesOf(ofTypes);
}

MmaLayoutAttr ContractionCandidate::getKind(MLIRContext *context) const {
  return MmaLayoutAttr::get(context, row->name, transposed);
}

std::string ContractionCandidate::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "m" << row->m << "n" << row->n << "k" << row->k << " ";
  if (row->blocks > 1)
    os << "x" << row->blocks << " ";
  os << nameOf(row->a);
  if (row->a != row->b)
    os << " x " << nameOf(row->b);
  os << (transposed ? " transposed" : "");
  if (elementsOfK)
    os << ", k by " << *elementsOfK;
  if (subgroups.empty())
    return text;
  os << ", subgroups ";
  llvm::interleave(subgroups, os, "x");
  return text;
}
