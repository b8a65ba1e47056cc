//===- PackageTest.cpp - Kernel packages ----------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/Package.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace distaff::runtime;

namespace {

using Kind = Formula::Kind;

Package example() {
  Package package;
  package.name = "scale";
  package.target = "sm_80";
  package.arguments = {{"arg0",
                        ScalarType::F16,
                        false,
                        {Formula::extent(0), Formula::constant(64)}},
                       {"arg1", ScalarType::F32, true, {}},
                       {"arg2", ScalarType::F16, false, {Formula::extent(1)}}};
  package.results = {{"res0", ScalarType::F32, false, {Formula::extent(0)}}};
  package.workspaces = {
      {"partial", Formula::binary(Kind::Multiply, Formula::extent(1),
                                  Formula::constant(4))}};
  Launch launch;
  launch.kernel = "scale";
  launch.grid = {Formula::binary(Kind::CeilDivide, Formula::extent(0),
                                 Formula::constant(32)),
                 Formula::constant(1), Formula::constant(1)};
  launch.workgroupSize = {128, 1, 1};
  launch.sharedMemory = 4096;
  launch.buffers = {"arg0", "arg2", "res0", "partial"};
  launch.scalars = {"arg1"};
  package.launches = {launch};
  package.codeObjects = {
      {"ptx", "sm_80", 8, 0, Compatibility::Later, ".version 8.0\n"},
      {"cubin", "sm_80", 8, 0, Compatibility::SameMajor,
       std::string("\x7f"
                   "ELF\0x",
                   6)}};
  return package;
}

TEST(Package, WhatIsWrittenIsRead) {
  std::string bytes = serializePackage(example());
  Package read;
  ASSERT_EQ(parsePackage(bytes, read), "");
  EXPECT_EQ(serializePackage(read), bytes);
  EXPECT_EQ(read.launches[0].grid[0].evaluate({33, 7}), 2);
  EXPECT_EQ(read.workspaces[0].bytes.evaluate({33, 7}), 28);
  EXPECT_EQ(read.codeObjects[1].bytes, example().codeObjects[1].bytes);
  EXPECT_TRUE(read.arguments[1].isScalar);
}

TEST(Package, EveryPrefixIsRefused) {
  std::string bytes = serializePackage(example());
  Package read;
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(parsePackage(bytes.substr(0, size), read), "") << size;
  EXPECT_NE(parsePackage(bytes + "x", read), "");
}

TEST(Package, EveryFlippedBitIsSeen) {
  std::string bytes = serializePackage(example());
  std::mt19937 generator(11);
  Package read;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] ^= static_cast<char>(1 << generator() % 8);
    EXPECT_NE(parsePackage(damaged, read), "") << at;
  }
}

/// CRC-32 as the format's description has it, bit by bit.
uint32_t crc(const std::string &bytes) {
  uint32_t value = ~0u;
  for (unsigned char byte : bytes) {
    value ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
  }
  return ~value;
}

/// A package file with this manifest in place of its own, sizes and checksum
/// right.
std::string withManifest(const std::string &bytes,
                         const std::string &manifest) {
  uint64_t oldSize, size = manifest.size();
  std::memcpy(&oldSize, &bytes[16], sizeof(oldSize));
  std::string rest = bytes.substr(16);
  std::memcpy(&rest[0], &size, sizeof(size));
  rest.replace(16, oldSize, manifest);
  uint32_t sum = crc(rest);
  std::string result = bytes.substr(0, 12);
  result.append(reinterpret_cast<const char *>(&sum), sizeof(sum));
  return result + rest;
}

// What passes the checksum may still be anything: it is refused or read, and
// what is read can be written and read again.
TEST(Package, DamagedManifestsWithRightChecksumsAreReadOrRefused) {
  std::string bytes = serializePackage(example());
  uint64_t size;
  std::memcpy(&size, &bytes[16], sizeof(size));
  const std::string manifest = bytes.substr(32, size);
  ASSERT_EQ(withManifest(bytes, manifest), bytes);
  const char *tokens[] = {"null",
                          "-1",
                          "[]",
                          "{}",
                          "1e999",
                          "\"\"",
                          "[",
                          "}",
                          "4294967296",
                          ",",
                          "true",
                          "0",
                          "9223372036854775807",
                          "\"arg0\"",
                          "0.5"};
  std::mt19937 generator(12);
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string damaged = manifest;
    for (int change = generator() % 3; change >= 0; --change) {
      size_t at = generator() % damaged.size();
      size_t length = std::min<size_t>(generator() % 12, damaged.size() - at);
      // Often a whole number or word, so that the JSON stays well-formed.
      if (generator() % 2 && std::isalnum(damaged[at])) {
        size_t end = at;
        while (end < damaged.size() && std::isalnum(damaged[end]))
          ++end;
        while (at > 0 && std::isalnum(damaged[at - 1]))
          --at;
        length = end - at;
      }
      damaged.replace(at, length, tokens[generator() % std::size(tokens)]);
    }
    Package read, again;
    if (!parsePackage(withManifest(bytes, damaged), read).empty()) {
      ++refused;
      continue;
    }
    EXPECT_EQ(parsePackage(serializePackage(read), again), "") << damaged;
  }
  EXPECT_GT(refused, 15000);
}

TEST(Package, ADeeplyNestedManifestIsRefused) {
  std::string bytes = serializePackage(example());
  for (const char *nested : {"[", "{\"a\":"}) {
    std::string manifest;
    for (int depth = 0; depth < 100000; ++depth)
      manifest += nested;
    Package read;
    EXPECT_NE(parsePackage(withManifest(bytes, manifest), read), "");
  }
}

/// A package whose checksum is right and whose content is wrong.
std::string reasonFor(void (*change)(Package &)) {
  Package package = example(), read;
  change(package);
  return parsePackage(serializePackage(package), read);
}

TEST(Package, AWrongManifestIsRefusedWithItsReason) {
  EXPECT_NE(reasonFor([](Package &p) { p.launches.clear(); }).find("no launch"),
            std::string::npos);
  EXPECT_NE(reasonFor([](Package &p) {
              p.codeObjects.clear();
            }).find("no code object"),
            std::string::npos);
  EXPECT_NE(reasonFor([](Package &p) {
              p.launches[0].buffers[0] = "arg9";
            }).find("arg9"),
            std::string::npos);
  EXPECT_NE(reasonFor([](Package &p) {
              p.launches[0].buffers[0] = "arg1";
            }).find("arg1"),
            std::string::npos);
  EXPECT_NE(reasonFor([](Package &p) {
              p.launches[0].scalars[0] = "arg0";
            }).find("arg0"),
            std::string::npos);
  EXPECT_NE(reasonFor([](Package &p) {
              p.launches[0].workgroupSize[1] = 0;
            }).find("workgroup_size"),
            std::string::npos);
  EXPECT_NE(reasonFor([](Package &p) {
              p.launches[0].grid[1] = Formula::extent(2);
            }).find("does not exist"),
            std::string::npos);
  EXPECT_NE(reasonFor([](Package &p) {
              p.arguments[0].shape[0] = Formula::extent(1);
            }).find("out of order"),
            std::string::npos);
  EXPECT_NE(reasonFor([](Package &p) {
              p.launches[0].sharedMemory = -1;
            }).find("shared_memory"),
            std::string::npos);
}

TEST(Formula, EvaluatesLikeMathematics) {
  auto eval = [](Kind kind, int64_t a, int64_t b) {
    return Formula::binary(kind, Formula::extent(0), Formula::extent(1))
        .evaluate({a, b});
  };
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b : {-4, -3, -1, 1, 3, 4}) {
      double quotient = static_cast<double>(a) / b;
      EXPECT_EQ(eval(Kind::FloorDivide, a, b), std::floor(quotient));
      EXPECT_EQ(eval(Kind::CeilDivide, a, b), std::ceil(quotient));
      EXPECT_EQ(eval(Kind::Modulo, a, b), a - std::floor(quotient) * b);
      EXPECT_EQ(eval(Kind::Minimum, a, b), std::min(a, b));
      EXPECT_EQ(eval(Kind::Maximum, a, b), std::max(a, b));
    }
}

TEST(Formula, OverflowAndDivisionByZeroHaveNoValue) {
  auto eval = [](Kind kind, int64_t a, int64_t b) {
    return Formula::binary(kind, Formula::extent(0), Formula::extent(1))
        .evaluate({a, b});
  };
  EXPECT_FALSE(eval(Kind::Multiply, INT64_MAX, 2));
  EXPECT_FALSE(eval(Kind::Add, INT64_MAX, 1));
  EXPECT_FALSE(eval(Kind::Subtract, INT64_MIN, 1));
  EXPECT_FALSE(eval(Kind::FloorDivide, 1, 0));
  EXPECT_FALSE(eval(Kind::FloorDivide, INT64_MIN, -1));
  EXPECT_FALSE(eval(Kind::CeilDivide, INT64_MIN, 1));
  EXPECT_FALSE(Formula::extent(2).evaluate({1, 2}));
}

TEST(CodeObject, RunsWhereItsKindAllows) {
  CodeObject ptx{"ptx", "sm_80", 8, 0, Compatibility::Later, "x"};
  EXPECT_TRUE(ptx.runsOn(8, 0));
  EXPECT_TRUE(ptx.runsOn(9, 0));
  EXPECT_FALSE(ptx.runsOn(7, 5));
  CodeObject special{"ptx", "sm_90a", 9, 0, Compatibility::Exact, "x"};
  EXPECT_TRUE(special.runsOn(9, 0));
  EXPECT_FALSE(special.runsOn(10, 0));
  CodeObject cubin{"cubin", "sm_80", 8, 0, Compatibility::SameMajor, "x"};
  EXPECT_TRUE(cubin.runsOn(8, 6));
  EXPECT_FALSE(cubin.runsOn(9, 0));
}

} // namespace
