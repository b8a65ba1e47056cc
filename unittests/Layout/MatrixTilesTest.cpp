//===- MatrixTilesTest.cpp - Registers as rows of 8x8 tiles ---------------===//
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

#include <map>

using namespace distaff;
using namespace distaff::test;

//===----------------------------------------------------------------------===//
// The instruction, from PTX's description: 8x8 units of 16 bits
//===----------------------------------------------------------------------===//

/// Memory as units of 16 bits: (element, half) of elements of 32 bits,
/// (element, 0) of 16, (the first of two, 0) of 8.
struct Units {
  std::vector<int64_t> elements; // by offset; -1: nothing there
  int64_t bits;

  /// The elements of the 16-bit unit `unit`, one or two; of 32 bits the
  /// element, whose halves stay together in a word.
  int64_t elementAt(int64_t byte) const { return elements[byte / (bits / 8)]; }
};

/// What lane `lane` gets in word `tile`: the element that each of the word's
/// bytes is of. `rows` are byte addresses, one per lane.
static std::vector<int64_t> loadWord(const Units &memory,
                                     const std::vector<int64_t> &rows,
                                     int64_t lane, int64_t tile,
                                     bool transposed) {
  std::vector<int64_t> bytes;
  for (int64_t unit = 0; unit < 2; ++unit) {
    int64_t row = lane / 4, column = 2 * (lane % 4) + unit;
    if (transposed)
      std::swap(row, column);
    for (int64_t byte = 0; byte < 2; ++byte)
      bytes.push_back(
          memory.elementAt(rows[8 * tile + row] + 2 * column + byte));
  }
  return bytes;
}

/// Bank passes of the 8 rows of a tile: 32 banks of 4 bytes.
static int64_t passesOf(const std::vector<int64_t> &rows, int64_t tile) {
  std::map<int64_t, std::set<int64_t>> words;
  for (int64_t row = 0; row < 8; ++row)
    for (int64_t byte = 0; byte < 16; byte += 4) {
      int64_t word = (rows[8 * tile + row] + byte) / 4;
      words[word % 32].insert(word);
    }
  size_t most = 0;
  for (auto &[bank, wanted] : words)
    most = std::max(most, wanted.size());
  return most;
}

//===----------------------------------------------------------------------===//
// When registers are tiles
//===----------------------------------------------------------------------===//

/// By looking at every place: whether words of lanes 4 g .. 4 g + 3 are runs of
/// 16 bytes along `dim`, in order.
static bool areRowsAlong(const Layout &layout, int64_t dim, int64_t bits) {
  int64_t perWord = 32 / bits, perRow = 128 / bits;
  std::map<Index, int64_t> held;
  for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
    held[indexAt(layout, {0, 0, reg})] = reg;
  for (auto &[index, reg] : held) {
    if (index[dim] % perRow != 0)
      continue;
    for (int64_t e = 0; e < perWord; ++e) {
      Index next = index;
      next[dim] += e;
      if (!held.count(next))
        return false;
      for (int64_t lane = 0; lane < 32; ++lane) {
        Index row = indexAt(layout, {0, lane - lane % 4, reg});
        row[dim] += lane % 4 * perWord + e;
        if (row[dim] / perRow * perRow !=
                indexAt(layout, {0, lane - lane % 4, reg})[dim] ||
            indexAt(layout, {0, lane, held[next]}) != row)
          return false;
      }
    }
  }
  // Registers that begin no word belong to one.
  int64_t words = 0;
  for (auto &[index, reg] : held)
    words += index[dim] % perRow == 0;
  return words * perWord == layout.numRegisters();
}

/// Whether elements 2 (l % 4), 2 (l % 4) + 1 along some other dim, of 8
/// neighbours l / 4 along `dim`, are lane l's words.
static bool areColumnsAlong(const Layout &layout, int64_t dim) {
  std::map<Index, int64_t> held;
  for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
    held[indexAt(layout, {0, 0, reg})] = reg;
  for (int64_t across = 0; across < layout.rank(); ++across) {
    if (across == dim)
      continue;
    int64_t words = 0;
    bool all = true;
    for (auto &[index, reg] : held) {
      if (index[across] % 8 != 0)
        continue;
      ++words;
      for (int64_t e = 0; e < 2 && all; ++e) {
        Index next = index;
        next[across] += e;
        all &= held.count(next) && index[dim] % 8 == 0;
        for (int64_t lane = 0; lane < 32 && all; ++lane) {
          Index wanted = index;
          wanted[dim] += lane / 4;
          wanted[across] += 2 * (lane % 4) + e;
          all &= indexAt(layout, {0, lane, held[next]}) == wanted;
        }
      }
    }
    if (all && 2 * words == layout.numRegisters())
      return true;
  }
  return false;
}

static Layout randomCandidate(std::mt19937 &random, int64_t bits) {
  int64_t rank = pick(random, {2, 2, 3});
  NestedLayout nested = NestedLayout::units(rank);
  int64_t stride = 1;
  for (NestedDim &dim : nested.dims) {
    dim.batchTile = pick(random, {1, 1, 2, 3, 4});
    dim.outerTile = pick(random, {1, 1, 2});
    dim.elementTile = pick(random, {1, 1, 1, 2});
    if (random() % 3 == 0) {
      dim.subgroupTile = 2;
      dim.subgroupStride = stride;
      stride *= 2;
    }
  }
  int64_t four = random() % rank,
          eight = (four + 1 + random() % (rank - 1)) % rank;
  nested[four].threadTile = 4;
  nested[four].threadStride = 1;
  nested[four].elementTile = random() % 8 ? 32 / bits : pick(random, {1, 2, 4});
  nested[eight].threadTile = 8;
  nested[eight].threadStride = 4;
  if (random() % 8)
    nested[eight].elementTile = 1;
  // Lanes the other way round; of 32 bits they are tiles of two rows in one,
  // which are not looked for.
  if (bits < 32 && random() % 12 == 0) {
    nested[four].threadStride = 8;
    nested[eight].threadStride = 1;
  }
  if (random() % 12 == 0)
    nested[eight].threadTile = 4;
  nested.normalize();
  return nested.toLayout();
}

// VX-48: a layout is taken for tiles iff its places are those of tiles.
TEST(MatrixTiles, VX48_TilesIffThePlacesAreThoseOfTiles) {
  std::mt19937 random(48);
  int64_t plain = 0, transposed = 0, neither = 0;
  for (int trial = 0; trial < share(1500); ++trial) {
    int64_t bits = pick(random, {8, 16, 16, 16, 32});
    Layout layout = randomCandidate(random, bits);
    bool rows = false, columns = false;
    // Lanes that repeat others could be tiles too, of rows that are repeated.
    for (int64_t dim = 0; dim < layout.rank(); ++dim) {
      if (layout.neededLanes() < 32)
        break;
      rows |= areRowsAlong(layout, dim, bits);
      columns |= bits == 16 && areColumnsAlong(layout, dim);
    }
    HardwareShape hardware{layout.neededSubgroups(), 32};
    bool asRows = MatrixTiles::get(layout, hardware, bits, false).has_value();
    bool asColumns = MatrixTiles::get(layout, hardware, bits, true).has_value();
    ASSERT_EQ(asRows, rows) << toString(layout) << " of " << bits << " bits";
    ASSERT_EQ(asColumns, columns) << toString(layout);
    plain += rows;
    transposed += columns;
    neither += !rows && !columns;
  }
  EXPECT_GT(plain, share(400));
  EXPECT_GT(transposed, share(200));
  EXPECT_GT(neither, share(100));
}

TEST(MatrixTiles, VX48_OnlySubgroupsOf32LanesAndWholeElementsHaveTiles) {
  NestedLayout nested = NestedLayout::units(2);
  nested[0].threadTile = 8;
  nested[0].threadStride = 4;
  nested[1].threadTile = 4;
  nested[1].threadStride = 1;
  nested[1].elementTile = 2;
  Layout layout = nested.toLayout();
  EXPECT_TRUE(MatrixTiles::get(layout, {1, 32}, 16, false));
  EXPECT_TRUE(MatrixTiles::get(layout, {1, 32}, 16, true));
  EXPECT_FALSE(MatrixTiles::get(layout, {1, 64}, 16, false));
  EXPECT_FALSE(MatrixTiles::get(layout, {1, 32}, 64, false));
  EXPECT_FALSE(MatrixTiles::get(layout, {1, 32}, 4, false));
  EXPECT_FALSE(MatrixTiles::get(layout, {1, 32}, 8, false)); // needs E = 4
}

/// The layout's registers by its digits in random order, words whole: the order
/// in which some instruction takes them. `word` is the first.
static std::vector<int64_t> randomOrder(std::mt19937 &random,
                                        const Layout &layout,
                                        llvm::ArrayRef<int64_t> word) {
  std::vector<DigitTerm> digits;
  for (DigitTerm term : layout.terms(Axis::Register))
    while (term.size > 1) {
      int64_t size = term.size % 2 == 0 ? 2 : term.size;
      digits.push_back({0, size, term.idStride, 0});
      term.size /= size;
      term.idStride *= size;
    }
  std::shuffle(digits.begin(), digits.end(), random);
  // Binary digits come before others, which no instruction has in an operand,
  // and words before all.
  auto rank = [&](const DigitTerm &digit) {
    return llvm::is_contained(word, digit.idStride) ? 0
           : digit.size == 2                        ? 1
                                                    : 2;
  };
  std::stable_sort(digits.begin(), digits.end(),
                   [&](const DigitTerm &a, const DigitTerm &b) {
                     return std::pair(rank(a), rank(a) ? 0 : a.idStride) <
                            std::pair(rank(b), rank(b) ? 0 : b.idStride);
                   });
  std::vector<int64_t> order = {0};
  for (const DigitTerm &digit : digits) {
    std::vector<int64_t> more;
    for (int64_t at = 0; at < digit.size; ++at)
      for (int64_t reg : order)
        more.push_back(reg + at * digit.idStride);
    order = more;
  }
  return order;
}

// VX-250: what one load brings are the next words of the instruction's order.
TEST(MatrixTiles, VX250_TilesFollowTheOrderInWhichAnInstructionTakesWords) {
  std::mt19937 random(250);
  std::map<std::tuple<bool, int64_t, int64_t>, int64_t> seen;
  int64_t reordered = 0;
  for (int trial = 0; trial < share(3000); ++trial) {
    int64_t bits = pick(random, {8, 16, 16, 32}), perWord = 32 / bits;
    Layout layout = randomCandidate(random, bits);
    HardwareShape hardware{layout.neededSubgroups(), 32};
    for (bool transposed : {false, true}) {
      auto numbered = MatrixTiles::get(layout, hardware, bits, transposed);
      if (!numbered)
        continue;
      std::vector<int64_t> order =
          randomOrder(random, layout,
                      llvm::ArrayRef(numbered->registers).take_front(perWord));
      auto tiles = MatrixTiles::get(layout, hardware, bits, transposed, order);
      ASSERT_TRUE(tiles);
      ASSERT_EQ(tiles->tiles, numbered->tiles);
      int64_t perLoad = tiles->tiles * perWord;
      for (int64_t i = 0; i < tiles->instructions(); ++i) {
        auto *first = tiles->registers.begin() + i * perLoad;
        auto at = std::find(order.begin(), order.end(), *first);
        ASSERT_EQ((at - order.begin()) % perLoad, 0) << toString(layout);
        for (int64_t word = 0; word < perLoad; ++word)
          ASSERT_EQ(first[word], at[word])
              << toString(layout) << ", load " << i << ", register " << word;
      }
      reordered += tiles->registers != numbered->registers;
      ++seen[{transposed, tiles->tiles, bits}];
    }
  }
  EXPECT_GT(reordered, share(300));
  for (int64_t tiles : {1, 2, 4}) {
    EXPECT_GT((seen[{true, tiles, 16}]), 0) << "transposed x" << tiles;
    for (int64_t bits : {8, 16, 32})
      EXPECT_GT((seen[{false, tiles, bits}]), 0) << bits << " bits x" << tiles;
  }
}

// The 8 lanes that are 4 apart need their 4 neighbours, and those them.
TEST(MatrixTiles, VX48_HalfOfTheLanesHaveNoTiles) {
  for (bool isEight : {true, false}) {
    NestedLayout nested = NestedLayout::units(2);
    nested[0].threadTile = isEight ? 8 : 4;
    nested[0].threadStride = isEight ? 4 : 1;
    nested[1].elementTile = 2;
    for (bool transposed : {false, true})
      EXPECT_FALSE(
          MatrixTiles::get(nested.toLayout(), {1, 32}, 16, transposed));
  }
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Moves tokens by the plan: canonical lanes store, the instruction loads.
static void expectLoadsEverything(const Layout &src, const Layout &dst,
                                  const SharedMemoryPlan &plan,
                                  HardwareShape hardware, int64_t bits) {
  std::string what =
      toString(src) + " to " + toString(dst) + " by " + toString(plan.memory);
  Units memory{std::vector<int64_t>(plan.memory.numElements, -1), bits};
  for (int64_t s = 0; s < hardware.subgroups; ++s)
    for (int64_t l = 0; l < hardware.lanes; ++l)
      for (int64_t r = 0; r < src.numRegisters(); ++r)
        memory.elements[plan.memory.offsetOf(src.indexOf({s, l, r}))] =
            src.linearIndexOf({s, l, r});

  const MatrixTiles &tiles = *plan.loadTiles;
  int64_t passes = 0, ideal = 0, bytes = bits / 8;
  for (int64_t s = 0; s < hardware.subgroups; ++s)
    for (int64_t i = 0; i < tiles.instructions(); ++i) {
      std::vector<int64_t> rows;
      for (int64_t l = 0; l < 32; ++l) {
        rows.push_back(bytes * plan.memory.offsetOf(tiles.rows.indexOf(
                                   {s, l, i * tiles.perRow})));
        ASSERT_EQ(rows.back() % 16, 0) << what;
      }
      for (int64_t t = 0; t < tiles.tiles; ++t) {
        passes += passesOf(rows, t);
        ++ideal;
        for (int64_t l = 0; l < 32; ++l) {
          auto word = loadWord(memory, rows, l, t, tiles.transposed);
          for (int64_t e = 0; e < tiles.perWord; ++e) {
            int64_t reg =
                tiles.registers[(i * tiles.tiles + t) * tiles.perWord + e];
            for (int64_t byte = 0; byte < bytes; ++byte)
              ASSERT_EQ(word[e * bytes + byte], dst.linearIndexOf({s, l, reg}))
                  << what;
          }
        }
      }
    }
  EXPECT_EQ(plan.load.wavefronts, passes) << what;
  EXPECT_EQ(plan.load.ideal, ideal) << what;
}

static Layout randomCopy(std::mt19937 &random, llvm::ArrayRef<int64_t> shape,
                         int64_t bits) {
  NestedLayout nested = NestedLayout::units(shape.size());
  llvm::SmallVector<int64_t> rest(shape);
  int64_t inner = random() % shape.size(), lanes = 32;
  int64_t widest = pick(random, {1, 2, 4, 8}) * 16 / bits;
  while (widest > 1 && rest[inner] % widest != 0)
    widest /= 2;
  nested[inner].elementTile = std::max<int64_t>(1, widest);
  rest[inner] /= nested[inner].elementTile;
  for (size_t n = 0; n < shape.size(); ++n) {
    size_t dim = (inner + n) % shape.size();
    int64_t tile = 1;
    while (2 * tile <= lanes && rest[dim] % (2 * tile) == 0)
      tile *= 2;
    nested[dim].threadTile = tile;
    nested[dim].threadStride = 32 / lanes;
    lanes /= tile;
    rest[dim] /= tile;
    nested[dim].batchTile = rest[dim];
  }
  nested.normalize();
  return nested.toLayout();
}

static int64_t conflictsOf(const SharedMemoryPlan &plan) {
  return plan.store.wavefronts - plan.store.ideal + plan.load.wavefronts -
         plan.load.ideal;
}

/// Of a workgroup, for wavefronts and byte permutes.
static int64_t slotsOf(const SharedMemoryPlan &plan, HardwareShape hardware) {
  MoveCosts costs;
  return (plan.store.wavefronts + plan.load.wavefronts) *
             costs.sharedWavefront +
         hardware.subgroups * countBytePermutes(plan) * costs.bytePermute;
}

// Fewer loads are no reason to take conflicts: of 32x24 f16, rows in registers.
TEST(MatrixTiles, VX48_ConflictsAreNoPriceOfFewerLoads) {
  NestedLayout rows = NestedLayout::units(2), tiles = NestedLayout::units(2);
  rows[0].threadTile = 32;
  rows[0].threadStride = 1;
  rows[1].subgroupTile = 2;
  rows[1].subgroupStride = 1;
  rows[1].batchTile = 12;
  tiles[0].subgroupTile = 2;
  tiles[0].subgroupStride = 1;
  tiles[0].batchTile = 2;
  tiles[0].threadTile = 4;
  tiles[0].threadStride = 1;
  tiles[0].elementTile = 2;
  tiles[1].batchTile = 3;
  tiles[1].threadTile = 8;
  tiles[1].threadStride = 4;
  BankModel banks;
  banks.loadsMatrices = true;
  for (const Layout &src : {rows.toLayout(), tiles.toLayout()})
    for (const Layout &dst : {tiles.toLayout(), rows.toLayout()})
      EXPECT_LE(
          conflictsOf(planSharedMemory(src, dst, {2, 32}, 16, banks)),
          conflictsOf(planSharedMemory(src, dst, {2, 32}, 16, BankModel())));
}

// VX-48: addresses checked on tokens, and conflicts counted, for random
// sources.
TEST(MatrixTiles, VX48_LoadsBringEveryTokenToItsRegister) {
  std::mt19937 random(480);
  BankModel banks;
  banks.loadsMatrices = true;
  std::map<std::pair<bool, int64_t>, int64_t> seen; // (transposed, tiles)
  for (int trial = 0; trial < 500; ++trial) {
    int64_t bits = pick(random, {8, 16, 16, 16, 32});
    Layout dst = randomCandidate(random, bits);
    Layout src = randomCopy(random, dst.shape(), bits);
    HardwareShape hardware{
        std::max(src.neededSubgroups(), dst.neededSubgroups()), 32};
    SharedMemoryPlan plan = planSharedMemory(src, dst, hardware, bits, banks);
    SharedMemoryPlan without =
        planSharedMemory(src, dst, hardware, bits, BankModel());
    ASSERT_LE(slotsOf(plan, hardware), slotsOf(without, hardware));
    ASSERT_LE(conflictsOf(plan), conflictsOf(without));
    if (!plan.loadTiles)
      continue;
    ++seen[{plan.loadTiles->transposed, plan.loadTiles->tiles}];
    expectLoadsEverything(src, dst, plan, hardware, bits);
    if (HasFailure())
      return;
  }
  for (bool transposed : {false, true})
    for (int64_t tiles : {1, 2, 4})
      EXPECT_GT((seen[{transposed, tiles}]), 0)
          << (transposed ? "transposed x" : "plain x") << tiles;
}

//===----------------------------------------------------------------------===//
// Loads that transpose among lanes
//===----------------------------------------------------------------------===//

/// CDNA4 ISA, DS_READ_B64_TR_B16, and _B8: of 16 lanes, those that name parts
/// of row n are neighbours, and each gets a column.
static void expectColumns(const Layout &value, const MatrixTiles &tiles,
                          HardwareShape hardware, int64_t perLane,
                          int64_t columns) {
  ASSERT_EQ(tiles.registers.size(), size_t(value.numRegisters()));
  std::set<int64_t> loaded(tiles.registers.begin(), tiles.registers.end());
  ASSERT_EQ(loaded.size(), tiles.registers.size());
  for (int64_t s = 0; s < hardware.subgroups; ++s)
    for (int64_t lane = 0; lane < hardware.lanes; ++lane)
      for (int64_t i = 0; i < tiles.instructions(); ++i)
        for (int64_t n = 0; n < perLane; ++n) {
          int64_t column = lane % columns;
          int64_t from =
              lane - column + columns / perLane * n + column / perLane;
          ASSERT_EQ(
              indexAt(value, {s, lane, tiles.registers[i * perLane + n]}),
              indexAt(tiles.rows, {s, from, i * perLane + column % perLane}))
              << "lane " << lane << ", load " << i << ", element " << n;
        }
  // What a lane names lies in one piece along the rows' dimension.
  for (int64_t lane = 0; lane < hardware.lanes; ++lane)
    for (int64_t i = 0; i < tiles.instructions(); ++i)
      for (int64_t e = 1; e < perLane; ++e) {
        Index next = indexAt(tiles.rows, {0, lane, i * perLane});
        next[tiles.rowDim] += e;
        ASSERT_EQ(indexAt(tiles.rows, {0, lane, i * perLane + e}), next);
      }
}

/// Digits in any order, among them 16 neighbouring lanes along a dim, or not.
static Layout randomColumns(std::mt19937 &random, bool fits) {
  llvm::SmallVector<llvm::SmallVector<Digit>> dims(2 + pick(random, {0, 1}));
  llvm::SmallVector<Digit> others = {{Axis::Lane, 4, 16}};
  if (fits && pick(random, {0, 1}))
    others = {{Axis::Lane, 2, 32}};
  int64_t along = pick(random, {0, 1}), stride = 1;
  bool isWide = others[0].size == 2;
  for (int64_t n = pick(random, {2, 3, 4}); n-- > 0; stride *= 2)
    others.push_back({Axis::Register, 2, stride});
  if (pick(random, {0, 1}))
    others.push_back({Axis::Subgroup, 2, 1});
  std::shuffle(others.begin(), others.end(), random);
  for (const Digit &digit : others)
    dims[random() % dims.size()].push_back(digit);
  Digit columns = {Axis::Lane, isWide ? 32 : 16, 1};
  if (fits)
    dims[along].push_back(columns);
  else
    dims[along].insert(dims[along].begin(), {Axis::Lane, 16, 1});
  if (!fits)
    dims[along].push_back({Axis::Register, 3, stride});
  return *Layout::get(dims);
}

// VX-214: each lane's registers are columns of what lanes name, wherever the
// registers' digits lie.
TEST(MatrixTiles, VX214_LanesHoldColumnsOfWhatLanesName) {
  std::mt19937 random(214);
  TransposingLoad cdna = {
      .columns = 16, .bytes = 8, .leastBits = 8, .mostBits = 16};
  TransposingLoad rdna = {.columns = 8,
                          .bytes = 16,
                          .leastBits = 16,
                          .mostBits = 16,
                          .isGlobal = true};
  int64_t found = 0;
  for (int64_t trial = 0; trial < 300; ++trial) {
    Layout layout = randomColumns(random, /*fits=*/true);
    HardwareShape hardware{layout.neededSubgroups(), 64};
    for (auto [load, bits] :
         {std::pair(cdna, 16), std::pair(cdna, 8), std::pair(rdna, 16)}) {
      int64_t perLane = load.elementsOfLane(bits);
      auto tiles = MatrixTiles::get(layout, hardware, bits, load);
      ASSERT_EQ(tiles.has_value(), layout.numRegisters() % perLane == 0);
      if (!tiles)
        continue;
      ++found;
      expectColumns(layout, *tiles, hardware, perLane, load.columns);
    }
    EXPECT_FALSE(MatrixTiles::get(layout, hardware, 32, cdna));
    EXPECT_FALSE(MatrixTiles::get(layout, hardware, 4, cdna));
    EXPECT_FALSE(MatrixTiles::get(layout, hardware, 8, rdna));
    Layout other = randomColumns(random, /*fits=*/false);
    EXPECT_FALSE(MatrixTiles::get(other, {2, 64}, 16, cdna));
  }
  EXPECT_GT(found, 300);
}

// VX-108: the copies of the specification's example B, 128x32 f16.
TEST(MatrixTiles, VX108_PromotedOperandsOfExampleBHaveNoConflicts) {
  auto nested = [](std::array<int64_t, 7> rows,
                   std::array<int64_t, 7> columns) {
    NestedLayout layout = NestedLayout::units(2);
    for (auto [dim, n] : {std::pair(0, rows), std::pair(1, columns)}) {
      layout[dim].subgroupTile = n[0];
      layout[dim].subgroupStride = n[1];
      layout[dim].batchTile = n[2];
      layout[dim].outerTile = n[3];
      layout[dim].threadTile = n[4];
      layout[dim].threadStride = n[5];
      layout[dim].elementTile = n[6];
    }
    return layout.toLayout();
  };
  Layout copy = nested({4, 1, 4, 1, 8, 4, 1}, {1, 0, 1, 1, 4, 1, 8});
  Layout lhs = nested({2, 2, 4, 2, 8, 4, 1}, {1, 0, 2, 2, 4, 1, 2});
  Layout rhs = nested({2, 1, 8, 1, 8, 4, 1}, {1, 0, 2, 2, 4, 1, 2});
  BankModel banks;
  banks.loadsMatrices = true;
  for (const Layout &operand : {lhs, rhs}) {
    SharedMemoryPlan plan = planSharedMemory(copy, operand, {4, 32}, 16, banks);
    ASSERT_TRUE(plan.loadTiles);
    EXPECT_EQ(describeMatrixLoad(*plan.loadTiles), "ldmatrix.x4");
    EXPECT_EQ(plan.loadTiles->instructions(), 8); // 64 f16 by 8 at a time
    EXPECT_EQ(plan.load.wavefronts, plan.load.ideal);
    EXPECT_EQ(plan.store.wavefronts, plan.store.ideal);
    EXPECT_EQ(plan.store.width, 8);
    expectLoadsEverything(copy, operand, plan, {4, 32}, 16);
  }
}
