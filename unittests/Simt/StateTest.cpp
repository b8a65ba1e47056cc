//===- StateTest.cpp - Agents step by step, copied and run on -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup is plain data: stopped anywhere and copied, both copies run on to
// what an undisturbed run computes.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Run.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

const char *source = R"(
  func.func @f(%m: memref<8xi32, #gpu.address_space<workgroup>>) {
    %id = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %n = scf.for %i = %c0 to %id step %c1 iter_args(%s = %zero) -> (i32) {
      %a = arith.addi %s, %one : i32
      scf.yield %a : i32
    }
    %a = memref.alloc() : memref<8xi32, #gpu.address_space<workgroup>>
    memref.store %n, %a[%id] : memref<8xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %mirror = arith.subi %c7, %id : index
    %x = memref.load %a[%mirror] : memref<8xi32, #gpu.address_space<workgroup>>
    memref.store %x, %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>
    return
  })";

std::vector<int32_t> contents(Workgroup &group) {
  const Buffer &buffer = group.buffer(0);
  std::vector<int32_t> values(buffer.elements);
  std::memcpy(values.data(), buffer.cells.data(), buffer.cells.size());
  return values;
}

TEST(State, CopiesRunOnFromAnyPoint) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                  memref::MemRefDialect, scf::SCFDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  ASSERT_TRUE(module);
  Options options;
  options.subgroupSize = 4;
  options.workgroupSize = {8, 1, 1};
  Execution execution(*module->getOps<func::FuncOp>().begin(), ieeeDomain(),
                      options);
  Array m{IntegerType::get(&context, 32), {8}, std::vector<uint8_t>(32)};
  ASSERT_TRUE(succeeded(execution.prepare(nullptr, {&m})));

  std::vector<int32_t> expected = {7, 6, 5, 4, 3, 2, 1, 0};
  // The first subgroup takes `steps` steps, then the workgroup is copied.
  for (int steps = 0; steps < 60; ++steps) {
    Workgroup group(*execution.launch, 0);
    Agent &agent = group.agents.front();
    for (int i = 0; i < steps && agent.status() == Agent::Status::Running; ++i)
      agent.step();
    Workgroup copy(group);
    group.run();
    EXPECT_FALSE(group.fault.has_value());
    EXPECT_EQ(contents(group), expected) << steps << " steps";
    copy.run();
    EXPECT_FALSE(copy.fault.has_value());
    EXPECT_EQ(contents(copy), expected) << steps << " steps, copied";
  }
}

} // namespace
