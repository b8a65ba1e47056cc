//===- ExitCodeTest.cpp - The table of exit codes -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CommandLine/ExitCode.h"
#include "gtest/gtest.h"

using namespace distaff;

TEST(ExitCode, EachAnswerHasTheOneOfTheTable) {
  auto number = [](Answer answer) {
    return static_cast<int>(exitCodeOf(answer));
  };
  EXPECT_EQ(number(Answer::Yes), 0);
  EXPECT_EQ(number(Answer::Mismatch), 1);
  EXPECT_EQ(number(Answer::Fault), 1);
  EXPECT_EQ(number(Answer::Refused), 1);
  EXPECT_EQ(number(Answer::BadRequest), 2);
  EXPECT_EQ(number(Answer::Undecided), 3);
  EXPECT_EQ(number(Answer::NotModelled), 3);
}
