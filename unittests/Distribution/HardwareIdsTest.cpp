//===- HardwareIdsTest.cpp - Ids as IR equal the formulas -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Law C' (VX-25): what HardwareIds emits, folded for every thread by the ops'
// own folders, against the formulas of the specification, written out here.
//
//===----------------------------------------------------------------------===//
#include "../../lib/Distribution/HardwareIds.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace distaff;

namespace {
/// A function of two ids, and its values for given ones.
class Folded {
public:
  Folded() : builder(&context) {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                        func::FuncDialect, vector_ext::VectorExtDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    Type index = builder.getIndexType();
    auto function =
        func::FuncOp::create(builder, builder.getUnknownLoc(), "f",
                             builder.getFunctionType({index, index}, {}));
    entry = function.addEntryBlock();
  }

  DistributionOptions options(int64_t subgroups, int64_t lanes) {
    DistributionOptions options;
    options.subgroupId = entry->getArgument(0);
    options.laneId = entry->getArgument(1);
    options.numSubgroups = subgroups;
    options.subgroupSize = lanes;
    return options;
  }

  /// All values of the block for one thread.
  void run(int64_t subgroup, int64_t lane) {
    known.clear();
    known[entry->getArgument(0)] = builder.getIndexAttr(subgroup);
    known[entry->getArgument(1)] = builder.getIndexAttr(lane);
    for (Operation &op : *entry) {
      SmallVector<Attribute> operands;
      for (Value operand : op.getOperands())
        operands.push_back(known.at(operand));
      SmallVector<OpFoldResult> results;
      ASSERT_TRUE(succeeded(op.fold(operands, results)))
          << op.getName().getStringRef().str();
      for (auto [result, value] : llvm::zip_equal(op.getResults(), results)) {
        if (auto attribute = dyn_cast<Attribute>(value))
          known[result] = attribute;
        else
          known[result] = known.at(cast<Value>(value));
      }
    }
  }
  int64_t operator[](Value value) {
    Attribute attribute = known.at(value);
    if (auto flag = dyn_cast<BoolAttr>(attribute))
      return flag.getValue();
    return cast<IntegerAttr>(attribute).getInt();
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  Block *entry = nullptr;

private:
  llvm::DenseMap<Value, Attribute> known;
};

/// One dim of a nested layout, by the names of chapter 1.3.
struct Dim {
  int64_t S, B, O, T, E, sigma, tau;
};
} // namespace

static SmallVector<int64_t> chain(std::mt19937 &random,
                                  ArrayRef<int64_t> sizes) {
  auto order = llvm::to_vector(llvm::seq<size_t>(0, sizes.size()));
  std::shuffle(order.begin(), order.end(), random);
  SmallVector<int64_t> strides(sizes.size(), 0);
  int64_t next = 1;
  for (size_t at : order) {
    if (sizes[at] == 1)
      continue;
    next *= random() % 3 == 0 ? 2 : 1; // a gap
    strides[at] = next;
    next *= sizes[at];
  }
  return strides;
}

static vector_ext::NestedLayoutAttr attributeOf(MLIRContext *context,
                                                ArrayRef<Dim> dims) {
  NestedLayout layout;
  for (const Dim &dim : dims)
    layout.dims.push_back(
        {dim.S, dim.B, dim.O, dim.T, dim.E, dim.sigma, dim.tau});
  return vector_ext::NestedLayoutAttr::get(context, layout);
}

/// Formulas (2) and (3): the index of register 0, and whether the thread is the
/// canonical one (4).
static void expectFormulas(Folded &folded, ArrayRef<Dim> dims, int64_t s,
                           int64_t l, ArrayRef<Value> bases, Value canonical) {
  int64_t firstSubgroup = 0, firstLane = 0;
  for (auto [dim, base] : llvm::zip_equal(dims, bases)) {
    int64_t vs = dim.S > 1 ? s / dim.sigma % dim.S : 0;
    int64_t vt = dim.T > 1 ? l / dim.tau % dim.T : 0;
    EXPECT_EQ(folded[base], (vs * dim.B * dim.O * dim.T + vt) * dim.E);
    firstSubgroup += vs * dim.sigma;
    firstLane += vt * dim.tau;
  }
  bool isFirst = s == firstSubgroup && l == firstLane;
  EXPECT_EQ(canonical ? folded[canonical] : 1, isFirst);
}

// VX-25: random layouts with gaps and sizes that are no powers of two, on twice
// the subgroups that they need: those beyond hold replicas.
TEST(HardwareIds, VX25_LawC_EmittedIdsEqualTheFormulas) {
  std::mt19937 random(25);
  int64_t threads = 0;
  for (int trial = 0; trial < 60; ++trial) {
    SmallVector<Dim> dims(1 + random() % 3, {1, 1, 1, 1, 1, 0, 0});
    auto draw = [&] { return int64_t(1 + random() % 4); };
    SmallVector<int64_t> tiles, subgroups;
    for (Dim &dim : dims) {
      dim = {1, draw(), draw(), draw(), draw(), 0, 0};
      dim.S = random() % 2 ? 1 : 1 + random() % 3;
      tiles.push_back(dim.T);
      subgroups.push_back(dim.S);
    }
    SmallVector<int64_t> tau = chain(random, tiles);
    SmallVector<int64_t> sigma = chain(random, subgroups);
    int64_t needed = 1, subgroupsNeeded = 1;
    for (auto [at, dim] : llvm::enumerate(dims)) {
      dim.tau = tau[at];
      dim.sigma = sigma[at];
      needed += (dim.T - 1) * dim.tau;
      subgroupsNeeded += (dim.S - 1) * dim.sigma;
    }
    if (needed > 64)
      continue;
    int64_t lanes = needed > 32 ? 64 : 32;
    Folded folded;
    int64_t subgroupsThere = 2 * subgroupsNeeded;
    DistributionOptions options = folded.options(subgroupsThere, lanes);
    HardwareIds ids(options);
    Placement placement(attributeOf(&folded.context, dims));
    SmallVector<Value> bases = llvm::map_to_vector(
        llvm::seq<int64_t>(0, dims.size()),
        [&](int64_t dim) { return ids.base(placement, dim); });
    Value canonical = ids.isCanonical(placement.digitsOn(Axis::Subgroup),
                                      placement.digitsOn(Axis::Lane));
    for (int64_t s = 0; s < subgroupsThere; ++s)
      for (int64_t l = 0; l < lanes; ++l, ++threads) {
        folded.run(s, l);
        expectFormulas(folded, dims, s, l, bases, canonical);
        if (testing::Test::HasFailure())
          return;
      }
  }
  EXPECT_GT(threads, 1000);
}

// The bits that selects ask for are those of the digits.
TEST(HardwareIds, VX38_BitsOfDigits) {
  Folded folded;
  DistributionOptions options = folded.options(6, 32);
  HardwareIds ids(options);
  SmallVector<std::pair<IdBit, Value>> bits;
  for (Axis axis : {Axis::Lane, Axis::Subgroup})
    for (int64_t size : {2, 3, 5, 8})
      for (int64_t stride : {1, 2, 3})
        for (const IdBit &bit : bitsOf(Digit{axis, size, stride}))
          bits.push_back({bit, ids.bit(bit)});
  for (int64_t s = 0; s < 6; ++s)
    for (int64_t l = 0; l < 32; ++l) {
      folded.run(s, l);
      for (auto &[bit, value] : bits) {
        int64_t id = bit.axis == Axis::Lane ? l : s;
        EXPECT_EQ(folded[value], id / bit.stride % bit.size >> bit.bit & 1);
      }
    }
}
