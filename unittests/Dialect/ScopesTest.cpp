//===- ScopesTest.cpp - Workers, barriers and memory of scopes ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What scopes build is interpreted for whole grids and compared with closed
// forms; extents differ from each other, so that no order is right by chance.
//
//===----------------------------------------------------------------------===//
#include "PCFTest.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {

/// Where a thread is, as the gpu dialect says it.
struct Machine {
  std::array<int64_t, 3> block, grid;
  int64_t subgroup = 0, subgroups = 1, lane = 0, lanes = 1;

  int64_t answer(Value value) const {
    Operation *op = value.getDefiningOp();
    if (auto id = dyn_cast_or_null<gpu::BlockIdOp>(op))
      return block[static_cast<size_t>(id.getDimension())];
    if (auto count = dyn_cast_or_null<gpu::GridDimOp>(op))
      return grid[static_cast<size_t>(count.getDimension())];
    if (isa_and_nonnull<gpu::SubgroupIdOp>(op))
      return subgroup;
    if (isa_and_nonnull<gpu::NumSubgroupsOp>(op))
      return subgroups;
    if (isa_and_nonnull<gpu::LaneIdOp>(op))
      return lane;
    EXPECT_TRUE(isa_and_nonnull<gpu::SubgroupSizeOp>(op));
    return lanes;
  }
};

class Scopes : public PCFTest {
protected:
  Scopes() : builder(&context) {
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder.setInsertionPointToStart(module->getBody());
  }

  ScopeAttrInterface scope(StringRef text) {
    return cast<ScopeAttrInterface>(parseAttribute(text, &context));
  }

  /// Ids or counts of a worker, and that they are as many as asked for.
  std::vector<int64_t> evaluateAll(ArrayRef<Value> values, int64_t n,
                                   const Machine &machine) {
    EXPECT_EQ(values.size(), static_cast<size_t>(n));
    std::vector<int64_t> numbers;
    for (Value value : values) {
      EXPECT_TRUE(value.getType().isIndex());
      numbers.push_back(
          evaluate(value, [&](Value leaf) { return machine.answer(leaf); }));
    }
    return numbers;
  }
  std::vector<int64_t> ids(StringRef text, int64_t n, const Machine &machine) {
    return evaluateAll(scope(text).getWorkerIDs(builder, loc(), n), n, machine);
  }
  std::vector<int64_t> counts(StringRef text, int64_t n,
                              const Machine &machine) {
    return evaluateAll(scope(text).getWorkerCounts(builder, loc(), n), n,
                       machine);
  }

  Location loc() { return builder.getUnknownLoc(); }

  /// What was built so far, one op each; clears it.
  std::string built() {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (Operation &op : llvm::make_early_inc_range(*module->getBody())) {
      if (!isa<arith::ConstantOp, gpu::SubgroupSizeOp, arith::MulIOp>(op))
        os << (text.empty() ? "" : "; ") << op;
    }
    while (!module->getBody()->empty())
      module->getBody()->back().erase();
    return text;
  }

  OpBuilder builder;
};

/// Every worker of some grids.
void forEachBlock(function_ref<void(const Machine &)> visit) {
  for (std::array<int64_t, 3> grid :
       {std::array<int64_t, 3>{2, 3, 5}, {4, 1, 3}, {1, 7, 2}, {1, 1, 1}})
    for (int64_t z = 0; z < grid[2]; ++z)
      for (int64_t y = 0; y < grid[1]; ++y)
        for (int64_t x = 0; x < grid[0]; ++x)
          visit({{x, y, z}, grid});
}

using Values = std::vector<int64_t>;

// PCF-9, PCF-10.
TEST_F(Scopes, WorkgroupsAreNumberedFastestFirst) {
  StringRef wg = "#iree_codegen.workgroup_scope";
  EXPECT_EQ(scope(wg).getNativeNumProcessorIds(), 3);
  forEachBlock([&](const Machine &at) {
    auto [x, y, z] = at.block;
    auto [nx, ny, nz] = at.grid;
    EXPECT_EQ(ids(wg, 1, at), Values({x + nx * (y + ny * z)}));
    EXPECT_EQ(counts(wg, 1, at), Values({nx * ny * nz}));
    EXPECT_EQ(ids(wg, 2, at), Values({x, y + ny * z}));
    EXPECT_EQ(counts(wg, 2, at), Values({nx, ny * nz}));
    EXPECT_EQ(ids(wg, 3, at), Values({x, y, z}));
    EXPECT_EQ(counts(wg, 3, at), Values({nx, ny, nz}));
    EXPECT_EQ(ids(wg, 5, at), Values({x, y, z, 0, 0}));
    EXPECT_EQ(counts(wg, 5, at), Values({nx, ny, nz, 1, 1}));
  });
}

// PCF-9: for every n, each id is less than its count, and different workers
// have different ids.
TEST_F(Scopes, IdsAndCountsAreOneLinearization) {
  for (StringRef wg : {"#iree_codegen.workgroup_scope",
                       "#iree_codegen.workgroup_scope<linearize>"})
    for (int64_t n : {1, 2, 3, 4}) {
      std::map<std::array<int64_t, 3>, std::set<Values>> seen;
      forEachBlock([&](const Machine &at) {
        Values workerIds = ids(wg, n, at), workerCounts = counts(wg, n, at);
        int64_t total = 1;
        for (auto [id, count] : llvm::zip(workerIds, workerCounts)) {
          EXPECT_LT(id, count);
          total *= count;
        }
        EXPECT_EQ(total, at.grid[0] * at.grid[1] * at.grid[2]);
        EXPECT_TRUE(seen[at.grid].insert(workerIds).second);
      });
    }
}

// PCF-10, PCF-11.
TEST_F(Scopes, LinearWorkgroupsHaveOneIdForEveryNumberOfIds) {
  StringRef wgl = "#iree_codegen.workgroup_scope<linearize>";
  EXPECT_EQ(scope(wgl).getNativeNumProcessorIds(), 1);
  forEachBlock([&](const Machine &at) {
    int64_t id =
        at.block[0] + at.grid[0] * (at.block[1] + at.grid[1] * at.block[2]);
    int64_t count = at.grid[0] * at.grid[1] * at.grid[2];
    EXPECT_EQ(ids(wgl, 1, at), Values({id}));
    EXPECT_EQ(counts(wgl, 1, at), Values({count}));
    EXPECT_EQ(ids(wgl, 3, at), Values({id, 0, 0}));
    EXPECT_EQ(counts(wgl, 3, at), Values({count, 1, 1}));
  });
}

// PCF-10.
TEST_F(Scopes, ScopesOfOneIdArePadded) {
  Machine at{{1, 2, 3},   {4, 5, 6},   /*subgroup=*/7, /*subgroups=*/11,
             /*lane=*/13, /*lanes=*/64};
  StringRef sg = "#iree_gpu.subgroup_scope", ln = "#iree_gpu.lane_scope",
            seq = "#pcf.sequential";
  for (StringRef text : {sg, ln, seq})
    EXPECT_EQ(scope(text).getNativeNumProcessorIds(), 1);
  EXPECT_EQ(ids(sg, 1, at), Values({7}));
  EXPECT_EQ(counts(sg, 1, at), Values({11}));
  EXPECT_EQ(ids(sg, 3, at), Values({7, 0, 0}));
  EXPECT_EQ(counts(sg, 3, at), Values({11, 1, 1}));
  EXPECT_EQ(ids(ln, 1, at), Values({13}));
  EXPECT_EQ(counts(ln, 1, at), Values({64}));
  EXPECT_EQ(ids(ln, 2, at), Values({13, 0}));
  EXPECT_EQ(counts(ln, 2, at), Values({64, 1}));
  EXPECT_EQ(ids(seq, 1, at), Values({0}));
  EXPECT_EQ(counts(seq, 1, at), Values({1}));
  EXPECT_EQ(ids(seq, 4, at), Values({0, 0, 0, 0}));
  EXPECT_EQ(counts(seq, 4, at), Values({1, 1, 1, 1}));
}

// PCF-12.
TEST_F(Scopes, BarriersOrderMemoryOnlyWhereSpacesAreListed) {
  Attribute space = builder.getI64IntegerAttr(3);
  auto barrier = [&](StringRef text, ArrayRef<Attribute> spaces) {
    bool done = succeeded(scope(text).addBarrier(builder, loc(), spaces));
    return (done ? "" : "failure: ") + built();
  };
  for (ArrayRef<Attribute> spaces :
       {ArrayRef<Attribute>(), ArrayRef<Attribute>(space)}) {
    EXPECT_EQ(barrier("#pcf.sequential", spaces), "");
    EXPECT_EQ(barrier("#iree_codegen.workgroup_scope", spaces), "");
    EXPECT_EQ(barrier("#iree_codegen.workgroup_scope<linearize>", spaces), "");
    EXPECT_EQ(barrier("#pcf.test_scope<2>", spaces), "failure: ");
  }
  EXPECT_EQ(barrier("#iree_gpu.subgroup_scope", {}),
            "iree_gpu.global_subgroup_barrier");
  EXPECT_EQ(barrier("#iree_gpu.subgroup_scope", {space, space}),
            "iree_gpu.fence release workgroup; "
            "iree_gpu.global_subgroup_barrier; "
            "iree_gpu.fence acquire workgroup");
  EXPECT_EQ(barrier("#iree_gpu.lane_scope", {}), "iree_gpu.lane_barrier");
  EXPECT_EQ(barrier("#iree_gpu.lane_scope", space),
            "iree_gpu.fence release subgroup; iree_gpu.lane_barrier; "
            "iree_gpu.fence acquire subgroup");
}

// PCF-12.
TEST_F(Scopes, FencesAreOneLevelWider) {
  Attribute space = builder.getI64IntegerAttr(3);
  auto fence = [&](StringRef text, FenceKind kind) {
    bool done = succeeded(scope(text).addFence(builder, loc(), kind, space));
    return (done ? "" : "failure: ") + built();
  };
  EXPECT_EQ(fence("#iree_codegen.workgroup_scope", FenceKind::release),
            "iree_gpu.fence release device");
  EXPECT_EQ(
      fence("#iree_codegen.workgroup_scope<linearize>", FenceKind::acquire),
      "iree_gpu.fence acquire device");
  EXPECT_EQ(fence("#iree_gpu.subgroup_scope", FenceKind::acquire),
            "iree_gpu.fence acquire workgroup");
  EXPECT_EQ(fence("#iree_gpu.lane_scope", FenceKind::release),
            "iree_gpu.fence release subgroup");
  EXPECT_EQ(fence("#pcf.sequential", FenceKind::release), "");
  EXPECT_EQ(fence("#pcf.test_scope", FenceKind::release), "failure: ");
}

// PCF-12: only subgroups wait in subsets, and count threads.
TEST_F(Scopes, SubsetBarriersCountThreads) {
  Value three = arith::ConstantIndexOp::create(builder, loc(), 3);
  for (StringRef text : {"#pcf.sequential", "#iree_codegen.workgroup_scope",
                         "#iree_gpu.lane_scope", "#pcf.test_scope"}) {
    EXPECT_TRUE(
        failed(scope(text).addSubsetBarrier(builder, loc(), 1, three, {})));
    EXPECT_EQ(module->getBody()->getOperations().size(), 1u);
  }
  ScopeAttrInterface sg = scope("#iree_gpu.subgroup_scope");
  Attribute space = builder.getI64IntegerAttr(3);
  ASSERT_TRUE(succeeded(sg.addSubsetBarrier(builder, loc(), 5, three, space)));
  auto barrier = find<iree::GlobalSubgroupBarrierOp>();
  EXPECT_EQ(*barrier.getId(), 5);
  Machine at{{0, 0, 0}, {1, 1, 1}, 0, 8, 0, /*lanes=*/32};
  EXPECT_EQ(evaluate(barrier.getThreads(),
                     [&](Value leaf) { return at.answer(leaf); }),
            96);
  EXPECT_TRUE(isa<iree::FenceOp>(barrier->getPrevNode()));
  EXPECT_TRUE(isa<iree::FenceOp>(barrier->getNextNode()));
}

// PCF-12.
TEST_F(Scopes, MemoryIsWhereTheTableSays) {
  auto space = [&](StringRef text) {
    return scope(text).getAllocMemSpace(&context);
  };
  for (StringRef text : {"#pcf.sequential", "#pcf.test_scope"}) {
    ASSERT_TRUE(succeeded(space(text)));
    EXPECT_EQ(*space(text), Attribute());
  }
  ASSERT_TRUE(succeeded(space("#iree_gpu.subgroup_scope")));
  EXPECT_EQ(*space("#iree_gpu.subgroup_scope"),
            parseAttribute("#gpu.address_space<workgroup>", &context));
  for (StringRef text :
       {"#iree_codegen.workgroup_scope",
        "#iree_codegen.workgroup_scope<linearize>", "#iree_gpu.lane_scope"})
    EXPECT_TRUE(failed(space(text)));
  EXPECT_EQ(scope("#iree_gpu.subgroup_scope")
                .getPreferredAllocAlignment(&context)
                .getInt(),
            16);
}

TEST_F(Scopes, NestingGoesFromWideToFine) {
  auto level = [&](StringRef text) { return scope(text).getNestingLevel(); };
  EXPECT_EQ(level("#iree_codegen.workgroup_scope"), 0);
  EXPECT_EQ(level("#iree_codegen.workgroup_scope<linearize>"), 0);
  EXPECT_LT(0, level("#iree_gpu.subgroup_scope"));
  EXPECT_LT(level("#iree_gpu.subgroup_scope"), level("#iree_gpu.lane_scope"));
}

TEST_F(Scopes, TestScopesHaveNoWorkers) {
  EXPECT_EQ(scope("#pcf.test_scope").getNativeNumProcessorIds(), 1);
  EXPECT_EQ(scope("#pcf.test_scope<3>").getNativeNumProcessorIds(), 3);
  EXPECT_DEATH(scope("#pcf.test_scope").getWorkerIDs(builder, loc(), 1),
               "has no workers");
  EXPECT_DEATH(scope("#pcf.test_scope").getWorkerCounts(builder, loc(), 1),
               "has no workers");
}

TEST_F(Scopes, SyncOnReturnHasNoState) {
  auto sync = cast<SyncScopeAttrInterface>(
      parseAttribute("#pcf.sync_on_return", &context));
  EXPECT_TRUE(sync.getConcreteTypes(&context).empty());
  EXPECT_TRUE(sync.allocate(builder, loc()).empty());
  sync.enqueueWrite(builder, {}, *module);
  EXPECT_EQ(built(), "");
}

// PCF-7.
TEST_F(Scopes, BoundsHaveOneDimMoreThanTheLargestNamed) {
  auto dims = [&](StringRef ranges, StringRef rank) {
    auto type = cast<ClusterType>(parseType(
        ("!pcf.cluster<#pcf.test_scope<" + rank + ">, " + ranges + ", a>")
            .str(),
        &context));
    EXPECT_EQ(type.getBounds().getNumSymbols(), type.getRank());
    EXPECT_EQ(type.getNumRangeOperands(), type.getBounds().getNumDims());
    EXPECT_EQ(getNumRangeOperands(type), type.getBounds().getNumDims());
    return type.getBounds().getNumDims();
  };
  EXPECT_EQ(dims("(0 -> s0)", "1"), 0u);
  EXPECT_EQ(dims("(0 -> d0)", "1"), 1u);
  EXPECT_EQ(dims("(d2 -> s0)", "1"), 3u);
  EXPECT_EQ(dims("(d1 -> d3)", "1"), 4u);
  EXPECT_EQ(dims("(d4 -> d1) x (d0 -> s1)", "2"), 5u);
  EXPECT_EQ(dims("(3 -> s0) x (7 -> 9)", "2"), 0u);
  EXPECT_EQ(getNumRangeOperands(
                parseType("!pcf.threadgroup<#pcf.test_scope<2>>", &context)),
            0u);
}

TEST_F(Scopes, GroupsAreOneWhateverTheyCarry) {
  auto type = [&](StringRef text) {
    Type parsed = parseType(("!pcf." + text).str(), &context);
    EXPECT_TRUE(parsed) << text.str();
    return parsed;
  };
  Type a = type("cluster<#pcf.test_scope, (0 -> d0), a.b>");
  Type shared = type("cluster<#pcf.test_scope, (0 -> d0), shared: {f32}, a.b>");
  Type own = type("cluster<#pcf.test_scope, (0 -> d0), private: {f32}, a.b>");
  EXPECT_NE(shared, own);
  EXPECT_TRUE(isSameGroup(shared, own));
  EXPECT_FALSE(isSameGroup(a, type("cluster<#pcf.test_scope, (0 -> d0), a>")));
  EXPECT_FALSE(
      isSameGroup(a, type("cluster<#pcf.test_scope, (0 -> d1), a.b>")));
  EXPECT_FALSE(
      isSameGroup(a, type("cluster<#pcf.sequential, (0 -> d0), a.b>")));
  EXPECT_FALSE(isSameGroup(a, type("threadgroup<#pcf.test_scope>")));
  Type f32 = Float32Type::get(&context);
  EXPECT_EQ(withPayload(a, f32, true), own);
  EXPECT_EQ(withPayload(own, f32, false), shared);
  EXPECT_EQ(withPayload(own, {}, true), a);
  EXPECT_TRUE(hasPrivatePayload(own));
  EXPECT_FALSE(hasPrivatePayload(shared));
  EXPECT_EQ(getPayload(own), ArrayRef<Type>(f32));
  Type all = type("threadgroup<#pcf.test_scope>");
  EXPECT_EQ(withPayload(all, f32, true),
            type("threadgroup<#pcf.test_scope, private: {f32}>"));
  EXPECT_EQ(withPayload(all, {}, true), all);
}

// PCF-8.
TEST_F(Scopes, IdsHaveAPathAndALeaf) {
  auto deep = cast<NsSymAttr>(parseAttribute("#pcf.ns_sym<a.b_1.c>", &context));
  EXPECT_EQ(deep.str(), "a.b_1.c");
  EXPECT_EQ(deep.getLeaf(), "c");
  EXPECT_EQ(deep.getPath().size(), 3u);
  ASSERT_EQ(deep.getNamespacePath().size(), 2u);
  EXPECT_EQ(deep.getNamespacePath()[0], "a");
  EXPECT_EQ(deep.getNamespacePath()[1], "b_1");
  EXPECT_FALSE(deep.isLeafOnly());
  auto leaf = cast<NsSymAttr>(parseAttribute("#pcf.ns_sym<c>", &context));
  EXPECT_EQ(leaf.getLeaf(), "c");
  EXPECT_TRUE(leaf.getNamespacePath().empty());
  EXPECT_TRUE(leaf.isLeafOnly());
  EXPECT_TRUE(NsSymAttr::isIdentifier("_a$9"));
  for (StringRef text : {"", "9a", "a.b", "a b", "a-b", "$a"})
    EXPECT_FALSE(NsSymAttr::isIdentifier(text)) << text.str();
}

// PCF-1.
TEST_F(Scopes, RefsAreShapedTypes) {
  auto type = cast<SRefType>(
      parseType("!pcf.sref<4x?xf32, sync(#pcf.sequential)>", &context));
  EXPECT_TRUE(type.isReturnOnlySync());
  ShapedType other =
      cast<ShapedType>(type).clone({7}, Float16Type::get(&context));
  EXPECT_EQ(other,
            parseType("!pcf.sref<7xf16, sync(#pcf.sequential)>", &context));
  EXPECT_EQ(type.clone(IntegerType::get(&context, 8)),
            parseType("!pcf.sref<4x?xi8, sync(#pcf.sequential)>", &context));
  EXPECT_EQ(type.withoutSync(),
            parseType("!pcf.sref<4x?xf32, #pcf.sequential>", &context));
  EXPECT_FALSE(type.withoutSync().isReturnOnlySync());
  EXPECT_FALSE(cast<SRefType>(
                   parseType("!pcf.sref<f32, #pcf.sequential, i32>", &context))
                   .isReturnOnlySync());
}

} // namespace
