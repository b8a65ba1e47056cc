//===- PackResults.cpp - Packing of sub-byte results ----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PackResults.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Kernel/ExtentFormulas.h"
#include "distaff/Kernel/LaunchSequence.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace distaff;

void PackedResults::markOn(func::FuncOp host, func::FuncOp kernel) const {
  for (unsigned number = 0; number < kernel.getNumArguments(); ++number)
    if (Attribute mark = kernel.getArgAttr(number, kUnpackedAttrName))
      host.setArgAttr(number, kUnpackedAttrName, mark);
  for (unsigned number = 0; number < kernel.getNumResults(); ++number)
    if (Attribute mark = kernel.getResultAttr(number, kUnpackedAttrName))
      host.setResultAttr(number, kUnpackedAttrName, mark);
  for (auto [number, map] : llvm::enumerate(extents))
    if (map && map.getNumResults() != 0)
      host.setResultAttr(number, kExtentsAttrName, AffineMapAttr::get(map));
}

void PackedResults::describe(Operation *op, raw_ostream &os) const {
  for (OpOperand &use : op->getUses())
    if (isa<func::ReturnOp>(use.getOwner()) && extents[use.getOperandNumber()])
      os << " for the bytes of res" << use.getOperandNumber();
}

func::FuncOp PackedResults::asSequence(func::FuncOp kernel) const {
  if (!areAny())
    return kernel;
  std::string name = kernel.getName().str();
  kernel.setName(launchName(name, 0));
  int64_t arguments = kernel.getNumArguments();
  int64_t results = kernel.getNumResults();
  SequencedLaunch launch{kernel.getName().str(),
                         llvm::to_vector(llvm::seq(arguments)), results};
  OpBuilder b(kernel);
  markOn(LaunchSequence::create(
             b, kernel.getLoc(), name, type, launch,
             llvm::to_vector(llvm::seq(arguments, arguments + results))),
         kernel);
  return kernel;
}

/// Returns whether a value comes from another launch.
static bool isHandedOn(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return !argument ||
         cast<func::FuncOp>(argument.getOwner()->getParentOp())
             .getArgAttr(argument.getArgNumber(), kUnpackedAttrName);
}

void distaff::markUnpacked(func::FuncOp launch, ArrayRef<Value> inputs) {
  Attribute mark = UnitAttr::get(launch.getContext());
  for (auto [number, input] : llvm::enumerate(inputs))
    if (isPackedElement(getElementTypeOrSelf(input.getType())) &&
        isHandedOn(input))
      launch.setArgAttr(number, kUnpackedAttrName, mark);
  for (auto [number, type] : llvm::enumerate(launch.getResultTypes()))
    if (isPackedElement(getElementTypeOrSelf(type)))
      launch.setResultAttr(number, kUnpackedAttrName, mark);
}

/// Returns the elements of a tensor in row-major order.
static Value flatten(ImplicitLocOpBuilder &b, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1)
    return tensor;
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(
        b, RankedTensorType::get({1}, type.getElementType()), tensor,
        ArrayRef<ReassociationIndices>());
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return tensor::CollapseShapeOp::create(b, tensor,
                                         ArrayRef<ReassociationIndices>{all});
}

namespace {
/// Emits the body of the op, for the byte of its only loop.
class ByteBody {
public:
  ByteBody(ImplicitLocOpBuilder &b, Value flat, Value count, int64_t bits)
      : b(b), flat(flat), count(count), bits(bits) {}

  Value write() {
    int64_t perByte = 8 / bits;
    Value first = arith::MulIOp::create(b, linalg::IndexOp::create(b, 0),
                                        constant(perByte));
    Value byte = arith::ExtUIOp::create(b, b.getI8Type(), read(first));
    int64_t extent = cast<RankedTensorType>(flat.getType()).getDimSize(0);
    bool mayEnd = ShapedType::isDynamic(extent) || extent % perByte != 0;
    for (int64_t i = 1; i < perByte; ++i) {
      Value at = arith::AddIOp::create(b, first, constant(i));
      Value up = number(mayEnd ? readBefore(at) : read(at));
      byte = arith::OrIOp::create(
          b, byte, arith::ShLIOp::create(b, up, integer(i * bits)));
    }
    return byte;
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI8Type(), value);
  }
  Value number(Value element) {
    return arith::ExtUIOp::create(b, b.getI8Type(), element);
  }
  Value read(Value at) { return tensor::ExtractOp::create(b, flat, at); }

  /// Reads an element, or zero past the last one.
  Value readBefore(Value at) {
    Value isThere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, count);
    Value last = arith::SubIOp::create(b, count, constant(1));
    Value element = read(arith::MinUIOp::create(b, at, last));
    Value zero = arith::ConstantOp::create(
        b,
        b.getZeroAttr(cast<RankedTensorType>(flat.getType()).getElementType()));
    return arith::SelectOp::create(b, isThere, element, zero);
  }

  ImplicitLocOpBuilder &b;
  Value flat, count;
  int64_t bits;
};
} // namespace

/// Returns the bytes of a tensor.
static Value pack(ImplicitLocOpBuilder &b, Value tensor) {
  Value flat = flatten(b, tensor);
  auto type = cast<RankedTensorType>(flat.getType());
  int64_t bits = type.getElementTypeBitWidth(), perByte = 8 / bits;
  Value count = b.createOrFold<tensor::DimOp>(flat, 0);
  Value filledUp = b.createOrFold<arith::AddIOp>(
      count, arith::ConstantIndexOp::create(b, perByte - 1));
  Value bytes = b.createOrFold<arith::DivUIOp>(
      filledUp, arith::ConstantIndexOp::create(b, perByte));
  Value empty = tensor::EmptyOp::create(
      b, ArrayRef<OpFoldResult>{getAsOpFoldResult(bytes)}, b.getI8Type());
  if (type.getDimSize(0) == 0)
    return empty;
  auto generic = linalg::GenericOp::create(
      b, empty.getType(), /*inputs=*/ValueRange(), /*outputs=*/empty,
      b.getMultiDimIdentityMap(1), utils::IteratorType::parallel,
      [&](OpBuilder &inside, Location loc, ValueRange) {
        ImplicitLocOpBuilder body(loc, inside);
        linalg::YieldOp::create(body,
                                ByteBody(body, flat, count, bits).write());
      });
  return generic.getResult(0);
}

/// Returns the source of a copy: its bytes are written either way.
static Value withoutCopy(Value tensor) {
  auto copy = tensor.getDefiningOp<linalg::CopyOp>();
  return copy ? copy.getInputs().front() : tensor;
}

/// Returns the dynamic extents of a result, as formulas of the arguments'.
static FailureOr<AffineMap> extentsOfResult(func::FuncOp kernel,
                                            const ExtentFormulas &formulas,
                                            OpOperand &result) {
  auto type = cast<RankedTensorType>(result.get().getType());
  SmallVector<AffineExpr> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    extents.push_back(formulas.extentOf(result.get(), dim));
    if (!extents.back())
      return kernel.emitOpError("result ")
             << result.getOperandNumber() << " has an extent, dimension " << dim
             << ", that is no sum, product or quotient of its arguments' "
                "extents, so that no launch can provide its memory";
  }
  return formulas.mapTo(extents);
}

FailureOr<PackedResults> distaff::packResults(func::FuncOp kernel) {
  PackedResults results{kernel.getFunctionType(), {}};
  results.extents.resize(kernel.getNumResults());
  FailureOr<ExtentFormulas> formulas = ExtentFormulas::get(kernel);
  if (failed(formulas))
    return failure();
  Operation *terminator = kernel.getBody().front().getTerminator();
  ImplicitLocOpBuilder b(terminator->getLoc(), terminator);
  for (OpOperand &result : terminator->getOpOperands()) {
    // A launch of a sequence that is configured again passes its results on.
    if (!isPackedElement(getElementTypeOrSelf(result.get().getType())) ||
        kernel.getResultAttr(result.getOperandNumber(), kUnpackedAttrName))
      continue;
    FailureOr<AffineMap> extents = extentsOfResult(kernel, *formulas, result);
    if (failed(extents))
      return failure();
    results.extents[result.getOperandNumber()] = *extents;
    Operation *maker = result.get().getDefiningOp();
    result.set(pack(b, withoutCopy(result.get())));
    if (maker && isOpTriviallyDead(maker))
      maker->erase();
  }
  kernel.setFunctionType(b.getFunctionType(kernel.getArgumentTypes(),
                                           terminator->getOperandTypes()));
  return results;
}
