//===- SharedMemoryTest.cpp - Round trips through shared memory -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Depth.h"
#include "Layouts.h"

#include "distaff/Layout/Conversion.h"

#include "gtest/gtest.h"

#include <chrono>
#include <map>
#include <random>
#include <set>

using namespace distaff;
using namespace distaff::test;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// A bank simulation of its own: 32 banks of 4 bytes, one lane at a time
//===----------------------------------------------------------------------===//

struct Simulated {
  int64_t wavefronts = 0, ideal = 0;
};

/// Runs all accesses of one side. `offsetOf(s, l, r)` is in elements.
static Simulated simulate(const Layout &layout, const SharedMemoryPlan &plan,
                          const SharedAccess &access, HardwareShape hardware,
                          bool storing) {
  Simulated result;
  int64_t bytes = access.width * plan.elementBytes;
  int64_t phaseLanes = bytes <= 4 ? 32 : 128 / bytes;
  int64_t registers = layout.numRegisters();
  for (int64_t s = 0; s < hardware.subgroups; ++s)
    for (int64_t first = 0; first < registers; first += access.width)
      for (int64_t phase = 0; phase < hardware.lanes; phase += phaseLanes) {
        // bank -> words wanted of it
        std::map<int64_t, std::set<int64_t>> wanted;
        for (int64_t l = phase;
             l < std::min(phase + phaseLanes, hardware.lanes); ++l) {
          if (storing && !layout.isCanonical({s, l, 0}))
            continue;
          for (int64_t i = 0; i < access.width; ++i) {
            int64_t offset = plan.memory.offsetOf(
                layout.indexOf({s, l, access.registers[first + i]}));
            for (int64_t b = 0; b < plan.elementBytes; ++b) {
              int64_t word = (offset * plan.elementBytes + b) / 4;
              wanted[word % 32].insert(word);
            }
          }
        }
        size_t most = 0;
        for (auto &[bank, words] : wanted)
          most = std::max(most, words.size());
        result.wavefronts += most;
        result.ideal += most > 0;
      }
  return result;
}

/// Stores, loads and compares tokens; accesses must be vectors in memory.
static void expectMovesEverything(const Layout &src, const Layout &dst,
                                  const SharedMemoryPlan &plan,
                                  HardwareShape hardware) {
  std::vector<int64_t> memory(plan.bytes / plan.elementBytes, -1);
  auto forEachAccess = [&](const Layout &layout, const SharedAccess &access,
                           bool storing,
                           llvm::function_ref<void(int64_t, Place)> body) {
    ASSERT_EQ((int64_t)access.registers.size(), layout.numRegisters());
    ASSERT_EQ(access.registers.size() % access.width, 0u);
    ASSERT_LE(access.width * plan.elementBytes, 16);
    for (int64_t s = 0; s < hardware.subgroups; ++s)
      for (int64_t l = 0; l < hardware.lanes; ++l) {
        if (storing && !layout.isCanonical({s, l, 0}))
          continue;
        int64_t first = 0;
        for (size_t i = 0; i < access.registers.size(); ++i) {
          Place place{s, l, access.registers[i]};
          int64_t offset = plan.memory.offsetOf(layout.indexOf(place));
          if (i % access.width == 0) {
            first = offset;
            ASSERT_EQ(first % access.width, 0) << toString(plan.memory);
          }
          ASSERT_EQ(offset, first + (int64_t)i % access.width);
          ASSERT_GE(offset, 0);
          ASSERT_LT(offset, (int64_t)memory.size());
          body(offset, place);
        }
      }
  };
  forEachAccess(src, plan.store, true, [&](int64_t offset, Place place) {
    ASSERT_EQ(memory[offset], -1) << "two elements at one offset";
    memory[offset] = src.linearIndexOf(place);
  });
  forEachAccess(dst, plan.load, false, [&](int64_t offset, Place place) {
    ASSERT_EQ(memory[offset], dst.linearIndexOf(place))
        << toString(src) << " to " << toString(dst) << " by "
        << toString(plan.memory);
  });
}

static void expectAsSimulated(const Layout &src, const Layout &dst,
                              const SharedMemoryPlan &plan,
                              HardwareShape hardware) {
  Simulated store = simulate(src, plan, plan.store, hardware, true);
  Simulated load = simulate(dst, plan, plan.load, hardware, false);
  std::string what =
      toString(src) + " to " + toString(dst) + " by " + toString(plan.memory);
  ASSERT_EQ(plan.store.wavefronts, store.wavefronts) << what;
  ASSERT_EQ(plan.store.ideal, store.ideal) << what;
  ASSERT_EQ(plan.load.wavefronts, load.wavefronts) << what;
  ASSERT_EQ(plan.load.ideal, load.ideal) << what;
}

// A part of an index is written with what it is divided by and taken modulo,
// where it is.
TEST(SharedMemory, MemoryLayoutsAreWrittenInFull) {
  EXPECT_EQ(toString(MemoryLayout::ofDims({8, 4}, {0, 1})),
            "innermost first d1 d0");
  MemoryLayout halves = MemoryLayout::ofDims({8, 4}, {1, 0});
  halves.digits = {{0, 2, 1, 1}, {1, 4, 1, 2}, {0, 4, 2, 8}};
  EXPECT_EQ(toString(halves), "innermost first d0%2 d1 d0/2%4");
}

static HardwareShape hardwareForInMemory(const Layout &a, const Layout &b,
                                         int64_t lanes) {
  return {std::max(a.neededSubgroups(), b.neededSubgroups()), lanes};
}

// VX-44 (canonical stores), VX-45: random pairs of any sizes, all widths.
TEST(SharedMemory, VX44_VX45_TokensAndWavefrontsOfRandomPairs) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 600; ++trial) {
    Shape shape = {pick(random, {1, 4, 6, 8, 16, 20}),
                   pick(random, {2, 3, 8, 12, 32})};
    RandomRange range{.maxSubgroups = 4, .maxLanes = 32};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    HardwareShape hardware =
        hardwareForInMemory(src, dst, pick(random, {32, 64}));
    int64_t bits = pick(random, {1, 8, 16, 32, 64});
    SharedMemoryPlan plan =
        planSharedMemory(src, dst, hardware, bits, BankModel());
    expectMovesEverything(src, dst, plan, hardware);
    expectAsSimulated(src, dst, plan, hardware);
    if (HasFatalFailure())
      return;
  }
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Moves tokens slice by slice through the plan's bytes. Every access lies in
/// one slice of its thread and in one run of memory.
static void expectMovesInPieces(const Layout &src, const Layout &dst,
                                const SharedMemoryPlan &plan,
                                HardwareShape hardware) {
  std::string what =
      toString(src) + " to " + toString(dst) + " by " + toString(plan.memory);
  std::set<std::vector<int64_t>> slices;
  for (int64_t s = 0; s < hardware.subgroups; ++s)
    for (int64_t l = 0; l < hardware.lanes; ++l)
      for (int64_t r = 0; r < src.numRegisters(); ++r) {
        auto slice = plan.sliceOf(src.indexOf({s, l, r}));
        slices.insert({slice.begin(), slice.end()});
      }
  ASSERT_EQ((int64_t)slices.size(), plan.pieces()) << what;

  std::map<std::vector<int64_t>, int64_t> loaded; // (s, l, r) -> element
  std::vector<int64_t> memory(plan.bytes / plan.elementBytes, -1);
  auto forEach = [&](const Layout &layout, const SharedAccess &access,
                     const std::vector<int64_t> &slice, bool storing,
                     llvm::function_ref<void(int64_t, Place)> body) {
    ASSERT_EQ((int64_t)access.registers.size(), layout.numRegisters()) << what;
    ASSERT_EQ(access.registers.size() % access.width, 0u) << what;
    for (int64_t s = 0; s < hardware.subgroups; ++s)
      for (int64_t l = 0; l < hardware.lanes; ++l) {
        if (storing && !layout.isCanonical({s, l, 0}))
          continue;
        int64_t first = 0;
        for (size_t i = 0; i < access.registers.size(); ++i) {
          Place place{s, l, access.registers[i]};
          auto own = plan.sliceOf(layout.indexOf(place));
          if (std::vector<int64_t>(own.begin(), own.end()) != slice) {
            i += access.width - 1 - i % access.width;
            continue;
          }
          int64_t offset = plan.offsetOf(layout.indexOf(place));
          if (i % access.width == 0) {
            first = offset;
            ASSERT_EQ(first % access.width, 0) << what;
          }
          ASSERT_EQ(offset, first + (int64_t)i % access.width) << what;
          ASSERT_LT(offset, (int64_t)memory.size()) << what;
          body(offset, place);
        }
      }
  };
  for (const std::vector<int64_t> &slice : slices) {
    std::fill(memory.begin(), memory.end(), -1);
    forEach(src, plan.store, slice, true, [&](int64_t offset, Place place) {
      ASSERT_EQ(memory[offset], -1) << "two elements at one offset: " << what;
      memory[offset] = src.linearIndexOf(place);
    });
    forEach(dst, plan.load, slice, false, [&](int64_t offset, Place place) {
      std::vector<int64_t> key{place.subgroup, place.lane, place.reg};
      ASSERT_TRUE(loaded.insert({key, memory[offset]}).second) << what;
    });
  }
  ASSERT_EQ((int64_t)loaded.size(),
            hardware.subgroups * hardware.lanes * dst.numRegisters());
  for (auto &[key, element] : loaded)
    ASSERT_EQ(element, dst.linearIndexOf({key[0], key[1], key[2]})) << what;
}

// VX-63: whatever is left, down to 16 bytes, serves.
TEST(SharedMemory, PiecesFitAndMoveEverything) {
  std::mt19937 random(63);
  int64_t inPieces = 0, refused = 0;
  for (int trial = 0; trial < 600; ++trial) {
    Shape shape = {pick(random, {1, 4, 6, 8, 16, 20}),
                   pick(random, {2, 3, 8, 12, 32})};
    RandomRange range{.maxSubgroups = 4, .maxLanes = 32};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    HardwareShape hardware =
        hardwareForInMemory(src, dst, pick(random, {32, 64}));
    int64_t bits = pick(random, {8, 16, 32, 64});
    int64_t whole = src.numElements() * bits / 8;
    int64_t left =
        std::max<int64_t>(16, whole / pick(random, {1, 2, 3, 4, 7, 16, 64}) -
                                  pick(random, {0, 0, 1, 8}));
    SharedMemoryPlan plan =
        planSharedMemory(src, dst, hardware, bits, BankModel(), left);
    if (plan.bytes > left) {
      // Only what layouts cut too finely, and then all of it is asked for.
      ++refused;
      ASSERT_GT(src.numElements(), SharedMemoryPlan::maxPieces);
      continue;
    }
    inPieces += plan.pieces() > 1;
    expectMovesInPieces(src, dst, plan, hardware);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(inPieces, 200);
  EXPECT_LT(refused, 20);
}

// The limit itself suffices, and padding gives way to it.
TEST(SharedMemory, ExactFitIsOnePiece) {
  std::mt19937 random(64);
  for (int trial = 0; trial < 200; ++trial) {
    Shape shape = {pick(random, {4, 6, 15, 16}), pick(random, {6, 8, 12, 33})};
    RandomRange range{.maxSubgroups = 4, .maxLanes = 32};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    HardwareShape hardware = hardwareForInMemory(src, dst, 32);
    int64_t whole = src.numElements() * 4;
    SharedMemoryPlan fits =
        planSharedMemory(src, dst, hardware, 32, BankModel(), whole);
    EXPECT_EQ(fits.pieces(), 1);
    EXPECT_LE(fits.bytes, whole);
    SharedMemoryPlan over =
        planSharedMemory(src, dst, hardware, 32, BankModel(), whole - 1);
    EXPECT_GT(over.pieces(), 1);
    EXPECT_LT(over.bytes, whole);
  }
}

// Slices along registers of both sides need no lane to wait for another.
TEST(SharedMemory, PiecesAlongRegistersAreStoredAndLoadedOnce) {
  // 64 rows, 16 in registers of either side, outermost.
  Layout src = nested({1, 1}, {16, 1}, {1, 1}, {4, 8}, {1, 4}, {0, 0}, {8, 1})
                   .toLayout();
  Layout dst = nested({1, 1}, {16, 1}, {1, 1}, {1, 32}, {4, 1}, {0, 0}, {0, 1})
                   .toLayout();
  SharedMemoryPlan whole = planSharedMemory(src, dst, {1, 32}, 32, BankModel());
  SharedMemoryPlan plan =
      planSharedMemory(src, dst, {1, 32}, 32, BankModel(), 2048);
  EXPECT_EQ(plan.pieces(), 4);
  EXPECT_EQ(plan.bytes, 2048);
  EXPECT_EQ(plan.store.wavefronts, whole.store.wavefronts);
  EXPECT_EQ(plan.load.wavefronts, whole.load.wavefronts);
  expectMovesInPieces(src, dst, plan, {1, 32});
}

//===----------------------------------------------------------------------===//
// The order of elements in words
//===----------------------------------------------------------------------===//

/// Words of a lane's registers that an access does not move as they are: whose
/// elements are elsewhere in a word of the memory, or in several.
static int64_t changedWords(const Layout &layout,
                            const SharedMemoryPlan &plan) {
  int64_t perWord = std::max<int64_t>(1, 4 / plan.elementBytes), changed = 0;
  for (int64_t r = 0; r < layout.numRegisters(); r += perWord) {
    bool moved = false;
    int64_t first = plan.memory.offsetOf(layout.indexOf({0, 0, r}));
    for (int64_t i = 1; i < std::min(perWord, layout.numRegisters() - r); ++i)
      moved |= plan.memory.offsetOf(layout.indexOf({0, 0, r + i})) != first + i;
    changed += moved || first % perWord != 0;
  }
  return changed;
}

/// B of a product, 32x256 f16 with columns side by side in memory, for an
/// instruction that takes four rows of each lane.
static Layout operandOfRows() {
  return nested({1, 2}, {4, 4}, {1, 1}, {2, 32}, {4, 1}, {0, 1}, {32, 1})
      .toLayout();
}

// VX-270: what an instruction takes along k is side by side in memory, so words
// are as they are loaded, and only who stores puts them together.
TEST(SharedMemory, VX270_OnlyTheStoringSidePermutesBytes) {
  Layout dst = operandOfRows();
  HardwareShape hardware{8, 64};
  Layout columns =
      nested({8, 1}, {4, 4}, {1, 1}, {1, 64}, {1, 1}, {1, 0}, {0, 1})
          .toLayout();
  Layout tiles = nested({8, 1}, {1, 1}, {1, 1}, {1, 64}, {4, 4}, {1, 0}, {0, 1})
                     .toLayout();
  for (const Layout &src : {columns, tiles}) {
    SharedMemoryPlan plan =
        planSharedMemory(src, dst, hardware, 16, BankModel());
    expectMovesEverything(src, dst, plan, hardware);
    expectAsSimulated(src, dst, plan, hardware);
    EXPECT_EQ(changedWords(dst, plan), 0) << toString(plan.memory);
    EXPECT_EQ(countBytePermutes(plan), 8) << toString(plan.memory);
  }
}

// VX-270: a plan without byte permutes leaves each word as it is, and one that
// has some does not.
TEST(SharedMemory, VX270_CountedPermutesAreChangedWords) {
  std::mt19937 random(270);
  int64_t without = 0;
  for (int trial = 0; trial < share(1000); ++trial) {
    Shape shape = {pick(random, {1, 2, 6, 16, 32}),
                   pick(random, {2, 8, 12, 32, 64})};
    RandomRange range{.maxSubgroups = 4, .maxLanes = 32};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    HardwareShape hardware = hardwareForInMemory(src, dst, 32);
    int64_t bits = pick(random, {8, 16, 32});
    SharedMemoryPlan plan =
        planSharedMemory(src, dst, hardware, bits, BankModel());
    bool isNarrow = false;
    for (const SharedAccess *access : {&plan.store, &plan.load})
      isNarrow |=
          access->registers.size() > 1 && access->width * plan.elementBytes < 4;
    int64_t changed = changedWords(src, plan) + changedWords(dst, plan);
    EXPECT_EQ(countBytePermutes(plan) == 0, changed == 0 && !isNarrow)
        << toString(src) << " to " << toString(dst) << " by "
        << toString(plan.memory);
    without += countBytePermutes(plan) == 0;
  }
  EXPECT_GT(without, share(200));
}

// VX-270: addresses of an access are one base at displacements, or under a
// swizzle one more for each pattern of the bits that ids and registers share.
TEST(SharedMemory, VX270_AddressOperations) {
  std::mt19937 random(271);
  for (int trial = 0; trial < share(300); ++trial) {
    Shape shape = {pick(random, {4, 16, 32}), pick(random, {8, 32, 64})};
    RandomRange range{.maxSubgroups = 4, .maxLanes = 32};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    HardwareShape hardware = hardwareForInMemory(src, dst, 32);
    SharedMemoryPlan plan =
        planSharedMemory(src, dst, hardware, 16, BankModel());
    // Base addresses of lanes, and by how much each register is away.
    std::set<std::vector<int64_t>> distances;
    for (int64_t r = 0; r < src.numRegisters(); r += plan.store.width) {
      std::vector<int64_t> ofLanes;
      auto offsetOf = [&](int64_t s, int64_t l, int64_t reg) {
        return plan.memory.offsetOf(src.indexOf({s, l, reg}));
      };
      int64_t reg = plan.store.registers[r];
      for (int64_t s = 0; s < hardware.subgroups; ++s)
        for (int64_t l = 0; l < hardware.lanes; ++l)
          ofLanes.push_back(offsetOf(s, l, reg) - offsetOf(s, l, 0) -
                            (offsetOf(0, 0, reg) - offsetOf(0, 0, 0)));
      distances.insert(ofLanes);
    }
    int64_t bases = distances.size();
    if (plan.memory.swizzle.isNone())
      EXPECT_EQ(bases, 1);
    EXPECT_LE(bases, plan.store.addressOps) << toString(plan.memory);
  }
}

/// Position bits that are registers on both sides: what VX-46 calls common.
static int64_t commonRegisterBits(const Layout &src, const Layout &dst) {
  auto registerPositions = [](const Layout &layout) {
    std::set<int64_t> bits;
    for (int64_t r = 1; r < layout.numRegisters(); r *= 2)
      bits.insert(layout.linearIndexOf({0, 0, r}));
    return bits;
  };
  int64_t common = 0;
  for (int64_t bit : registerPositions(src))
    common += registerPositions(dst).count(bit);
  return common;
}

// VX-46: powers of two with common vector bits of at least a word.
TEST(SharedMemory, VX46_PowersOfTwoAreConflictFree) {
  std::mt19937 random(6);
  int64_t guaranteed = 0;
  for (int trial = 0; trial < share(2000); ++trial) {
    Shape shape = {pick(random, {1, 2, 16, 32, 64}),
                   pick(random, {8, 16, 32, 64})};
    RandomRange range{.maxSubgroups = 4, .maxLanes = 32};
    Layout src = randomLayout(random, shape, range);
    Layout dst = randomLayout(random, shape, range);
    int64_t bits = pick(random, {8, 16, 32, 64});
    HardwareShape hardware =
        hardwareForInMemory(src, dst, pick(random, {32, 64}));
    SharedMemoryPlan plan =
        planSharedMemory(src, dst, hardware, bits, BankModel());
    expectMovesEverything(src, dst, plan, hardware);
    expectAsSimulated(src, dst, plan, hardware);
    if (HasFatalFailure())
      return;
    int64_t common = commonRegisterBits(src, dst);
    if (bits << std::min<int64_t>(common, 8) < 32)
      continue;
    ++guaranteed;
    ASSERT_EQ(plan.store.wavefronts, plan.store.ideal)
        << toString(src) << " to " << toString(dst) << " " << bits << " by "
        << toString(plan.memory);
    ASSERT_EQ(plan.load.wavefronts, plan.load.ideal)
        << toString(src) << " to " << toString(dst) << " " << bits << " by "
        << toString(plan.memory);
  }
  EXPECT_GT(guaranteed, share(500));
}

// VX-47: at least as good as rows without padding, and better where it counts.
TEST(SharedMemory, VX47_PaddingBeatsNoPadding) {
  std::mt19937 random(8);
  int64_t better = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Shape shape = {pick(random, {12, 24, 48}), pick(random, {24, 48, 96})};
    Layout src =
        randomLayout(random, shape,
                     {.maxSubgroups = 4, .maxLanes = 32, .maxRegisters = 512});
    Layout dst =
        randomLayout(random, shape,
                     {.maxSubgroups = 4, .maxLanes = 32, .maxRegisters = 512});
    HardwareShape hardware = hardwareForInMemory(src, dst, 32);
    SharedMemoryPlan plan =
        planSharedMemory(src, dst, hardware, 32, BankModel());
    SharedMemoryPlan plain = plan;
    plain.memory = MemoryLayout::ofDims(shape, {0, 1});
    plain.store.width = plain.load.width = 1;
    int64_t found = plan.store.wavefronts + plan.load.wavefronts;
    int64_t unpadded =
        simulate(src, plain, plain.store, hardware, true).wavefronts +
        simulate(dst, plain, plain.load, hardware, false).wavefronts;
    ASSERT_LE(found, unpadded) << toString(src) << " to " << toString(dst);
    better += found < unpadded;
  }
  EXPECT_GT(better, 30);
}

// 33 x 33 f32 read by columns: rows of 33 words need no padding; 32 x 32 do.
// (VX-45)
TEST(SharedMemory, VX45_TransposedTile) {
  Layout rows = nested({1, 1}, {1, 1}, {1, 1}, {1, 32}, {32, 1}, {0, 0}, {0, 1})
                    .toLayout();
  Layout columns = rows.permute({1, 0});
  SharedMemoryPlan plan =
      planSharedMemory(rows, columns, {1, 32}, 32, BankModel());
  EXPECT_EQ(plan.store.wavefronts, 32);
  EXPECT_EQ(plan.load.wavefronts, 32);
  SharedMemoryPlan naive = plan;
  naive.memory = MemoryLayout::ofDims({32, 32}, {0, 1});
  naive.store.width = naive.load.width = 1;
  EXPECT_EQ(simulate(rows, naive, naive.store, {1, 32}, true).wavefronts, 32);
  EXPECT_EQ(simulate(columns, naive, naive.load, {1, 32}, false).wavefronts,
            32 * 32);
}

TEST(SharedMemory, MemoryLayoutExample) {
  MemoryLayout memory = MemoryLayout::ofDims({64, 64}, {0, 1});
  memory.swizzle = {3, 3, 3};
  // Vector v of row i lies at vector v ^ (i % 8).
  EXPECT_EQ(memory.offsetOf({5, 16}), 5 * 64 + (2 ^ 5) * 8);
  SmallVector<int64_t> offsets = memory.offsets();
  std::set<int64_t> distinct(offsets.begin(), offsets.end());
  EXPECT_EQ(distinct.size(), 64u * 64u);
  EXPECT_EQ(*distinct.rbegin(), 64 * 64 - 1);
  for (int64_t i : {0, 7, 63})
    for (int64_t j : {0, 9, 63})
      EXPECT_EQ(offsets[i * 64 + j], memory.offsetOf({i, j}));
  MemoryLayout padded = MemoryLayout::ofDims({4, 6}, {0, 1}, 2);
  EXPECT_EQ(padded.offsetOf({3, 5}), 3 * 8 + 5);
  EXPECT_EQ(padded.numElements, 3 * 8 + 6);
}

TEST(SharedMemory, BankModelExample) {
  BankModel banks;
  SmallVector<int64_t> column, padded, same;
  for (int64_t i = 0; i < 32; ++i) {
    column.push_back(i * 32 * 4);
    padded.push_back(i * 33 * 4);
    same.push_back(64);
  }
  EXPECT_EQ(banks.wavefronts(column, 4), 32);
  EXPECT_EQ(banks.wavefronts(padded, 4), 1);
  EXPECT_EQ(banks.wavefronts(same, 4), 1);
  EXPECT_EQ(banks.wavefronts({}, 4), 0);
  // An access takes every word that it touches: words 29 to 32 meet word 0.
  EXPECT_EQ(banks.wavefronts({0, 29 * 4}, 16), 2);
  EXPECT_EQ(banks.wavefronts({0, 28 * 4}, 16), 1);
  EXPECT_EQ(banks.wavefronts({2, 32 * 4}, 4), 2); // half of words 0 and 1
}

// Against sets of words, bank by bank: aligned accesses and others, of few and
// many lanes, to banks of any width.
// (VX-45)
TEST(SharedMemory, VX45_WavefrontsOfRandomAccesses) {
  std::mt19937 random(11);
  int64_t conflicts = 0;
  for (int64_t trial = 0; trial < share(2000); ++trial) {
    BankModel banks{.banks = pick(random, {1, 2, 32, 64}),
                    .bankBytes = pick(random, {4, 8})};
    int64_t bytes = pick(random, {1, 2, 4, 8, 12, 16});
    int64_t step = pick(random, {1, bytes, 4 * bytes, 128});
    SmallVector<int64_t> offsets;
    for (int64_t lane = 0, e = random() % 40; lane < e; ++lane)
      offsets.push_back(int64_t(random() % 50) * step);
    std::map<int64_t, std::set<int64_t>> wordsOfBank;
    for (int64_t offset : offsets)
      for (int64_t byte = offset; byte < offset + bytes; ++byte)
        wordsOfBank[byte / banks.bankBytes % banks.banks].insert(
            byte / banks.bankBytes);
    int64_t most = 0;
    for (const auto &[bank, words] : wordsOfBank)
      most = std::max<int64_t>(most, words.size());
    ASSERT_EQ(banks.wavefronts(offsets, bytes), most)
        << banks.banks << " banks of " << banks.bankBytes << ", " << bytes
        << " bytes";
    conflicts += most > 1;
  }
  EXPECT_GT(conflicts, share(500));
}

// Planning stays far within a compile's budget: 64K elements, the worst case.
// The bound is loose; a search that looks at every place per candidate takes
// a hundred times longer.
TEST(SharedMemory, PlanningIsFast) {
  Layout src = nested({4, 1}, {1, 4}, {2, 1}, {8, 4}, {4, 16}, {1, 0}, {4, 1})
                   .toLayout();
  Layout dst =
      nested({1, 4}, {4, 1}, {2, 1}, {4, 8}, {8, 8}, {0, 1}, {1, 4}).toLayout();
  ASSERT_EQ(src.numElements(), 65536);
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i)
    planConversion(src, dst, {4, 32}, 16, MoveCosts(), BankModel());
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  RecordProperty("ms_per_plan", std::to_string(time.count() / 5));
  EXPECT_LT(time.count() / 5, 200);
}
