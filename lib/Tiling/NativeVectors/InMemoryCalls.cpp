//===- InMemoryCalls.cpp - Calls with large vectors -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of C takes vectors in memory (VX-152), so a large one need not be
// read into registers on the way:
//
//   %r = call @f(%v, %s) : (vector<4096xf32>, f32) -> vector<4096xf32>
//   =>   write %v, %a;  call @f(%a, %s, %b);  %r = read %b
//
//===----------------------------------------------------------------------===//
#include "BufferAccess.h"
#include "InMemory.h"
#include "distaff/Analysis/Legality/ExternalFunctions.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/IR/SymbolTable.h"

using namespace distaff;
using namespace distaff::vectortiles;

/// Returns the memref type through which a function takes a vector, or returns
/// one of several scalars.
static MemRefType memoryTypeOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return bufferTypeOf(vector ? vector : VectorType::get({1}, type));
}

/// Changes `function` to take memory for all vectors.
static void takeMemory(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  SmallVector<Type> inputs;
  for (Type input : type.getInputs())
    inputs.push_back(isa<VectorType>(input) ? memoryTypeOf(input) : input);
  TypeRange results = type.getResults();
  if (!returnsScalar(type)) {
    llvm::append_range(inputs, llvm::map_range(results, memoryTypeOf));
    results = {};
  }
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.setType(FunctionType::get(function.getContext(), inputs, results));
}

/// Reads a result that a function has written; a nonzero byte of an i1 is true.
static Value readWritten(OpBuilder &b, Location loc, Type type, Value buffer) {
  auto vector = dyn_cast<VectorType>(type);
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  auto inMemory = vector ? cast<VectorType>(vector.clone(stored))
                         : VectorType::get({1}, stored);
  Value value = readBuffer(b, loc, inMemory, buffer, originOf(b, loc, buffer));
  if (getElementTypeOrSelf(type) != stored)
    value = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne, value,
        arith::ConstantOp::create(b, loc, b.getZeroAttr(inMemory)));
  return vector ? value : vector::ExtractOp::create(b, loc, value, 0);
}

/// \pre `callee` takes memory
static void passMemory(func::CallOp call, func::FuncOp callee,
                       const Machine &machine) {
  OpBuilder b(call);
  Location loc = call.getLoc();
  SmallVector<Value> operands;
  for (Value operand : call.getOperands()) {
    if (isa<VectorType>(operand.getType())) {
      Value buffer = allocateBuffer(memoryTypeOf(operand.getType()),
                                    b.getBlock(), loc, machine);
      writeBuffer(b, loc, operand, buffer, originOf(b, loc, buffer));
      operand = buffer;
    }
    operands.push_back(operand);
  }
  SmallVector<Value> written;
  for (Type type :
       callee.getFunctionType().getInputs().drop_front(operands.size())) {
    written.push_back(
        allocateBuffer(cast<MemRefType>(type), b.getBlock(), loc, machine));
    operands.push_back(written.back());
  }
  auto made = func::CallOp::create(b, loc, callee, operands);
  if (written.empty())
    call.replaceAllUsesWith(made.getResults());
  for (auto [result, buffer] : llvm::zip(call.getResults(), written))
    result.replaceAllUsesWith(readWritten(b, loc, result.getType(), buffer));
  call.erase();
}

void vectortiles::passLargeVectors(ModuleOp module, const Machine &machine) {
  SymbolTable symbols(module);
  llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> calls;
  auto isLarge = [&](Type type) {
    return isa<VectorType>(type) &&
           machine.registersOf(type) > machine.registers;
  };
  for (FunctionOpInterface kernel : findKernels(module))
    kernel->walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (callee && callee.isExternal() &&
          (llvm::any_of(call.getOperandTypes(), isLarge) ||
           llvm::any_of(call.getResultTypes(), isLarge)))
        calls[callee].push_back(call);
    });
  for (auto &[callee, all] : calls) {
    takeMemory(callee);
    for (func::CallOp call : all)
      passMemory(call, callee, machine);
  }
}
