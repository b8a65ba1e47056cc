//===- AssertionsTest.cpp - Promises between rules, broken on purpose -----===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Assertions.h"
#include "../../lib/Distribution/Distributor.h"
#include "../../lib/Distribution/Exchange/LaneExchange.h"
#include "../../lib/Distribution/Exchange/OrderedReduction.h"
#include "../../lib/Distribution/Exchange/RegisterMoves.h"
#include "../../lib/Distribution/Exchange/ScalarExchange.h"
#include "../../lib/Distribution/Rules/TileAccess.h"
#include "../../lib/Distribution/Sync/PendingAccesses.h"
#include "../../lib/Distribution/Sync/WorkgroupBuffers.h"
#include "Parts.h"
#include "distaff/Dialect/VectorExt/VectorExt.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace distaff;
using vector_ext::NestedLayoutAttr;

namespace {

/// A function of a subgroup's id and a lane's, which two subgroups run.
struct Members {
  Members() : builder(&context) {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                        func::FuncDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect,
                        vector::VectorDialect, vector_ext::VectorExtDialect>();
    module = ModuleOp::create(loc());
    builder.setInsertionPointToEnd(module->getBody());
    Type index = builder.getIndexType();
    function = func::FuncOp::create(
        builder, loc(), "f", builder.getFunctionType({index, index}, {}));
    Block *entry = function.addEntryBlock();
    builder.setInsertionPointToEnd(entry);
    options.subgroupId = entry->getArgument(0);
    options.laneId = entry->getArgument(1);
    options.numSubgroups = 2;
    options.sync = &sync;
  }

  Location loc() { return builder.getUnknownLoc(); }
  /// A vector of zeros.
  Value zeros(ArrayRef<int64_t> shape) {
    auto type = VectorType::get(shape, builder.getF32Type());
    return arith::ConstantOp::create(builder, loc(), builder.getZeroAttr(type));
  }
  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc(), value);
  }
  /// Rows of `elements` on each of 8 lanes.
  NestedLayoutAttr rows(int64_t elements) {
    NestedLayout layout = NestedLayout::units(1);
    layout[0].threadTile = 8;
    layout[0].threadStride = 1;
    layout[0].elementTile = elements;
    return NestedLayoutAttr::get(&context, layout);
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  part_test::NoBarrier sync;
  DistributionOptions options;
};

DEATH_TEST(Distribution, MembersAreKnownByTheirIds) {
  Members members;
  members.options.keepsBlocks = true;
  EXPECT_DEATH((void)distributeVectors(members.function, members.options),
               "the lanes of a block have their turn later");
  members.options.subgroupId = nullptr;
  EXPECT_DEATH((void)distributeVectors(members.function, members.options),
               "one of several subgroups is known by its id");
  members.options.numSubgroups = 0;
  EXPECT_DEATH((void)distributeVectors(members.function, members.options),
               "one of several subgroups is known by its id");
}

DEATH_TEST(Distribution, RegistersAreRenamedNeitherLostNorMadeUp) {
  Members members;
  OpBuilder &b = members.builder;
  Value four = members.zeros({2, 2});
  EXPECT_DEATH(reshapeRegisters(b, members.loc(), four, {3}),
               "another shape has as many registers");
  EXPECT_DEATH(renameRegisters(b, members.loc(), four, {0, 1, 2}, {2, 2}),
               "each register of the result is one of the value");
  EXPECT_DEATH(renameRegisters(b, members.loc(), four, {0, 1, 2, 4}, {2, 2}),
               "each register of the result is one of the value");
  EXPECT_DEATH(fromScalars(b, members.loc(), {}, four.getType()),
               "each register of a vector is a scalar");
}

DEATH_TEST(Distribution, DimsOfAPlacementAreItsRegisters) {
  Members members;
  NestedLayoutAttr attr = members.rows(4);
  EXPECT_DEATH(Placement(attr, attr.getLayout(), {{0, 2, 1, true}}),
               "the dims of a lane's vector are its registers");
  EXPECT_DEATH(Placement(attr).digitsOn(Axis::Lane, {true, false}),
               "each dim is marked or not");
  EXPECT_DEATH(OperandTiles({}, Placement(attr), {0, 1}),
               "each dim of an operand is one of the access, or none");
}

DEATH_TEST(Distribution, DigitsOfIdsLieApart) {
  Members members;
  Digit four{Axis::Lane, 4, 1}, two{Axis::Lane, 2, 2};
  EXPECT_DEATH(coversAll({four, two}, 8), "digits of one chain lie apart");
  Digit other{Axis::Subgroup, 2, 4};
  EXPECT_DEATH(coversAll({four, other}, 8), "digits of one chain lie apart");
  HardwareIds ids(members.options);
  EXPECT_DEATH(ids.id(Axis::Register), "registers have numbers and no ids");
}

DEATH_TEST(Distribution, RelaysGoAlongTheirDims) {
  Members members;
  Placement placement(members.rows(4));
  OrderedReduction reduction;
  reduction.numDims = 1;
  EXPECT_DEATH(appendDigits(reduction, 1, placement, 0),
               "the dims that it has");
  EXPECT_DEATH(appendDigits(reduction, 0, placement, 1),
               "the dims that it has");
}

DEATH_TEST(Distribution, LanesExchangeWithOthersOfTheirSubgroup) {
  Members members;
  OpBuilder &b = members.builder;
  Value index = members.number(0);
  Value whole = arith::ConstantIntOp::create(b, members.loc(), 0, 32);
  EXPECT_DEATH(shuffleXor(b, members.loc(), index, 32, 32),
               "with another one of its subgroup");
  EXPECT_DEATH(shuffleXor(b, members.loc(), {whole, index}, 1, 32),
               "what lanes exchange at once is of one type");
}

DEATH_TEST(Distribution, ScalarsHaveNumbersOfTheExchange) {
  Members members;
  Distributor out(members.function.getBody(), members.options, LayoutMap());
  OpBuilder &b = members.builder;
  Value one = members.number(1);
  ScalarExchange exchange(members.loc(), b.getIndexType(), 4, 1, out);
  EXPECT_DEATH(exchange.run(b, one, ScalarNumber{one, 0, 4}, {}, {}),
               "a scalar has a number of the exchange");
  EXPECT_DEATH(exchange.run(b, {}, {}, {}, ScalarNumber{one, 2, 1}),
               "a scalar has a number of the exchange");
  PlacementNumbers numbers(nullptr, /*slots=*/1, out);
  EXPECT_DEATH(numbers.of(b, members.loc(), 1, members.number(0)),
               "a value has that register");
  EXPECT_DEATH(numbers.of(b, members.loc(), 0, one),
               "the exchange has that slot");
}

DEATH_TEST(Distribution, RulesMakeWhatALaneHolds) {
  Members members;
  OpBuilder &b = members.builder;
  Value whole = members.zeros({32});
  Value sum = arith::AddFOp::create(b, members.loc(), whole, whole);
  LayoutMap layouts;
  layouts.set(sum, members.rows(4));
  Distributor out(members.function.getBody(), members.options, layouts);
  EXPECT_DEATH(out.replace(sum.getDefiningOp(), members.zeros({8})),
               "a rule makes of a result what a lane holds of it");
  EXPECT_DEATH(
      out.replace(members.number(1).getDefiningOp(), members.zeros({8})),
      "a scalar stays one");
  Value held = out.toSimd(b, members.zeros({1, 1, 4}), sum);
  EXPECT_DEATH(out.get(b, held, Placement(members.rows(8))),
               "a lane holds a value as it is placed");
}

DEATH_TEST(Distribution, BoxesBeginMoveAndEnd) {
  MemoryAccess access{Value(), /*writes=*/true, /*group=*/0, {}};
  access.box.start = {0};
  BufferPlaces places;
  PendingAccesses pending(places);
  EXPECT_DEATH(pending.insert({&access, nullptr}),
               "along each dim a box begins, moves and ends");
}

DEATH_TEST(Distribution, BuffersLieWithinTheArray) {
  Members members;
  OpBuilder &b = members.builder;
  auto type = MemRefType::get({16}, b.getI8Type());
  auto alloc = memref::AllocOp::create(b, members.loc(), type);
  BufferPlan plan;
  plan.bytes = 16;
  plan.places[alloc.getResult()] = {8, 16};
  EXPECT_DEATH(emitBuffers(plan, WorkgroupBuffer{alloc, 16}, 16, nullptr),
               "a buffer lies within the array");
}

} // namespace
