//===- MatrixLoads.cpp - What matrix loads return, word by word -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvgpu.ldmatrix returns a vector of two dims, of which upstream's patterns
// make an array of words; LLVM takes elements out of vectors of one dim. So the
// words are taken out first, and the elements out of these.
//
//===----------------------------------------------------------------------===//
#include "ConvertToLLVM.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;

static SmallVector<Value> elementsOf(nvgpu::LdMatrixOp op, OpBuilder &b) {
  SmallVector<Value> elements;
  auto type = cast<VectorType>(op.getRes().getType());
  for (int64_t word = 0; word < type.getDimSize(0); ++word) {
    Value part = vector::ExtractOp::create(b, op.getLoc(), op.getRes(), word);
    auto parts = vector::ToElementsOp::create(b, op.getLoc(), part);
    llvm::append_range(elements, parts.getElements());
  }
  return elements;
}

void distaff::splitMatrixLoads(ModuleOp module) {
  SmallVector<nvgpu::LdMatrixOp> loads;
  module.walk([&](nvgpu::LdMatrixOp op) { loads.push_back(op); });
  for (nvgpu::LdMatrixOp op : loads) {
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    for (Operation *user : llvm::make_early_inc_range(op.getRes().getUsers()))
      if (auto parts = dyn_cast<vector::ToElementsOp>(user)) {
        parts->replaceAllUsesWith(elementsOf(op, b));
        parts.erase();
      }
  }
}
