//===- MatrixLoads.cpp - Registers of matrix loads and stores -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScalarRegisters.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using namespace distaff::registers;

/// Keeps the instruction and sets its result's registers.
static LogicalResult lowerMatrixLoad(nvgpu::LdMatrixOp op, Lowering &lowering) {
  if (!lowering.target.banks.loadsMatrices)
    return op.emitOpError("is no instruction of ") << lowering.target.name;
  Operation *load = lowering.builder.clone(*op);
  auto parts = vector::ToElementsOp::create(lowering.builder, op.getLoc(),
                                            load->getResult(0));
  lowering.setElements(op.getRes(), SmallVector<Value>(parts.getElements()));
  return success();
}

/// Does the same for a load that transposes. Elements of 4 and 6 bits take a
/// byte each in memory (ABI.md), which no instruction reads.
static LogicalResult lowerTransposedLoad(amdgpu::TransposeLoadOp op,
                                         Lowering &lowering) {
  const TransposingLoad &row = lowering.target.banks.transposingLoad;
  if (row.columns == 0)
    return op.emitOpError("is no instruction of ") << lowering.target.name;
  auto type = cast<VectorType>(op.getResult().getType());
  if (!row.moves(type.getElementTypeBitWidth()))
    return op.emitOpError("reads ")
           << type << ", and elements narrower than " << row.leastBits
           << " bits take a byte each in workgroup memory, which no "
           << "transposing load reads; read elements one by one";
  Operation *load = lowering.builder.clone(*op);
  auto parts = vector::ToElementsOp::create(lowering.builder, op.getLoc(),
                                            load->getResult(0));
  lowering.setElements(op.getResult(), SmallVector<Value>(parts.getElements()));
  return success();
}

static LogicalResult lowerGlobalTransposeLoad(core::GlobalTransposeLoadOp op,
                                              Lowering &lowering) {
  if (lowering.target.globalTransposingLoad.columns == 0)
    return op.emitOpError("is no instruction of ") << lowering.target.name;
  Operation *load = lowering.builder.clone(*op);
  auto parts = vector::ToElementsOp::create(lowering.builder, op.getLoc(),
                                            load->getResult(0));
  lowering.setElements(op.getResult(), SmallVector<Value>(parts.getElements()));
  return success();
}

/// Lowers a store; words stay vectors, made of the registers.
static LogicalResult lowerMatrixStore(core::StMatrixOp op, Lowering &lowering) {
  if (!lowering.target.banks.storesMatrices)
    return op.emitOpError("is no instruction of ") << lowering.target.name;
  SmallVector<Value> words;
  for (Value word : op.getWords())
    words.push_back(vector::FromElementsOp::create(
        lowering.builder, op.getLoc(), cast<VectorType>(word.getType()),
        lowering.elements(word)));
  core::StMatrixOp::create(lowering.builder, op.getLoc(), words, op.getMemref(),
                           op.getIndices(), op.getTranspose());
  return success();
}

void registers::addMatrixLoadRules(RuleSet &rules) {
  rules.add(lowerMatrixLoad);
  rules.add(lowerTransposedLoad);
  rules.add(lowerGlobalTransposeLoad);
  rules.add(lowerMatrixStore);
}
