//===- RefOwnerTest.cpp - Refs, results, operands and control flow --------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What C++ asks of generic, loop and shared_executor, of the groups in them,
// and what a standard analysis learns about them.
//
//===----------------------------------------------------------------------===//
#include "PCFTest.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"

using namespace distaff;
using namespace distaff::pcf;

namespace {

/// Refs of all kinds; `%0`, the leading argument, is 5.
const std::string allKinds = R"mlir(
  func.func @f(%init: tensor<?xf32>, %m: memref<4xf32>, %in: memref<8xf32>,
               %ro: tensor<4xf32>, %a: index, %b: index, %c: index, %d: index,
               %e: index) {
    %r:6 = pcf.generic scope(#pcf.sequential)
      initialize {
        %five = arith.constant 5 : index
        %buffer = pcf.alloc() : !pcf.sref<2xf32, #pcf.sequential>
        pcf.yield %five, %buffer : index, !pcf.sref<2xf32, #pcf.sequential>
      } -> (%lead: index, %buf: !pcf.sref<2xf32, #pcf.sequential>)
      execute(%u0, %t1 = %init, %x <- %in : memref<8xf32>, %u2, %y <- %ro : tensor<4xf32>, %u3, %t4 = %m, %u5)
      [%i: index, %j: index, %ni: index, %nj: index]
      : (!pcf.sref<?x3xf32, #pcf.sequential>, !pcf.sref<?xf32, sync(#pcf.sequential)>,
         !pcf.sref<8xf32, #pcf.sequential>, !pcf.sref<?x?xf32, #pcf.sequential>,
         !pcf.sref<4xf32, #pcf.sequential>, !pcf.sref<7xf32, #pcf.sequential>,
         !pcf.sref<4xf32, #pcf.sequential>, !pcf.sref<?x?xf32, #pcf.sequential>)
      -> (tensor<?x3xf32>{%a}, tensor<?xf32>, memref<?x?xf32>{%b, %c},
          tensor<7xf32>, memref<4xf32>, tensor<?x?xf32>{%d, %e}) {
      pcf.return
    }
    return
  }
)mlir";

class RefOwner : public PCFTest {
protected:
  RefOwnerOpInterface owner() { return find<RefOwnerOpInterface>(); }
  Value argument(unsigned i) {
    return find<func::FuncOp>().getBody().getArgument(i);
  }
};

// PCF-18: a slice is start and length, not start and end.
TEST_F(RefOwner, DimsOfEveryResultAreItsOwn) {
  parse(allKinds);
  using Values = std::vector<Value>;
  auto dims = [&](unsigned result) {
    ValueRange range = owner().getResultDims(result);
    return Values(range.begin(), range.end());
  };
  EXPECT_EQ(dims(0), Values({argument(4)}));
  EXPECT_EQ(dims(1), Values());
  EXPECT_EQ(dims(2), Values({argument(5), argument(6)}));
  EXPECT_EQ(dims(3), Values());
  EXPECT_EQ(dims(4), Values());
  EXPECT_EQ(dims(5), Values({argument(7), argument(8)}));
}

// PCF-20: readonly refs have a source and no result, wherever they stand.
TEST_F(RefOwner, RefsGoWithTheirOperandsAndResults) {
  parse(allKinds);
  RefOwnerOpInterface op = owner();
  EXPECT_EQ(op.getLeadingArgs().size(), 2u);
  EXPECT_EQ(op.getRefArgs().size(), 8u);
  EXPECT_EQ(op.getTrailingArgs().size(), 4u);
  auto generic = cast<GenericOp>(op.getOperation());
  EXPECT_EQ(generic.getNumIds(), 2);
  EXPECT_EQ(generic.getIds()[1], op.getTrailingArgs()[1]);
  EXPECT_EQ(generic.getCounts()[0], op.getTrailingArgs()[2]);

  std::vector<int> results, sources;
  for (unsigned ref : llvm::seq(0u, 8u)) {
    std::optional<unsigned> result = op.getResultOfRef(ref);
    results.push_back(result ? static_cast<int>(*result) : -1);
    if (result)
      EXPECT_EQ(op.getRefOfResult(*result), op.getRefArgs()[ref]);
    OpOperand *source = op.getSourceOfRef(ref);
    sources.push_back(
        source ? static_cast<int>(
                     cast<BlockArgument>(source->get()).getArgNumber())
               : -1);
  }
  EXPECT_EQ(results, (std::vector<int>{0, 1, -1, 2, -1, 3, 4, 5}));
  EXPECT_EQ(sources, (std::vector<int>{-1, 0, 2, -1, 3, -1, 1, -1}));

  EXPECT_EQ(op.getTiedInit(0), nullptr);
  EXPECT_EQ(op.getTiedInit(4)->get(), argument(1));
  EXPECT_EQ(op.getTiedResult(*op.getTiedInit(4)), 4u);
  EXPECT_EQ(op.getTiedResult(op.getReadonlySourcesMutable()[0]), std::nullopt);
  EXPECT_TRUE(isReadonlyRef(op.getRefArgs()[2]));
  EXPECT_TRUE(isReadonlyRef(op.getRefArgs()[4]));
  for (unsigned ref : {0, 1, 3, 5, 6, 7})
    EXPECT_FALSE(isReadonlyRef(op.getRefArgs()[ref]));
  for (BlockArgument other : op.getLeadingArgs())
    EXPECT_FALSE(isReadonlyRef(other));
}

// An op that is built from the parts of another is that op.
TEST_F(RefOwner, PartsAreAllOfThem) {
  parse(allKinds);
  RefOwnerOpInterface op = owner();
  op.setSyncOnReturn(true);
  RefOwnerParts parts = RefOwnerParts::of(op);
  EXPECT_TRUE(parts.syncOnReturn);
  OpBuilder builder(op);
  SmallVector<Type> leading(llvm::map_range(
      op.getLeadingArgs(), [](BlockArgument arg) { return arg.getType(); }));
  auto copy =
      GenericOp::create(builder, op.getLoc(), parts, /*numIds=*/2, leading);
  copy.getExecute().takeBody(op.getExecute());
  copy.getInitializer().takeBody(*op.getInitializerRegion());
  std::string before, after;
  op->replaceAllUsesWith(copy);
  op->erase();
  EXPECT_TRUE(succeeded(verify(*module)));
  llvm::raw_string_ostream(after) << *module;
  parse(allKinds);
  owner().setSyncOnReturn(true);
  llvm::raw_string_ostream(before) << *module;
  EXPECT_EQ(after, before);
}

TEST_F(RefOwner, LoopsAndExecutorsAreBuiltFromPartsToo) {
  parse(allKinds);
  RefOwnerParts parts = RefOwnerParts::of(owner());
  OpBuilder builder(owner());
  Location loc = owner().getLoc();
  auto loop =
      LoopOp::create(builder, loc, parts, ValueRange{argument(4), argument(5)});
  EXPECT_EQ(loop.getIds().size(), 2u);
  builder.setInsertionPointToEnd(loop.getBody());
  ReturnOp::create(builder, loc);
  builder.setInsertionPointAfter(loop);
  auto executor = SharedExecutorOp::create(builder, loc, parts, TypeRange());
  EXPECT_TRUE(executor.getInitializer().empty());
  EXPECT_EQ(executor.getThreadgroup().getType(),
            ThreadgroupType::get(parts.scope));
  builder.setInsertionPointToEnd(executor.getBody());
  ReturnOp::create(builder, loc);
  EXPECT_TRUE(succeeded(verify(*module)));
  auto dims = [](RefOwnerOpInterface op, unsigned result) {
    return op.getResultDims(result);
  };
  EXPECT_EQ(dims(loop, 5)[1], argument(8));
  EXPECT_EQ(dims(executor, 2)[0], argument(5));
}

// Writes to tied memrefs, reads of readonly ones, memory of untied ones;
// tensors have no effects.
TEST_F(RefOwner, EffectsAreThoseOfItsMemrefs) {
  parse(allKinds);
  RefOwnerOpInterface op = owner();
  auto listed = [&] {
    SmallVector<MemoryEffects::EffectInstance> effects;
    cast<MemoryEffectOpInterface>(op.getOperation()).getEffects(effects);
    std::vector<std::string> text;
    for (const MemoryEffects::EffectInstance &effect : effects) {
      std::string kind = isa<MemoryEffects::Read>(effect.getEffect()) ? "read"
                         : isa<MemoryEffects::Write>(effect.getEffect())
                             ? "write"
                             : "alloc";
      Value value = effect.getValue();
      auto argument = dyn_cast_or_null<BlockArgument>(value);
      auto result = dyn_cast_or_null<OpResult>(value);
      text.push_back(
          kind + (argument ? " arg" + std::to_string(argument.getArgNumber())
                  : result
                      ? " result" + std::to_string(result.getResultNumber())
                      : ""));
    }
    return text;
  };
  std::vector<std::string> expected{"read arg1", "write arg1", "read arg2",
                                    "alloc result2"};
  EXPECT_EQ(listed(), expected);
  op.setSyncOnReturn(true);
  expected.insert(expected.end(), {"read", "write"});
  EXPECT_EQ(listed(), expected);
  EXPECT_FALSE(isMemoryEffectFree(op));
  EXPECT_FALSE(isSpeculatable(op));
}

// PCF-19: parent -> initialize -> execute -> parent; without an initializer,
// parent -> execute -> parent.
TEST_F(RefOwner, ControlGoesThroughTheInitializer) {
  parse(allKinds);
  auto branch = cast<RegionBranchOpInterface>(owner().getOperation());
  SmallVector<RegionSuccessor> next;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), next);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].getSuccessor(), owner().getInitializerRegion());
  EXPECT_TRUE(next[0].getSuccessorInputs().empty());

  next.clear();
  auto end = [](Region &region) {
    return cast<RegionBranchTerminatorOpInterface>(
        region.front().getTerminator());
  };
  branch.getSuccessorRegions(end(*owner().getInitializerRegion()), next);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].getSuccessor(), &owner().getExecute());
  ASSERT_EQ(next[0].getSuccessorInputs().size(), 2u);
  EXPECT_EQ(next[0].getSuccessorInputs()[1], owner().getLeadingArgs()[1]);

  next.clear();
  branch.getSuccessorRegions(end(owner().getExecute()), next);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_TRUE(next[0].isParent());
  EXPECT_TRUE(next[0].getSuccessorInputs().empty());
}

TEST_F(RefOwner, ControlOfALoopIsItsBody) {
  parse(R"mlir(
    func.func @f(%n: index) {
      pcf.loop scope(#pcf.sequential) count(%n) execute[%i: index] {
        pcf.return
      }
      return
    }
  )mlir");
  auto branch = cast<RegionBranchOpInterface>(owner().getOperation());
  SmallVector<RegionSuccessor> next;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), next);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].getSuccessor(), &owner().getExecute());
  EXPECT_TRUE(next[0].getSuccessorInputs().empty());
}

// PCF-19: constants that an initializer yields are constants in the body; ids
// and refs are not.
TEST_F(RefOwner, ConstantPropagationSeesInitializers) {
  const std::string executor = R"mlir(
    func.func @f() {
      pcf.shared_executor scope(#iree_gpu.subgroup_scope)
        initialize {
          %two = arith.constant 2 : index
          %three = arith.constant 3 : index
          %five = arith.addi %two, %three : index
          pcf.yield %five : index
        } -> (%lead: index)
        execute[%tg: !pcf.threadgroup<#iree_gpu.subgroup_scope>] {
        pcf.return
      }
      return
    }
  )mlir";
  for (const std::string &text : {allKinds, executor}) {
    parse(text);
    DataFlowSolver solver;
    dataflow::loadBaselineAnalyses(solver);
    ASSERT_TRUE(succeeded(solver.initializeAndRun(*module)));
    auto constant = [&](Value value) -> Attribute {
      auto *state =
          solver.lookupState<dataflow::Lattice<dataflow::ConstantValue>>(value);
      if (!state || state->getValue().isUninitialized())
        return StringAttr::get(&context, "never reached");
      return state->getValue().getConstantValue();
    };
    EXPECT_EQ(constant(owner().getLeadingArgs()[0]),
              Builder(&context).getIndexAttr(5));
    for (BlockArgument other : owner().getTrailingArgs())
      EXPECT_EQ(constant(other), Attribute());
    for (Value result : owner()->getResults())
      EXPECT_EQ(constant(result), Attribute());
    auto *live = solver.lookupState<dataflow::Executable>(
        solver.getProgramPointBefore(&owner().getExecute().front()));
    EXPECT_TRUE(live && live->isLive());
  }
}

// Groups in groups: ids are found from within, wherever they are defined.
TEST_F(RefOwner, ClustersAreFoundFromWithin) {
  parse(R"mlir(
    #sg = #iree_gpu.subgroup_scope
    func.func @f(%k: index, %j: index) {
      pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
        pcf.shared_executor.tile_group %tg ns(tg) split [[%k]]
          (%a: !pcf.cluster<#sg, (0 -> d0), tg.a>, %b: !pcf.cluster<#sg, (d0 -> s0), tg.b>) {
          pcf.shared_executor.tile_group %b[%k] ns(in) split [[%j]]
            (%x: !pcf.cluster<#sg, (d0 -> d1), tg.in.x>, %y: !pcf.cluster<#sg, (d1 -> s0), tg.in.y>) {
            pcf.generic scope(#iree_gpu.lane_scope) execute[] {
              %here = arith.constant 1 : i8
              pcf.return
            }
            pcf.return
          } : !pcf.cluster<#sg, (d0 -> s0), tg.b>
          pcf.return
        } : !pcf.threadgroup<#sg>
        pcf.return
      }
      return
    }
  )mlir");
  SmallVector<TileGroupOp> groups;
  module->walk<WalkOrder::PreOrder>(
      [&](TileGroupOp group) { groups.push_back(group); });
  ASSERT_EQ(groups.size(), 2u);
  auto id = [&](StringRef text) {
    return cast<NsSymAttr>(
        parseAttribute(("#pcf.ns_sym<" + text + ">").str(), &context));
  };
  Operation *here = find<arith::ConstantOp>();
  EXPECT_EQ(lookupCluster(here, id("tg.in.y")), groups[1].getClusters()[1]);
  EXPECT_EQ(lookupCluster(here, id("tg.a")), groups[0].getClusters()[0]);
  EXPECT_EQ(lookupCluster(here, id("in.y")), BlockArgument());
  // An op is not within itself.
  EXPECT_EQ(lookupCluster(groups[1], id("tg.in.y")), BlockArgument());
  EXPECT_EQ(lookupCluster(groups[1], id("tg.b")), groups[0].getClusters()[1]);

  EXPECT_EQ(groups[1].getAllRangeValues(),
            SmallVector<Value>({argument(0), argument(1)}));
  EXPECT_EQ(groups[1].getNamespaceName()->getValue(), "in");
  EXPECT_EQ(groups[1].getDefinedSymbols()[0].first, id("tg.in.x"));
  auto executor =
      cast<NamespaceOpInterface>(find<SharedExecutorOp>().getOperation());
  EXPECT_EQ(executor.getNamespaceName(), std::nullopt);
  EXPECT_EQ(&executor.getSymbolRegion(),
            &find<SharedExecutorOp>().getExecute());
  EXPECT_TRUE(executor.getDefinedSymbols().empty());
}

// PCF-33: what the builder derives, the verifier takes; dimension 0 is slowest.
TEST_F(RefOwner, BuiltGroupsVerify) {
  parse(R"mlir(
    func.func @f(%k: index, %j: index) {
      pcf.shared_executor scope(#pcf.test_scope<2>)
        execute[%tg: !pcf.threadgroup<#pcf.test_scope<2>>] {
        pcf.return
      }
      return
    }
  )mlir");
  auto executor = find<SharedExecutorOp>();
  Location loc = executor.getLoc();
  auto builder = OpBuilder::atBlockBegin(executor.getBody());
  auto outer =
      TileGroupOp::create(builder, loc, executor.getThreadgroup(), ValueRange(),
                          {{argument(0)}, {argument(1), argument(0)}}, "o",
                          {"c00", "c01", "c02", "c10", "c11", "c12"});
  builder.setInsertionPointToStart(&outer.getBody().front());
  auto inner = TileGroupOp::create(builder, loc, outer.getClusters()[3],
                                   ValueRange{argument(0), argument(1)},
                                   {{argument(1)}, {}}, "", {"p", "q"});
  ReturnOp::create(builder, loc);
  builder.setInsertionPointToStart(&inner.getBody().front());
  auto run =
      RunThreadOp::create(builder, loc, Type(), inner.getClusters()[1],
                          ValueRange{argument(0), argument(1), argument(1)});
  EXPECT_EQ(run.getIds().size(), 2u);
  EXPECT_TRUE(run.getPayloadArgs().empty());
  ReturnOp::create(builder, loc);
  builder.setInsertionPointToStart(&run.getBody().front());
  ClusterYieldOp::create(builder, loc);
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(inner.getClusters()[1].getType(),
            parseType("!pcf.cluster<#pcf.test_scope<2>, (d2 -> s0) x "
                      "(0 -> d1), o.q>",
                      &context));
  EXPECT_EQ(outer.getPointsOf(1)[1], getAffineDimExpr(2, &context));
}

} // namespace
