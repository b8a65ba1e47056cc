//===- PCFTest.h - IR of pcf for unit tests ---------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context with all that scopes create, and an interpreter of the index
// arithmetic that they build.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_DIALECT_PCFTEST_H
#define DISTAFF_UNITTESTS_DIALECT_PCFTEST_H

#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace distaff {

/// Numbers of the values that no arithmetic defines.
using Numbers = function_ref<int64_t(Value)>;

/// The number that a value stands for.
inline int64_t evaluate(Value value, Numbers leaf) {
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) { return evaluate(op->getOperand(i), leaf); };
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  if (op && isa<arith::AddIOp>(op))
    return operand(0) + operand(1);
  if (op && isa<arith::MulIOp>(op))
    return operand(0) * operand(1);
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>()) {
    SmallVector<Attribute> operands, results;
    for (unsigned i : llvm::seq(op->getNumOperands()))
      operands.push_back(Builder(value.getContext()).getIndexAttr(operand(i)));
    EXPECT_TRUE(
        succeeded(apply.getAffineMap().constantFold(operands, results)));
    return cast<IntegerAttr>(results.front()).getInt();
  }
  return leaf(value);
}

inline int64_t evaluate(OpFoldResult value, Numbers leaf) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attribute).getInt();
  return evaluate(cast<Value>(value), leaf);
}

class PCFTest : public ::testing::Test {
protected:
  PCFTest() {
    DialectRegistry registry;
    iree::registerIREE(registry);
    pcf::registerPCF(registry);
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                    memref::MemRefDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.allowUnregisteredDialects();
  }

  void parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
  }

  /// The only op of its kind.
  template <typename OpT> OpT find() {
    OpT found;
    module->walk([&](OpT op) {
      EXPECT_FALSE(found) << "there are several";
      found = op;
    });
    EXPECT_TRUE(found);
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace distaff

#endif // DISTAFF_UNITTESTS_DIALECT_PCFTEST_H
