//===- LowerIndexedAccess.cpp - Lowering of gathers and scatters ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers code that has no lanes. If an index value feeds the base's last dim
// and no other address varies along the vector's last dim, each row of the
// vector is one vector.gather or vector.scatter of rank 1:
//
//   maps[0] = (d0, d1)[s0] -> (d0, s0), maps[1] = (d0, d1)[s0] -> (d0, d1)
//   =>  row 0: vector.gather %base[%i, %j] [%indices[0]]
//       row 1: vector.gather %base[%i + 1, %j] [%indices[1]]
//
// Any other access is a nest of loops over the vector's elements with one
// scalar load or store in it. Vectors are flat in such loops: computed
// positions then have one dim, which every later lowering supports.
//
//===----------------------------------------------------------------------===//
#include "distaff/Conversion/Passes.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace distaff {
#define GEN_PASS_DEF_VECTOREXTLOWERINDEXEDACCESS
#include "distaff/Conversion/Passes.h.inc"
} // namespace distaff

using namespace distaff;
using vector_ext::TransferGatherOp;
using vector_ext::TransferScatterOp;

namespace {

//===----------------------------------------------------------------------===//
// Common parts
//===----------------------------------------------------------------------===//

/// A gather or scatter, and a builder at it.
template <typename OpTy> struct Access {
  Access(OpTy op, RewriterBase &b)
      : op(op), b(b), loc(op.getLoc()), vector(op.getVectorType()),
        baseMap(op.getBaseMap()), inBounds(op.getInBoundsArray()) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  Value add(Value lhs, Value rhs) {
    return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }

  Value multiply(Value value, int64_t factor) {
    return factor == 1
               ? value
               : b.createOrFold<arith::MulIOp>(loc, value, constant(factor));
  }

  /// Compares unsigned: a negative address is large, and below no extent.
  Value isBelow(Value address, Value extent) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                         address, extent);
  }

  /// Converts to an index, or a vector of indices; integers are signed.
  Value toIndex(Value value) {
    Type type = b.getIndexType();
    if (getElementTypeOrSelf(value.getType()).isIndex())
      return value;
    if (auto shaped = dyn_cast<VectorType>(value.getType()))
      type = shaped.clone(type);
    return b.createOrFold<arith::IndexCastOp>(loc, type, value);
  }

  Value extentOf(int64_t dim) {
    if (isa<MemRefType>(op.getBase().getType()))
      return b.createOrFold<memref::DimOp>(loc, op.getBase(), dim);
    return b.createOrFold<tensor::DimOp>(loc, op.getBase(), dim);
  }

  /// Returns whether the result of a map depends on this vector dim, directly
  /// or through an index value.
  bool movesWith(AffineExpr expr, unsigned dim) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return op.getIndexMap(symbol.getPosition()).isFunctionOfDim(dim);
    return expr.isFunctionOfDim(dim);
  }

  /// Returns whether an address along this base dim may be out of bounds.
  bool mayLeave(int64_t baseDim) {
    for (auto [dim, isInside] : llvm::enumerate(inBounds))
      if (!isInside && movesWith(baseMap.getResult(baseDim), dim))
        return true;
    return false;
  }

  Value isInside(Value address, int64_t baseDim) {
    Value extent = extentOf(baseDim);
    if (auto shaped = dyn_cast<VectorType>(address.getType()))
      extent = vector::BroadcastOp::create(b, loc, shaped, extent);
    return isBelow(address, extent);
  }

  Value both(Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return b.createOrFold<arith::AndIOp>(loc, lhs, rhs);
  }

  OpTy op;
  RewriterBase &b;
  Location loc;
  VectorType vector;
  AffineMap baseMap;
  SmallVector<bool> inBounds;
};

//===----------------------------------------------------------------------===//
// Rows as vector.gather and vector.scatter
//===----------------------------------------------------------------------===//

/// The limit on rows that are unrolled; with more rows, loops access the
/// elements.
constexpr int64_t mostUnrolledAccesses = 256;

/// Emits one op of rank 1 per row, that is per position of all dims but the
/// last.
template <typename OpTy> class Rows : Access<OpTy> {
  using Base = Access<OpTy>;
  using Base::b, Base::baseMap, Base::loc, Base::op, Base::vector;

public:
  Rows(OpTy op, RewriterBase &b)
      : Base(op, b), last(vector.getRank() - 1),
        rowType(VectorType::get(vector.getShape().take_back(),
                                vector.getElementType())) {}

  static bool isPossible(OpTy op) {
    if (op.getVectorType().getRank() == 0 || op.getBaseType().getRank() == 0)
      return false;
    if (auto memref = dyn_cast<MemRefType>(op.getBase().getType())) {
      if (!memref.isLastDimUnitStride())
        return false;
    } else if (isa<TransferScatterOp>(op.getOperation())) {
      return false; // upstream bufferizes no scatter
    }
    if (op.getVectorType().getNumElements() /
            op.getVectorType().getShape().back() >
        mostUnrolledAccesses)
      return false;
    IRRewriter unused(op.getContext());
    Base access(op, unused);
    unsigned last = op.getVectorType().getRank() - 1;
    ArrayRef<AffineExpr> results = access.baseMap.getResults();
    return isa<AffineSymbolExpr>(results.back()) &&
           llvm::none_of(results.drop_back(), [&](AffineExpr expr) {
             return access.movesWith(expr, last);
           });
  }

  void lower() {
    SmallVector<int64_t> outer(vector.getShape().drop_back());
    Value all = startOfAll();
    for (int64_t number = 0, e = computeProduct(outer); number < e; ++number) {
      SmallVector<int64_t> at = delinearize(number, computeStrides(outer));
      all = lowerRow(at, all);
    }
    if constexpr (std::is_same_v<OpTy, TransferGatherOp>)
      b.replaceOp(op, all);
    else
      b.eraseOp(op);
  }

private:
  Value startOfAll() {
    if constexpr (std::is_same_v<OpTy, TransferGatherOp>)
      if (last != 0)
        return ub::PoisonOp::create(b, loc, vector);
    return {};
  }

  Value lowerRow(ArrayRef<int64_t> at, Value all) {
    SmallVector<Value> addresses;
    Value inside;
    for (int64_t dim = 0; dim < baseMap.getNumResults() - 1; ++dim) {
      addresses.push_back(uniformAddress(dim, at));
      if (this->mayLeave(dim))
        inside = this->both(inside, this->isInside(addresses.back(), dim));
    }
    int64_t lastDim = baseMap.getNumResults() - 1;
    unsigned symbol =
        cast<AffineSymbolExpr>(baseMap.getResult(lastDim)).getPosition();
    Value indices = this->toIndex(
        row(op.getIndexVecs()[symbol], op.getIndexMap(symbol), at));
    Value start = op.getOffsets()[lastDim];
    addresses.push_back(start);
    Value mask =
        op.getMask() ? row(op.getMask(), op.getMaskMap(), at) : Value();
    if (inside)
      mask = this->both(mask, broadcast(inside));
    if (this->mayLeave(lastDim))
      mask = this->both(
          mask, this->isInside(this->add(broadcast(start), indices), lastDim));
    if (!mask)
      mask = arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(rowType.clone(b.getI1Type()), true));
    return access(addresses, indices, mask, at, all);
  }

  Value access(ValueRange addresses, Value indices, Value mask,
               ArrayRef<int64_t> at, Value all) {
    if constexpr (std::is_same_v<OpTy, TransferGatherOp>) {
      Value part =
          vector::GatherOp::create(b, loc, rowType, op.getBase(), addresses,
                                   indices, mask, broadcast(op.getPadding()));
      return last == 0 ? part : vector::InsertOp::create(b, loc, part, all, at);
    } else {
      Value part = op.getVector();
      if (last != 0)
        part = vector::ExtractOp::create(b, loc, part, at);
      vector::ScatterOp::create(b, loc, /*resultType=*/Type(), op.getBase(),
                                addresses, indices, mask, part);
      return {};
    }
  }

  Value broadcast(Value scalar) {
    return vector::BroadcastOp::create(b, loc, rowType.clone(scalar.getType()),
                                       scalar);
  }

  /// Returns an address that is the same for a whole row.
  Value uniformAddress(int64_t dim, ArrayRef<int64_t> at) {
    Value offset = op.getOffsets()[dim];
    AffineExpr expr = baseMap.getResult(dim);
    if (auto vectorDim = dyn_cast<AffineDimExpr>(expr))
      return this->add(offset, this->constant(at[vectorDim.getPosition()]));
    auto symbol = dyn_cast<AffineSymbolExpr>(expr);
    if (!symbol)
      return offset;
    Value index = op.getIndexVecs()[symbol.getPosition()];
    AffineMap map = op.getIndexMap(symbol.getPosition());
    if (isa<VectorType>(index.getType()))
      index = vector::ExtractOp::create(b, loc, index, positions(map, at));
    return this->add(offset, this->toIndex(index));
  }

  /// Returns the results of a map for a row, without the last dim.
  SmallVector<int64_t> positions(AffineMap map, ArrayRef<int64_t> at) {
    SmallVector<int64_t> result;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || dim.getPosition() != last)
        result.push_back(dim ? at[dim.getPosition()] : 0);
    }
    return result;
  }

  /// Returns the elements of an operand for a row.
  Value row(Value operand, AffineMap map, ArrayRef<int64_t> at) {
    auto type = dyn_cast<VectorType>(operand.getType());
    if (!type)
      return broadcast(operand);
    SmallVector<int64_t> position = positions(map, at);
    auto along = map.getResultPosition(getAffineDimExpr(last, b.getContext()));
    if (!along)
      return broadcast(vector::ExtractOp::create(b, loc, operand, position));
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
    order.erase(order.begin() + *along);
    order.push_back(*along);
    if (!llvm::is_sorted(order))
      operand = vector::TransposeOp::create(b, loc, operand, order);
    return position.empty()
               ? operand
               : vector::ExtractOp::create(b, loc, operand, position);
  }

  unsigned last;
  VectorType rowType;
};

//===----------------------------------------------------------------------===//
// Elements, in loops
//===----------------------------------------------------------------------===//

/// Emits a nest of loops with one access in it.
template <typename OpTy> class Elements : Access<OpTy> {
  using Base = Access<OpTy>;
  using Base::b, Base::baseMap, Base::loc, Base::op, Base::vector;

public:
  Elements(OpTy op, RewriterBase &b) : Base(op, b) {}

  void lower() {
    // Loop-invariant values are computed once.
    for (Value index : op.getIndexVecs())
      indices.push_back(flat(index));
    if (op.getMask())
      mask = flat(op.getMask());
    for (int64_t dim = 0; dim < baseMap.getNumResults(); ++dim)
      extents.push_back(this->mayLeave(dim) ? this->extentOf(dim) : Value());
    if constexpr (std::is_same_v<OpTy, TransferGatherOp>)
      lowerGather();
    else
      lowerScatter();
  }

private:
  VectorType flatType(VectorType type) {
    return VectorType::get({type.getNumElements()}, type.getElementType());
  }

  Value flat(Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type || type.getRank() == 1)
      return value;
    return vector::ShapeCastOp::create(b, loc, flatType(type), value);
  }

  using Body = llvm::function_ref<SmallVector<Value>(ValueRange, ValueRange)>;

  SmallVector<Value> loop(ValueRange carried, Body body) {
    Value zero = this->constant(0), one = this->constant(1);
    SmallVector<Value> zeros(vector.getRank(), zero),
        ones(vector.getRank(), one);
    auto ends = llvm::map_to_vector(vector.getShape(), [&](int64_t extent) {
      return this->constant(extent);
    });
    scf::LoopNest nest = scf::buildLoopNest(
        b, loc, zeros, ends, ones, carried,
        [&](OpBuilder &, Location, ValueRange at, ValueRange values) {
          SmallVector<Value> yielded = body(at, values);
          return scf::ValueVector(yielded.begin(), yielded.end());
        });
    return llvm::to_vector(nest.results);
  }

  /// Returns the number of an element in the flat form of an operand of such a
  /// shape, at these positions (null: 0).
  Value number(ArrayRef<int64_t> shape, ArrayRef<Value> at) {
    Value sum;
    for (auto [stride, position] : llvm::zip_equal(computeStrides(shape), at)) {
      if (!position)
        continue;
      Value term = this->multiply(position, stride);
      sum = sum ? this->add(sum, term) : term;
    }
    return sum ? sum : this->constant(0);
  }

  /// Returns the element of an operand, in its flat form, that its map selects.
  Value element(Value operand, Value flatOperand, AffineMap map,
                ValueRange at) {
    auto type = dyn_cast<VectorType>(operand.getType());
    if (!type)
      return operand;
    auto where = llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      return dim ? at[dim.getPosition()] : Value();
    });
    return vector::ExtractOp::create(b, loc, flatOperand,
                                     number(type.getShape(), where));
  }

  SmallVector<Value> addresses(ValueRange at) {
    SmallVector<Value> result(op.getOffsets());
    for (auto [address, expr] : llvm::zip_equal(result, baseMap.getResults())) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        address = this->add(address, at[dim.getPosition()]);
      else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
        unsigned k = symbol.getPosition();
        address = this->add(
            address, this->toIndex(element(op.getIndexVecs()[k], indices[k],
                                           op.getIndexMap(k), at)));
      }
    }
    return result;
  }

  /// Returns the condition of the element's access; null if it is
  /// unconditional.
  Value condition(ValueRange at, ArrayRef<Value> addresses) {
    Value result =
        mask ? element(op.getMask(), mask, op.getMaskMap(), at) : Value();
    for (auto [address, extent] : llvm::zip_equal(addresses, extents))
      if (extent)
        result = this->both(result, this->isBelow(address, extent));
    return result;
  }

  /// Emits `access` under a condition, else `otherwise`; unconditionally for
  /// null.
  Value guarded(Value condition, Value otherwise,
                llvm::function_ref<Value()> access) {
    if (!condition)
      return access();
    SmallVector<Type> types;
    if (otherwise)
      types.push_back(otherwise.getType());
    auto branch = scf::IfOp::create(b, loc, types, condition,
                                    /*withElseRegion=*/bool(otherwise));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value value = access();
    if (!otherwise)
      return {};
    scf::YieldOp::create(b, loc, value);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, otherwise);
    return branch.getResult(0);
  }

  void lowerGather() {
    Value empty = ub::PoisonOp::create(b, loc, flatType(vector)).getResult();
    Value all = loop(empty, [&](ValueRange at, ValueRange values) {
      SmallVector<Value> address = addresses(at);
      Value read = guarded(condition(at, address), paddingOf(), [&]() -> Value {
        if (isa<MemRefType>(op.getBase().getType()))
          return memref::LoadOp::create(b, loc, op.getBase(), address);
        return tensor::ExtractOp::create(b, loc, op.getBase(), address);
      });
      return SmallVector<Value>{vector::InsertOp::create(
          b, loc, read, values[0],
          OpFoldResult(number(vector.getShape(), SmallVector<Value>(at))))};
    })[0];
    if (all.getType() != vector)
      all = vector::ShapeCastOp::create(b, loc, vector, all);
    b.replaceOp(op, all);
  }

  Value paddingOf() {
    if constexpr (std::is_same_v<OpTy, TransferGatherOp>)
      return op.getPadding();
    return {};
  }

  void lowerScatter() {
    Value stored = flat(op.getVector());
    bool isTensor = !isa<MemRefType>(op.getBase().getType());
    SmallVector<Value> carried;
    if (isTensor)
      carried.push_back(op.getBase());
    SmallVector<Value> results = loop(carried, [&](ValueRange at,
                                                   ValueRange values) {
      SmallVector<Value> address = addresses(at);
      Value element = vector::ExtractOp::create(
          b, loc, stored, number(vector.getShape(), SmallVector<Value>(at)));
      Value written = guarded(condition(at, address),
                              isTensor ? values[0] : Value(), [&]() -> Value {
                                if (isTensor)
                                  return tensor::InsertOp::create(
                                      b, loc, element, values[0], address);
                                memref::StoreOp::create(b, loc, element,
                                                        op.getBase(), address);
                                return {};
                              });
      return isTensor ? SmallVector<Value>{written} : SmallVector<Value>();
    });
    b.replaceOp(op, results);
  }

  SmallVector<Value> indices; // in flat form
  Value mask;                 // in flat form; null for none
  SmallVector<Value> extents; // null if no address is out of bounds
};

template <typename OpTy> void lowerAccess(OpTy op, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  if (Rows<OpTy>::isPossible(op))
    Rows<OpTy>(op, rewriter).lower();
  else
    Elements<OpTy>(op, rewriter).lower();
}

struct LowerIndexedAccessPass final
    : distaff::impl::VectorExtLowerIndexedAccessBase<LowerIndexedAccessPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (auto gather = dyn_cast<TransferGatherOp>(op))
        lowerAccess(gather, rewriter);
      else if (auto scatter = dyn_cast<TransferScatterOp>(op))
        lowerAccess(scatter, rewriter);
    });
  }
};

} // namespace
