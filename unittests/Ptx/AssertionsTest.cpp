//===- AssertionsTest.cpp - Promises of the machine, broken on purpose ----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No text of PTX may break one: what text can do is a fault or an error.
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "../../lib/Ptx/ControlFlow.h"
#include "../../lib/Ptx/Machine.h"
#include "../../lib/Ptx/Parser.h"
#include "../../lib/Ptx/Types.h"

using namespace distaff::ptx;

namespace {

DEATH_TEST(PtxParser, TokensEndWithTheEndOfTheText) {
  ParseError error;
  EXPECT_DEATH(Parser("", {}, error), "tokens end with the end of the text");
}

DEATH_TEST(PtxControlFlow, BodiesAreOfTheProgram) {
  Program program;
  Function function;
  function.end = 1;
  std::vector<size_t> rejoins;
  EXPECT_DEATH(findRejoins(program, function, rejoins),
               "a range of the program's instructions");
}

DEATH_TEST(PtxMachine, OrdersAreOfSoMany) {
  EXPECT_DEATH(Order({4, 3, 1})(4), "an order is of so many");
}

DEATH_TEST(PtxMachine, KnowledgeIsOfSubgroupsThatThereMayBe) {
  Subgroup subgroup;
  subgroup.number = mostSubgroups;
  EXPECT_DEATH(subgroup.learn({}), "knowledge is of so many subgroups");
}

DEATH_TEST(PtxMemory, AccessesAreWithinIt) {
  Knowledge knows;
  Access access;
  access.time = 1;
  access.knows = &knows;
  Shadow shadow(64, /*startsWritten=*/true);
  EXPECT_DEATH(shadow.read(1024, 4, access), "an access is within the memory");
  access.time = 0;
  EXPECT_DEATH(shadow.read(0, 4, access), "the time of what never was");
}

DEATH_TEST(PtxMemory, WhoAccessesItKnowsWhatCameBefore) {
  Access access;
  access.time = 1;
  Shadow shadow(64, /*startsWritten=*/true);
  shadow.write(0, 4, access, nullptr, nullptr);
  access.thread.number = laneCount;
  EXPECT_DEATH(shadow.read(0, 4, access), "knows what came before");
}

DEATH_TEST(PtxMemory, BuffersAreApartAndAligned) {
  GlobalMemory::Buffer odd, large;
  odd.alignment = 12;
  large.size = uint64_t(1) << 40;
  GlobalMemory memory;
  EXPECT_DEATH(memory.add(std::move(odd)), "a power of two");
  EXPECT_DEATH(memory.add(std::move(large)), "not near another");
  EXPECT_DEATH(SharedMemory().reset(), "before a workgroup begins");
}

DEATH_TEST(PtxTypes, ElementsHaveBits) {
  Type type;
  type.bits = 0;
  EXPECT_DEATH(type.mask(), "an element has 1 to 64 bits");
}

} // namespace
