//===- ChunkContraction.cpp - Contractions of native vectors --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These rules are for CPUs, over any semiring (VX-123). Native vector chunks
// lie along one dim of the iteration space, and the strategy chooses the dim
// (VX-120):
//
//   C[m, n] += A[m, k] * B[k, n]
//   outer      along n: a broadcast element of A, by a chunk of B's row
//   parallel   along m: a chunk of A's column, by a broadcast element of B;
//              C is transposed before and after
//   dot        along k: chunks of both, whose sums are reduced at the end
//   elements   none: scalar arithmetic
//
// An operand that has the dim but not innermost is transposed in registers.
//
//===----------------------------------------------------------------------===//
#include "Combine.h"
#include "Pieces.h"
#include "Prices.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace distaff;
using namespace distaff::registers;
using vector::CombiningKind;

static SmallVector<unsigned> dimsOf(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  });
}

namespace {
/// Describes a contraction of either dialect.
struct Contraction {
  Operation *op;
  SmallVector<int64_t> bounds;
  SmallVector<unsigned> lhsDims, rhsDims, resultDims;
  Value lhs, rhs, acc, result;
  Value mask; // mask of all dims in order; null: all points count
  /// Null if terms are combined by logsumexp.
  std::optional<CombiningKind> kind;
  /// Whether products are combined in the source's order.
  bool keepsOrder;
  int64_t productOps = 1;
  /// Null for the product that multiplies.
  core::ContractOp semiring;

  Type element() const { return getElementTypeOrSelf(acc); }
};
} // namespace

/// Returns the description of what both dialects' ops have.
template <typename Op>
static Contraction operandsOf(Op op, ArrayRef<AffineMap> maps,
                              std::optional<CombiningKind> kind,
                              bool strictFp) {
  Contraction c;
  c.op = op;
  c.lhsDims = dimsOf(maps[0]);
  c.rhsDims = dimsOf(maps[1]);
  c.resultDims = dimsOf(maps[2]);
  c.lhs = op.getLhs();
  c.rhs = op.getRhs();
  c.acc = op.getAcc();
  c.result = op.getResult();
  c.kind = kind;
  c.keepsOrder = keepsOrder(kind, c.element(), strictFp);
  return c;
}

static Contraction contractionOf(vector::ContractionOp op, bool strictFp) {
  Contraction c =
      operandsOf(op, op.getIndexingMapsArray(), op.getKind(), strictFp);
  op.getIterationBounds(c.bounds);
  bool isFused =
      c.kind == CombiningKind::ADD && !strictFp && isa<FloatType>(c.element());
  c.productOps = isFused ? 0 : 1;
  return c;
}

static Contraction contractionOf(core::ContractOp op, bool strictFp) {
  Contraction c = operandsOf(op, op.getMaps(), op.getCombiningKind(), strictFp);
  c.bounds = op.getBounds();
  c.mask = op.getMask();
  c.semiring = op;
  c.productOps = llvm::range_size(op.getProduct().front()) - 1;
  return c;
}

/// Returns whether all ops of a product support chunks.
static bool takesPieces(core::ContractOp op) {
  return llvm::all_of(
      op.getProduct().front().without_terminator(), [](Operation &op) {
        bool isOfNumbers = llvm::all_of(op.getResultTypes(), [](Type type) {
          return type.isIntOrIndexOrFloat();
        });
        return op.getNumRegions() == 0 && isOfNumbers &&
               (op.hasTrait<OpTrait::ConstantLike>() ||
                OpTrait::hasElementwiseMappableTraits(&op));
      });
}

//===----------------------------------------------------------------------===//
// Strategies along one dim
//===----------------------------------------------------------------------===//

namespace {
/// A contraction whose chunks lie along one of its dims, `row`: one of the
/// result's, or one that is reduced, where a chunk holds partial sums.
class ChunkContraction {
public:
  ChunkContraction(const Contraction &c, unsigned row, Lowering &lowering)
      : c(c), row(row), lowering(lowering),
        combiner{lowering.builder, c.op->getLoc(),
                 c.kind.value_or(CombiningKind::ADD), nullptr,
                 lowering.strictFp},
        widths(lowering.widthsOf(c.bounds[row])) {
    lhs = operandOf(c.lhs, c.lhsDims);
    rhs = operandOf(c.rhs, c.rhsDims);
    if (c.mask)
      mask = operandOf(
          c.mask, llvm::to_vector(llvm::seq<unsigned>(0, c.bounds.size())));
  }

  void lower();

private:
  /// The values of one operand for each point and each chunk of the row.
  struct Operand {
    SmallVector<unsigned> dims; // without the row
    SmallVector<int64_t> shape;
    bool hasRow = false;
    SmallVector<Value> values; // chunks, or elements to broadcast
  };
  Operand operandOf(Value value, ArrayRef<unsigned> dims);
  Value at(Operand &operand, ArrayRef<int64_t> index, int64_t piece);
  Value repeated(Value element, int64_t width);
  Value product(Value a, Value b);
  Value add(Value a, Value b, Value bit, Value sum);
  SmallVector<Value> sums(SmallVector<Value> results, bool isOfRow);
  void alongResult();
  void alongReduced();

  const Contraction &c;
  unsigned row;
  Lowering &lowering;
  Combiner combiner;
  SmallVector<int64_t> widths;
  Operand lhs, rhs, mask;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> splats;
};
} // namespace

ChunkContraction::Operand ChunkContraction::operandOf(Value value,
                                                      ArrayRef<unsigned> dims) {
  Operand operand;
  SmallVector<int64_t> permutation;
  int64_t at = -1;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim == row) {
      at = i;
      continue;
    }
    permutation.push_back(i);
    operand.dims.push_back(dim);
    operand.shape.push_back(c.bounds[dim]);
  }
  operand.hasRow = at >= 0;
  if (!operand.hasRow) {
    operand.values.assign(SmallVector<Value>(lowering.elements(value)));
    return operand;
  }
  permutation.push_back(at);
  operand.values = transpose(SmallVector<Value>(lowering.pieces(value)),
                             shapeOf(value), permutation, lowering);
  return operand;
}

Value ChunkContraction::repeated(Value element, int64_t width) {
  Value &known = splats[{element, width}];
  if (!known)
    known = splat(element, width, lowering);
  return known;
}

Value ChunkContraction::at(Operand &operand, ArrayRef<int64_t> index,
                           int64_t piece) {
  SmallVector<int64_t> point = llvm::map_to_vector(
      operand.dims, [&](unsigned dim) { return index[dim]; });
  int64_t place = linearIndex(operand.shape, point);
  if (operand.hasRow)
    return operand.values[place * widths.size() + piece];
  return repeated(operand.values[place], widths[piece]);
}

/// Returns the product of two chunks, op by op.
Value ChunkContraction::product(Value a, Value b) {
  OpBuilder &builder = lowering.builder;
  core::ContractOp semiring = c.semiring;
  if (!semiring)
    return multiply(combiner, a, b, c.element());
  auto type = dyn_cast<VectorType>(a.getType());
  if (!type)
    return semiring.emitProduct(builder, a, b);
  int64_t width = type.getNumElements();
  Block &body = semiring.getProduct().front();
  IRMapping map;
  map.map(body.getArguments(), ValueRange{a, b});
  auto mapped = [&](Value value) { return map.lookupOrDefault(value); };
  for (Operation &op : body.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      Operation *constant = builder.clone(op);
      map.map(op.getResult(0), splat(constant->getResult(0), width, lowering));
      continue;
    }
    SmallVector<Type> types =
        llvm::map_to_vector(op.getResultTypes(), [&](Type type) {
          return Lowering::pieceType(type, width);
        });
    Operation *part = lowering.recreate(
        &op, types, llvm::map_to_vector(op.getOperands(), mapped));
    map.map(op.getResults(), part->getResults());
  }
  return mapped(body.getTerminator()->getOperand(0));
}

/// Returns `sum`, null for none, with one more product.
Value ChunkContraction::add(Value a, Value b, Value bit, Value sum) {
  if (!sum)
    return product(a, b);
  if (!c.semiring)
    return accumulate(combiner, a, b, sum);
  Value both = combiner.combine(sum, product(a, b));
  return bit ? arith::SelectOp::create(lowering.builder, c.op->getLoc(), bit,
                                       both, sum)
             : both;
}

/// Adds the products of each point to `results`: the chunks of the result, or,
/// where it has no row, two for each of its points, a whole chunk and the short
/// remainder chunk.
SmallVector<Value> ChunkContraction::sums(SmallVector<Value> results,
                                          bool isOfRow) {
  SmallVector<int64_t> shape;
  SmallVector<unsigned> dims;
  for (unsigned dim : c.resultDims)
    if (dim != row) {
      dims.push_back(dim);
      shape.push_back(c.bounds[dim]);
    }
  SmallVector<int64_t> points = c.bounds;
  points[row] = widths.size();
  SmallVector<SmallVector<Term>> terms(results.size());
  forEachIndex(points, [&](int64_t, ArrayRef<int64_t> index) {
    int64_t piece = index[row];
    int64_t place = linearIndex(
        shape,
        llvm::map_to_vector(dims, [&](unsigned dim) { return index[dim]; }));
    place = isOfRow ? place * int64_t(widths.size()) + piece
                    : 2 * place + (widths[piece] < widths[0]);
    Value a = at(lhs, index, piece), b = at(rhs, index, piece);
    Value bit = c.mask ? at(mask, index, piece) : Value();
    if (c.kind)
      results[place] = add(a, b, bit, results[place]);
    else
      terms[place].push_back({product(a, b), bit});
  });
  if (!c.kind)
    for (auto [result, list] : llvm::zip_equal(results, terms))
      result = logSumExp(list, result, c.op->getLoc(), lowering);
  return results;
}

void ChunkContraction::alongResult() {
  SmallVector<int64_t> permutation, back(c.resultDims.size());
  for (auto [i, dim] : llvm::enumerate(c.resultDims))
    if (dim != row)
      permutation.push_back(i);
  permutation.push_back(llvm::find(c.resultDims, row) - c.resultDims.begin());
  for (auto [i, dim] : llvm::enumerate(permutation))
    back[dim] = i;
  ArrayRef<int64_t> shape = shapeOf(c.acc);
  SmallVector<int64_t> moved =
      llvm::map_to_vector(permutation, [&](int64_t dim) { return shape[dim]; });
  SmallVector<Value> start = transpose(
      SmallVector<Value>(lowering.pieces(c.acc)), shape, permutation, lowering);
  lowering.setPieces(c.result,
                     transpose(sums(start, true), moved, back, lowering));
}

void ChunkContraction::alongReduced() {
  SmallVector<Value> results(lowering.elements(c.acc));
  SmallVector<Value> partial =
      sums(SmallVector<Value>(2 * results.size()), false);
  for (auto [i, result] : llvm::enumerate(results))
    for (Value part : {partial[2 * i], partial[2 * i + 1]})
      if (part)
        result =
            combiner.combine(reducePiece(part, combiner, lowering), result);
  lowering.setElements(c.result, results);
}

void ChunkContraction::lower() {
  if (llvm::is_contained(c.resultDims, row))
    alongResult();
  else
    alongReduced();
}

//===----------------------------------------------------------------------===//
// Choice of the dim
//===----------------------------------------------------------------------===//

namespace {
/// A strategy with its cost; `row` is the dim of its chunks.
struct Choice {
  Candidate candidate;
  std::optional<unsigned> row;
};

/// Estimates the costs of the strategies of one contraction.
class ContractionRanking {
public:
  ContractionRanking(const Contraction &c, const Lowering &lowering)
      : c(c), prices(lowering.target), lowering(lowering),
        step(c.productOps * prices.costs.arithmetic +
             (c.kind ? prices.combine(*c.kind, c.element())
                     : 20 * prices.costs.arithmetic)) {}

  SmallVector<Choice> rank() const;

private:
  int64_t along(unsigned row) const;
  int64_t operand(Value value, ArrayRef<unsigned> dims, unsigned row) const;
  int64_t moveLast(Value value, ArrayRef<unsigned> dims, unsigned row) const;
  int64_t ofElements() const;

  const Contraction &c;
  Prices prices;
  const Lowering &lowering;
  int64_t step; // cost of a product of one register
};
} // namespace

int64_t ContractionRanking::moveLast(Value value, ArrayRef<unsigned> dims,
                                     unsigned row) const {
  SmallVector<int64_t> permutation;
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != row)
      permutation.push_back(i);
  permutation.push_back(llvm::find(dims, row) - dims.begin());
  return prices.transpose(shapeOf(value), permutation,
                          getElementTypeOrSelf(value), lowering.width);
}

int64_t ContractionRanking::operand(Value value, ArrayRef<unsigned> dims,
                                    unsigned row) const {
  if (llvm::is_contained(dims, row))
    return moveLast(value, dims, row);
  // A load can broadcast an element.
  bool isRead =
      value.getDefiningOp<vector::TransferReadOp>() && value.hasOneUse();
  return ShapedType::getNumElements(shapeOf(value)) *
         (isRead ? prices.costs.load
                 : prices.costs.element + prices.costs.broadcast);
}

int64_t ContractionRanking::along(unsigned row) const {
  int64_t points = 1, registers = 0;
  for (auto [dim, extent] : llvm::enumerate(c.bounds))
    points *= dim == row ? 1 : extent;
  for (int64_t width : lowering.widthsOf(c.bounds[row]))
    registers += prices.registersOf(c.element(), width);
  int64_t cost = points * registers * step + operand(c.lhs, c.lhsDims, row) +
                 operand(c.rhs, c.rhsDims, row);
  if (llvm::is_contained(c.resultDims, row))
    return cost + 2 * moveLast(c.acc, c.resultDims, row);
  int64_t rounds = llvm::Log2_64_Ceil(std::min(lowering.width, c.bounds[row]));
  return cost + ShapedType::getNumElements(shapeOf(c.acc)) *
                    (rounds * (prices.costs.shuffle + step) +
                     3 * prices.costs.element + step);
}

int64_t ContractionRanking::ofElements() const {
  int64_t moved = 2 * ShapedType::getNumElements(shapeOf(c.acc));
  for (Value value : {c.lhs, c.rhs})
    moved += ShapedType::getNumElements(shapeOf(value));
  return ShapedType::getNumElements(c.bounds) * step +
         moved * prices.costs.element;
}

SmallVector<Choice> ContractionRanking::rank() const {
  SmallVector<Choice> choices;
  auto add = [&](StringRef name, unsigned row) {
    if (c.bounds[row] > 1)
      choices.push_back({{name, along(row)}, row});
  };
  if (!c.semiring || takesPieces(c.semiring)) {
    if (!c.resultDims.empty())
      add("outer", c.resultDims.back());
    for (unsigned dim : ArrayRef(c.resultDims).drop_back(!c.resultDims.empty()))
      add("parallel", dim);
    // A masked product cannot start a partial sum.
    for (unsigned dim = 0; dim < c.bounds.size(); ++dim)
      if (!llvm::is_contained(c.resultDims, dim) && !c.keepsOrder && c.kind &&
          !c.mask)
        add("dot", dim);
  }
  choices.push_back({{"elements", ofElements()}, std::nullopt});
  return choices;
}

static SmallVector<Candidate> candidatesOf(ArrayRef<Choice> choices) {
  return llvm::map_to_vector(
      choices, [](const Choice &choice) { return choice.candidate; });
}

bool registers::isRepeated(Value vector, const Lowering &lowering) {
  return !vector.use_empty() &&
         llvm::all_of(vector.getUses(), [&](OpOperand &use) {
           auto product = dyn_cast<vector::ContractionOp>(use.getOwner());
           auto semiring = dyn_cast<core::ContractOp>(use.getOwner());
           if ((!product && !semiring) || use.getOperandNumber() > 1)
             return false;
           Contraction c = product ? contractionOf(product, lowering.strictFp)
                                   : contractionOf(semiring, lowering.strictFp);
           SmallVector<Choice> choices = ContractionRanking(c, lowering).rank();
           SmallVector<Candidate> candidates = candidatesOf(choices);
           const Candidate &best = lowering.pick(
               use.getOwner(), core::contractionStrategies, candidates);
           std::optional<unsigned> row = choices[&best - &candidates[0]].row;
           return row &&
                  !llvm::is_contained(use.getOperandNumber() == 0 ? c.lhsDims
                                                                  : c.rhsDims,
                                      *row);
         });
}

template <typename Op>
static LogicalResult lowerContract(Op op, Lowering &lowering) {
  Contraction c = contractionOf(op, lowering.strictFp);
  SmallVector<Choice> choices = ContractionRanking(c, lowering).rank();
  SmallVector<Candidate> candidates = candidatesOf(choices);
  const Candidate &best =
      lowering.choose(op, core::contractionStrategies, candidates);
  std::optional<unsigned> row = choices[&best - &candidates[0]].row;
  if (!row)
    return lowerContractByElements(op, lowering);
  ChunkContraction(c, *row, lowering).lower();
  return success();
}

void registers::addChunkContractionRules(RuleSet &rules) {
  rules.add(lowerContract<vector::ContractionOp>);
  rules.add(lowerContract<core::ContractOp>);
}
