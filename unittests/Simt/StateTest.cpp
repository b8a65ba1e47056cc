//===- StateTest.cpp - Agents step by step, copied and run on -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup is a value: stopped anywhere and copied, both copies run on to
// what an undisturbed run computes.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Simt/Run.h"
#include "distaff/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

const char *source = R"(
  gpu.module @m { gpu.func @f(%m: memref<8xi32, #gpu.address_space<workgroup>>) kernel {
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
    gpu.return
  } })";

// Everything that has a state besides registers: copies in flight, named
// barriers with different code on both sides, an array that is changed in
// place.
const char *waiting = R"(
  gpu.module @m { gpu.func @f(%in: memref<8x4xf32>, %io: memref<8xf32>) kernel {
    %id = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %eight = arith.constant 8 : i32
    %m = memref.alloc() : memref<8x4xf32, #gpu.address_space<workgroup>>
    %isFirst = arith.cmpi ult, %id, %c4 : index
    scf.for %i = %c0 to %c3 step %c1 {
      scf.if %isFirst {
        %next = arith.addi %id, %c4 : index
        %a = nvgpu.device_async_copy %in[%id, %c0], %m[%id, %c0], 4 : memref<8x4xf32> to memref<8x4xf32, #gpu.address_space<workgroup>>
        %g = nvgpu.device_async_create_group %a
        %b = nvgpu.device_async_copy %in[%next, %c0], %m[%next, %c0], 4 : memref<8x4xf32> to memref<8x4xf32, #gpu.address_space<workgroup>>
        %h = nvgpu.device_async_create_group %b
        nvgpu.device_async_wait %h {numGroups = 1 : i32}
        nvgpu.device_async_wait %h {numGroups = 0 : i32}
        nvvm.barrier.arrive id = %one number_of_threads = %eight
        nvvm.barrier id = %two number_of_threads = %eight
      } else {
        nvvm.barrier id = %one number_of_threads = %eight
        %x = memref.load %m[%id, %i] : memref<8x4xf32, #gpu.address_space<workgroup>>
        %y = memref.load %io[%id] : memref<8xf32>
        %z = arith.addf %x, %y : f32
        memref.store %z, %io[%id] : memref<8xf32>
        nvvm.barrier.arrive id = %two number_of_threads = %eight
      }
    }
    gpu.return
  } })";

/// A kernel that is ready to run.
struct Prepared {
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Options options;
  std::unique_ptr<Execution> execution;

  Prepared(const char *source, uint64_t schedule = 0) : context(registry()) {
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(source, &context);
    options.subgroupSize = 4;
    options.workgroupSize = {8, 1, 1};
    options.schedule = schedule;
    options.threads = 1;
  }

  /// Arrays of zeros but for the first, whose elements are their numbers.
  bool pass(ArrayRef<int64_t> elements, Type type) {
    SmallVector<Array> arrays;
    SmallVector<Array *> pointers;
    for (int64_t count : elements) {
      Array array{type, {count}, std::vector<uint8_t>(4 * count)};
      if (count == 32)
        array.shape = {8, 4};
      for (int64_t i = 0; arrays.empty() && i < count; ++i) {
        float value = i;
        std::memcpy(array.bytes.data() + 4 * i, &value, 4);
      }
      arrays.push_back(std::move(array));
    }
    for (Array &array : arrays)
      pointers.push_back(&array);
    execution = std::make_unique<Execution>(findKernels(*module).front(),
                                            ieeeDomain(), options);
    return succeeded(execution->prepare(nullptr, pointers));
  }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                    memref::MemRefDialect, nvgpu::NVGPUDialect,
                    NVVM::NVVMDialect, scf::SCFDialect>();
    return registry;
  }
};

template <typename T> std::vector<T> contents(Workgroup &group, int64_t array) {
  const Buffer &buffer = group.buffer(array);
  std::vector<T> values(buffer.elements);
  std::memcpy(values.data(), buffer.cells.data(), buffer.cells.size());
  return values;
}

TEST(State, CopiesRunOnFromAnyPoint) {
  Prepared prepared(source);
  ASSERT_TRUE(prepared.pass({8}, IntegerType::get(&prepared.context, 32)));
  std::vector<int32_t> expected = {7, 6, 5, 4, 3, 2, 1, 0};
  bool hasEnded = false;
  for (int steps = 0; !hasEnded; ++steps) {
    Workgroup group(*prepared.execution->launch, 0);
    for (int i = 0; i < steps && !hasEnded; ++i)
      hasEnded = !group.step();
    Workgroup copy(group);
    group.run();
    EXPECT_FALSE(group.fault.has_value());
    EXPECT_EQ(contents<int32_t>(group, 0), expected) << steps << " steps";
    copy.run();
    EXPECT_FALSE(copy.fault.has_value());
    EXPECT_EQ(contents<int32_t>(copy, 0), expected)
        << steps << " steps, copied";
  }
}

TEST(State, CopiesAndTheirOriginalEndAlike) {
  // Rows 4 to 7, columns 0 to 2: 48 + 51 + 54 + ... per row.
  std::vector<float> expected(8);
  for (int row = 4; row < 8; ++row)
    expected[row] = 3 * (4 * row) + 0 + 1 + 2;
  for (uint64_t schedule : {0, 1, 2, 3}) {
    bool hasEnded = false;
    Prepared prepared(waiting, schedule);
    for (int steps = 0; !hasEnded; ++steps) {
      ASSERT_TRUE(prepared.pass({32, 8}, Float32Type::get(&prepared.context)));
      Workgroup group(*prepared.execution->launch, 0);
      for (int i = 0; i < steps && !hasEnded; ++i)
        hasEnded = !group.step();
      // The copy first: what it does must not show in the original, which
      // changes an array in place.
      Workgroup copy(group);
      copy.run();
      group.run();
      ASSERT_FALSE(group.fault.has_value()) << group.fault->message;
      ASSERT_FALSE(copy.fault.has_value());
      EXPECT_EQ(contents<float>(group, 1), expected) << steps << " steps";
      EXPECT_EQ(contents<float>(copy, 1), expected) << steps << " steps";
      EXPECT_EQ(group.counters, copy.counters);
    }
  }
}

} // namespace
