//===- OwnDependenciesTest.cpp - Passes register the models they use ------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linalg ops are tiled through external models. A pass that tiles registers
// them: its context has only the dialects that its input is written in.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/PCF/PCF.h"
#include "distaff/PCF/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

/// Runs a pass on a function, then expects its only exp in the pcf.generic.
void expectFused(StringRef text, std::unique_ptr<Pass> pass) {
  DialectRegistry registry;
  registry.insert<func::FuncDialect, linalg::LinalgDialect,
                  tensor::TensorDialect>();
  iree::registerIREE(registry);
  pcf::registerPCF(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  ASSERT_TRUE(module);
  PassManager passes(&context);
  passes.addPass(std::move(pass));
  ASSERT_TRUE(succeeded(passes.run(*module)));
  unsigned count = 0;
  module->walk([&](linalg::ExpOp op) {
    ++count;
    EXPECT_TRUE(op->getParentOfType<pcf::GenericOp>());
  });
  EXPECT_EQ(count, 1u);
}

TEST(OwnDependencies, ConsumersAreFused) {
  expectFused(R"mlir(
    !sref = !pcf.sref<8xf32, sync(#pcf.sequential)>
    func.func @f(%a: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<8xf32> {
      %p = pcf.generic scope(#pcf.sequential) execute(%o = %a)[%i: index, %n: index] : (!sref) -> (tensor<8xf32>) {
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !sref
        pcf.return
      }
      %e = linalg.exp ins(%p : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
      return %e : tensor<8xf32>
    })mlir",
              createPCFFuseConsumers());
}

TEST(OwnDependencies, ProducersAreFused) {
  expectFused(R"mlir(
    !sref = !pcf.sref<8xf32, sync(#pcf.sequential)>
    func.func @f(%a: tensor<8xf32>, %v: tensor<8xf32>) -> tensor<8xf32> {
      %e = linalg.exp ins(%v : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
      %p = pcf.generic scope(#pcf.sequential) execute(%o = %e)[%i: index, %n: index] : (!sref) -> (tensor<8xf32>) {
        %x = pcf.read_slice %o[0] [8] [1] : !sref to tensor<8xf32>
        pcf.write_slice %x into %o[0] [8] [1] : tensor<8xf32> into !sref
        pcf.return
      }
      return %p : tensor<8xf32>
    })mlir",
              createPCFFuseProducers());
}

} // namespace
