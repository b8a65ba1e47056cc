//===- LlvmMemoryTest.cpp - Pointers: where they may point, and how -------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LlvmKernel.h"
#include "gtest/gtest.h"

using namespace distaff;
using namespace distaff::simt;
using namespace distaff::simt::kernel_test;

namespace {

/// One workgroup of 64 words in, 64 words out: numbers from 0 on.
Ending ran(std::string body, std::string globals = "",
           const Vendor &vendor = nvidia, int64_t threads = 32) {
  Values numbers;
  for (int i = 0; i < 64; ++i)
    numbers.push_back(i);
  return execute(llvmKernel(vendor, threads, "memref<64xi32>", "memref<64xi32>",
                            body, globals),
                 {array("i32", {64}, numbers), array("i32", {64}, numbers)},
                 optionsOf(vendor, threads));
}

std::string faultNameInMemory(const Ending &ending) {
  return ending.fault ? nameOf(*ending.fault).str() : ending.error;
}

const std::string one = "%one = llvm.mlir.constant(1 : i32) : i32\n";
const std::string to =
    "%to = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> "
    "!llvm.ptr<1>, i32\n";

//===----------------------------------------------------------------------===//
// Address spaces
//===----------------------------------------------------------------------===//

/// Memory of each kind, followed by a pointer of each address space, which it
/// got by a cast or as a number.
TEST(LlvmMemory, PointersPointIntoTheirAddressSpace) {
  std::string global = "llvm.mlir.global internal @s() {addr_space = 3 : i32, "
                       "alignment = 16 : i64} : !llvm.array<64 x i32>";
  struct Memory {
    unsigned space, other; // that may point to it, besides 0
    std::string make;
  };
  for (const Memory &memory : std::initializer_list<Memory>{
           {1, 4,
            "%p1 = llvm.getelementptr %out[0] : (!llvm.ptr<1>) -> "
            "!llvm.ptr<1>, i32\n"},
           {3, 7, "%p3 = llvm.mlir.addressof @s : !llvm.ptr<3>\n"},
           {5, 5,
            one + "%p5 = llvm.alloca %one x !llvm.array<64 x i32> : "
                  "(i32) -> !llvm.ptr<5>\n"}})
    for (unsigned space : {0, 1, 3, 4, 5, 7, 9})
      for (bool asNumber : {false, true}) {
        std::string from = "!llvm.ptr<" + std::to_string(memory.space) + ">",
                    type = space ? "!llvm.ptr<" + std::to_string(space) + ">"
                                 : "!llvm.ptr",
                    name = "%p" + std::to_string(memory.space);
        std::string body = memory.make;
        if (space == memory.space)
          body += "%q = llvm.getelementptr " + name + "[0] : (" + from +
                  ") -> " + type + ", i32\n";
        else if (asNumber)
          body += "%n = llvm.ptrtoint " + name + " : " + from + " to i64\n" +
                  "%q = llvm.inttoptr %n : i64 to " + type + "\n";
        else
          body += "%q = llvm.addrspacecast " + name + " : " + from + " to " +
                  type + "\n";
        body += "%x = llvm.getelementptr %q[%lane] : (" + type + ", i32) -> " +
                type + ", i32\nllvm.store %lane, %x : i32, " + type +
                "\n%v = llvm.load %x : " + type + " -> i32\n";
        bool may = space == 0 || space == memory.space || space == memory.other;
        Ending ending = ran(body, global);
        EXPECT_EQ(faultNameInMemory(ending), may ? "" : "out of bounds")
            << body;
      }
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// Pointers to word `first`, promised to lie on a multiple of so many bytes:
/// arguments begin on 16.
TEST(LlvmMemory, PromisesOfAlignmentHold) {
  for (int first : {0, 1, 2, 3, 4})
    for (int promised : {1, 2, 4, 8, 16}) {
      std::string at = "%q = llvm.getelementptr %in[" + std::to_string(first) +
                       "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n";
      std::string bytes = std::to_string(promised);
      std::string name = "[" + std::to_string(first) + "], " + bytes;
      std::string expected = first * 4 % promised == 0 ? "" : "misaligned";
      std::string mask = "%m = llvm.mlir.constant(dense<[false, true, false, "
                         "true]> : vector<4xi1>) : vector<4xi1>\n"
                         "%z = llvm.mlir.constant(dense<0> : vector<4xi32>) : "
                         "vector<4xi32>\n";
      EXPECT_EQ(faultNameInMemory(ran(at + mask +
                                      "%v = llvm.intr.masked.load %q, %m, %z "
                                      "{alignment = " +
                                      bytes +
                                      " : i32} : (!llvm.ptr<1>, vector<4xi1>, "
                                      "vector<4xi32>) -> vector<4xi32>\n")),
                expected)
          << "load of " << name;
      EXPECT_EQ(faultNameInMemory(
                    ran(at + mask +
                            "llvm.intr.masked.store %z, %q, %m {alignment "
                            "= " +
                            bytes +
                            " : i32} : vector<4xi32>, vector<4xi1> into "
                            "!llvm.ptr<1>\n",
                        "", nvidia, 1)),
                expected)
          << "store of " << name;
      EXPECT_EQ(
          faultNameInMemory(ran(at + "%c = llvm.mlir.constant(" + bytes +
                                " : i64) : i64\n%t = llvm.mlir.constant(true) "
                                ": i1\nllvm.intr.assume %t [\"align\"(%q, %c : "
                                "!llvm.ptr<1>, i64)] : i1\n")),
          expected)
          << "assumption of " << name;
    }
  // Where no element is chosen, no promise is made use of.
  EXPECT_EQ(faultNameInMemory(
                ran("%q = llvm.getelementptr %in[1] : (!llvm.ptr<1>) -> "
                    "!llvm.ptr<1>, i32\n"
                    "%m = llvm.mlir.constant(dense<false> : "
                    "vector<4xi1>) : vector<4xi1>\n"
                    "%z = llvm.mlir.constant(dense<0> : vector<4xi32>) "
                    ": vector<4xi32>\n"
                    "%v = llvm.intr.masked.load %q, %m, %z {alignment = "
                    "16 : i32} : (!llvm.ptr<1>, vector<4xi1>, "
                    "vector<4xi32>) -> vector<4xi32>\n")),
            "");
  EXPECT_EQ(ran("%t = llvm.mlir.constant(true) : i1\n"
                "llvm.intr.assume %t [\"nonnull\"(%in : !llvm.ptr<1>)] : i1\n")
                .verdict,
            Verdict::NotModelled);
}

/// LLVM splits what it is promised too little for; the machine says so.
TEST(LlvmMemory, AccessesThatAreSplitAreNotModelled) {
  auto load = [&](std::string alignment) {
    return faultNameInMemory(
        ran("%q = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, "
            "i32) -> !llvm.ptr<1>, i8\n%v = llvm.load %q" +
            alignment + " : !llvm.ptr<1> -> i32\n"));
  };
  EXPECT_EQ(load(" {alignment = 1 : i64}"), "not modelled");
  EXPECT_EQ(load(" {alignment = 4 : i64}"), "misaligned");
  EXPECT_EQ(load(""), "misaligned");
}

//===----------------------------------------------------------------------===//
// Private memory
//===----------------------------------------------------------------------===//

/// Private arrays of every number of bytes hold a word at each of its places,
/// in all lanes, and no more.
TEST(LlvmMemory, PrivateArraysOfAnySizeHoldWhatFits) {
  for (int bytes : {4, 5, 6, 7, 9, 12, 17, 18, 31})
    for (int word = 0; 4 * word < bytes + 4; ++word) {
      std::string body =
          "%n = llvm.mlir.constant(" + std::to_string(bytes) +
          " : i32) : i32\n%a = llvm.alloca %n x i8 {alignment = 4 : i64} : "
          "(i32) -> !llvm.ptr\n%p = llvm.getelementptr %a[" +
          std::to_string(word) +
          "] : (!llvm.ptr) -> !llvm.ptr, i32\n"
          "llvm.store %lane, %p : i32, !llvm.ptr\n"
          "%v = llvm.load %p : !llvm.ptr -> i32\n" +
          to + "llvm.store %v, %to : i32, !llvm.ptr<1>\n";
      Ending ending = ran(body);
      if (4 * word + 4 > bytes) {
        EXPECT_EQ(faultNameInMemory(ending), "out of bounds") << body;
        continue;
      }
      ASSERT_EQ(faultNameInMemory(ending), "") << body;
      for (int l = 0; l < 32; ++l)
        EXPECT_EQ(ending.arguments[1][l], l) << body;
    }
}

/// Element i of an array of vectors is as far away as LLVM says: a multiple of
/// the smallest power of two that holds one.
TEST(LlvmMemory, ArraysOfVectorsAreAsLargeAsTheirPlaces) {
  for (int length : {1, 2, 3, 4, 5, 7})
    for (int count : {1, 2, 3})
      for (int element = 0; element <= count; ++element) {
        std::string vector = "vector<" + std::to_string(length) + "xi32>",
                    type = "!llvm.array<" + std::to_string(count) + " x " +
                           vector + ">";
        std::string body =
            one + "%a = llvm.alloca %one x " + type +
            " : (i32) -> !llvm.ptr\n%v = llvm.mlir.constant(dense<" +
            std::to_string(element + 7) + "> : " + vector + ") : " + vector +
            "\n%q = llvm.getelementptr %a[0, " + std::to_string(element) +
            "] : (!llvm.ptr) -> !llvm.ptr, " + type +
            "\nllvm.store %v, %q : " + vector +
            ", !llvm.ptr\n%w = llvm.load %q : !llvm.ptr -> " + vector +
            "\n%zero = llvm.mlir.constant(0 : i32) : i32\n"
            "%r = llvm.extractelement %w[%zero : i32] : " +
            vector + "\n" + to + "llvm.store %r, %to : i32, !llvm.ptr<1>\n";
        Ending ending = ran(body);
        EXPECT_EQ(faultNameInMemory(ending),
                  element < count ? "" : "out of bounds")
            << body;
        if (element < count && !ending.fault)
          EXPECT_EQ(ending.arguments[1][3], element + 7) << body;
      }
  // Bits are packed, and nobody needs them.
  EXPECT_EQ(ran(one + "%a = llvm.alloca %one x !llvm.array<2 x vector<8xi1>> : "
                      "(i32) -> !llvm.ptr\n")
                .verdict,
            Verdict::NotModelled);
}

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

std::string provided(std::string name, std::string type) {
  return "llvm.mlir.global external @" + name +
         "() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x " +
         type + ">\n";
}

/// What the launch provides begins for all globals without a length at one
/// place: a lane reads by one what another wrote by the other.
TEST(LlvmMemory, GlobalsWithoutALengthAreOneMemory) {
  for (auto [type, size] : {std::pair("i32", 4), std::pair("i16", 2)}) {
    std::string body = std::string(R"(
      %x = llvm.mlir.addressof @x : !llvm.ptr<3>
      %y = llvm.mlir.addressof @y : !llvm.ptr<3>
      %last = llvm.mlir.constant(31 : i32) : i32
      %other = llvm.sub %last, %lane : i32
      %xp = llvm.getelementptr %x[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %yp = llvm.getelementptr %y[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.store %lane, %xp : i32, !llvm.ptr<3>
      nvvm.barrier0
      %v = llvm.load %yp : !llvm.ptr<3> -> i32
      )") + to + "llvm.store %v, %to : i32, !llvm.ptr<1>\n";
    auto run = [&](int64_t bytes, std::string barrier) {
      std::string text = body;
      text.replace(text.find("nvvm.barrier0"), 13, barrier);
      std::string kernel =
          llvmKernel(nvidia, 32, "memref<64xi32>", "memref<64xi32>", text,
                     provided("x", "i32") + provided("y", type));
      kernel.replace(kernel.find("nvvm.kernel"), 11,
                     "iree.abi.workgroup_bytes = " + std::to_string(bytes) +
                         " : i64, nvvm.kernel");
      return execute(kernel,
                     {array("i32", {64}, Values(64, 0)),
                      array("i32", {64}, Values(64, 0))},
                     optionsOf(nvidia, 32));
    };
    Ending ending = run(128, "nvvm.barrier0");
    ASSERT_EQ(faultNameInMemory(ending), "");
    for (int l = 0; l < 32; ++l)
      EXPECT_EQ(ending.arguments[1][l], 31 - l) << size;
    EXPECT_EQ(faultNameInMemory(run(124, "nvvm.barrier0")), "out of bounds");
    EXPECT_EQ(faultNameInMemory(run(128, "")), "race");
  }
}

TEST(LlvmMemory, ConstantGlobalsAreNotWritten) {
  for (std::string word : {"", "constant "})
    EXPECT_EQ(
        faultNameInMemory(ran("%g = llvm.mlir.addressof @g : !llvm.ptr<1>\n"
                              "%p = llvm.getelementptr %g[%lane] : "
                              "(!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n"
                              "llvm.store %lane, %p : i32, !llvm.ptr<1>\n",
                              "llvm.mlir.global internal " + word +
                                  "@g(dense<3> : tensor<64xi32>) {addr_space = "
                                  "1 : i32} : !llvm.array<64 x i32>")),
        word.empty() ? "" : "undefined");
}

TEST(LlvmMemory, GlobalsHoldAsManyValuesAsTheySay) {
  for (std::string value :
       {"dense<3> : tensor<4xi32>", "dense<3> : tensor<64xi16>",
        "dense<3.0> : tensor<64xf32>"})
    EXPECT_NE(ran("%g = llvm.mlir.addressof @g : !llvm.ptr<1>\n"
                  "%v = llvm.load %g : !llvm.ptr<1> -> i32\n",
                  "llvm.mlir.global internal @g(" + value +
                      ") {addr_space = 1 : i32} : !llvm.array<64 x i32>")
                  .error,
              "")
        << value;
}

//===----------------------------------------------------------------------===//
// Fences and barriers
//===----------------------------------------------------------------------===//

/// Two wavefronts exchange words of global or of workgroup memory behind a
/// barrier without fences of its own.
TEST(LlvmMemory, FencesOrderTheMemoryThatTheyName) {
  std::string global = "llvm.mlir.global internal @s() {addr_space = 3 : i32, "
                       "alignment = 16 : i64} : !llvm.array<128 x i32>";
  for (bool isShared : {false, true})
    for (std::string tags :
         {"", "#llvm.mmra_tag<\"amdgpu-synchronize-as\":\"local\">",
          "#llvm.mmra_tag<\"amdgpu-synchronize-as\":\"global\">",
          "[#llvm.mmra_tag<\"amdgpu-synchronize-as\":\"global\">, "
          "#llvm.mmra_tag<\"amdgpu-synchronize-as\":\"local\">]"}) {
      std::string type = isShared ? "!llvm.ptr<3>" : "!llvm.ptr<1>";
      std::string mark = tags.empty() ? "" : " {llvm.mmra = " + tags + "}";
      std::string body =
          "%c127 = llvm.mlir.constant(127 : i32) : i32\n"
          "%u = llvm.sub %c127, %lane : i32\n"
          "%m = llvm." +
          std::string(isShared ? "mlir.addressof @s : " + type
                               : "getelementptr %out[0] : (" + type + ") -> " +
                                     type + ", i32") +
          "\n%p = llvm.getelementptr %m[%lane] : (" + type + ", i32) -> " +
          type + ", i32\n%q = llvm.getelementptr %m[%u] : (" + type +
          ", i32) -> " + type + ", i32\nllvm.store %lane, %p : i32, " + type +
          "\nllvm.fence syncscope(\"workgroup\") release" + mark +
          "\nrocdl.s.barrier\nllvm.fence syncscope(\"workgroup\") acquire" +
          mark + "\n%x = llvm.load %q : " + type + " -> i32\n";
      bool isOrdered = tags.empty() || tags.front() == '[' ||
                       (tags.find("local") != std::string::npos) == isShared;
      std::string text = llvmKernel(amd, 128, "memref<1xi32>",
                                    "memref<128xi32>", body, global);
      EXPECT_EQ(
          faultOf(text,
                  {array("i32", {1}, {0}), array("i32", {128}, Values(128, 0))},
                  optionsOf(amd, 128)),
          isOrdered ? "" : "race")
          << body;
    }
  EXPECT_EQ(ran("llvm.fence syncscope(\"workgroup\") release {llvm.mmra = "
                "#llvm.mmra_tag<\"foo\":\"bar\">}\n",
                "", amd)
                .verdict,
            Verdict::NotModelled);
}

/// Subgroups are at two barriers, each at its own.
TEST(LlvmMemory, VendorsBarriersMeetWhereverTheyAre) {
  auto at = [&](const Vendor &vendor, std::string barrier) {
    std::string half = std::to_string(vendor.subgroup);
    return faultNameInMemory(ran(
        "%h = llvm.mlir.constant(" + half +
            " : i32) : i32\n%c = llvm.icmp \"slt\" %lane, %h "
            ": i32\nllvm.cond_br %c, ^a, ^b\n^a:\n" +
            barrier + "\nllvm.br ^c\n^b:\n" + barrier + "\nllvm.br ^c\n^c:\n",
        "", vendor, 2 * vendor.subgroup));
  };
  EXPECT_EQ(at(nvidia, "nvvm.barrier0"), "");
  EXPECT_EQ(at(nvidia, "nvvm.barrier"), "");
  EXPECT_EQ(at(amd, "rocdl.barrier"), "");
  EXPECT_EQ(at(amd, "rocdl.s.barrier"), "");
  EXPECT_EQ(at(nvidia, "gpu.barrier"), "divergent barrier");
}

//===----------------------------------------------------------------------===//
// What LLVM gives no meaning, and choices that are too close
//===----------------------------------------------------------------------===//

/// Lane l divides; lanes that would divide by zero may be elsewhere.
TEST(LlvmMemory, DivisionsThatHaveNoResultAreFaults) {
  for (std::string op : {"sdiv", "udiv", "srem", "urem"}) {
    auto with = [&](std::string a, std::string b, bool isGuarded) {
      std::string divide = "%r = llvm." + op + " %a, %b : i32\n";
      std::string body = "%a = llvm." + a + "\n%b = llvm." + b + "\n";
      if (!isGuarded)
        return faultNameInMemory(ran(body + divide));
      return faultNameInMemory(
          ran(body +
              "%z = llvm.mlir.constant(0 : i32) : i32\n"
              "%ok = llvm.icmp \"ne\" %b, %z : i32\n"
              "llvm.cond_br %ok, ^divide, ^end\n^divide:\n" +
              divide + "llvm.br ^end\n^end:\n"));
    };
    std::string seven = "mlir.constant(7 : i32) : i32",
                least = "mlir.constant(-2147483648 : i32) : i32",
                minus = "mlir.constant(-1 : i32) : i32",
                lane = "freeze %lane : i32";
    bool isSigned = op.front() == 's';
    EXPECT_EQ(with(lane, seven, false), "") << op;
    EXPECT_EQ(with(seven, lane, false), "undefined") << op; // lane 0
    EXPECT_EQ(with(seven, lane, true), "") << op;
    EXPECT_EQ(with(least, minus, false), isSigned ? "undefined" : "") << op;
    EXPECT_EQ(with(minus, minus, false), "") << op;
  }
}

/// Whether x / 3 * 3 < x is not known from the bounds of errors; where to read
/// then is not, either.
TEST(LlvmMemory, AddressesThatAreTooCloseToCallAreUndecided) {
  std::string compare = R"(
    %p = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %c3 = llvm.mlir.constant(3.0 : f32) : f32
    %d = llvm.fdiv %x, %c3 : f32
    %m = llvm.fmul %d, %c3 : f32
    %b = llvm.fcmp "olt" %m, %x : f32
    %i = llvm.zext %b : i1 to i32
)";
  std::string load = R"(
    %q = llvm.getelementptr %in[%j] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %y = llvm.load %q : !llvm.ptr<1> -> f32
    %t = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %y, %t : f32, !llvm.ptr<1>
)";
  auto isUndecided = [&](std::string index) {
    Values numbers;
    for (int i = 0; i < 64; ++i)
      numbers.push_back(i + 1);
    Evaluation evaluation = evaluateKernel(
        llvmKernel(nvidia, 32, "memref<64xf32>", "memref<64xf32>",
                   compare + index + load),
        {array("f32", {64}, numbers), array("f32", {64}, numbers)},
        optionsOf(nvidia, 32));
    EXPECT_EQ(evaluation.error, "") << index;
    return evaluation.arguments.size() == 2 &&
           evaluation.arguments[1].elements[5].undecided;
  };
  EXPECT_FALSE(isUndecided("%j = llvm.freeze %lane : i32\n"));
  EXPECT_TRUE(isUndecided("%j = llvm.freeze %i : i32\n"));
  EXPECT_TRUE(isUndecided("%j = llvm.add %i, %lane : i32\n"));
  EXPECT_TRUE(
      isUndecided("%j = llvm.intr.uadd.sat(%i, %lane) : (i32, i32) -> i32\n"));
  EXPECT_TRUE(isUndecided(
      "%w = \"llvm.intr.uadd.with.overflow\"(%i, %lane) : (i32, i32) -> "
      "!llvm.struct<(i32, i1)>\n"
      "%j = llvm.extractvalue %w[0] : !llvm.struct<(i32, i1)>\n"));
  EXPECT_TRUE(isUndecided("%v = llvm.mlir.constant(dense<[1, 2]> : "
                          "vector<2xi32>) : vector<2xi32>\n"
                          "%j = llvm.extractelement %v[%i : i32] : "
                          "vector<2xi32>\n"));
  std::string all = "%all = llvm.mlir.constant(-1 : i32) : i32\n"
                    "%seven = llvm.mlir.constant(7 : i32) : i32\n"
                    "%clamp = llvm.mlir.constant(31 : i32) : i32\n";
  EXPECT_TRUE(isUndecided(all + "%w = nvvm.vote.sync ballot %all, %b -> i32\n"
                                "%j = llvm.and %w, %seven : i32\n"));
  EXPECT_TRUE(isUndecided(
      all + "%j = nvvm.shfl.sync idx %all, %lane, %i, %clamp : i32 -> i32\n"));
}

} // namespace
