//===- AsyncCopyTest.cpp - Copies that complete early or late -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread copies a row of 4 numbers to workgroup memory. The bytes arrive
// when the seed says; a right kernel waits, and computes the same whenever.
//
//===----------------------------------------------------------------------===//
#include "Schedules.h"
#include <set>

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

Options options(uint64_t schedule = 0, bool checks = true) {
  Options options = launch(4, 8, schedule);
  options.checks = checks;
  return options;
}

std::string kernelOfCopies(std::string body) {
  std::string text = R"(
    gpu.module @m { gpu.func @f(%in: memref<16x4xf32>, %out: memref<8x4xf32>) kernel {
      %id = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c7 = arith.constant 7 : index
      %c8 = arith.constant 8 : index
      %mirror = arith.subi %c7, %id : index
      %next = arith.addi %id, %c8 : index
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %m = memref.alloc() : SHARED
      vector.store %zero, %m[%id, %c0] : SHARED, vector<4xf32>
      vector.store %zero, %m[%next, %c0] : SHARED, vector<4xf32>
)" + body + R"(
      gpu.return
    } })";
  for (size_t at; (at = text.find("SHARED")) != std::string::npos;)
    text.replace(at, 6, "memref<16x4xf32, #gpu.address_space<workgroup>>");
  return text;
}

std::vector<Argument> arguments() {
  Values in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = i + 1;
  return {array("f32", {16, 4}, in), array("f32", {8, 4}, Values(32, -1))};
}

/// Copies the row `from` to the row `to`.
std::string copy(std::string token, std::string from, std::string to) {
  return token + " = nvgpu.device_async_copy %in[" + from + ", %c0], %m[" + to +
         ", %c0], 4 : memref<16x4xf32> to SHARED\n";
}
std::string commit(std::string group, std::string tokens = "") {
  return group + " = nvgpu.device_async_create_group " + tokens + "\n";
}
std::string wait(std::string group, std::string numGroups = "") {
  return "nvgpu.device_async_wait " + group +
         (numGroups.empty() ? "" : " {numGroups = " + numGroups + " : i32}") +
         "\n";
}
/// The row of the result is the row `from` of workgroup memory.
std::string show(std::string from) {
  return "%x = vector.load %m[" + from +
         ", %c0] : SHARED, vector<4xf32>\n"
         "vector.store %x, %out[%id, %c0] : memref<8x4xf32>, vector<4xf32>\n";
}

std::string faultInOfCopies(const std::string &body) {
  return underSchedules(32, [&](uint64_t schedule) {
    return faultOf(kernelOfCopies(body), arguments(), options(schedule));
  });
}

/// What is computed, by every seed without checks: one for a right kernel.
std::set<Values> valuesInOfCopies(const std::string &body) {
  std::set<Values> values;
  for (uint64_t schedule = 0; schedule < 32; ++schedule)
    values.insert(lastArgumentOf(kernelOfCopies(body), arguments(),
                                 options(schedule, false)));
  return values;
}

Values rows(int first, int step = 1) {
  Values values;
  for (int row = 0; row < 8; ++row)
    for (int i = 0; i < 4; ++i)
      values.push_back((first + row * step) * 4 + i + 1);
  return values;
}

TEST(AsyncCopy, WhoWaitsFindsTheBytes) {
  std::string right =
      copy("%a", "%id", "%id") + commit("%g", "%a") + wait("%g") + show("%id");
  EXPECT_EQ(faultInOfCopies(right), "");
  EXPECT_EQ(valuesInOfCopies(right), std::set<Values>{rows(0)});
}

TEST(AsyncCopy, WhoDoesNotWaitMayFindThemOrNot) {
  std::string wrong =
      copy("%a", "%id", "%id") + commit("%g", "%a") + show("%id") + wait("%g");
  EXPECT_EQ(faultInOfCopies(wrong), "race");
  std::set<Values> values = valuesInOfCopies(wrong);
  EXPECT_GT(values.size(), 2u);
  EXPECT_TRUE(values.count(Values(32, 0))); // as late as may be
  std::string error =
      execute(kernelOfCopies(wrong), arguments(), options()).error;
  EXPECT_TRUE(StringRef(error).contains(
      "reads [0, 0] of workgroup memory, which an asynchronous copy of lane 0 "
      "of subgroup 0 in workgroup (0, 0, 0) may still write"))
      << error;
}

TEST(AsyncCopy, AWaitIsForTheWaitersCopiesOnly) {
  std::string copied =
      copy("%a", "%id", "%id") + commit("%g", "%a") + wait("%g");
  EXPECT_EQ(faultInOfCopies(copied + "gpu.barrier\n" + show("%mirror")), "");
  EXPECT_EQ(valuesInOfCopies(copied + "gpu.barrier\n" + show("%mirror")),
            std::set<Values>{rows(7, -1)});
  EXPECT_EQ(faultInOfCopies(copied + show("%mirror")), "race");
  // A barrier does not wait for copies.
  EXPECT_EQ(faultInOfCopies(copy("%a", "%id", "%id") + commit("%g", "%a") +
                            "gpu.barrier\n" + wait("%g") + show("%mirror")),
            "race");
}

TEST(AsyncCopy, TheNewestGroupsMayStayInFlight) {
  std::string two = copy("%a", "%id", "%id") + commit("%g", "%a") +
                    copy("%b", "%next", "%next") + commit("%h", "%b");
  EXPECT_EQ(faultInOfCopies(two + wait("%h", "1") + show("%id")), "");
  EXPECT_EQ(valuesInOfCopies(two + wait("%h", "1") + show("%id")),
            std::set<Values>{rows(0)});
  EXPECT_EQ(faultInOfCopies(two + wait("%h", "1") + show("%next")), "race");
  EXPECT_EQ(faultInOfCopies(two + wait("%h", "2") + show("%id")), "race");
  EXPECT_EQ(valuesInOfCopies(two + wait("%h", "0") + show("%next")),
            std::set<Values>{rows(8)});
  // A token stands for its group and those before.
  EXPECT_EQ(faultInOfCopies(two + wait("%g") + show("%id")), "");
  EXPECT_EQ(faultInOfCopies(two + wait("%g") + show("%next")), "race");
  EXPECT_EQ(faultInOfCopies(two + wait("%h") + show("%id")), "");
}

TEST(AsyncCopy, GroupsAreWaitedForInALoop) {
  // One group ahead: row i of the thread's two is shown while the next arrives.
  std::string body = copy("%a", "%id", "%id") + commit("%g", "%a") + R"(
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %zero) -> (vector<4xf32>) {
      %more = arith.cmpi eq, %i, %c0 : index
      scf.if %more {
)" + copy("%b", "%next", "%next") +
                     R"(
      }
)" + commit("%h") + wait("%h", "1") +
                     R"(
      %o = arith.muli %i, %c8 : index
      %r = arith.addi %o, %id : index
      %v = vector.load %m[%r, %c0] : SHARED, vector<4xf32>
      %t = arith.addf %s, %v : vector<4xf32>
      scf.yield %t : vector<4xf32>
    }
    vector.store %sum, %out[%id, %c0] : memref<8x4xf32>, vector<4xf32>
)";
  Values expected = rows(0), second = rows(8);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] += second[i];
  EXPECT_EQ(faultInOfCopies(body), "");
  EXPECT_EQ(valuesInOfCopies(body), std::set<Values>{expected});
}

TEST(AsyncCopy, TheSourceMustStay) {
  std::string started = copy("%a", "%id", "%id") + commit("%g", "%a");
  std::string overwrite =
      "vector.store %zero, %in[%id, %c0] : memref<16x4xf32>, vector<4xf32>\n";
  EXPECT_EQ(faultInOfCopies(started + overwrite + wait("%g") + show("%id")),
            "race");
  EXPECT_GT(
      valuesInOfCopies(started + overwrite + wait("%g") + show("%id")).size(),
      1u);
  EXPECT_EQ(faultInOfCopies(started + wait("%g") + overwrite + show("%id")),
            "");
  // To read it is fine; to write where the bytes go is not.
  EXPECT_EQ(
      faultInOfCopies(started +
                      "%y = memref.load %in[%id, %c0] : memref<16x4xf32>\n" +
                      wait("%g") + show("%id")),
      "");
  EXPECT_EQ(faultInOfCopies(
                started +
                "vector.store %zero, %m[%id, %c0] : SHARED, vector<4xf32>\n" +
                wait("%g")),
            "race");
}

TEST(AsyncCopy, TheRestIsFilledWithZeros) {
  std::string body = R"(%one = arith.constant dense<1.0> : vector<4xf32>
    vector.store %one, %m[%id, %c0] : SHARED, vector<4xf32>
    %odd = arith.remui %id, %c2 : index
    %count = arith.muli %odd, %c2 : index
    %a = nvgpu.device_async_copy %in[%id, %c0], %m[%id, %c0], 4, %count : memref<16x4xf32> to SHARED
)" + commit("%g", "%a") +
                     wait("%g") + show("%id");
  Values expected = rows(0);
  for (size_t i = 0; i < expected.size(); ++i)
    if (i / 4 % 2 == 0 || i % 4 >= 2)
      expected[i] = 0;
  EXPECT_EQ(valuesInOfCopies(body), std::set<Values>{expected});
  EXPECT_EQ(faultInOfCopies(body), "");
}

TEST(AsyncCopy, WhoReadsNothingMayNameAnyPlace) {
  // Rows 0, 8, 16, ... of 16; lanes from the third on read none.
  std::string body = R"(%one = arith.constant dense<1.0> : vector<4xf32>
    vector.store %one, %m[%id, %c0] : SHARED, vector<4xf32>
    %far = arith.muli %id, %c8 : index
    %isThere = arith.cmpi ult, %id, %c2 : index
    %count = arith.select %isThere, %c2, %c0 : index
    %a = nvgpu.device_async_copy %in[%far, %c0], %m[%id, %c0], 4, %count : memref<16x4xf32> to SHARED
)" + commit("%g", "%a") +
                     wait("%g") + show("%id");
  Values expected(32, 0);
  for (int i : {0, 1})
    expected[i] = i + 1, expected[4 + i] = 33 + i;
  EXPECT_EQ(valuesInOfCopies(body), std::set<Values>{expected});
  EXPECT_EQ(faultInOfCopies(body), "");
  // Who reads one element may not.
  size_t at = body.find("%c2, %c0 : index\n    %a");
  body.replace(at, 8, "%c2, %c1");
  EXPECT_EQ(faultInOfCopies(body), "out of bounds");
}

TEST(AsyncCopy, CopiesAreCheckedAndCounted) {
  // 16 bytes from and to multiples of 16 bytes.
  EXPECT_EQ(faultInOfCopies(
                "%a = nvgpu.device_async_copy %in[%id, %c0], %m[%id, %c1], "
                "4 : memref<16x4xf32> to SHARED\n"),
            "misaligned");
  EXPECT_EQ(faultInOfCopies("%far = arith.muli %next, %c2 : index\n" +
                            copy("%a", "%far", "%id")),
            "out of bounds");
  EXPECT_EQ(
      faultInOfCopies(copy("%a", "%id", "%id") + copy("%b", "%next", "%id")),
      "race");
  EXPECT_EQ(faultInOfCopies(copy("%a", "%id", "%id") + wait("%a")), "misuse");
  Counters counters = execute(kernelOfCopies(copy("%a", "%id", "%id") +
                                             commit("%g") + wait("%g")),
                              arguments(), options())
                          .counters;
  EXPECT_EQ(counters.globalBytesRead, 128);
  EXPECT_EQ(counters.sharedBytesWritten, 256 + 128);
}

} // namespace
