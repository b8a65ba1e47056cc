//===- AtomicFaultTest.cpp - What atomic accesses race with ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An atomic update races with every access that is not atomic, an atomic load
// with writes that are not; atomic accesses never race with each other.
//
//===----------------------------------------------------------------------===//
#include "FaultKernel.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

TEST(Fault, AnAtomicUpdateRacesWithWhatIsNone) {
  std::string update = "memref.atomic_rmw addi %v, %m[%c0] : (i32, "
                       "memref<8xi32, #gpu.address_space<workgroup>>) -> i32\n",
              add = "%u = " + update, clear = std::string(store) + barrier,
              read = "%r = memref.load %m[%c0] : memref<8xi32, "
                     "#gpu.address_space<workgroup>>\n",
              write = "memref.store %r, %out[%id] : memref<8xi32>\n",
              end = barrier + read + write;
  EXPECT_EQ(faultInOfFaults(clear + add + "%w = " + update + end), "");
  EXPECT_EQ(faultInOfFaults(store + add + end), "race");
  EXPECT_EQ(faultInOfFaults(clear + add + read + write), "race");
  EXPECT_EQ(faultInOfFaults(clear + read + add + write), "race");
  EXPECT_EQ(faultInOfFaults(clear + add + store + end), "race");
  EXPECT_EQ(faultInOfFaults(add + end), "unwritten");
}

TEST(Fault, AnAtomicLoadRacesWithWritesOnly) {
  std::string load = "memref.generic_atomic_rmw %m[%c0] : memref<8xi32, "
                     "#gpu.address_space<workgroup>> {\n^bb0(%old: i32):\n"
                     "memref.atomic_yield %old : i32\n}\n";
  std::string add = "%u = memref.atomic_rmw addi %v, %m[%c0] : (i32, "
                    "memref<8xi32, #gpu.address_space<workgroup>>) -> i32\n",
              atomic = "%a = " + load, again = "%b = " + load,
              clear = std::string(store) + barrier,
              read = "%r = memref.load %m[%c0] : memref<8xi32, "
                     "#gpu.address_space<workgroup>>\n",
              end = "memref.store %v, %out[%id] : memref<8xi32>\n";
  EXPECT_EQ(faultInOfFaults(clear + atomic + again + end), "");
  EXPECT_EQ(faultInOfFaults(clear + read + atomic + end), "");
  EXPECT_EQ(faultInOfFaults(clear + atomic + read + end), "");
  EXPECT_EQ(faultInOfFaults(clear + atomic + add + again + end), "");
  EXPECT_EQ(faultInOfFaults(clear + add + atomic + barrier + read + end), "");
  EXPECT_EQ(faultInOfFaults(store + atomic + end), "race");
  EXPECT_EQ(faultInOfFaults(clear + atomic + store + end), "race");
  // A load does not hide the update before it.
  EXPECT_EQ(faultInOfFaults(clear +
                            "%isFirst = arith.cmpi eq, %id, %c0 : index\n"
                            "scf.if %isFirst {\n" +
                            add + atomic + "}\n" + read + end),
            "race");
  EXPECT_EQ(faultInOfFaults(atomic + end), "unwritten");
}

/// The error of four workgroups that run `body`.
std::string errorOfFourWorkgroups(StringRef body) {
  return execute(
             ("func.func @f(%out: memref<4xi32>, %h: memref<1xi32>) {\n"
              "%c0 = arith.constant 0 : index\n"
              "%one = arith.constant 1 : i32\n"
              "scf.forall (%i) in (4) {\n"
              "memref.store %one, %out[%i] : memref<4xi32>\n" +
              body + "} {mapping = [#gpu.block<x>]}\nreturn\n}")
                 .str(),
             {array("i32", {4}, Values(4, 0)), array("i32", {1}, Values(1, 0))})
      .error;
}

TEST(Fault, AnAtomicLoadOfOneWorkgroupRacesWithAWriteOfAnother) {
  std::string load = "%u = memref.generic_atomic_rmw %h[%c0] : memref<1xi32> "
                     "{\n^bb0(%old: i32):\nmemref.atomic_yield %old : i32\n}\n";
  std::string ofFirst = "%isFirst = arith.cmpi eq, %i, %c0 : index\nscf.if "
                        "%isFirst {\n";
  EXPECT_EQ(errorOfFourWorkgroups(load), "");
  EXPECT_EQ(errorOfFourWorkgroups(
                ofFirst + "%r = memref.load %h[%c0] : memref<1xi32>\n" +
                "memref.store %r, %out[%i] : memref<4xi32>\n} else {\n" + load +
                "}\n"),
            "");
  EXPECT_EQ(
      errorOfFourWorkgroups(ofFirst +
                            "%r = memref.atomic_rmw addi %one, %h[%c0] : (i32, "
                            "memref<1xi32>) -> i32\n} else {\n" +
                            load + "}\n"),
      "");
  std::string error = errorOfFourWorkgroups(
      ofFirst + "memref.store %one, %h[%c0] : memref<1xi32>\n} else {\n" +
      load + "}\n");
  EXPECT_NE(error.find("workgroup (0, 0, 0) writes [0] of arg1, which "
                       "workgroup (1, 0, 0) reads atomically"),
            std::string::npos)
      << error;
}

TEST(Fault, AnAtomicUpdateOfOneWorkgroupRacesWithAnAccessOfAnother) {
  std::string update = "%u = memref.atomic_rmw addi %one, %h[%c0] : (i32, "
                       "memref<1xi32>) -> i32\n";
  EXPECT_EQ(errorOfFourWorkgroups(update), "");
  std::string ofFirst =
      "%isFirst = arith.cmpi eq, %i, %c0 : index\nscf.if %isFirst {\n"
      "%r = memref.load %h[%c0] : memref<1xi32>\n"
      "memref.store %r, %out[%i] : memref<4xi32>\n} else {\n" +
      update + "}\n";
  std::string error = errorOfFourWorkgroups(ofFirst);
  EXPECT_NE(error.find("workgroup (1, 0, 0) updates atomically"),
            std::string::npos)
      << error;
}

} // namespace
