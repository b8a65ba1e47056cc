//===- PackedDotsTest.cpp - Instructions of CPUs that this one is not -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only the levels of one architecture are known, that of the compiler: Arm's is
// registered here, under a name of its own.
//
//===----------------------------------------------------------------------===//
#include "distaff/Cpu/Passes.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Target/ThisMachine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace distaff;

// Arm's intrinsics are named by their types, and which one is taken goes by
// which parts have a sign; vectors are cut into those of 128 bits.
TEST(PackedDots, OfArmGoByTheSignsOfTheirParts) {
  Target arm = levelsOf(CpuArchitecture::AArch64).front();
  ASSERT_EQ(arm.name, "host:neonbf16");
  arm.name = "host:arm_of_a_test";
  TargetRegistration known(arm);

  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                  LLVM::LLVMDialect, memref::MemRefDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  iree::registerIREE(registry);
  core::registerDistaff(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      R"(func.func @k(%a: memref<8xi32>, %b: memref<8xi32>, %c: memref<8xf32>) {
           scf.forall (%x) in (1) {
             %i = arith.constant 0 : index
             %v = vector.load %a[%i] : memref<8xi32>, vector<8xi32>
             %w = vector.load %b[%i] : memref<8xi32>, vector<8xi32>
             %s = distaff.packed_dot %v as si8, %w as si8 : vector<8xi32> to vector<8xi32>
             %u = distaff.packed_dot %v as ui8, %w as ui8 plus %s : vector<8xi32> to vector<8xi32>
             %m = distaff.packed_dot %v as ui8, %w as si8 plus %u : vector<8xi32> to vector<8xi32>
             %f = distaff.packed_dot %v as bf16, %w as bf16 : vector<8xi32> to vector<8xf32>
             vector.store %m, %a[%i] : memref<8xi32>, vector<8xi32>
             vector.store %f, %c[%i] : memref<8xf32>, vector<8xf32>
           } {mapping = [#gpu.block<x>]}
           return
         })",
      ParserConfig(&context));
  ASSERT_TRUE(module);
  PassManager passes(&context);
  passes.addPass(createConvertToHost({.target = arm.name.str()}));
  ASSERT_TRUE(succeeded(passes.run(*module)));
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  size_t at = 0;
  for (StringRef name :
       {"sdot.v4i32.v16i8", "sdot.v4i32.v16i8", "udot.v4i32.v16i8",
        "udot.v4i32.v16i8", "usdot.v4i32.v16i8", "usdot.v4i32.v16i8",
        "bfdot.v4f32.v8bf16", "bfdot.v4f32.v8bf16"}) {
    at = text.find("\"llvm.aarch64.neon." + name.str() + "\"", at);
    ASSERT_NE(at, std::string::npos) << name.str() << " in\n" << text;
    ++at;
  }
}
