//===- PackageLimitsTest.cpp - Two tables of limits say the same ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler reads Target, the launcher (which has no Target) DeviceLimits;
// they are written apart, so a wrong figure in one is seen here.
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/DeviceLimits.h"
#include "distaff/Target/Target.h"
#include "gtest/gtest.h"

using namespace distaff;

TEST(PackageLimits, WhatTheCompilerEmitsTheLauncherTakes) {
  for (const Target *target : gpuTargets()) {
    auto limits = runtime::limitsOf(target->name.str());
    ASSERT_TRUE(limits) << target->name.str();
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(limits->grid[i], target->maxGrid[i]) << target->name.str();
    EXPECT_EQ(limits->lanes, target->maxWorkgroupSize);
    EXPECT_GE(limits->sharedMemory, target->sharedMemoryBytes);
  }
}

TEST(PackageLimits, NamesOfNoArchitectureHaveNone) {
  for (const char *name : {"", "sm_", "sm", "gfx", "x86", "SM_80", "80"})
    EXPECT_FALSE(runtime::limitsOf(name)) << name;
  // Newer than the table: the widest of its family.
  EXPECT_EQ(runtime::limitsOf("sm_999")->sharedMemory, 227 * 1024);
  EXPECT_EQ(runtime::limitsOf("sm_90a")->sharedMemory, 227 * 1024);
  EXPECT_EQ(runtime::limitsOf("sm_86")->sharedMemory, 99 * 1024);
}
