//===- DispatchTiles.cpp - Products of IREE's inner tiles -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `semantics` of IREE's iree_codegen.inner_tiled define the trailing dims
// of its operands (VX-185). In a workgroup's op they are whole tiles of an
// instruction, and the op is a product like any other:
//
//   inner_tiled ins(%a, %b : tensor<4x8x16x16xf16>, tensor<8x8x8x16xf16>) ...
//   => linalg.generic over 4, 8, 8 tiles of 16, 8, 16
//
// In a lane's op they are the part of a tile that a lane holds, each dim of the
// matrix as its outer digit and its element digit, in any order of the
// registers:
//
//   vector<2x1x2x2xf16> of A of m16n8k16  => vector<4x2xf16>, transposed
//
// Packs and unpacks of such tiles are pads, reshapes and transposes.
//
//===----------------------------------------------------------------------===//
#include "DispatchInterface.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace distaff;
using iree::InnerTiledOp;

/// Returns whether the op is of one lane; it is of a workgroup otherwise.
static bool isDistributed(InnerTiledOp op) {
  auto semantics = dyn_cast<OpaqueAttr>(*op.getSemantics());
  return semantics && semantics.getAttrData().contains("distributed = true");
}

static InFlightDiagnostic refuse(InnerTiledOp op) {
  return op.emitOpError("has trailing dims that are none of the instruction "
                        "of its kind ")
         << op.getKind()
         << "; give it the dispatch as it is dumped before "
            "GPUPackToIntrinsicsPass";
}

static SmallVector<int64_t> innerShapeOf(Value value, AffineMap map) {
  ArrayRef<int64_t> shape = cast<ShapedType>(value.getType()).getShape();
  return llvm::to_vector(shape.drop_front(map.getNumResults()));
}

//===----------------------------------------------------------------------===//
// Ops of a lane
//===----------------------------------------------------------------------===//

namespace {
/// Describes how a lane's part of an operand becomes a fragment: the trailing
/// dims are cast to `digits`, transposed, and cast to the fragment's shape.
struct FragmentOrder {
  SmallVector<int64_t> digits, permutation, shape;
};
} // namespace

static int64_t sizeOf(const Fragment &fragment, Fragment::Digit digit) {
  switch (digit) {
  case Fragment::Outer0:
    return fragment.outer[0];
  case Fragment::Outer1:
    return fragment.outer[1];
  case Fragment::Element0:
    return fragment.element[0];
  case Fragment::Element1:
    return fragment.element[1];
  }
  llvm_unreachable("all digits are listed");
}

/// Returns the order of an operand whose trailing dims are those of the
/// fragment's `dims`: a dim without an outer digit is one, the others are two.
static std::optional<FragmentOrder> findOrder(const Fragment &fragment,
                                              ArrayRef<int64_t> inner,
                                              ArrayRef<int> dims) {
  FragmentOrder order;
  SmallVector<Fragment::Digit> digits;
  SmallVector<int64_t> expected;
  for (int dim : dims) {
    digits.push_back(dim == 0 ? Fragment::Outer0 : Fragment::Outer1);
    digits.push_back(dim == 0 ? Fragment::Element0 : Fragment::Element1);
    for (Fragment::Digit digit : ArrayRef(digits).take_back(2))
      order.digits.push_back(sizeOf(fragment, digit));
    if (fragment.outer[dim] > 1)
      expected.push_back(fragment.outer[dim]);
    expected.push_back(fragment.element[dim]);
  }
  if (fragment.blocks.extent() != 1 || ArrayRef(expected) != inner)
    return std::nullopt;
  for (Fragment::Digit digit : fragment.registerOrder)
    order.permutation.push_back(llvm::find(digits, digit) - digits.begin());
  order.shape.assign(std::begin(fragment.shape), std::end(fragment.shape));
  return order;
}

/// Returns the same for an operand whose dims may be in either order; none if
/// both are possible and have several elements.
static std::optional<FragmentOrder> findOrder(const Fragment &fragment,
                                              ArrayRef<int64_t> inner) {
  std::optional<FragmentOrder> ahead = findOrder(fragment, inner, {0, 1}),
                               back = findOrder(fragment, inner, {1, 0});
  if (ahead && back && fragment.outer[0] * fragment.element[0] > 1)
    return std::nullopt;
  return ahead ? ahead : back;
}

/// Casts the trailing dims of `vector` to those of `from`, transposes them, and
/// casts them to `to`.
static Value rearrange(OpBuilder &b, Location loc, Value vector, size_t outer,
                       ArrayRef<int64_t> from, ArrayRef<int64_t> permutation,
                       ArrayRef<int64_t> to) {
  auto type = cast<VectorType>(vector.getType());
  auto withInner = [&](ArrayRef<int64_t> inner) {
    SmallVector<int64_t> shape(type.getShape().take_front(outer));
    llvm::append_range(shape, inner);
    return VectorType::get(shape, type.getElementType());
  };
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, int64_t(outer)));
  for (int64_t dim : permutation)
    order.push_back(int64_t(outer) + dim);
  Value digits = vector::ShapeCastOp::create(b, loc, withInner(from), vector);
  Value moved = vector::TransposeOp::create(b, loc, digits, order);
  return vector::ShapeCastOp::create(b, loc, withInner(to), moved);
}

static SmallVector<int64_t> permuted(ArrayRef<int64_t> sizes,
                                     ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation,
                             [&](int64_t dim) { return sizes[dim]; });
}

static SmallVector<Value> originOf(OpBuilder &b, Value value) {
  return SmallVector<Value>(
      cast<ShapedType>(value.getType()).getRank(),
      arith::ConstantIndexOp::create(b, value.getLoc(), 0));
}

/// Returns a lane's tensor as a vector; a vector stays.
static Value readAll(OpBuilder &b, Value operand) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type)
    return operand;
  SmallVector<bool> inBounds(type.getRank(), true);
  auto vector = VectorType::get(type.getShape(), type.getElementType());
  return vector::TransferReadOp::create(
      b, operand.getLoc(), vector, operand, originOf(b, operand),
      /*padding=*/std::nullopt, ArrayRef(inBounds));
}

/// Replaces all of a lane's tensor, or another vector, by a vector.
static Value writeAll(OpBuilder &b, Value vector, Value into) {
  auto type = dyn_cast<RankedTensorType>(into.getType());
  if (!type)
    return vector;
  SmallVector<bool> inBounds(type.getRank(), true);
  return vector::TransferWriteOp::create(b, into.getLoc(), vector, into,
                                         originOf(b, into), ArrayRef(inBounds))
      .getResult();
}

static LogicalResult importOfLane(InnerTiledOp op, RewriterBase &b) {
  auto kind = dyn_cast<iree::MmaLayoutAttr>(op.getKind());
  if (!kind || kind.getColMajor() || op.getInputs().size() != 2)
    return refuse(op);
  const MmaRow &row = *kind.getRow();
  const Fragment *fragments[] = {&row.fragmentA, &row.fragmentB,
                                 &row.fragmentC};
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<FragmentOrder> orders;
  for (auto [operand, fragment, map] :
       llvm::zip_equal(op->getOperands(), fragments, maps)) {
    if (!cast<ShapedType>(operand.getType()).hasStaticShape())
      return op.emitOpError("computes tensors of a lane whose extents are not "
                            "static; give it the dispatch as it is dumped "
                            "before GPUPackToIntrinsicsPass, or once its ops "
                            "are of vectors");
    std::optional<FragmentOrder> order =
        findOrder(*fragment, innerShapeOf(operand, map));
    if (!order)
      return refuse(op);
    orders.push_back(*order);
  }
  SmallVector<Value> operands;
  b.setInsertionPoint(op);
  for (auto [operand, order, map] :
       llvm::zip_equal(op->getOperands(), orders, maps))
    operands.push_back(rearrange(b, op.getLoc(), readAll(b, operand),
                                 map.getNumResults(), order.digits,
                                 order.permutation, order.shape));
  auto product =
      InnerTiledOp::create(b, op.getLoc(), ArrayRef(operands).drop_back(),
                           operands.back(), maps, kind);
  const FragmentOrder &result = orders.back();
  size_t outer = maps.back().getNumResults();
  Value sums = rearrange(b, op.getLoc(), product.getResult(), outer,
                         permuted(result.digits, result.permutation),
                         invertPermutationVector(result.permutation),
                         innerShapeOf(op.getAcc(), maps.back()));
  b.replaceOp(op, writeAll(b, sums, op.getAcc()));
  return success();
}

//===----------------------------------------------------------------------===//
// Ops of a workgroup
//===----------------------------------------------------------------------===//

namespace {
/// Describes the loops of a product of tiles: those of the op, followed by the
/// digits of the tile's m, n and k.
class InnerTileLoops {
public:
  explicit InnerTileLoops(InnerTiledOp op)
      : op(op), maps(op.getIndexingMapsArray()),
        numLoops(maps.front().getNumDims()) {}

  /// Finds the digits, on which the operands agree.
  bool find(int64_t m, int64_t n, int64_t k);

  /// Returns the map of an operand to all of its dims.
  AffineMap mapOf(unsigned operand) const;
  SmallVector<utils::IteratorType> getIterators() const;

private:
  /// Returns the trailing dims in the order of the matrix's.
  SmallVector<int64_t> canonicalShape(unsigned operand) const;
  SmallVector<int64_t> permutationOf(unsigned operand) const;

  mutable InnerTiledOp op; // its accessors are not const
  SmallVector<AffineMap> maps;
  unsigned numLoops;
  SmallVector<int64_t> digits[3]; // digits of m, n and k
};
} // namespace

SmallVector<int64_t> InnerTileLoops::permutationOf(unsigned operand) const {
  if (std::optional<ArrayAttr> all = op.getPermutations())
    return llvm::to_vector(
        cast<DenseI64ArrayAttr>((*all)[operand]).asArrayRef());
  size_t rank = innerShapeOf(op->getOperand(operand), maps[operand]).size();
  return llvm::to_vector(llvm::seq<int64_t>(0, int64_t(rank)));
}

SmallVector<int64_t> InnerTileLoops::canonicalShape(unsigned operand) const {
  return permuted(innerShapeOf(op->getOperand(operand), maps[operand]),
                  invertPermutationVector(permutationOf(operand)));
}

/// Splits `shape` into dims of `first` elements and dims of `second`.
static bool split(ArrayRef<int64_t> shape, int64_t first, int64_t second,
                  SmallVectorImpl<int64_t> &firsts,
                  SmallVectorImpl<int64_t> &seconds) {
  int64_t product = 1;
  size_t at = 0;
  while (at < shape.size() && (product < first || at == 0))
    product *= shape[at++];
  firsts.assign(shape.begin(), shape.begin() + at);
  seconds.assign(shape.begin() + at, shape.end());
  return product == first && computeProduct(seconds) == second;
}

bool InnerTileLoops::find(int64_t m, int64_t n, int64_t k) {
  SmallVector<int64_t> again[3];
  return split(canonicalShape(0), m, k, digits[0], digits[2]) &&
         split(canonicalShape(1), k, n, again[2], digits[1]) &&
         split(canonicalShape(2), m, n, again[0], again[1]) &&
         again[0] == digits[0] && again[1] == digits[1] &&
         again[2] == digits[2];
}

AffineMap InnerTileLoops::mapOf(unsigned operand) const {
  static constexpr unsigned dimsOf[3][2] = {{0, 2}, {2, 1}, {0, 1}};
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> inner;
  for (unsigned dim : dimsOf[operand]) {
    unsigned first = numLoops;
    for (unsigned before = 0; before < dim; ++before)
      first += digits[before].size();
    for (size_t digit = 0; digit < digits[dim].size(); ++digit)
      inner.push_back(getAffineDimExpr(first + digit, context));
  }
  SmallVector<AffineExpr> results(maps[operand].getResults());
  for (int64_t dim : permutationOf(operand))
    results.push_back(inner[dim]);
  size_t all =
      numLoops + digits[0].size() + digits[1].size() + digits[2].size();
  return AffineMap::get(all, 0, results, context);
}

SmallVector<utils::IteratorType> InnerTileLoops::getIterators() const {
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::reduction);
  for (AffineExpr result : maps.back().getResults())
    iterators[cast<AffineDimExpr>(result).getPosition()] =
        utils::IteratorType::parallel;
  iterators.append(digits[0].size() + digits[1].size(),
                   utils::IteratorType::parallel);
  iterators.append(digits[2].size(), utils::IteratorType::reduction);
  return iterators;
}

/// Extends an element of an operand to the accumulator's type.
static Value extended(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::ExtSIOp::create(b, loc, type, value);
}

static LogicalResult importOfWorkgroup(InnerTiledOp op, RewriterBase &b) {
  auto kind = dyn_cast<iree::MmaLayoutAttr>(op.getKind());
  InnerTileLoops loops(op);
  if (!kind || op.getInputs().size() != 2 || kind.getRow()->blocks != 1 ||
      !loops.find(kind.getRow()->m, kind.getRow()->n, kind.getRow()->k) ||
      !isa<RankedTensorType>(op.getAcc().getType()))
    return refuse(op);
  Type type = getElementTypeOrSelf(op.getAcc());
  b.setInsertionPoint(op);
  b.replaceOpWithNewOp<linalg::GenericOp>(
      op, op.getResult().getType(), op.getInputs(), op.getAcc(),
      ArrayRef<AffineMap>{loops.mapOf(0), loops.mapOf(1), loops.mapOf(2)},
      loops.getIterators(), [&](OpBuilder &b, Location loc, ValueRange args) {
        Value lhs = extended(b, loc, args[0], type),
              rhs = extended(b, loc, args[1], type), sum;
        if (isa<FloatType>(type))
          sum = arith::AddFOp::create(b, loc, args[2],
                                      arith::MulFOp::create(b, loc, lhs, rhs));
        else
          sum = arith::AddIOp::create(b, loc, args[2],
                                      arith::MulIOp::create(b, loc, lhs, rhs));
        linalg::YieldOp::create(b, loc, sum);
      });
  return success();
}

LogicalResult distaff::lowerTilePacks(func::FuncOp function) {
  IRRewriter b(function.getContext());
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<linalg::PackOp, linalg::UnPackOp>(op) &&
        op->getParentOfType<scf::ForallOp>())
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    b.setInsertionPoint(op);
    auto pack = dyn_cast<linalg::PackOp>(op);
    if (pack ? failed(linalg::lowerPack(b, pack))
             : failed(linalg::lowerUnPack(b, cast<linalg::UnPackOp>(op))))
      return op->emitOpError("has tiles of a computed size in a loop over "
                             "workgroups; give it the dispatch as it is dumped "
                             "before its workgroups are distributed");
  }
  return success();
}

LogicalResult distaff::importInnerTiles(ModuleOp module) {
  IRRewriter b(module.getContext());
  SmallVector<InnerTiledOp> ops;
  module.walk([&](InnerTiledOp op) {
    if (op.getSemantics())
      ops.push_back(op);
  });
  if (!ops.empty())
    module.getContext()
        ->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                      vector::VectorDialect>();
  for (InnerTiledOp op : ops)
    if (failed(isDistributed(op) ? importOfLane(op, b)
                                 : importOfWorkgroup(op, b)))
      return failure();
  return success();
}
