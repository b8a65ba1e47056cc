//===- ExternalCalls.cpp - Calls of external functions --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's convention for vectors depends on the features of caller and callee,
// and is not that of C compilers. So a vector is passed in memory (VX-152):
//
//   %r = func.call @f(%v, %s) : (vector<32xf32>, f32) -> vector<32xf32>
//   =>  store %v, %a;  llvm.call @f(%a, %s, %b);  %r = load %b
//
// with %a and %b allocations of the kernel's. Large vectors are already in
// memory, whose address is passed.
//
//===----------------------------------------------------------------------===//
#include "ExternalCalls.h"
#include "distaff/Analysis/Legality/ExternalFunctions.h"
#include "distaff/Kernel/HostTask.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace distaff;

namespace {
class ExternalCall {
public:
  ExternalCall(func::CallOp call, LLVM::LLVMFuncOp callee)
      : call(call), callee(callee), b(call.getLoc(), call) {}

  void replace();

private:
  /// Allocates memory for a vector, at the kernel's entry.
  Value allocate(VectorType type);
  Value addressOf(Value memory);
  Value widen(Value value);
  Value narrow(Value passed, Type type);

  func::CallOp call;
  LLVM::LLVMFuncOp callee;
  ImplicitLocOpBuilder b;
};
} // namespace

static Type typeInC(Type type) {
  if (isa<VectorType, MemRefType>(type))
    return LLVM::LLVMPointerType::get(type.getContext());
  return typePassedToExternal(type);
}

/// Returns the vector type of the elements in memory.
static VectorType inMemory(VectorType type) {
  return VectorType::get(type.getShape(),
                         typePassedToExternal(type.getElementType()));
}

Value ExternalCall::allocate(VectorType type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      &call->getParentOfType<func::FuncOp>().getBody().front());
  return memref::AllocaOp::create(
      b, MemRefType::get(type.getShape(), type.getElementType()),
      b.getI64IntegerAttr(externalAlignment));
}

Value ExternalCall::addressOf(Value memory) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
  Value number = arith::IndexCastOp::create(b, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  number);
}

/// Widens a value to the type that is passed; bits are 0 and 1 in bytes.
Value ExternalCall::widen(Value value) {
  Type element = getElementTypeOrSelf(value);
  Type passed = typePassedToExternal(element);
  if (passed == element)
    return value;
  Type type = passed;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = inMemory(vector);
  if (element.isIndex())
    return arith::IndexCastOp::create(b, type, value);
  return arith::ExtUIOp::create(b, type, value);
}

/// Narrows a passed value; any byte but 0 is true.
Value ExternalCall::narrow(Value passed, Type type) {
  if (passed.getType() == type)
    return passed;
  if (getElementTypeOrSelf(type).isIndex())
    return arith::IndexCastOp::create(b, type, passed);
  Value zero = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(passed.getType())));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, passed, zero);
}

void ExternalCall::replace() {
  Value first = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> passed;
  for (Value operand : call.getOperands()) {
    if (isa<MemRefType>(operand.getType())) {
      passed.push_back(addressOf(operand));
      continue;
    }
    Value value = widen(operand);
    if (auto vector = dyn_cast<VectorType>(value.getType())) {
      Value memory = allocate(vector);
      vector::StoreOp::create(b, value, memory, first);
      value = addressOf(memory);
    }
    passed.push_back(value);
  }
  bool isReturned = returnsScalar(call.getCalleeType());
  SmallVector<Value> written;
  if (!isReturned)
    for (Type type : call.getResultTypes()) {
      auto vector = dyn_cast<VectorType>(type);
      written.push_back(
          allocate(vector ? inMemory(vector)
                          : VectorType::get({1}, typePassedToExternal(type))));
      passed.push_back(addressOf(written.back()));
    }
  auto made = LLVM::CallOp::create(b, callee, passed);
  if (isReturned)
    call.getResult(0).replaceAllUsesWith(
        narrow(made.getResult(), call.getResult(0).getType()));
  // A returned result is not written to memory.
  for (auto [result, memory] : llvm::zip(call.getResults(), written)) {
    auto vector = dyn_cast<VectorType>(result.getType());
    Value loaded =
        vector ? Value(vector::LoadOp::create(b, inMemory(vector), memory,
                                              ValueRange(first)))
               : Value(memref::LoadOp::create(b, memory, ValueRange(first)));
    result.replaceAllUsesWith(narrow(loaded, result.getType()));
  }
  call.erase();
}

/// Returns the attribute that extends an integer below 32 bits: C compilers
/// rely on the caller's extension.
static DictionaryAttr extensionOf(Type type, Type passed, Builder &b) {
  if (!passed.isInteger(8) && !passed.isInteger(16))
    return b.getDictionaryAttr({});
  StringRef name = type.isInteger(1) ? LLVM::LLVMDialect::getZExtAttrName()
                                     : LLVM::LLVMDialect::getSExtAttrName();
  return b.getDictionaryAttr(b.getNamedAttr(name, b.getUnitAttr()));
}

/// Declares an external function in LLVM's dialect.
static LLVM::LLVMFuncOp declare(func::FuncOp function) {
  OpBuilder b = OpBuilder::atBlockEnd(function->getBlock());
  FunctionType type = function.getFunctionType();
  SmallVector<Type> inputs;
  SmallVector<Attribute> extensions;
  for (Type input : type.getInputs()) {
    inputs.push_back(typeInC(input));
    extensions.push_back(extensionOf(input, inputs.back(), b));
  }
  Type result = LLVM::LLVMVoidType::get(b.getContext());
  if (returnsScalar(type)) {
    result = typeInC(type.getResult(0));
  } else {
    inputs.append(type.getNumResults(),
                  LLVM::LLVMPointerType::get(b.getContext()));
    extensions.append(type.getNumResults(), b.getDictionaryAttr({}));
  }
  std::string name = function.getName().str();
  Location loc = function.getLoc();
  function.erase();
  auto declared = LLVM::LLVMFuncOp::create(
      b, loc, name, LLVM::LLVMFunctionType::get(result, inputs));
  declared.setArgAttrsAttr(b.getArrayAttr(extensions));
  declared.setPassthroughAttr(
      b.getArrayAttr(b.getStringAttr(externalFunctionAttribute)));
  return declared;
}

void distaff::callExternalFunctions(ModuleOp module) {
  llvm::StringMap<SmallVector<func::CallOp>> calls;
  for (FunctionOpInterface kernel : findKernels(module))
    kernel->walk(
        [&](func::CallOp call) { calls[call.getCallee()].push_back(call); });
  for (func::FuncOp function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    auto found = calls.find(function.getName());
    if (!function.isExternal() || found == calls.end())
      continue;
    LLVM::LLVMFuncOp declared = declare(function);
    for (func::CallOp call : found->second)
      ExternalCall(call, declared).replace();
  }
}
