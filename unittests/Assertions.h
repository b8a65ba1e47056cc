//===- Assertions.h - Tests that plant a violation --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An assertion is a promise that the compiler makes to itself. A test breaks it
// on purpose and expects to be told which one it was:
//
//   DEATH_TEST(Layout, PermutationsHaveEachDimOnce) {
//     EXPECT_DEATH(layout.permute({0, 0}), "each dim once");
//   }
//
// Where assertions are compiled out the test is skipped by its name.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_ASSERTIONS_H
#define DISTAFF_UNITTESTS_ASSERTIONS_H

#include "gtest/gtest.h"

#ifdef NDEBUG
#define DEATH_TEST(subject, name)                                              \
  TEST(subject##DeathTest, name) {                                             \
    GTEST_SKIP() << "assertions are compiled out";                             \
  }                                                                            \
  [[maybe_unused]] static void subject##name##Body()
#else
#define DEATH_TEST(subject, name) TEST(subject##DeathTest, name)
#endif

#endif // DISTAFF_UNITTESTS_ASSERTIONS_H
