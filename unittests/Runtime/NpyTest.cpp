//===- NpyTest.cpp - Array files ------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/Npy.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>
#include <utility>

using namespace distaff::runtime;

namespace {

std::string temporary(const std::string &name) {
  return testing::TempDir() + "distaff-" + std::to_string(getpid()) + name;
}

std::string fileOf(int version, const std::string &header,
                   const std::string &data) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  if (version > 1)
    bytes += std::string(2, '\0');
  std::string path = temporary("case.npy");
  std::ofstream(path, std::ios::binary) << bytes << header << data;
  return path;
}

std::string header(const std::string &descr, const std::string &shape,
                   const std::string &order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': (" + shape + "), }\n";
}

TEST(Npy, WhatIsWrittenIsRead) {
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{}, {0}, {1}, {3, 0, 2}, {2, 3, 5}}) {
    HostArray array = HostArray::zeros(ScalarType::F16, shape);
    for (size_t i = 0; i < array.bytes.size(); ++i)
      array.bytes[i] = static_cast<unsigned char>(i * 37 + 1);
    std::string path = temporary("round.npy");
    ASSERT_EQ(writeNpy(path, array), "");
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    EXPECT_EQ((static_cast<size_t>(file.tellg()) - array.bytes.size()) % 64,
              0u);
    HostArray read;
    ASSERT_EQ(readNpyAs(path, ScalarType::F16, read), "");
    EXPECT_EQ(read.shape, shape);
    EXPECT_EQ(read.bytes, array.bytes);
  }
}

// With an extent of 1 in place of the 0 it would be 400 GB.
TEST(Npy, AnEmptyArrayFitsWhateverItsOtherExtentsAre) {
  int64_t many = 100000000000;
  EXPECT_TRUE(fitsHost({0, many}, ScalarType::F32));
  EXPECT_TRUE(fitsHost({many, 0}, ScalarType::F32));
  EXPECT_TRUE(fitsHost({largestHostArray() / 4}, ScalarType::F32));
  EXPECT_FALSE(fitsHost({largestHostArray() / 4 + 1}, ScalarType::F32));
  EXPECT_FALSE(fitsHost({-1, 0}, ScalarType::F32));
  // Strides, of which there are some all the same, would wrap.
  EXPECT_FALSE(fitsHost({0, int64_t(1) << 62, 4}, ScalarType::F32));
}

TEST(Npy, FortranOrderAndBigEndianAreConverted) {
  std::string data("\0\1\0\2\0\3\0\4\0\5\0\6", 12);
  NpyArray array;
  ASSERT_EQ(readNpy(fileOf(2, header(">i2", "2, 3", "True"), data), array), "");
  const int16_t expected[] = {1, 3, 5, 2, 4, 6};
  EXPECT_EQ(array.descr, "<i2");
  ASSERT_EQ(array.bytes.size(), sizeof(expected));
  EXPECT_EQ(std::memcmp(array.bytes.data(), expected, sizeof(expected)), 0);
}

TEST(Npy, Float32IsRoundedToNarrowTypes) {
  const float values[] = {1.0f, 65519.0f, -0.1f, 65520.0f};
  std::string data(reinterpret_cast<const char *>(values), sizeof(values));
  HostArray array;
  ASSERT_EQ(
      readNpyAs(fileOf(1, header("<f4", "4,"), data), ScalarType::BF16, array),
      "");
  EXPECT_EQ(loadDouble(ScalarType::BF16, &array.bytes[4]), -0.10009765625);
  HostArray bits;
  ASSERT_EQ(
      readNpyAs(fileOf(1, header("<u2", "1,"), std::string("\x80\x3f", 2)),
                ScalarType::BF16, bits),
      "");
  EXPECT_EQ(loadDouble(ScalarType::BF16, bits.bytes.data()), 1.0);
}

TEST(Npy, DamagedFilesAreRefused) {
  const std::string eight(8, 'x');
  NpyArray array;
  const std::pair<int, std::string> damaged[] = {
      {1, header("<f4", "3,")}, // too short
      {1, header("<f4", "1,")}, // too long
      {1, header("<f4", "99999999999, 99999999999")},
      {1, header("<f4", "-1,")},
      {1, header("<c8", "1,")},
      {1, header("|O", "1,")},
      {1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"},
      {1, "{'fortran_order': False, 'shape': (2,)}"},
      {1, "no dictionary"},
      {0, header("<f4", "2,")},
      {9, header("<f4", "2,")}};
  for (const auto &[version, text] : damaged)
    EXPECT_NE(readNpy(fileOf(version, text, eight), array), "")
        << version << text;
  ASSERT_EQ(readNpy(fileOf(1, header("<f4", "2,"), eight), array), "");
  std::string cut = temporary("cut.npy");
  std::string whole = "\x93NUMPY";
  for (size_t size = 0; size <= whole.size(); ++size) {
    std::ofstream(cut, std::ios::binary) << whole.substr(0, size);
    EXPECT_NE(readNpy(cut, array), "") << size;
  }
  EXPECT_NE(readNpy(temporary("absent.npy"), array).find("cannot open"),
            std::string::npos);
}

TEST(Npy, AnotherTypeIsRefusedByName) {
  HostArray array;
  std::string why =
      readNpyAs(fileOf(1, header("<f8", "1,"), std::string(8, 'x')),
                ScalarType::F32, array);
  EXPECT_NE(why.find("'<f8'"), std::string::npos);
  EXPECT_NE(why.find("f32"), std::string::npos);
}

} // namespace
