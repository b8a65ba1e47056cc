//===- NarrowFloatsTest.cpp - Conversions of 8-bit floats, every pattern --===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each conversion runs at stage lower on the SIMT machine and as PTX or AMD's
// LLVM IR on theirs, and every element of both is held against
// NarrowReference.h. Kernels have two forms: wide accesses, whose neighbours
// are converted in pairs, and one element per lane and step.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Ptx/Float.h"
#include "../Depth.h"
#include "KernelText.h"
#include "NarrowReference.h"
#include "PtxKernel.h"
#include "distaff/Runtime/Npy.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace distaff;
using namespace distaff::ptx_test;

namespace {

using Numbers = std::vector<double>;

const std::vector<std::string> targets = {"sm_80", "sm_90a", "gfx942"};

std::string convertWide(const std::string &op, const std::string &from,
                        const std::string &to, size_t count) {
  return fill(
      R"(
#id = affine_map<(i) -> (i)>
func.func @k(%x: tensor<$Nx$F>) -> tensor<$Nx$T> {
  %e = tensor.empty() : tensor<$Nx$T>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<$Nx$F>) outs(%e : tensor<$Nx$T>) {
  ^bb0(%a: $F, %o: $T):
    %v = arith.$op %a : $F to $T
    linalg.yield %v : $T
  } -> tensor<$Nx$T>
  return %r : tensor<$Nx$T>
})",
      {{"op", op}, {"N", std::to_string(count)}, {"F", from}, {"T", to}});
}

std::string convertOneByOne(const std::string &op, const std::string &from,
                            const std::string &to, size_t count, int subgroup) {
  return fill(R"(
gpu.module @kernels {
gpu.func @k(%x: memref<$Nx$F>, %y: memref<$Nx$T>) $launch {
  %id = gpu.thread_id x
  %end = arith.constant $N : index
  %step = arith.constant $L : index
  scf.for %i = %id to %end step %step {
    %a = memref.load %x[%i] : memref<$Nx$F>
    %v = arith.$op %a : $F to $T
    memref.store %v, %y[%i] : memref<$Nx$T>
  }
  gpu.return
}
})",
              {{"op", op},
               {"launch", laneLaunch(4 * subgroup, subgroup)},
               {"L", std::to_string(4 * subgroup)},
               {"N", std::to_string(count)},
               {"F", from},
               {"T", to}});
}

/// Bits of an element, whatever its width.
uint64_t bitsAt(llvm::ArrayRef<uint8_t> bytes, size_t index, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, size);
  return bits;
}

double decode(const std::string &type, uint64_t bits) {
  if (type == "f64")
    return llvm::bit_cast<double>(bits);
  return ptx::toDouble(bits, type == "f16"    ? ptx::half
                             : type == "bf16" ? ptx::bfloat
                                              : ptx::single);
}

size_t sizeOf(const std::string &type) {
  return type == "f64" ? 8 : type == "f32" ? 4 : type.starts_with("f8") ? 1 : 2;
}

/// Runs both forms on every target; `wanted` says what is wrong with element i.
void convert(const std::string &op, const std::string &from,
             const std::string &to, const std::vector<uint8_t> &input,
             std::function<std::string(size_t i, uint64_t bits)> wrong,
             std::vector<std::string> on = targets) {
  size_t count = input.size() / sizeOf(from);
  std::string path = testing::TempDir() + "/narrow_" + from + "_" + to + ".npy";
  ASSERT_EQ(
      runtime::writeNpy(
          path, {*runtime::parseScalarType(from), {int64_t(count)}, input}),
      "");
  KernelOptions options{.inputs = {}, .mayBeUndecided = true};
  options.judge = [&](llvm::ArrayRef<uint8_t> bytes) -> std::string {
    for (size_t i = 0; i < count; ++i)
      if (std::string what = wrong(i, bitsAt(bytes, i, sizeOf(to)));
          !what.empty())
        return "element " + std::to_string(i) + ": " + what;
    return "";
  };
  for (std::string target : on)
    for (bool wide : {true, false}) {
      options.target = target;
      options.inputs = {"arg0=" + path};
      std::string kernel = wide ? convertWide(op, from, to, count)
                                : convertOneByOne(op, from, to, count,
                                                  target == "gfx942" ? 64 : 32);
      EXPECT_EQ(checkKernel(kernel, options), "")
          << target << (wide ? " wide " : " one by one ") << from << " to "
          << to;
    }
}

std::string text(uint64_t bits) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "0x%llX", (unsigned long long)bits);
  return buffer;
}

/// Narrows the elements of `input` and expects the nearest patterns; any NaN of
/// the format is one.
void expectNarrowed(narrow::Format format, const std::string &from,
                    const std::vector<uint8_t> &input,
                    std::vector<std::string> on = targets) {
  convert(
      "truncf", from, narrow::nameOf(format), input,
      [&](size_t i, uint64_t bits) -> std::string {
        uint64_t source = bitsAt(input, i, sizeOf(from));
        double value = decode(from, source);
        uint8_t nearest = narrow::nearest(format, value);
        bool bothNaN = std::isnan(narrow::valueOf(format, nearest)) &&
                       std::isnan(narrow::valueOf(format, uint8_t(bits)));
        if (bits == nearest || bothNaN)
          return "";
        return text(source) + " = " + std::to_string(value) + " became " +
               text(bits) + ", not " + text(nearest);
      },
      on);
}

std::vector<uint8_t> allPatterns(size_t size) {
  std::vector<uint8_t> bytes;
  for (uint32_t bits = 0; bits < 1u << (8 * size); ++bits)
    for (size_t byte = 0; byte < size; ++byte)
      bytes.push_back(uint8_t(bits >> (8 * byte)));
  return bytes;
}

TEST(NarrowReference, EndsAreTheSpecifications) {
  using narrow::Format;
  EXPECT_EQ(narrow::valueOf(Format::E4M3FN, 0x7E), 448);
  EXPECT_EQ(narrow::valueOf(Format::E5M2, 0x7B), 57344);
  EXPECT_EQ(narrow::valueOf(Format::E4M3FNUZ, 0x7F), 240);
  EXPECT_EQ(narrow::valueOf(Format::E5M2FNUZ, 0x7F), 57344);
  // One: the exponent field is the bias.
  EXPECT_EQ(narrow::valueOf(Format::E4M3FN, 7 << 3), 1);
  EXPECT_EQ(narrow::valueOf(Format::E5M2, 15 << 2), 1);
  EXPECT_EQ(narrow::valueOf(Format::E4M3FNUZ, 8 << 3), 1);
  EXPECT_EQ(narrow::valueOf(Format::E5M2FNUZ, 16 << 2), 1);
  // Smallest normal numbers.
  EXPECT_EQ(narrow::valueOf(Format::E4M3FN, 8), 0x1p-6);
  EXPECT_EQ(narrow::valueOf(Format::E5M2, 4), 0x1p-14);
  EXPECT_EQ(narrow::valueOf(Format::E4M3FNUZ, 8), 0x1p-7);
  EXPECT_EQ(narrow::valueOf(Format::E5M2FNUZ, 4), 0x1p-15);
  EXPECT_EQ(narrow::valueOf(Format::E5M2, 0xFC), -HUGE_VAL);
  for (uint8_t nan : {0x7D, 0x7E, 0x7F, 0xFD})
    EXPECT_TRUE(std::isnan(narrow::valueOf(Format::E5M2, nan)));
  EXPECT_TRUE(std::isnan(narrow::valueOf(Format::E4M3FN, 0xFF)));
  EXPECT_TRUE(std::isnan(narrow::valueOf(Format::E4M3FNUZ, 0x80)));
  EXPECT_TRUE(std::signbit(narrow::valueOf(Format::E4M3FN, 0x80)));

  EXPECT_EQ(narrow::nearest(Format::E4M3FN, 464), 0x7E);
  EXPECT_EQ(narrow::nearest(Format::E4M3FN, 1000), 0x7F);
  EXPECT_EQ(narrow::nearest(Format::E4M3FN, -HUGE_VAL), 0xFF);
  EXPECT_EQ(narrow::nearest(Format::E5M2, 61439), 0x7B);
  EXPECT_EQ(narrow::nearest(Format::E5M2, -61440), 0xFC);
  EXPECT_EQ(narrow::nearest(Format::E4M3FNUZ, 248), 0x80);
  EXPECT_EQ(narrow::nearest(Format::E4M3FNUZ, -0.0), 0);
  EXPECT_EQ(narrow::nearest(Format::E4M3FNUZ, -0x1p-11), 0);
  EXPECT_EQ(
      narrow::nearest(Format::E4M3FN, HUGE_VAL, narrow::TooLarge::Largest),
      0x7E);
}

TEST(NarrowFloats, EveryPatternIsWidened) {
  std::vector<uint8_t> all = allPatterns(1);
  for (narrow::Format format : narrow::formats)
    for (std::string to : {"f16", "bf16", "f32", "f64"})
      convert("extf", narrow::nameOf(format), to, all,
              [&](size_t i, uint64_t bits) -> std::string {
                double wanted = narrow::valueOf(format, uint8_t(i));
                double found = decode(to, bits);
                bool isRight = std::isnan(wanted)
                                   ? std::isnan(found)
                                   : wanted == found && std::signbit(wanted) ==
                                                            std::signbit(found);
                return isRight ? "" : "became " + text(bits);
              });
}

/// Halves around the ties, multiples of 64 in f16 and of 8 in bf16, and others.
/// Where a part is enough, no more multiples than these, and fewer of the
/// numbers of bf16 that are far beyond all formats.
std::vector<uint8_t> halvesAroundTies(const std::string &type) {
  std::vector<uint8_t> bytes;
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    double magnitude = std::abs(decode(type, bits));
    bool isNear = type == "bf16" && magnitude > 0x1p-20 && magnitude < 0x1p20;
    uint32_t multiple = isQuick() && !isNear ? 64 : 8;
    if ((bits + 1) % multiple <= 2 || bits % 61 == 0)
      bytes.insert(bytes.end(), {uint8_t(bits), uint8_t(bits >> 8)});
  }
  return bytes;
}

// The machine for AMD's IR is slow: all halves by its instructions, of the
// rest, and where a part is enough, those around the ties: a narrow number
// keeps all but 7 digits of f16 and all but 4 of bf16, or fewer.
TEST(NarrowFloats, EveryHalfIsNarrowed) {
  std::vector<uint8_t> all = allPatterns(2);
  for (narrow::Format format : narrow::formats)
    for (std::string from : {"f16", "bf16"}) {
      std::vector<uint8_t> some = halvesAroundTies(from);
      expectNarrowed(format, from, isQuick() ? some : all, {"sm_80", "sm_90a"});
      bool isInstruction = narrow::nameOf(format).ends_with("FNUZ");
      bool takesAll = isInstruction && from == "f16" && !isQuick();
      expectNarrowed(format, from, takesAll ? all : some, {"gfx942"});
    }
}

/// All numbers and ties of a format with their neighbours, what is too large,
/// subnormal, special, and random.
template <typename Float, typename Bits>
std::vector<uint8_t> adversaries(narrow::Format format) {
  std::vector<Float> values = {0,
                               std::numeric_limits<Float>::denorm_min(),
                               std::numeric_limits<Float>::min(),
                               std::numeric_limits<Float>::max(),
                               std::numeric_limits<Float>::infinity(),
                               std::numeric_limits<Float>::quiet_NaN(),
                               std::numeric_limits<Float>::signaling_NaN(),
                               1000,
                               1e6};
  auto add = [&](double number) {
    Float value = Float(number);
    for (Float end : {Float(0), std::numeric_limits<Float>::infinity()})
      values.push_back(std::nextafter(value, end));
    values.push_back(value);
    // Rounding to fewer digits first would make ties of these.
    for (double off : {0x1p-12, 0x1p-26})
      for (double way : {-off, off})
        values.push_back(Float(number * (1 + way)));
  };
  double last = 0;
  for (int pattern = 0; pattern < 0x80; ++pattern) {
    double value = narrow::valueOf(format, uint8_t(pattern));
    if (!std::isfinite(value))
      break;
    add(value);
    add((last + value) / 2);
    last = value;
  }
  add(narrow::overflowTie(format));
  size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i)
    values.push_back(-values[i]);
  std::mt19937_64 random(1);
  for (int64_t i = share(2560); i > 0; --i)
    values.push_back(llvm::bit_cast<Float>(Bits(random())));
  // Half of random patterns are beyond the format's range at either end.
  for (int64_t i = share(2048); i > 0; --i)
    values.push_back(Float(std::ldexp(double(int64_t(random())) * 0x1p-63,
                                      int(random() % 36) - 18)));
  std::vector<uint8_t> bytes(values.size() * sizeof(Float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(NarrowFloats, TiesAndOverflowsAreNarrowed) {
  for (narrow::Format format : narrow::formats) {
    expectNarrowed(format, "f32", adversaries<float, uint32_t>(format));
    expectNarrowed(format, "f64", adversaries<double, uint64_t>(format));
  }
}

// Wide loads of pairs, MMA fragments of widened numbers, sums over lanes.
TEST(NarrowFloats, KernelsUseTheirInstructions) {
  for (std::string target : targets)
    for (narrow::Format format : narrow::formats) {
      std::string type = narrow::nameOf(format);
      std::string product = fill(R"(
#id = affine_map<(i, j) -> (i, j)>
func.func @k(%a: tensor<32x48xf16>, %b: tensor<48x32x$T>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<48x32xf16>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<48x32x$T>) outs(%e : tensor<48x32xf16>) {
  ^bb0(%x: $T, %o: f16):
    %w = arith.extf %x : $T to f16
    linalg.yield %w : f16
  } -> tensor<48x32xf16>
  %zero = arith.constant 0.0 : f32
  %p = tensor.empty() : tensor<32x32xf32>
  %c = linalg.fill ins(%zero : f32) outs(%p : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.matmul ins(%a, %d : tensor<32x48xf16>, tensor<48x32xf16>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
})",
                                 {{"T", type}});
      EXPECT_EQ(checkKernel(product, {.target = target,
                                      .inputs = {"arg0=whole:1:-8:8",
                                                 "arg1=whole:2:-8:8"}}),
                "")
          << target << " " << type;
      std::string scaled = fill(R"(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @k(%a: tensor<12x96x$T>, %s: tensor<12xf32>) -> tensor<12x96x$T> {
  %e = tensor.empty() : tensor<12x96x$T>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<12x96x$T>, tensor<12xf32>) outs(%e : tensor<12x96x$T>) {
  ^bb0(%x: $T, %f: f32, %o: $T):
    %w = arith.extf %x : $T to f32
    %v = arith.mulf %w, %f : f32
    %n = arith.truncf %v : f32 to $T
    linalg.yield %n : $T
  } -> tensor<12x96x$T>
  return %r : tensor<12x96x$T>
})",
                                {{"T", type}});
      EXPECT_EQ(checkKernel(scaled, {.target = target,
                                     .inputs = {"arg0=random:1:-300:300",
                                                "arg1=random:2:-3:3"},
                                     .mayBeUndecided = true}),
                "")
          << target << " " << type;
    }
}

// What the fused multiply-add of 8-bit floats rounds once, f64 holds exactly.
TEST(NarrowFloats, ArithmeticRoundsOnce) {
  for (std::string target : targets)
    for (narrow::Format format : narrow::formats) {
      std::string kernel = fill(R"(
#id = affine_map<(i) -> (i)>
func.func @k(%a: tensor<4096x$T>, %b: tensor<4096x$T>, %c: tensor<4096x$T>) -> tensor<4096x$T> {
  %e = tensor.empty() : tensor<4096x$T>
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b, %c : tensor<4096x$T>, tensor<4096x$T>, tensor<4096x$T>) outs(%e : tensor<4096x$T>) {
  ^bb0(%x: $T, %y: $T, %z: $T, %o: $T):
    %v = math.fma %x, %y, %z : $T
    linalg.yield %v : $T
  } -> tensor<4096x$T>
  return %r : tensor<4096x$T>
})",
                                {{"T", narrow::nameOf(format)}});
      std::vector<std::vector<uint8_t>> operands(3);
      std::vector<std::string> inputs;
      std::mt19937 random(3);
      for (auto [i, bytes] : llvm::enumerate(operands)) {
        for (int j = 0; j < 4096; ++j)
          bytes.push_back(uint8_t(random()));
        std::string path = testing::TempDir() + "/narrow_operand_" +
                           std::to_string(i) + ".npy";
        ASSERT_EQ(runtime::writeNpy(
                      path, {*runtime::parseScalarType(narrow::nameOf(format)),
                             {4096},
                             bytes}),
                  "");
        inputs.push_back("arg" + std::to_string(i) + "=" + path);
      }
      KernelOptions options{
          .target = target, .inputs = inputs, .mayBeUndecided = true};
      options.judge = [&](llvm::ArrayRef<uint8_t> bytes) -> std::string {
        for (size_t i = 0; i < 4096; ++i) {
          // Products have 8 digits and sums at most 53 wherever they count.
          double exact = narrow::valueOf(format, operands[0][i]) *
                             narrow::valueOf(format, operands[1][i]) +
                         narrow::valueOf(format, operands[2][i]);
          uint8_t nearest = narrow::nearest(format, exact);
          if (bytes[i] != nearest &&
              !(std::isnan(narrow::valueOf(format, nearest)) &&
                std::isnan(narrow::valueOf(format, bytes[i]))))
            return "element " + std::to_string(i) + " became " +
                   text(bytes[i]) + ", not " + text(nearest);
        }
        return "";
      };
      EXPECT_EQ(checkKernel(kernel, options), "")
          << target << " " << narrow::nameOf(format);
    }
}

} // namespace
