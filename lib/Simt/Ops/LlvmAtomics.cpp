//===- LlvmAtomics.cpp - llvm operations that update memory ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Updates of memrefs are converted to these: llvm.atomicrmw, and llvm.cmpxchg
// in a loop that begins with an atomic load.
//
//===----------------------------------------------------------------------===//
#include "../Machine/Pointer.h"
#include "../Translate/OpRegistry.h"
#include "Atomics.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace distaff;
using namespace distaff::simt;

/// Translates the atomic read and update of one element per lane.
static LogicalResult translateAtomicAccess(Operation *op, Value address,
                                           Reg value, Reg old,
                                           std::optional<Reg> expected,
                                           const Binary &update,
                                           Translator &t) {
  Access access = Access::get(op, t.domain(), value.kind);
  Addresses pointer = Addresses::get(address, t);
  Reg memory = pointedMemory(t, value.kind);
  t.emit(op, [=](Agent &agent) {
    int64_t *positions = agent.positions(agent.lanes());
    if (simt::follow(agent, op, pointer, memory, access.kind, 1, positions,
                     agent.mask()))
      agent.update(access, memory, positions, update, agent.cells(value),
                   agent.cells(old),
                   expected ? agent.cells(*expected) : nullptr);
  });
  return success();
}

LogicalResult simt::translateAtomicLoad(LLVM::LoadOp op, Reg result,
                                        Translator &t) {
  Access access = Access::get(op, t.domain(), result.kind);
  Addresses pointer = Addresses::get(op.getAddr(), t);
  Reg memory = pointedMemory(t, result.kind);
  t.emit(op, [=](Agent &agent) {
    int64_t *positions = agent.positions(agent.lanes());
    if (simt::follow(agent, op, pointer, memory, access.kind, 1, positions,
                     agent.mask()))
      agent.loadAtomically(access, memory, positions, agent.cells(result));
  });
  return success();
}

/// Returns the function that an atomic op applies to the element and its
/// operand; null for ops that the compiler does not emit.
static Binary updateOf(LLVM::AtomicBinOp op, Kind kind, const Domain &domain) {
  using O = LLVM::AtomicBinOp;
  auto floats = [&](FloatBinary op) { return domain.binary(op, kind.format); };
  auto integers = [&](IntegerBinary op) {
    return domain.binary(op, kind.width);
  };
  switch (op) {
  case O::xchg:
    return secondOperand(domain, kind);
  case O::add:
    return integers(IntegerBinary::Add);
  case O::_and:
    return integers(IntegerBinary::And);
  case O::_or:
    return integers(IntegerBinary::Or);
  case O::_xor:
    return integers(IntegerBinary::Xor);
  case O::max:
    return integers(IntegerBinary::MaxS);
  case O::min:
    return integers(IntegerBinary::MinS);
  case O::umax:
    return integers(IntegerBinary::MaxU);
  case O::umin:
    return integers(IntegerBinary::MinU);
  case O::fadd:
    return floats(FloatBinary::Add);
  case O::fmax:
    return floats(FloatBinary::MaxNum);
  case O::fmin:
    return floats(FloatBinary::MinNum);
  case O::fmaximum:
    return floats(FloatBinary::Maximum);
  case O::fminimum:
    return floats(FloatBinary::Minimum);
  default:
    return {};
  }
}

static LogicalResult translateAtomicRMW(LLVM::AtomicRMWOp op, Translator &t) {
  Reg value = t.reg(op.getVal()), r = t.reg(op.getResult());
  Binary update = updateOf(op.getBinOp(), value.kind, t.domain());
  if (!update || value.elements != 1)
    return t.notModelled(op, "an atomic update of this kind");
  return translateAtomicAccess(op, op.getPtr(), value, r, std::nullopt, update,
                               t);
}

static LogicalResult translateCompareSwap(LLVM::AtomicCmpXchgOp op,
                                          Translator &t) {
  Reg expected = t.reg(op.getCmp()), value = t.reg(op.getVal());
  SmallVector<Reg> parts = t.parts(t.reg(op.getResult()));
  if (value.elements != 1)
    return t.notModelled(op, "a compare-and-swap of this type");
  Reg seen = parts[0], isSame = parts[1];
  if (failed(translateAtomicAccess(op, op.getPtr(), value, seen, expected,
                                   secondOperand(t.domain(), value.kind), t)))
    return failure();
  int64_t bytes = t.domain().cellBytes(value.kind);
  t.emit(op, [=](Agent &agent) {
    for (int64_t l = 0; l < agent.lanes(); ++l)
      agent.setInteger(isSame,
                       std::memcmp(agent.cells(seen) + l * bytes,
                                   agent.cells(expected) + l * bytes, bytes)
                           ? 0
                           : -1,
                       l);
  });
  return success();
}

/// Translates intrinsics without an op, by name.
static LogicalResult translateIntrinsic(LLVM::CallIntrinsicOp op,
                                        Translator &t) {
  if (op.getIntrin() != "llvm.nvvm.atomic.cas.gen.i.sys")
    return t.notModelled(op, "this intrinsic");
  Reg value = t.reg(op.getArgs()[2]);
  return translateAtomicAccess(op, op.getArgs()[0], value,
                               t.reg(op.getResult(0)), t.reg(op.getArgs()[1]),
                               secondOperand(t.domain(), value.kind), t);
}

void distaff::simt::registerLlvmAtomics(OpRegistry &registry) {
  registry.add<LLVM::AtomicRMWOp>(translateAtomicRMW);
  registry.add<LLVM::AtomicCmpXchgOp>(translateCompareSwap);
  registry.add<LLVM::CallIntrinsicOp>(translateIntrinsic);
}
