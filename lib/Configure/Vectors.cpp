//===- Vectors.cpp - Subgroups of a kernel on vectors ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel on vectors has fixed its tiles; the number of subgroups that share
// them is chosen here. More of them shorten every op, until they have to split
// a dim that is reduced later and must exchange partial results through shared
// memory:
//
//   32x128 scores, reduced along 128, sm_80: two subgroups take 16 rows each,
//   which is one m16n8k16 high; four would split the 128 columns.
//
// Buffers of the kernel's own leave less workgroup memory for exchanges, which
// then go in parts, or not at all. Only the layouts determine that cost: in
// such a kernel they are chosen for each number of subgroups, and priced.
//
// Instruction and layouts are left to assign-layouts, which has more
// information. Layouts that the author wrote determine the number of subgroups:
// any further one would hold replicas.
//
//===----------------------------------------------------------------------===//
#include "Candidates.h"
#include "distaff/Analysis/Access/AccessWidth.h"
#include "distaff/Analysis/Access/WorkgroupMemory.h"
#include "distaff/Analysis/Layout/ContractionChoice.h"
#include "distaff/Analysis/Layout/LayoutChoice.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace distaff;

/// Returns the dims of `value` that a later op reduces, through elementwise
/// ops.
static llvm::SmallBitVector reducedLater(Value value) {
  auto rank = cast<VectorType>(value.getType()).getRank();
  llvm::SmallBitVector reduced(rank);
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(user)) {
        if (use.getOperandNumber() == 0)
          for (int64_t dim : reduction.getReductionDims())
            reduced.set(dim);
      } else if (auto contract = dyn_cast<vector::ContractionOp>(user)) {
        AffineMap map = contract.getIndexingMapsArray()[use.getOperandNumber()];
        for (auto [dim, expr] : llvm::enumerate(map.getResults()))
          if (contract.getIteratorTypesArray()[map.getDimPosition(dim)] ==
              vector::IteratorType::reduction)
            reduced.set(dim);
      } else if (OpTrait::hasElementwiseMappableTraits(user)) {
        for (Value result : user->getResults())
          values.insert(result);
      }
    }
  return reduced;
}

/// Returns the cost of subgroups that split dims of a result that are reduced
/// later: twice a barrier, and the result through shared memory.
static int64_t meetingCost(vector::ContractionOp op,
                           const ContractionCandidate &choice,
                           const Target &target) {
  AffineMap map = op.getIndexingMapsArray()[2];
  llvm::SmallBitVector reduced = reducedLater(op.getResult());
  int64_t words = 1;
  bool meets = false;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
    unsigned loop = map.getDimPosition(dim);
    int64_t subgroups = choice.subgroups[loop];
    words *= cast<VectorType>(op.getResultType()).getDimSize(dim);
    meets |= reduced.test(dim) && subgroups > 1;
  }
  if (!meets)
    return 0;
  int64_t wavefronts = llvm::divideCeil(words, target.subgroupSize);
  return 2 * target.costs.barrier + wavefronts * target.costs.sharedWavefront;
}

/// Returns the lowest price at which `subgroups` share one contraction, or
/// nullopt if no instruction fits.
static std::optional<int64_t> priceContraction(vector::ContractionOp op,
                                               const Target &target,
                                               int64_t subgroups,
                                               std::string &description) {
  std::optional<int64_t> best;
  for (const ContractionCandidate &choice :
       enumerateMma(ContractionProblem::get(op), target, subgroups)) {
    int64_t cost = choice.cost + meetingCost(op, choice, target);
    if (best && *best <= cost)
      continue;
    best = cost;
    description = choice.describe();
  }
  return best;
}

namespace {
/// The share of one lane in a contraction that no instruction fits.
struct PlainShare {
  int64_t slots = 0;     ///< multiply-adds, and loads of their operands
  int64_t registers = 0; ///< for results and both operands, whole along K
};
} // namespace

/// Returns a lane's share: tiles of the result are as square as powers of two
/// make them. Each tile of `rows` x `columns` points needs so many rows of both
/// operands.
static PlainShare shareContraction(vector::ContractionOp op, int64_t lanes) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  VectorType lhs = op.getLhsType(), rhs = op.getRhsType();
  int64_t points = 1, steps = 1;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    AffineExpr dim = getAffineDimExpr(loop, op.getContext());
    std::optional<unsigned> left = maps[0].getResultPosition(dim);
    int64_t extent = left ? lhs.getDimSize(*left)
                          : rhs.getDimSize(*maps[1].getResultPosition(dim));
    (kind == vector::IteratorType::reduction ? steps : points) *= extent;
  }
  int64_t tile = llvm::divideCeil(points, lanes);
  int64_t rows = int64_t(1) << llvm::Log2_64(tile) / 2;
  int64_t lines = rows + llvm::divideCeil(tile, rows);
  return {steps * (tile + lines), tile + steps * lines};
}

/// Returns what one of `subgroups` issues for all of the contractions, and
/// registers of those that no instruction fits; the others are added to the
/// description.
static PlainShare
priceContractions(ArrayRef<vector::ContractionOp> contractions,
                  const Target &target, int64_t subgroups,
                  Candidate &candidate) {
  PlainShare all;
  for (vector::ContractionOp op : contractions) {
    std::string description;
    if (std::optional<int64_t> cost =
            priceContraction(op, target, subgroups, description)) {
      all.slots += *cost;
      candidate.description += ", " + description;
      continue;
    }
    PlainShare share = shareContraction(op, subgroups * target.subgroupSize);
    all.slots += share.slots;
    all.registers = std::max(all.registers, share.registers);
  }
  return all;
}

static int64_t wordsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return 0;
  Type element = vector.getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return vector.getNumElements() * int64_t(llvm::divideCeil(bits, 32));
}

/// Returns the 32-bit words of the largest vector that is surely held whole: a
/// result of a contraction; without contractions, any. An operand of a
/// contraction is read in parts.
static int64_t largestVectorWords(func::FuncOp kernel, bool contracts) {
  int64_t words = 1;
  kernel.walk([&](Operation *op) {
    if (!contracts || isa<vector::ContractionOp>(op))
      for (Type type : op->getResultTypes())
        words = std::max(words, wordsOf(type));
  });
  return words;
}

/// Returns an upper bound on the words of all vectors that are live at one of
/// the contractions. An operand counts before it is extended, because it is
/// read and moved in that type.
static int64_t
mostWordsAtContractions(func::FuncOp kernel,
                        ArrayRef<vector::ContractionOp> contractions) {
  if (contractions.empty())
    return 0;
  Liveness liveness(kernel);
  int64_t most = 0;
  for (vector::ContractionOp op : contractions) {
    llvm::SmallPtrSet<Value, 16> counted;
    int64_t words = 0;
    for (Value value :
         liveness.getLiveness(op->getBlock())->currentlyLiveValues(op)) {
      value = beforeExtensions(value);
      bool isConstant =
          value.getDefiningOp() &&
          value.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
      auto type = dyn_cast<VectorType>(value.getType());
      if (type && !isConstant && counted.insert(value).second)
        words += llvm::divideCeil(
            type.getNumElements() * bytesInMemory(type.getElementType()), 4);
    }
    most = std::max(most, words);
  }
  return most;
}

static int64_t workgroupsOf(func::FuncOp kernel) {
  int64_t count = 1;
  for (auto forall : kernel.getOps<scf::ForallOp>())
    for (int64_t extent : forall.getStaticUpperBound())
      count *= ShapedType::isDynamic(extent) ? 1 : extent;
  return count;
}

/// Returns the numbers of subgroups to choose from: as many as the kernel's own
/// layouts need, or, without any, every power of two that the target allows.
static SmallVector<int64_t> subgroupCounts(func::FuncOp kernel,
                                           const Target &target) {
  int64_t needed = 0;
  kernel.walk([&](vector_ext::ToLayoutOp op) {
    Layout layout = op.getLayout().getLayout();
    int64_t threaded =
        llvm::divideCeil(layout.neededLanes(), target.subgroupSize);
    needed = std::max({needed, layout.neededSubgroups(), threaded});
  });
  int64_t most = target.maxWorkgroupSize / target.subgroupSize;
  // More than the target allows are folded into registers (specification
  // 2.1.4).
  if (needed)
    return {std::min(needed, most)};
  SmallVector<int64_t> counts;
  for (int64_t count = 1; count <= most; count *= 2)
    counts.push_back(count);
  return counts;
}

/// Returns the cost of one of `subgroups` in the layouts that they would have,
/// if the kernel's own buffers take workgroup memory from their exchanges. Sets
/// `lacksMemory` and returns nullopt where those buffers leave none (VX-140).
static std::optional<int64_t> priceBesideBuffers(func::FuncOp kernel,
                                                 const Target &target,
                                                 int64_t subgroups,
                                                 bool &lacksMemory) {
  if (workgroupMemoryOf(kernel, target.workgroupAlignment()) == 0)
    return std::nullopt;
  // Values without any layout are diagnosed where layouts are assigned.
  ScopedDiagnosticHandler silence(kernel.getContext(),
                                  [](Diagnostic &) { return success(); });
  FailureOr<LayoutChoice> choice =
      chooseLayouts(kernel, target, {subgroups, target.subgroupSize});
  if (failed(choice))
    return std::nullopt;
  lacksMemory = !choice->isPossible;
  return lacksMemory ? std::nullopt : std::optional(choice->cost);
}

void distaff::rankVectors(func::FuncOp kernel, const Target &target,
                          Ranking &ranking) {
  SmallVector<vector::ContractionOp> contractions;
  kernel.walk([&](vector::ContractionOp op) { contractions.push_back(op); });
  int64_t reductions = 0, scanned = 0; // scanned: words
  kernel.walk([&](Operation *op) {
    reductions +=
        isa<vector::MultiDimReductionOp, vector::ReductionOp, vector::ScanOp>(
            op);
    if (auto scan = dyn_cast<vector::ScanOp>(op))
      scanned += wordsOf(scan.getSourceType());
  });
  int64_t words = largestVectorWords(kernel, !contractions.empty());
  int64_t alive = mostWordsAtContractions(kernel, contractions);
  int64_t workgroups = workgroupsOf(kernel);
  SmallVector<int64_t> counts = subgroupCounts(kernel, target);
  for (int64_t subgroups : counts) {
    int64_t lanes = subgroups * target.subgroupSize;
    Candidate candidate;
    candidate.workgroupSize = lanes;
    candidate.workgroups = workgroups;
    candidate.description = std::to_string(subgroups) + " subgroups";
    int64_t registers = llvm::divideCeil(words, lanes);
    int64_t perSubgroup = registers * target.globalMemory.issueCost;
    // Lanes scan each of their registers by rounds of shuffles.
    perSubgroup += llvm::divideCeil(scanned, lanes) *
                   llvm::Log2_64_Ceil(target.subgroupSize) *
                   (target.costs.shuffle + 1);
    PlainShare share =
        priceContractions(contractions, target, subgroups, candidate);
    perSubgroup += share.slots;
    // Without a contraction that fixes the layout, rows spread over all
    // subgroups.
    if (contractions.empty() && subgroups > 1)
      perSubgroup += reductions * (2 * target.costs.barrier +
                                   subgroups * target.costs.sharedWavefront);
    if (std::optional<int64_t> exact =
            counts.size() > 1 ? priceBesideBuffers(kernel, target, subgroups,
                                                   candidate.lacksMemory)
                              : std::nullopt)
      perSubgroup = *exact;
    // Values computed from a vector are live together with it for a while; for
    // one that is scanned also its prefix, its position and whether it is
    // present.
    candidate.registers =
        std::max({2 * registers, int64_t(llvm::divideCeil(8 * scanned, lanes)),
                  int64_t(llvm::divideCeil(alive, lanes)), share.registers});
    candidate.spilled =
        std::max<int64_t>(0, candidate.registers - target.registersFor(lanes));
    candidate.cost = priceLaunch(
        target, workgroups, lanes, registers,
        llvm::divideCeil(perSubgroup * subgroups, target.issue.issuers),
        perSubgroup);
    ranking.add(std::move(candidate));
  }
}
