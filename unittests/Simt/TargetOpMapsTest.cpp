//===- TargetOpMapsTest.cpp - Target's moves against the manuals ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VX-174: for every instruction that moves elements, of every target, the
// digits of its row place each element where the machine's own map says. The
// two were written independently.
//
//===----------------------------------------------------------------------===//
#include "distaff/Layout/PlaceMap.h"
#include "distaff/Simt/TargetOps.h"
#include "distaff/Target/Target.h"
#include "gtest/gtest.h"

using namespace distaff;

namespace {

/// Slots whose element the row takes from another place than the machine.
int64_t countDifferences(const TargetOp &row,
                         const simt::TargetOpMeaning &meaning) {
  PlaceMap map = *PlaceMap::get(row.operandPlaces.front(), row.resultPlaces,
                                row.subgroupSize);
  int64_t different = 0;
  for (int64_t lane = 0; lane < row.subgroupSize; ++lane)
    for (int64_t reg = 0; reg < map.registers(); ++reg) {
      Place source = map.inverse().to({.lane = lane, .reg = reg});
      simt::TargetOpSlot slot = meaning.source({lane, reg}, 0);
      different += slot.lane != source.lane || slot.reg != source.reg;
    }
  return different;
}

TEST(TargetOpMaps, RowsMoveAsTheMachineSays) {
  int64_t rows = 0;
  for (const Target *target : gpuTargets())
    for (const TargetOp &row : target->ops) {
      SCOPED_TRACE(target->name.str() + " " + row.name.str());
      const simt::TargetOpMeaning *meaning =
          simt::lookupTargetOpMeaning(row.name);
      ASSERT_TRUE(meaning);
      EXPECT_EQ(meaning->lanes, row.subgroupSize);
      EXPECT_EQ(countDifferences(row, *meaning), 0);
      ++rows;
    }
  EXPECT_GT(rows, 100);
}

TEST(TargetOpMaps, AnotherMapIsFound) {
  const TargetOp *row = lookupTargetOp("ROCDL_PERMLANE16_2X4_F32");
  ASSERT_TRUE(row);
  const simt::TargetOpMeaning *other =
      simt::lookupTargetOpMeaning("ROCDL_PERMLANE16_4X2_F32");
  ASSERT_TRUE(other);
  // Lanes 0 and 7 of eight stay in both.
  EXPECT_EQ(countDifferences(*row, *other), 24);
}

} // namespace
