//===- TileMapTest.cpp - Who has what of a tensor -------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What members have of a tensor is all of it, each element once but for
// replicas; and fragments of every instruction of every target are, register by
// register, what the target's table says (PCF-91).
//
//===----------------------------------------------------------------------===//
#include "../../lib/PCF/Distribute/TileMap.h"
#include "../../lib/PCF/Distribute/MmaTiles.h"
#include "distaff/Analysis/Layout/Multiplicand.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <map>

using namespace distaff;
using namespace distaff::pcf;

namespace {

using Index = SmallVector<int64_t>;

/// The index of the element that is element `number`, row-major, of the packed
/// tensor of a member.
Index indexOf(const TileMap &map, int64_t member, int64_t number) {
  std::map<std::pair<unsigned, unsigned>, int64_t> values;
  TileMap::Packing packing = map.getPacking();
  for (ArrayRef<TileMap::Own> group : llvm::reverse(packing))
    for (TileMap::Own own : llvm::reverse(group)) {
      values[{own.dim, own.digit}] = number % map.getExtent(own);
      number /= map.getExtent(own);
    }
  Index index;
  for (auto [d, dim] : llvm::enumerate(map.dims)) {
    index.push_back(0);
    for (auto [i, digit] : llvm::enumerate(dim.digits))
      index.back() = index.back() * digit.extent +
                     (digit.isOwn() ? values[{unsigned(d), unsigned(i)}]
                                    : member / digit.stride % digit.extent);
  }
  return index;
}

/// How often each element is there, over so many members.
std::map<Index, int64_t> count(const TileMap &map, int64_t members) {
  std::map<Index, int64_t> counts;
  int64_t elements = ShapedType::getNumElements(map.getMemberShape());
  for (int64_t member = 0; member < members; ++member)
    for (int64_t number = 0; number < elements; ++number)
      ++counts[indexOf(map, member, number)];
  return counts;
}

/// Law: all elements of the shape, each as often as there are replicas.
void expectCovers(const TileMap &map, ArrayRef<int64_t> shape,
                  int64_t members) {
  EXPECT_EQ(map.getShape(), Index(shape)) << map.describe();
  std::map<Index, int64_t> counts = count(map, members);
  EXPECT_EQ(int64_t(counts.size()), ShapedType::getNumElements(shape));
  for (auto &[index, times] : counts) {
    EXPECT_EQ(times, members / map.countBoxes());
    for (auto [at, extent] : llvm::zip_equal(index, shape))
      EXPECT_LT(at, extent);
  }
}

TEST(TileMap, EveryElementIsSomebodys) {
  for (int64_t members : {1, 2, 6, 8})
    for (int64_t rows : {1, 6, 8})
      for (int64_t columns : {1, 4, 24})
        for (int64_t rowWorkers : {1, 2, 3})
          for (int64_t columnWorkers : {1, 2, 4})
            for (int64_t tile : {0, 1, 2, 3}) {
              Index tiles = tile ? Index{1, tile} : Index{};
              std::optional<TileMap> map = TileMap::rowMajor(
                  {rows, columns}, {rowWorkers, columnWorkers}, tiles);
              bool fits =
                  rows % rowWorkers == 0 &&
                  columns % (columnWorkers * std::max<int64_t>(tile, 1)) == 0;
              EXPECT_EQ(map.has_value(), fits);
              if (map && members % map->countBoxes() == 0)
                expectCovers(*map, {rows, columns}, members);
            }
}

TEST(TileMap, IsKeptInAnAttribute) {
  MLIRContext context;
  TileMap plain = *TileMap::rowMajor({8, 4}, {2, 2});
  TileMap cyclic = *TileMap::rowMajor({64, 64}, {8, 8}, {1, 8});
  TileMap packed = cyclic;
  packed.packing = {{{1, 1}, {0, 2}}, {{0, 0}}};
  for (const TileMap &map : {TileMap(), plain, cyclic, packed})
    EXPECT_EQ(TileMap::decode(map.encode(&context)), map);
  EXPECT_FALSE(plain.isPacked());
  EXPECT_EQ(cyclic.getMemberShape(), Index({8, 1, 8}));
}

/// What an instruction does to its operand, as text: `name` is `value` in the
/// type of the accumulator; empty where it is that already.
std::string extend(StringRef name, StringRef value, ScalarKind from,
                   ScalarKind to) {
  StringRef source = elementNameOf(from), target = elementNameOf(to);
  if (source == target)
    return "";
  StringRef op = isUnsigned(from)  ? "arith.extui"
                 : isInteger(from) ? "arith.extsi"
                                   : "arith.extf";
  return (name + " = " + op + " " + value + " : " + source + " to " + target +
          "\n")
      .str();
}

/// A product of 2x3 fragments, two steps deep, as a kind of instruction does
/// it.
OwningOpRef<ModuleOp> makeProduct(MLIRContext &context, const MmaRow &row,
                                  bool swaps) {
  int64_t m = 2 * (swaps ? row.n : row.m), n = 3 * (swaps ? row.m : row.n);
  ScalarKind lhs = swaps ? row.b : row.a, rhs = swaps ? row.a : row.b;
  auto tensor = [](int64_t rows, int64_t columns, ScalarKind kind) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + elementNameOf(kind).str() + ">";
  };
  std::string a = tensor(m, 2 * row.k, lhs), b = tensor(2 * row.k, n, rhs),
              c = tensor(m, n, row.c), sum = elementNameOf(row.c).str(),
              suffix = isInteger(row.c) ? "i " : "f ";
  std::string left = extend("%l", "%x", lhs, row.c),
              right = extend("%r", "%y", rhs, row.c);
  std::string text =
      "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c + ") -> " + c +
      " { %d = linalg.generic {indexing_maps = ["
      "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
      "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", "
      "\"parallel\", \"reduction\"], " +
      (isReducedF32(row.a) ? allowTf32Name.str() + ", " : "") +
      "lowering_config = "
      "#iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<" +
      row.name.str() + (swaps ? ", col_major" : "") + ">}>} ins(%a, %b : " + a +
      ", " + b + ") outs(%c : " + c +
      ") {\n^bb0(%x: " + elementNameOf(lhs).str() +
      ", %y: " + elementNameOf(rhs).str() + ", %z: " + sum + "):\n" + left +
      right + "%p = arith.mul" + suffix + (left.empty() ? "%x" : "%l") + ", " +
      (right.empty() ? "%y" : "%r") + " : " + sum + "\n%s = arith.add" +
      suffix + "%z, %p : " + sum + "\nlinalg.yield %s : " + sum + " } -> " + c +
      " return %d : " + c + " }";
  return parseSourceString<ModuleOp>(text, &context);
}

/// Law: what a lane has in a register of the fragment at `blocks` is the
/// element of the table, or its transpose.
void expectFragments(const TileMap &map, const Fragment &fragment,
                     int64_t lanes, bool isTransposed) {
  expectCovers(map, map.getShape(), lanes);
  Layout layout = layoutOf(fragment);
  Index shape = map.getMemberShape();
  ASSERT_EQ(shape.size(), 4u);
  int64_t registers = shape[2] * shape[3];
  ASSERT_EQ(registers, fragment.numRegisters());
  EXPECT_EQ(shape[2], fragment.shape[0]);
  for (int64_t block = 0; block < shape[0] * shape[1]; ++block)
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int64_t reg = 0; reg < registers; ++reg) {
        SmallVector<int64_t> expected = layout.indexOf({0, lane, reg});
        if (isTransposed)
          std::swap(expected[0], expected[1]);
        int sides[2] = {isTransposed, !isTransposed};
        expected[0] += block / shape[1] * fragment.extent(sides[0]);
        expected[1] += block % shape[1] * fragment.extent(sides[1]);
        EXPECT_EQ(indexOf(map, lane, block * registers + reg), Index(expected));
      }
}

TEST(MmaTiles, FragmentsAreThoseOfTheTables) {
  MLIRContext context;
  DialectRegistry registry;
  registry
      .insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect>();
  iree::registerIREE(registry);
  context.appendDialectRegistry(registry);
  for (const Target *target : gpuTargets())
    for (const MmaRow &row : target->mma)
      for (bool swaps : {false, true}) {
        SCOPED_TRACE(row.name.str() + (swaps ? ", col_major" : ""));
        OwningOpRef<ModuleOp> module = makeProduct(context, row, swaps);
        ASSERT_TRUE(module);
        linalg::LinalgOp op;
        module->walk([&](linalg::LinalgOp found) { op = found; });
        Builder builder(&context);
        WorkerGrid grid{iree::LaneScopeAttr::get(&context),
                        {builder.getIndexAttr(row.subgroupSize)}};
        std::string why;
        FailureOr<MmaTiles> tiles = planMmaTiles(op, grid, why);
        if (row.blocks > 1) {
          EXPECT_TRUE(failed(tiles));
          EXPECT_NE(why.find("multiplies several blocks"), std::string::npos);
          continue;
        }
        ASSERT_TRUE(succeeded(tiles)) << why;
        expectFragments(tiles->lhs, swaps ? row.fragmentB : row.fragmentA,
                        row.subgroupSize, swaps);
        expectFragments(tiles->rhs, swaps ? row.fragmentA : row.fragmentB,
                        row.subgroupSize, swaps);
        expectFragments(tiles->acc, row.fragmentC, row.subgroupSize, swaps);
      }
}

} // namespace
