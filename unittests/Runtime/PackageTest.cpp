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

/// PTX as far as a package's check reads it, and the header of an object file.
const char ptx[] = ".version 8.0\n.target sm_80\n// .entry scale()\n"
                   ".visible .entry scale(\n .param .u64 a, // .param\n"
                   " .param .u64 b, .param .u64 c, .param .u64 d,\n"
                   " .param .f32 e, .param .u64 f, .param .u64 g\n)\n{}\n"
                   ".visible .global .align 64 .b8 w[5];\n";

std::string object(int machine, const std::string &symbols) {
  std::string bytes("\x7f"
                    "ELF",
                    4);
  bytes.resize(64);
  bytes[18] = static_cast<char>(machine);
  return bytes + symbols;
}

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
  launch.extents = {Formula::extent(0), Formula::extent(1)};
  package.launches = {launch};
  package.codeObjects = {
      CodeObject::of("ptx", "sm_80", ptx),
      CodeObject::of("cubin", "sm_80",
                     object(190, std::string("\0scale\0w", 9)))};
  package.constants = {{"w", std::string("\0\1\xff\n\r", 5)}};
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
  EXPECT_EQ(read.constants[0].symbol, "w");
  EXPECT_EQ(read.constants[0].bytes, example().constants[0].bytes);
}

TEST(Package, UnpackedNumbersHaveAByteEach) {
  Package package = example();
  package.arguments[0].type = package.arguments[1].type = ScalarType::I4;
  EXPECT_EQ(bitsInMemory(package.arguments[0]), 4);
  EXPECT_EQ(bytesOf(package.arguments[0], {3, 7}), 96);
  package.arguments[0].isUnpacked = true;
  Package read;
  ASSERT_EQ(parsePackage(serializePackage(package), read), "");
  EXPECT_EQ(bitsInMemory(read.arguments[0]), 8);
  EXPECT_EQ(bytesOf(read.arguments[0], {3, 7}), 192);
  EXPECT_EQ(bitsInMemory(read.arguments[1]), 8);
  EXPECT_FALSE(read.arguments[2].isUnpacked);
}

TEST(Package, ConstantsAreVariablesOfItsCode) {
  Package package = example();
  package.constants[0].bytes += "x";
  EXPECT_NE(checkPackage(package).find("'w' of 6 bytes"), std::string::npos);
  package = example();
  package.codeObjects.pop_back();
  EXPECT_EQ(checkPackage(package), "");
  package.codeObjects = {
      CodeObject::of("cubin", "sm_80", object(190, std::string("\0scale", 7)))};
  EXPECT_EQ(checkPackage(package), "the cubin has no variable 'w'");
}

TEST(Package, FormulasAreOfOtherExtents) {
  Formula tiles = Formula::binary(
      Kind::CeilDivide,
      Formula::binary(Kind::Subtract, Formula::extent(1), Formula::extent(0)),
      Formula::constant(4));
  Formula sum =
      Formula::binary(Kind::Add, Formula::extent(0), Formula::extent(2));
  Formula other = tiles.substitute({Formula::constant(3), sum});
  EXPECT_EQ(other.evaluate({10, 0, 7}), 4); // ceil((10 + 7 - 3) / 4)
  EXPECT_EQ(tiles.substitute({Formula::constant(3), Formula::constant(12)}),
            Formula::constant(3));
  EXPECT_FALSE(tiles == other);
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

// Well-formed nesting in every place where a list, a name, a number or a
// formula is due: no printer and no reader may follow it down the stack.
TEST(Package, DeeplyNestedValuesAreRefused) {
  std::string bytes = serializePackage(example());
  uint64_t size;
  std::memcpy(&size, &bytes[16], sizeof(size));
  const std::string manifest = bytes.substr(32, size);
  std::string nested(200000, '[');
  nested.append(200000, ']');
  int places = 0;
  for (size_t at = manifest.find(':'); at != std::string::npos;
       at = manifest.find(':', at + 1), ++places) {
    size_t end = manifest.find_first_of(",}]", at);
    std::string damaged = manifest;
    damaged.replace(at + 1, end - at - 1, nested);
    Package read;
    EXPECT_NE(parsePackage(withManifest(bytes, damaged), read), "")
        << damaged.substr(0, at);
  }
  EXPECT_GT(places, 20);
}

struct Wrong {
  void (*change)(Package &);
  const char *reason;
};

// What a stranger may write with a right checksum, one thing at a time.
const Wrong wrongs[] = {
    {[](Package &p) { p.launches.clear(); }, "no launch"},
    {[](Package &p) { p.codeObjects.clear(); }, "no code object"},
    {[](Package &p) { p.target = "x86"; }, "no target"},
    // Names.
    {[](Package &p) { p.launches[0].buffers[0] = "arg9"; }, "arg9"},
    {[](Package &p) { p.launches[0].buffers[0] = "arg1"; }, "arg1"},
    {[](Package &p) { p.launches[0].scalars[0] = "arg0"; }, "arg0"},
    {[](Package &p) { p.launches[0].buffers.pop_back(); },
     "takes 7 parameters, the launch passes 6"},
    {[](Package &p) { p.launches[0].buffers[0] = "arg2"; },
     "no launch takes 'arg0'"},
    {[](Package &p) { p.launches[0].buffers[2] = "partial"; },
     "no launch takes 'res0'"},
    {[](Package &p) { p.launches[0].scalars.clear(); },
     "no launch takes 'arg1'"},
    {[](Package &p) { p.results[0].name = "arg0"; }, "listed twice"},
    {[](Package &p) { p.workspaces[0].name = "res0"; }, "listed twice"},
    {[](Package &p) { p.arguments[0].name = "arg 0"; }, "no name"},
    {[](Package &p) { p.arguments[0].name = ""; }, "no name"},
    {[](Package &p) { p.launches[0].kernel = "9f"; }, "no name of a kernel"},
    {[](Package &p) { p.launches[0].kernel = "scal"; }, "no entry 'scal'"},
    {[](Package &p) { p.results[0].isScalar = true; }, "is a scalar"},
    // Extents.
    {[](Package &p) { p.launches[0].grid[1] = Formula::extent(2); },
     "does not exist"},
    {[](Package &p) { p.launches[0].extents[1] = Formula::extent(2); },
     "an extent that does not exist"},
    {[](Package &p) { p.launches[0].extents.pop_back(); },
     "takes 7 parameters, the launch passes 6"},
    {[](Package &p) { p.launches[0].grid[1] = Formula::extent(-1); },
     "does not exist"},
    {[](Package &p) { p.arguments[0].shape[0] = Formula::extent(1); },
     "out of order"},
    {[](Package &p) { p.arguments[0].shape[1] = Formula::constant(-1); },
     "negative"},
    {[](Package &p) {
       p.arguments[0].shape.assign(2, Formula::constant(2147483648));
     },
     "larger than any machine's memory"},
    {[](Package &p) {
       p.results[0].shape = {Formula::constant(INT64_MAX),
                             Formula::constant(768)};
     },
     "larger than any machine's memory"},
    {[](Package &p) {
       p.results[0].shape.assign(100000, Formula::constant(1));
     },
     "100000 dimensions"},
    {[](Package &p) { p.workspaces[0].bytes = Formula::constant(-4); },
     "workspace 'partial'"},
    {[](Package &p) { p.workspaces[0].bytes = Formula::constant(INT64_MAX); },
     "workspace 'partial'"},
    // What the launch asks for.
    {[](Package &p) { p.launches[0].workgroupSize[1] = 0; }, "workgroup_size"},
    {[](Package &p) { p.launches[0].workgroupSize = {4096, 1, 1}; },
     "1 to 1024x1024x64"},
    {[](Package &p) { p.launches[0].workgroupSize = {1, 1, 65}; },
     "1 to 1024x1024x64"},
    {[](Package &p) { p.launches[0].workgroupSize = {64, 17, 1}; },
     "1024 lanes"},
    {[](Package &p) { p.launches[0].sharedMemory = -1; }, "shared_memory"},
    {[](Package &p) { p.launches[0].sharedMemory = 163 * 1024 + 1; },
     "166912 bytes"},
    {[](Package &p) { p.launches[0].grid[0] = Formula::constant(0); },
     "grid x is 0"},
    {[](Package &p) { p.launches[0].grid[0] = Formula::constant(-1); },
     "grid x is -1"},
    {[](Package &p) { p.launches[0].grid[0] = Formula::constant(INT64_MAX); },
     "1 to 2147483647 workgroups"},
    {[](Package &p) { p.launches[0].grid[0] = Formula::constant(1LL << 33); },
     "grid x is 8589934592"},
    {[](Package &p) { p.launches[0].grid[1] = Formula::constant(65536); },
     "grid y is 65536"},
    {[](Package &p) { p.launches[0].grid[2] = Formula::constant(65536); },
     "grid z is 65536"},
    // Code that is not what it is labelled as.
    {[](Package &p) { p.codeObjects[0].architecture = "gfx942"; },
     "no ptx for gfx942"},
    {[](Package &p) {
       p.codeObjects[0] = CodeObject::of("ptx", "sm_90a", ptx);
     },
     "no line '.target sm_90a'"},
    {[](Package &p) { p.codeObjects[0].minor = 6; }, "capability"},
    {[](Package &p) { p.codeObjects[1].compatibility = Compatibility::Later; },
     "capability"},
    {[](Package &p) { p.codeObjects[0].kind = "elf"; }, "no kind"},
    {[](Package &p) { p.codeObjects[0].architecture = "sm_"; },
     "no architecture"},
    {[](Package &p) { p.codeObjects[0].bytes[3] = '\0'; }, "null byte"},
    {[](Package &p) { p.codeObjects[1].bytes = object(224, "scale"); },
     "no object file for sm_80"},
    {[](Package &p) { p.codeObjects[1].bytes = object(190, "other"); },
     "no kernel 'scale'"},
    {[](Package &p) { p.codeObjects[1].bytes = ptx; }, "no object file"},
};

TEST(Package, AWrongManifestIsRefusedWithItsReason) {
  for (const Wrong &wrong : wrongs) {
    Package package = example(), read;
    wrong.change(package);
    std::string reason = checkPackage(package);
    EXPECT_NE(reason.find(wrong.reason), std::string::npos)
        << "found: " << reason << ", due: " << wrong.reason;
    EXPECT_NE(parsePackage(serializePackage(package), read), "")
        << wrong.reason;
  }
}

TEST(Package, WhatIsAtALimitIsTaken) {
  const auto taken = [](void (*change)(Package &)) {
    Package package = example();
    change(package);
    return checkPackage(package);
  };
  EXPECT_EQ(taken([](Package &p) {
              p.launches[0].grid = {Formula::constant(0x7fffffff),
                                    Formula::constant(65535),
                                    Formula::constant(65535)};
            }),
            "");
  EXPECT_EQ(taken([](Package &p) {
              p.launches[0].workgroupSize = {1024, 1, 1};
              p.launches[0].sharedMemory = 163 * 1024;
            }),
            "");
  EXPECT_EQ(taken([](Package &p) { p.launches[0].workgroupSize = {4, 4, 64}; }),
            "");
  // An empty array leaves nothing to launch.
  EXPECT_EQ(taken([](Package &p) {
              p.arguments[0].shape[1] = Formula::constant(0);
              p.launches[0].grid[0] = Formula::constant(0);
            }),
            "");
}

TEST(Package, ExtentsThatNoDeviceTakesAreRefused) {
  Package package = example();
  EXPECT_EQ(checkExtents(package, {33, 7}), "");
  EXPECT_EQ(checkExtents(package, {0, 0}), "");
  EXPECT_NE(checkExtents(package, {-1, 7}), "");
  EXPECT_NE(checkExtents(package, {33}), "");
  EXPECT_NE(checkExtents(package, {1LL << 62, 7}), "");
  EXPECT_NE(checkExtents(package, {33, INT64_MAX}), "");
  // 2^31 workgroups of 32 rows, though the array itself could exist.
  package.arguments[0].shape[1] = Formula::constant(1);
  EXPECT_EQ(checkExtents(package, {0x7fffffffLL * 32, 1}), "");
  EXPECT_NE(checkExtents(package, {0x80000000LL * 32, 1}).find("grid"),
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
  CodeObject newer{"ptx", "sm_86", 8, 6, Compatibility::Later, "x"};
  EXPECT_FALSE(newer.runsOn(8, 0));
  EXPECT_TRUE(newer.runsOn(8, 9));
  EXPECT_TRUE(newer.runsOn(9, 0));
  CodeObject special{"ptx", "sm_90a", 9, 0, Compatibility::Exact, "x"};
  EXPECT_TRUE(special.runsOn(9, 0));
  EXPECT_FALSE(special.runsOn(10, 0));
  CodeObject cubin{"cubin", "sm_80", 8, 0, Compatibility::SameMajor, "x"};
  EXPECT_TRUE(cubin.runsOn(8, 6));
  EXPECT_FALSE(cubin.runsOn(9, 0));
}

} // namespace
