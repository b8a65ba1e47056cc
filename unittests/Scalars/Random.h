//===- Random.h - Random numbers, the same everywhere -----------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SCALARS_RANDOM_H
#define DISTAFF_UNITTESTS_SCALARS_RANDOM_H

#include <cstdint>

namespace distaff::scalars {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// A number of [0, end), nearly uniform.
  uint64_t below(uint64_t end) { return next() % end; }

private:
  uint64_t state;
};

} // namespace distaff::scalars

#endif // DISTAFF_UNITTESTS_SCALARS_RANDOM_H
