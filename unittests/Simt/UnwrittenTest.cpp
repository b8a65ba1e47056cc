//===- UnwrittenTest.cpp - Reading what nobody has written ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that runs ahead of a loop's last iteration reads a panel that nobody
// fills, and passes on what it finds. To read and to move such a value is no
// fault; to use it is, whatever it has been through.
//
//===----------------------------------------------------------------------===//
#include "Kernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// The fault of two subgroups of 4 lanes: %x of every lane is from its element
/// of %m, which lanes from `written` on have not written, %pair both of it.
std::string faultInUnwritten(StringRef body, int64_t written = 0) {
  std::string kernel = (R"(
    gpu.module @m { gpu.func @f(%out: memref<8xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c5 = arith.constant 5 : index
      %c7 = arith.constant 7 : i32
      %written = arith.constant )" +
                        Twine(written) + R"( : index
      %id = gpu.thread_id x
      %m = memref.alloc() : memref<8xi32, #gpu.address_space<workgroup>>
      %two = memref.alloc() : memref<8x2xi32, #gpu.address_space<workgroup>>
      %writes = arith.cmpi ult, %id, %written : index
      scf.if %writes {
        memref.store %c7, %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>
        memref.store %c7, %two[%id, %c0] : memref<8x2xi32, #gpu.address_space<workgroup>>
        memref.store %c7, %two[%id, %c1] : memref<8x2xi32, #gpu.address_space<workgroup>>
      }
      %x = memref.load %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>
      %pair = vector.load %two[%id, %c0] : memref<8x2xi32, #gpu.address_space<workgroup>>, vector<2xi32>
)" + body + "\ngpu.return\n} }")
                           .str();
  Options options;
  options.subgroupSize = 4;
  options.workgroupSize = {8, 1, 1};
  return faultOf(kernel, {array("i32", {8}, Values(8, 0))}, options);
}

TEST(Unwritten, MayBeReadAndMoved) {
  EXPECT_EQ(faultInUnwritten(""), "");
  EXPECT_EQ(faultInUnwritten(
                "%y = vector.extract %pair[1] : i32 from vector<2xi32>\n"
                "%z = vector.insert %y, %pair[0] : i32 into vector<2xi32>"),
            "");
  // As V3 of the specification does: what the last iteration read goes to the
  // end of the loop, and nobody looks at it.
  EXPECT_EQ(faultInUnwritten(R"(
      %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %pair) -> (vector<2xi32>) {
        %next = vector.load %two[%id, %c0] : memref<8x2xi32, #gpu.address_space<workgroup>>, vector<2xi32>
        scf.yield %next : vector<2xi32>
      })"),
            "");
}

// A layout says who holds a value, which moves it.
TEST(Unwritten, MayBeLaidOut) {
  auto kernel = [](StringRef use) {
    return (R"(
    #l = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
    func.func @f(%out: memref<4xi32>) {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0 : i32
      %m = memref.alloc() : memref<4xi32, #gpu.address_space<workgroup>>
      %x = vector.load %m[%c0] : memref<4xi32, #gpu.address_space<workgroup>>, vector<4xi32>
      %l = iree_vector_ext.to_layout %x to layout(#l) : vector<4xi32>
)" + use + "\nreturn\n}")
        .str();
  };
  Argument out = array("i32", {4}, Values(4, 0));
  Options options;
  options.subgroupSize = 4;
  options.workgroupSize = {4, 1, 1};
  EXPECT_EQ(faultOf(kernel(""), {out}, options), "");
  EXPECT_EQ(
      faultOf(kernel("%y = arith.addi %l, %l : vector<4xi32>"), {out}, options),
      "unwritten");
}

TEST(Unwritten, ToUseItIsAFault) {
  for (StringRef use :
       {"%y = arith.addi %x, %x : i32",
        "memref.store %x, %out[%id] : memref<8xi32>",
        "memref.store %x, %m[%id] : memref<8xi32, "
        "#gpu.address_space<workgroup>>",
        "%i = arith.index_cast %x : i32 to index\n"
        "memref.store %c7, %out[%i] : memref<8xi32>",
        "%y = vector.reduction <add>, %pair : vector<2xi32> into i32"})
    EXPECT_EQ(faultInUnwritten(use), "unwritten") << use.str();
}

TEST(Unwritten, MarksGoWhereTheValueGoes) {
  for (
      StringRef moves :
      {// through movements
       R"(%y = vector.extract %pair[1] : i32 from vector<2xi32>
           %z = arith.addi %y, %y : i32)",
       R"(%y = vector.broadcast %x : i32 to vector<2xi32>
           %z = vector.insert_strided_slice %y, %pair {offsets = [0], strides = [1]} : vector<2xi32> into vector<2xi32>
           %w = arith.muli %z, %z : vector<2xi32>)",
       R"(%y = vector.shuffle %pair, %pair [3, 0] : vector<2xi32>, vector<2xi32>
           %w = arith.muli %y, %y : vector<2xi32>)",
       // around a loop, and out of it
       R"(%last = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %c7) -> (i32) {
             scf.yield %x : i32
           }
           %y = arith.addi %last, %last : i32)",
       R"(%last = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (i32) {
             %y = arith.addi %v, %v : i32
             scf.yield %c7 : i32
           })",
       // out of a branch
       R"(%y = scf.if %writes -> (i32) {
             scf.yield %c7 : i32
           } else {
             scf.yield %x : i32
           }
           memref.store %y, %out[%id] : memref<8xi32>)"})
    EXPECT_EQ(faultInUnwritten(moves), "unwritten") << moves.str();
}

TEST(Unwritten, ToChooseByItIsAFault) {
  for (StringRef choice :
       {R"(%k = memref.alloc() : memref<8xi1, #gpu.address_space<workgroup>>
           %b = memref.load %k[%id] : memref<8xi1, #gpu.address_space<workgroup>>
           scf.if %b {
             memref.store %c7, %out[%id] : memref<8xi32>
           })",
        R"(%k = memref.alloc() : memref<8xindex, #gpu.address_space<workgroup>>
           %n = memref.load %k[%id] : memref<8xindex, #gpu.address_space<workgroup>>
           scf.for %i = %c0 to %n step %c1 {
             memref.store %c7, %out[%id] : memref<8xi32>
           })",
        R"(%k = memref.alloc() : memref<8xindex, #gpu.address_space<workgroup>>
           %n = memref.load %k[%id] : memref<8xindex, #gpu.address_space<workgroup>>
           scf.index_switch %n
           case 0 {
             memref.store %c7, %out[%id] : memref<8xi32>
             scf.yield
           }
           default {
           })"})
    EXPECT_EQ(faultInUnwritten(choice), "unwritten") << choice.str();
}

TEST(Unwritten, MasksAndBodiesUseIt) {
  for (StringRef use :
       {R"(%b = vector.create_mask %c1 : vector<2xi1>
           %o2 = memref.alloc() : memref<2xi32>
           vector.mask %b { vector.transfer_write %pair, %o2[%c0] {in_bounds = [true]} : vector<2xi32>, memref<2xi32> } : vector<2xi1>)",
        R"(%b = vector.create_mask %c1 : vector<2xi1>
           %y = vector.mask %b { vector.reduction <add>, %pair : vector<2xi32> into i32 } : vector<2xi1> -> i32)",
        R"(%k = memref.alloc() : memref<8x2xi1, #gpu.address_space<workgroup>>
           %b = vector.load %k[%id, %c0] : memref<8x2xi1, #gpu.address_space<workgroup>>, vector<2xi1>
           %w = vector.broadcast %c7 : i32 to vector<2xi32>
           %y = vector.mask %b { vector.reduction <add>, %w : vector<2xi32> into i32 } : vector<2xi1> -> i32)"})
    EXPECT_EQ(faultInUnwritten(use), "unwritten") << use.str();
}

// Marks are of lanes: those that read what was written may use it.
TEST(Unwritten, OnlyLanesThatReadItHaveIt) {
  StringRef use = R"(scf.if %writes {
      %y = arith.addi %x, %x : i32
      memref.store %y, %out[%id] : memref<8xi32>
    })";
  for (int64_t written : {0, 1, 3, 4, 5, 8})
    EXPECT_EQ(faultInUnwritten(use, written), "") << written;
  StringRef all = "memref.store %x, %out[%id] : memref<8xi32>";
  for (int64_t written : {0, 1, 3, 4, 5})
    EXPECT_EQ(faultInUnwritten(all, written), "unwritten") << written;
  EXPECT_EQ(faultInUnwritten(all, 8), "");
}

// A register that is read anew, or gets another value, has no older mark.
TEST(Unwritten, MarksEnd) {
  EXPECT_EQ(faultInUnwritten(R"(
      scf.for %i = %c0 to %c3 step %c1 {
        %isLast = arith.cmpi ugt, %i, %c0 : index
        %y = memref.load %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>
        scf.if %isLast {
          memref.store %y, %out[%id] : memref<8xi32>
        }
        memref.store %c7, %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>
      })"),
            "");
  EXPECT_EQ(faultInUnwritten(R"(
      %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (i32) {
        scf.yield %c7 : i32
      }
      memref.store %last, %out[%id] : memref<8xi32>)"),
            "");
}

// To read it is an access still: who writes it meanwhile races with the read.
TEST(Unwritten, ReadsRace) {
  EXPECT_EQ(faultInUnwritten(R"(
      %seven = arith.constant 7 : index
      %mirror = arith.subi %seven, %id : index
      %y = memref.load %m[%mirror] : memref<8xi32, #gpu.address_space<workgroup>>
      memref.store %c7, %m[%id] : memref<8xi32, #gpu.address_space<workgroup>>)"),
            "race");
}

} // namespace
