//===- Depth.h - How many trials a unit test makes --------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `make check` and `make test` make a quarter of the trials on random inputs
// that take seconds; by hand and by `make test-all` all are made, as
// test/Execution/Inputs/depth.py says of suites.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_DEPTH_H
#define DISTAFF_UNITTESTS_DEPTH_H

#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Whether a part of the cases is enough.
inline bool isQuick() {
  const char *depth = std::getenv("DISTAFF_TEST_DEPTH");
  return depth && std::string_view(depth) == "quick";
}

/// How many of `all` trials there are, or of what is counted in them.
inline int64_t share(int64_t all) { return isQuick() ? all / 4 : all; }

#endif // DISTAFF_UNITTESTS_DEPTH_H
