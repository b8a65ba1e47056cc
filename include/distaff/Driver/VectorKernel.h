//===- VectorKernel.h - C++ API to write n-D vector kernels -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may be written in C++ as it would be on paper (VX-155): vectors of
// any rank are values with +, *, broadcast, transpose, reduce and contract;
// arrays are loaded from and stored to. Each of these is one op of MLIR, made
// by MLIR's own builders, so that other ops of MLIR can be mixed in.
//
//   VectorKernel kernel("scaled");
//   Array in = kernel.array({8, 64}, kernel.f32());
//   Array out = kernel.array({64}, kernel.f32());
//   Vector x = in.load({0, 0}, {8, 64});
//   Vector sums = (x * x + 1.0f).reduce(vector::CombiningKind::ADD, {0});
//   out.store(sums, {0});
//   FailureOr<ModuleOp> module = kernel.finish();
//
// Arrays are the kernel's arguments, in the order in which they are made. The
// module can be passed to compile and run (Driver/Compile.h, Driver/Run.h), as
// long as the VectorKernel lives. docs/VectorKernels.md has a product in tiles.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_VECTORKERNEL_H
#define DISTAFF_DRIVER_VECTORKERNEL_H

#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "distaff/Driver/KernelInput.h"
#include "distaff/Import/InlineCalls.h"
#include "distaff/LLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"

namespace distaff {

/// An Index is a position in an array: a number, or an induction variable and
/// expressions of it.
class Index {
public:
  Index(int64_t number) : number(number) {}
  Index(ImplicitLocOpBuilder &b, Value value) : b(&b), value(value) {}

  Value get(ImplicitLocOpBuilder &builder) const {
    return value ? value
                 : Value(arith::ConstantIndexOp::create(builder, number));
  }
  friend Index operator+(Index x, Index y) {
    return x.combine<arith::AddIOp>(y, x.number + y.number);
  }
  friend Index operator*(Index x, Index y) {
    return x.combine<arith::MulIOp>(y, x.number * y.number);
  }

private:
  template <typename Op> Index combine(Index other, int64_t ofNumbers) const {
    ImplicitLocOpBuilder *builder = b ? b : other.b;
    if (!builder)
      return ofNumbers;
    return Index(*builder,
                 Op::create(*builder, get(*builder), other.get(*builder)));
  }

  ImplicitLocOpBuilder *b = nullptr; // null for a number
  Value value;
  int64_t number = 0;
};

/// A Vector is an n-D vector: an immutable value.
class Vector {
public:
  Vector(ImplicitLocOpBuilder &b, Value value) : b(&b), value(value) {}

  Value get() const { return value; }
  VectorType type() const { return cast<VectorType>(value.getType()); }

  friend Vector operator+(Vector x, Vector y) {
    return x.emit<arith::AddFOp, arith::AddIOp>(y);
  }
  friend Vector operator-(Vector x, Vector y) {
    return x.emit<arith::SubFOp, arith::SubIOp>(y);
  }
  friend Vector operator*(Vector x, Vector y) {
    return x.emit<arith::MulFOp, arith::MulIOp>(y);
  }
  friend Vector operator/(Vector x, Vector y) {
    return x.emit<arith::DivFOp, arith::DivSIOp>(y);
  }
  /// Broadcasts the number to a vector.
  friend Vector operator+(Vector x, double y) { return x + x.splat(y); }
  friend Vector operator-(Vector x, double y) { return x - x.splat(y); }
  friend Vector operator*(Vector x, double y) { return x * x.splat(y); }
  friend Vector operator/(Vector x, double y) { return x / x.splat(y); }

  Vector maximum(Vector other) const {
    return emit<arith::MaximumFOp, arith::MaxSIOp>(other);
  }
  Vector minimum(Vector other) const {
    return emit<arith::MinimumFOp, arith::MinSIOp>(other);
  }

  /// Applies an op of the dialect math to each element: map<math::ExpOp>().
  template <typename Op> Vector map() const {
    return Vector(*b, Op::create(*b, value));
  }

  /// Returns a bit per element: whether it is above that of another vector.
  Vector isAbove(Vector other) const {
    if (isa<FloatType>(type().getElementType()))
      return Vector(*b, arith::CmpFOp::create(*b, arith::CmpFPredicate::OGT,
                                              value, other.value));
    return Vector(*b, arith::CmpIOp::create(*b, arith::CmpIPredicate::sgt,
                                            value, other.value));
  }
  /// Selects, by a vector of bits, elements of one vector where a bit is 1, and
  /// of another where it is 0.
  Vector select(Vector ifSet, Vector otherwise) const {
    return Vector(
        *b, arith::SelectOp::create(*b, value, ifSet.value, otherwise.value));
  }

  /// Repeats the vector along new leading dims, and along dims of one element.
  Vector broadcast(ArrayRef<int64_t> shape) const {
    return Vector(*b, vector::BroadcastOp::create(*b, like(shape), value));
  }
  /// Transposes: dim d of the result is dim permutation[d].
  Vector transpose(ArrayRef<int64_t> permutation) const {
    return Vector(*b, vector::TransposeOp::create(*b, value, permutation));
  }
  /// Returns the same elements in row-major order.
  Vector reshape(ArrayRef<int64_t> shape) const {
    return Vector(*b, vector::ShapeCastOp::create(*b, like(shape), value));
  }
  /// Reduces along some dims, which the result does not have.
  /// \pre a dim is left
  Vector reduce(vector::CombiningKind kind, ArrayRef<int64_t> dims) const;

  /// Returns a vector of this shape with all elements equal to `number`.
  Vector splat(double number) const {
    Type element = type().getElementType();
    Attribute of = isa<FloatType>(element)
                       ? Attribute(b->getFloatAttr(element, number))
                       : Attribute(b->getIntegerAttr(element, int64_t(number)));
    return Vector(
        *b, arith::ConstantOp::create(*b, DenseElementsAttr::get(type(), of)));
  }

private:
  VectorType like(ArrayRef<int64_t> shape) const {
    return VectorType::get(shape, type().getElementType());
  }
  template <typename OfFloats, typename OfIntegers>
  Vector emit(Vector other) const {
    if (isa<FloatType>(type().getElementType()))
      return Vector(*b, OfFloats::create(*b, value, other.value));
    return Vector(*b, OfIntegers::create(*b, value, other.value));
  }

  ImplicitLocOpBuilder *b;
  Value value;
};

/// An Array is an array in memory, row-major: an argument of the kernel.
class Array {
public:
  Array(ImplicitLocOpBuilder &b, Value memory) : b(&b), memory(memory) {}

  Value get() const { return memory; }

  /// Reads a vector of that shape at a place. Elements beyond the array, or
  /// whose bit in `mask` is 0, are zeros; `isInside` promises that no element
  /// is beyond it.
  Vector load(ArrayRef<Index> place, ArrayRef<int64_t> shape,
              bool isInside = true, std::optional<Vector> mask = {}) const;
  /// Writes a vector at a place, except elements beyond the array, or whose bit
  /// is 0.
  void store(Vector vector, ArrayRef<Index> place, bool isInside = true,
             std::optional<Vector> mask = {}) const;

private:
  SmallVector<Value> valuesOf(ArrayRef<Index> place) const {
    return llvm::map_to_vector(place,
                               [&](Index index) { return index.get(*b); });
  }
  AffineMap mapOf(int64_t rank) const {
    auto type = cast<MemRefType>(memory.getType());
    return AffineMap::getMinorIdentityMap(type.getRank(), rank,
                                          b->getContext());
  }

  ImplicitLocOpBuilder *b;
  Value memory;
};

/// A VectorKernel builds a kernel.
class VectorKernel {
public:
  explicit VectorKernel(StringRef name);

  MLIRContext *getContext() { return &context; }
  /// Returns a builder that inserts at the end of the kernel.
  ImplicitLocOpBuilder &builder() { return b; }
  Type f32() { return b.getF32Type(); }
  Type f16() { return b.getF16Type(); }
  Type i32() { return b.getI32Type(); }

  /// Adds an argument.
  Array array(ArrayRef<int64_t> shape, Type element);
  /// Returns a vector with all elements equal to `number`.
  Vector constant(ArrayRef<int64_t> shape, Type element, double number) {
    auto type = VectorType::get(shape, element);
    Value zeros =
        arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
    return number == 0 ? Vector(b, zeros) : Vector(b, zeros).splat(number);
  }
  /// Returns bits that are 1 for positions below `bounds`, one for each dim.
  Vector below(ArrayRef<Index> bounds, ArrayRef<int64_t> shape) {
    return Vector(b, vector::CreateMaskOp::create(
                         b, VectorType::get(shape, b.getI1Type()),
                         llvm::map_to_vector(bounds, [&](Index index) {
                           return index.get(b);
                         })));
  }
  /// Contracts vectors over dims named by letters: contract("mk,kn->mn", x, y,
  /// sums) adds to sums the sums over k, which the result does not have.
  Vector contract(StringRef letters, Vector lhs, Vector rhs, Vector sums);

  using Body = llvm::function_ref<SmallVector<Vector>(Index, ArrayRef<Vector>)>;
  /// Emits a loop from `first` to below `end`; the vectors that the body
  /// returns are carried to the next iteration.
  SmallVector<Vector> loop(Index first, Index end, int64_t step,
                           ArrayRef<Vector> carried, Body body);
  /// Emits a loop that carries no vectors.
  void loop(Index first, Index end, int64_t step,
            llvm::function_ref<void(Index)> body) {
    (void)loop(first, end, step, {}, [&](Index index, ArrayRef<Vector>) {
      body(index);
      return SmallVector<Vector>();
    });
  }

  /// Returns the module with the kernel; fails with diagnostics if it is
  /// invalid.
  /// \pre it has not been called
  FailureOr<ModuleOp> finish();

private:
  static DialectRegistry registry() {
    DialectRegistry known;
    registerKernelDialects(known);
    return known;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
  func::FuncOp function;
};

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

inline Vector Vector::reduce(vector::CombiningKind kind,
                             ArrayRef<int64_t> dims) const {
  SmallVector<int64_t> kept;
  for (auto [dim, extent] : llvm::enumerate(type().getShape()))
    if (!llvm::is_contained(dims, int64_t(dim)))
      kept.push_back(extent);
  SmallVector<bool> isReduced(type().getRank());
  for (int64_t dim : dims)
    isReduced[dim] = true;
  bool isMultiplied = kind == vector::CombiningKind::MUL;
  bool isAdded = kind == vector::CombiningKind::ADD;
  Vector start(*b, arith::ConstantOp::create(
                       *b, cast<TypedAttr>(b->getZeroAttr(like(kept)))));
  if (isMultiplied)
    start = start.splat(1);
  if (isAdded || isMultiplied || kind == vector::CombiningKind::XOR)
    return Vector(*b, vector::MultiDimReductionOp::create(
                          *b, value, start.value, isReduced, kind));
  // Other kinds are idempotent: the first slice may be combined twice.
  SmallVector<int64_t> offsets(type().getRank(), 0),
      strides(type().getRank(), 1);
  SmallVector<int64_t> sizes(type().getShape());
  for (int64_t dim : dims)
    sizes[dim] = 1;
  Value first =
      vector::ExtractStridedSliceOp::create(*b, value, offsets, sizes, strides);
  first = vector::ShapeCastOp::create(*b, like(kept), first);
  return Vector(*b, vector::MultiDimReductionOp::create(*b, value, first,
                                                        isReduced, kind));
}

inline Vector Array::load(ArrayRef<Index> place, ArrayRef<int64_t> shape,
                          bool isInside, std::optional<Vector> mask) const {
  auto element = cast<MemRefType>(memory.getType()).getElementType();
  Value zero =
      arith::ConstantOp::create(*b, cast<TypedAttr>(b->getZeroAttr(element)));
  SmallVector<bool> inBounds(shape.size(), isInside);
  return Vector(
      *b, vector::TransferReadOp::create(
              *b, VectorType::get(shape, element), memory, valuesOf(place),
              AffineMapAttr::get(mapOf(shape.size())), zero,
              mask ? mask->get() : Value(), b->getBoolArrayAttr(inBounds)));
}

inline void Array::store(Vector vector, ArrayRef<Index> place, bool isInside,
                         std::optional<Vector> mask) const {
  int64_t rank = vector.type().getRank();
  SmallVector<bool> inBounds(rank, isInside);
  vector::TransferWriteOp::create(*b, vector.get(), memory, valuesOf(place),
                                  AffineMapAttr::get(mapOf(rank)),
                                  mask ? mask->get() : Value(),
                                  b->getBoolArrayAttr(inBounds));
}

inline VectorKernel::VectorKernel(StringRef name)
    : context(registry(), MLIRContext::Threading::DISABLED),
      b(UnknownLoc::get(&context), &context) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                      memref::MemRefDialect, scf::SCFDialect,
                      vector::VectorDialect, vector_ext::VectorExtDialect>();
  module = ModuleOp::create(b.getLoc());
  b.setInsertionPointToStart(module->getBody());
  function = func::FuncOp::create(b, name, b.getFunctionType({}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
}

inline Array VectorKernel::array(ArrayRef<int64_t> shape, Type element) {
  Value memory =
      function.front().addArgument(MemRefType::get(shape, element), b.getLoc());
  function.setType(b.getFunctionType(function.front().getArgumentTypes(), {}));
  return Array(b, memory);
}

inline Vector VectorKernel::contract(StringRef letters, Vector lhs, Vector rhs,
                                     Vector sums) {
  auto [inputs, result] = letters.split("->");
  auto [left, right] = inputs.split(',');
  std::string dims;
  for (char letter : (inputs + result).str())
    if (llvm::isAlpha(letter) && dims.find(letter) == std::string::npos)
      dims += letter;
  SmallVector<AffineMap> maps;
  for (StringRef operand : {left, right, result}) {
    SmallVector<AffineExpr> results;
    for (char letter : operand)
      results.push_back(b.getAffineDimExpr(dims.find(letter)));
    maps.push_back(AffineMap::get(dims.size(), 0, results, &context));
  }
  SmallVector<Attribute> iterators;
  for (char letter : dims)
    iterators.push_back(vector::IteratorTypeAttr::get(
        &context, result.contains(letter) ? vector::IteratorType::parallel
                                          : vector::IteratorType::reduction));
  return Vector(b, vector::ContractionOp::create(
                       b, lhs.get(), rhs.get(), sums.get(),
                       b.getAffineMapArrayAttr(maps), b.getArrayAttr(iterators),
                       vector::CombiningKind::ADD));
}

inline SmallVector<Vector> VectorKernel::loop(Index first, Index end,
                                              int64_t step,
                                              ArrayRef<Vector> carried,
                                              Body body) {
  SmallVector<Value> init =
      llvm::map_to_vector(carried, [](Vector vector) { return vector.get(); });
  auto toVectors = [&](ValueRange values) {
    return llvm::map_to_vector(values,
                               [&](Value value) { return Vector(b, value); });
  };
  auto made =
      scf::ForOp::create(b, first.get(b), end.get(b), Index(step).get(b), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  SmallVector<Vector> next = body(Index(b, made.getInductionVar()),
                                  toVectors(made.getRegionIterArgs()));
  if (!init.empty())
    scf::YieldOp::create(b, llvm::map_to_vector(next, [](Vector vector) {
                           return vector.get();
                         }));
  return toVectors(made.getResults());
}

inline FailureOr<ModuleOp> VectorKernel::finish() {
  func::ReturnOp::create(b);
  if (failed(verify(*module)) || failed(inlineCalls(*module)))
    return failure();
  return *module;
}

} // namespace distaff

#endif // DISTAFF_DRIVER_VECTORKERNEL_H
