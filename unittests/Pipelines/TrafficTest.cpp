//===- TrafficTest.cpp - What is planned is what is emitted ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conversion is planned with accesses of some width that meet so many bank
// conflicts (VX-46, VX-47). Every stage and the emitted text must ask of the
// memories exactly that: an access that is split on the way computes the right
// values and loses what was planned.
//
//===----------------------------------------------------------------------===//
#include "../Depth.h"
#include "KernelText.h"
#include "PtxKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <numeric>
#include <random>

using namespace distaff;
using namespace distaff::ptx_test;

namespace {

/// Compiles and runs the kernel, and compares what it asks of the memories.
void expectKept(const std::string &source, KernelOptions options,
                bool isAllPlanned) {
  KernelTraffic traffic;
  options.traffic = &traffic;
  ASSERT_EQ(checkKernel(source, options), "") << source;
  EXPECT_EQ(findLosses(traffic, isAllPlanned), "") << options.target << "\n"
                                                   << source;
}

//===----------------------------------------------------------------------===//
// Random conversions
//===----------------------------------------------------------------------===//

using Numbers = std::vector<int64_t>;

std::string toText(const Numbers &numbers) {
  std::string text = "[";
  for (auto [i, number] : llvm::enumerate(numbers))
    text += (i ? ", " : "") + std::to_string(number);
  return text + "]";
}

/// Random layouts of a shape: every prime factor of every extent goes to
/// subgroups, lanes or registers, strides in any order and with gaps.
class RandomLayouts {
public:
  RandomLayouts(uint64_t seed) : random(seed) {}

  int64_t below(int64_t bound) { return random() % bound; }
  template <typename T> T oneOf(std::vector<T> choices) {
    return choices[below(choices.size())];
  }

  std::string layout(const Numbers &shape, int64_t subgroups, int64_t lanes) {
    lanes = oneOf<int64_t>({lanes, lanes, lanes, lanes / 2, 4});
    std::map<char, Numbers> tiles;
    for (char level : StringRef("SBOTE"))
      tiles[level] = Numbers(shape.size(), 1);
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      Numbers factors = primesOf(extent);
      std::shuffle(factors.begin(), factors.end(), random);
      for (int64_t prime : factors) {
        char level = oneOf<char>({'T', 'T', 'T', 'S', 'B', 'O', 'E', 'E'});
        if (level == 'T' && prime <= lanes)
          lanes /= prime;
        else if (level == 'S' && prime <= subgroups)
          subgroups /= prime;
        else if (level == 'T' || level == 'S')
          level = 'E';
        tiles[level][dim] *= prime;
      }
    }
    return "#iree_vector_ext.nested_layout<subgroup_tile = " +
           toText(tiles['S']) + ", batch_tile = " + toText(tiles['B']) +
           ", outer_tile = " + toText(tiles['O']) +
           ", thread_tile = " + toText(tiles['T']) +
           ", element_tile = " + toText(tiles['E']) +
           ", subgroup_strides = " + toText(strides(tiles['S'], subgroups)) +
           ", thread_strides = " + toText(strides(tiles['T'], lanes)) + ">";
  }

private:
  static Numbers primesOf(int64_t extent) {
    Numbers primes;
    for (int64_t prime = 2; extent > 1; ++prime)
      for (; extent % prime == 0; extent /= prime)
        primes.push_back(prime);
    return primes;
  }

  Numbers strides(const Numbers &sizes, int64_t slack) {
    Numbers order(sizes.size()), result(sizes.size(), 0);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    int64_t next = 1;
    for (int64_t at : order) {
      if (sizes[at] == 1)
        continue;
      if (slack >= 2 && below(4) == 0) {
        next *= 2;
        slack /= 2;
      }
      result[at] = next;
      next *= sizes[at];
    }
    return result;
  }

  std::mt19937_64 random;
};

std::string dims(const Numbers &shape, const std::string &element) {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element;
}

/// By hand, DISTAFF_SEEDS=200 runs that many instead of some.
int seeds(int some) {
  const char *many = std::getenv("DISTAFF_SEEDS");
  return many ? std::atoi(many) : isQuick() ? some * 3 / 8 : some;
}

class Conversions
    : public testing::TestWithParam<std::tuple<const char *, int>> {};

// VX-46, VX-47, VX-108.
TEST_P(Conversions, KeepTheirAccesses) {
  auto [target, seed] = GetParam();
  bool isAmd = StringRef(target).starts_with("gfx");
  RandomLayouts random(seed);
  int64_t lanes = isAmd ? 64 : 32, subgroups = random.oneOf<int64_t>({1, 2, 4});
  Numbers shape = random.oneOf<Numbers>({{64, 32},
                                         {16, 64},
                                         {48, 40},
                                         {12, 10},
                                         {36, 24},
                                         {32, 32},
                                         {8, 16, 4},
                                         {6, 4, 20},
                                         {2, 32, 16},
                                         {3, 5, 7}});
  auto type = random.oneOf<std::string>(
      {"f16", "f16", "f32", "f64", "i8", "i64", "index"});
  std::string inMemory = type == "index" ? "i64" : type;
  std::string vector = "vector<" + dims(shape, type) + ">";
  std::string moved = "vector<" + dims(shape, inMemory) + ">";
  std::string memory = "memref<" + dims(shape, inMemory) + ">";
  std::string at = shape.size() == 2 ? "[%0, %0]" : "[%0, %0, %0]";
  std::string inside = shape.size() == 2
                           ? " {in_bounds = [true, true]} : "
                           : " {in_bounds = [true, true, true]} : ";
  std::string kernel =
      "func.func @k(%x: " + memory + ", %y: " + memory +
      ") attributes {translation_info = #iree_codegen.translation_info<"
      "workgroup_size = [" +
      std::to_string(subgroups * lanes) +
      ", 1, 1] subgroup_size = " + std::to_string(lanes) + ">} {\n" +
      "  %0 = arith.constant 0 : index\n  %pad = arith.constant " +
      (type[0] == 'i' ? "0" : "0.0") + " : " + inMemory +
      "\n  %read = vector.transfer_read %x" + at + ", %pad" + inside + memory +
      ", " + moved + "\n";
  if (type == "index")
    kernel +=
        "  %in = arith.index_cast %read : " + moved + " to " + vector + "\n";
  // Into the layouts of the accesses it is a conversion, too.
  kernel += "  %from = iree_vector_ext.to_layout %" +
            std::string(type == "index" ? "in" : "read") + " to layout(" +
            random.layout(shape, subgroups, lanes) + ") : " + vector +
            "\n  %to = iree_vector_ext.to_layout %from to layout(" +
            random.layout(shape, subgroups, lanes) +
            ") {shared_memory_conversion} : " + vector + "\n";
  if (type == "index")
    kernel +=
        "  %out = arith.index_cast %to : " + vector + " to " + moved + "\n";
  kernel += "  vector.transfer_write %" +
            std::string(type == "index" ? "out" : "to") + ", %y" + at + inside +
            moved + ", " + memory + "\n  return\n}\n";
  KernelOptions options;
  options.target = target;
  expectKept(kernel, options, /*isAllPlanned=*/true);
}

INSTANTIATE_TEST_SUITE_P(Random, Conversions,
                         testing::Combine(testing::Values("sm_80", "sm_90a",
                                                          "gfx942"),
                                          testing::Range(0, seeds(16))),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

//===----------------------------------------------------------------------===//
// Random copies
//===----------------------------------------------------------------------===//

/// Tiles of a view into a memory of any row length, copied through a layout to
/// places that a loop moves by a step.
std::string randomCopy(RandomLayouts &random, int64_t lanes) {
  int64_t subgroups = random.oneOf<int64_t>({1, 2});
  Numbers tile = random.oneOf<Numbers>(
      {{8, 32}, {6, 40}, {4, 24}, {12, 16}, {1, 64}, {16, 1}, {3, 10}, {2, 7}});
  auto type = random.oneOf<std::string>({"f16", "f32", "f64", "i8"});
  int64_t step = random.oneOf<int64_t>({1, 2, 4, 8, 16});
  int64_t pitch = tile[1] + 64 + random.oneOf<int64_t>({0, 0, 1, 2, 4, 8, 13});
  int64_t row = random.below(3), column = step * random.below(2);
  // Where it need not be in bounds, the last tile may stick out.
  bool isInBounds = random.below(3) != 0, isMasked = random.below(4) == 0;
  int64_t columns = tile[1] + (isInBounds ? 32 : random.below(32));
  std::string strides = "strided<[" + std::to_string(pitch) + ", 1], offset: " +
                        std::to_string(row * pitch + column) + ">";
  return fill(R"(
func.func @k(%x: $MEMORY, %y: $MEMORY) $LAUNCH {
  %0 = arith.constant 0 : index
  %first = arith.constant $FIRST : index
  %step = arith.constant $STEP : index
  %end = arith.constant $END : index
  %rows = arith.constant $ROWS : index
  %pad = arith.constant $ZERO : $TYPE
  %view = memref.subview %x[$ROW, $COLUMN] [$ROWS, $WIDTH] [1, 1] : $MEMORY to $VIEW
  scf.for %i = %first to %end step %step {
    %mask = vector.create_mask %rows, %i : $MASK
    %read = vector.transfer_read %view[%0, %i], %pad$USE {in_bounds = [true, $INSIDE]} : $VIEW, $TILE
    %to = iree_vector_ext.to_layout %read to layout($LAYOUT) : $TILE
    vector.transfer_write %to, %y[%0, %i]$USE {in_bounds = [true, $INSIDE]} : $TILE, $MEMORY
  }
  return
})",
              {{"MEMORY", "memref<" + dims({tile[0] + 3, pitch}, type) + ">"},
               {"VIEW", "memref<" + dims({tile[0], columns}, type) + ", " +
                            strides + ">"},
               {"LAUNCH", launch(subgroups * lanes, lanes)},
               {"FIRST", std::to_string(step * random.below(2))},
               {"STEP", std::to_string(step)},
               {"END", std::to_string(2 * step)},
               {"ROWS", std::to_string(tile[0])},
               {"ROW", std::to_string(row)},
               {"COLUMN", std::to_string(column)},
               {"WIDTH", std::to_string(columns)},
               {"ZERO", type == "i8" ? "0" : "0.0"},
               {"TYPE", type},
               {"MASK", "vector<" + dims(tile, "i1") + ">"},
               {"TILE", "vector<" + dims(tile, type) + ">"},
               {"USE", isMasked ? ", %mask" : ""},
               {"INSIDE", isInBounds ? "true" : "false"},
               {"LAYOUT", random.layout(tile, subgroups, lanes)}});
}

class Copies : public testing::TestWithParam<std::tuple<const char *, int>> {};

// Accesses to global memory are as wide as expected. Before `lower` nobody
// asks whether addresses are multiples of that, so what the machine counts at
// `distribute` may be less.
TEST_P(Copies, AccessWhatIsExpected) {
  auto [target, seed] = GetParam();
  RandomLayouts random(seed);
  std::string source =
      randomCopy(random, StringRef(target).starts_with("gfx") ? 64 : 32);
  KernelTraffic traffic;
  KernelOptions options;
  options.target = target;
  options.traffic = &traffic;
  ASSERT_EQ(checkKernel(source, options), "") << source;
  // LLVM may know a mask.
  EXPECT_TRUE(StringRef(source).contains(", %mask") ||
              keepsWidths(traffic.inLowered, traffic.inText))
      << source;
  EXPECT_EQ(traffic.expected.size(), 2u) << source;
  for (const auto &[expected, count] : traffic.expected)
    for (const auto &[emitted, times] : traffic.inLowered)
      EXPECT_TRUE(emitted.space != "global" ||
                  emitted.isLoad != expected.isLoad ||
                  emitted.bytes == expected.bytes)
          << "expected\n"
          << toString(traffic.expected) << "emitted\n"
          << toString(traffic.inLowered) << source;
}

INSTANTIATE_TEST_SUITE_P(Random, Copies,
                         testing::Combine(testing::Values("sm_80", "gfx942"),
                                          testing::Range(0, seeds(16))),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

//===----------------------------------------------------------------------===//
// Whole kernels
//===----------------------------------------------------------------------===//

class Kernels
    : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

// VX-108: both operands of each step go through swizzled shared memory, in
// accesses of 16 bytes.
TEST(Traffic, MatmulKeepsItsPromotions) {
  KernelTraffic traffic;
  KernelOptions options;
  options.traffic = &traffic;
  ASSERT_EQ(checkKernel(R"(
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#config = #iree_gpu.lowering_config<{workgroup = [128, 128, 0], reduction = [0, 0, 32], subgroup_basis = [[2, 2, 1], [0, 1, 2]], mma_kind = #mma, promote_operands = [0, 1]}>
func.func @k(%a: tensor<256x64xf16>, %b: tensor<128x64xf16>) -> tensor<256x128xf32>
    attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x128xf32>
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x128xf32>) -> tensor<256x128xf32>
  %d = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
     {lowering_config = #config} ins(%a, %b : tensor<256x64xf16>, tensor<128x64xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %d : tensor<256x128xf32>
})",
                        options),
            "");
  EXPECT_EQ(findLosses(traffic, /*isAllPlanned=*/true), "");
  // Two workgroups, two steps, two operands of 8 KiB: 4 subgroups store 4 KiB
  // each way in 16 requests, and load it twice.
  EXPECT_EQ(traffic.planned.requests, 2 * 2 * 2 * (16 + 32));
  EXPECT_EQ(traffic.planned.cost, 0);
  EXPECT_EQ((traffic.inText[{"shared", true, 16}]), 16);
  EXPECT_EQ((traffic.inText[{"shared", false, 16}]), 8);
}

/// The example's kernel with a head dimension of 128 instead of 64, and fewer
/// queries and keys.
std::string attentionOf128() {
  std::string text = readSource("examples/flash_attention.mlir");
  for (auto [from, to] : {std::pair{"x64xf", "x128xf"},
                          {"<64x", "<128x"},
                          {"<256x128", "<64x128"},
                          {"<512x128", "<256x128"},
                          {"constant 512", "constant 256"},
                          {"in (8)", "in (2)"}})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
      text.replace(at, StringRef(from).size(), to);
      at += StringRef(to).size();
    }
  return text;
}

TEST(Traffic, AttentionOfHeadDimension128KeepsItsConversions) {
  for (const char *target : {"sm_80", "sm_90a", "gfx942"}) {
    KernelOptions options;
    options.target = target;
    options.mayBeUndecided = true;
    expectKept(attentionOf128(), options, /*isAllPlanned=*/false);
  }
}

// The other examples are in PtxExamplesTest.
TEST_P(Kernels, OfTheExamplesKeepTheirAccesses) {
  auto [name, target] = GetParam();
  KernelOptions options;
  options.target = target;
  // Sums over subgroups use shared memory, too.
  bool isAllPlanned = StringRef(name) != "row_sum";
  expectKept(readSource("examples/" + std::string(name) + ".mlir"), options,
             isAllPlanned);
}

INSTANTIATE_TEST_SUITE_P(
    Amd, Kernels,
    testing::Combine(testing::Values("flash_attention", "matmul_f16",
                                     "reduce_8x64", "row_sum", "softmax"),
                     testing::Values("gfx942")),
    [](const auto &info) { return std::string(std::get<0>(info.param)); });

} // namespace
