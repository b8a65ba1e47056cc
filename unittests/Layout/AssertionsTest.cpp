//===- AssertionsTest.cpp - Promises of layouts, broken on purpose --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "../../lib/Layout/LayoutBuilder.h"
#include "distaff/Layout/Conversion.h"
#include "distaff/Layout/NestedLayout.h"

using namespace distaff;

namespace {

/// A row of 4 columns on each of 8 lanes.
Layout rowsOfTwo() {
  return *Layout::get({{{Axis::Lane, 8, 1}}, {{Axis::Register, 4, 1}}});
}

DEATH_TEST(Layout, PermutationsHaveEachDimOnce) {
  EXPECT_DEATH(rowsOfTwo().permute({0, 0}), "a permutation has each dim once");
  EXPECT_DEATH(rowsOfTwo().permute({0}), "the permutation has another rank");
  NestedLayout nested = NestedLayout::units(2);
  EXPECT_DEATH(nested.permute({1, 1}), "a permutation has each dim once");
}

DEATH_TEST(Layout, PlacesAreWithinTheHardwareAndIndicesWithinTheValue) {
  EXPECT_DEATH(rowsOfTwo().indexOf({0, -1, 0}),
               "ids of a place are not negative");
  EXPECT_DEATH(rowsOfTwo().canonicalPlace({8, 0}),
               "an element of the value is held at its canonical place");
  EXPECT_DEATH((void)rowsOfTwo().digits(2), "the value has that dim");
  EXPECT_DEATH(rowsOfTwo().replication({1, 0}),
               "a workgroup has a subgroup, and that a lane");
}

DEATH_TEST(Layout, NestedFormsAreLayoutsBeforeTheyHaveDigits) {
  NestedLayout overlapping = NestedLayout::units(2);
  for (NestedDim &dim : overlapping.dims) {
    dim.threadTile = 2;
    dim.threadStride = 1;
  }
  EXPECT_DEATH(overlapping.toLayout(), "what is no layout has no digits");
}

DEATH_TEST(Layout, RegistersHaveNoGaps) {
  DimDigits gap = {{{Axis::Register, 2, 2}}}, one = {{{Axis::Lane, 1, 1}}};
  EXPECT_DEATH(LayoutBuilder::build(gap), "chains without gaps");
  EXPECT_DEATH(LayoutBuilder::build(one), "digits of size above 1");
}

DEATH_TEST(Layout, MapsTakePointsOfTheirRank) {
  EXPECT_DEATH(DimMap::identity(2)({1}), "a point has an index per dim");
  EXPECT_DEATH(DimMap(2, {DimMap::Other})({1, 1}), "results that are no dims");
}

DEATH_TEST(Conversion, KeepsTheShapeAndFitsTheHardware) {
  Layout row = *Layout::get({{{Axis::Lane, 32, 1}}});
  EXPECT_DEATH(planConversion(rowsOfTwo(), row, {1, 32}, 32, {}, {}),
               "a conversion keeps the shape");
  EXPECT_DEATH(planConversion(row, row, {1, 16}, 32, {}, {}),
               "fitted to the hardware");
  EXPECT_DEATH(leastConversionCost(Tier::LaneShuffle, rowsOfTwo(), row, {1, 32},
                                   32, {}, {}),
               "a conversion keeps the shape");
}

DEATH_TEST(Conversion, BanksArePowersOfTwo) {
  BankModel banks = {.banks = 12};
  EXPECT_DEATH(planSharedMemory(rowsOfTwo(), rowsOfTwo(), {1, 8}, 32, banks),
               "banks are powers of two");
  EXPECT_DEATH(BankModel().wavefronts({0, 4}, 0), "an access moves some");
  EXPECT_DEATH(BankModel().wavefronts({-4}, 4), "within the memory");
}

DEATH_TEST(MemoryLayout, ElementsLieWithinTheBuffer) {
  MemoryLayout memory = MemoryLayout::ofDims({8, 4}, {0, 1});
  EXPECT_DEATH(memory.offsetOf({1}), "an index has one part per dim");
  memory.numElements = 16;
  EXPECT_DEATH(memory.offsetOf({7, 3}), "each element lies within the buffer");
  memory.swizzle = {.bits = 2, .base = 0, .shift = 1};
  EXPECT_DEATH(memory.offsetOf({0, 0}), "reads bits that it does not change");
}

DEATH_TEST(MemoryLayout, EachDimHasOnePlaceInTheOrder) {
  EXPECT_DEATH(MemoryLayout::ofDims({8, 4}, {1}), "one place in the order");
  EXPECT_DEATH(MemoryLayout::ofDims({8, 4}, {0, 1}, -1), "rows are padded");
}

DEATH_TEST(SelectNetwork, NodesHaveTheirOperandsBeforeThem) {
  SelectNetwork network;
  network.numInputs = 2;
  network.bits = {{}};
  network.nodes = {{0, 2, 1}};
  network.outputs = {2};
  EXPECT_DEATH(network.choiceOf(0, {}), "a node has its operands before it");
  EXPECT_DEATH(network.choiceOf(1, {}), "the network has that output");
  EXPECT_DEATH(buildSelectNetwork({{0, 1}}, 2, {1, 4}, {{{Axis::Lane, 4, 1}}}),
               "a table has an entry per thread");
}

DEATH_TEST(LaneMoves, ElementsHaveBits) {
  EXPECT_DEATH(wordsFor(4, 0), "elements have bits");
}

} // namespace
