//===- InnerTiled.cpp - Matrix instructions on per-lane fragments ---------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All lanes of a subgroup execute an MMA together. A fragment's element lies in
// register r of lane l, which is cell `r * lanes + l`: with the fragment map of
// the instruction, the matrices are just a way to address a subgroup's cells,
// and the whole op, leading dimensions included, is one contraction over them.
// Lanes that are agents of their own, as in programs with tensors, meet for it.
//
// Products are exact; they are added to the accumulator one by one, in the
// order of the leading reduction indices and then of k, rounded in its format.
//
//===----------------------------------------------------------------------===//
#include "../Machine/LaneMeeting.h"
#include "../Translate/OpRegistry.h"
#include "../Values/IndexSpace.h"
#include "FragmentMaps.h"
#include "distaff/Dialect/Compat/Compat.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

/// Places of a fragment's elements along its two dimensions; the place of
/// (row, column) is rows[row] + columns[column].
struct FragmentPlaces {
  std::vector<int64_t> rows, columns;
};

} // namespace

/// Every fragment map is a sum of a function of the row and one of the column.
static FragmentPlaces placesOf(const MmaInstruction &instruction,
                               MmaOperand operand) {
  std::vector<int32_t> slots = fragmentSlots(instruction, operand);
  MatrixElement extent = instruction.shape(operand);
  FragmentPlaces places;
  for (int64_t row = 0; row < extent.row; ++row)
    places.rows.push_back(slots[row * extent.column]);
  for (int64_t column = 0; column < extent.column; ++column)
    places.columns.push_back(slots[column] - slots[0]);
  for (int64_t row = 0; row < extent.row; ++row)
    for (int64_t column = 0; column < extent.column; ++column)
      assert(slots[row * extent.column + column] ==
                 places.rows[row] + places.columns[column] &&
             "a fragment map that is no sum");
  return places;
}

/// outer x inner, the offsets of the outer index in units of `unit`.
static std::vector<int64_t> product(ArrayRef<int64_t> outer, int64_t unit,
                                    ArrayRef<int64_t> inner) {
  std::vector<int64_t> offsets;
  for (int64_t o : outer)
    for (int64_t i : inner)
      offsets.push_back(o * unit + i);
  return offsets;
}

/// Leading dimensions of an operand: those that its map addresses.
static Shape leadingShape(Value operand, AffineMap map) {
  ArrayRef<int64_t> shape = cast<ShapedType>(operand.getType()).getShape();
  return Shape(shape.take_front(map.getNumResults()));
}

/// The fragments of lhs, rhs and accumulator as one contraction over cells.
static std::optional<ContractionSpace> fragmentSpace(compat::InnerTiledOp op,
                                                     const MmaInstruction &mma,
                                                     bool transposed) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> box = op.getIterationShape();
  SmallVector<bool> isReduction;
  for (unsigned d = 0; d < box.size(); ++d)
    isReduction.push_back(!maps[2].isFunctionOfDim(d));
  std::optional<ContractionSpace> outer = contractionSpace(
      maps, box, isReduction, leadingShape(op.getLhs(), maps[0]),
      leadingShape(op.getRhs(), maps[1]), leadingShape(op.getAcc(), maps[2]));
  if (!outer)
    return std::nullopt;

  FragmentPlaces a = placesOf(mma, MmaOperand::A),
                 b = placesOf(mma, MmaOperand::B);
  FragmentPlaces c = placesOf(mma, MmaOperand::C);
  auto cellsOf = [&](MmaOperand operand) {
    return mma.numRegisters(operand) * mma.subgroupSize;
  };
  int64_t lhsUnit = cellsOf(MmaOperand::A), rhsUnit = cellsOf(MmaOperand::B);
  int64_t accUnit = cellsOf(MmaOperand::C);
  if (transposed) {
    // The instruction computes the transpose: lhs is its B, rhs its A.
    std::swap(a, b);
    for (FragmentPlaces *places : {&a, &b, &c})
      std::swap(places->rows, places->columns);
    std::swap(lhsUnit, rhsUnit);
  }
  const std::vector<int64_t> none = {0};
  ContractionSpace space;
  space.lhsBatch = product(outer->lhsBatch, lhsUnit, none);
  space.rhsBatch = product(outer->rhsBatch, rhsUnit, none);
  space.accBatch = product(outer->accBatch, accUnit, none);
  space.lhsM = product(outer->lhsM, lhsUnit, a.rows);
  space.accM = product(outer->accM, accUnit, c.rows);
  space.rhsN = product(outer->rhsN, rhsUnit, b.columns);
  space.accN = product(outer->accN, accUnit, c.columns);
  space.lhsK = product(outer->lhsK, lhsUnit, a.columns);
  space.rhsK = product(outer->rhsK, rhsUnit, b.rows);
  return space;
}

/// Where each lane is an agent.
static void emitMeeting(Operation *op, ArrayRef<Reg> operands, Reg result,
                        int64_t lanes, int64_t instructions,
                        LaneMeeting::Compute compute, Translator &t) {
  t.emitSync(op, [=, operands = SmallVector<Reg>(operands),
                  compute = std::move(compute)](Agent &agent) {
    Workgroup &group = agent.workgroup();
    if (agent.seat().depth != Seat::Depth::Lane || !agent.isWorker()) {
      agent.fault(op, FaultKind::NotModelled,
                  "a matrix instruction in code that is not its lanes'");
      return;
    }
    int64_t object = group.sync.find({op, agent.seat().team}, 1, [&](int64_t) {
      return std::make_unique<LaneMeeting>(lanes, operands, result);
    });
    auto &meeting = group.sync.as<LaneMeeting>(object);
    int64_t phase = meeting.phase();
    meeting.arrive(agent, compute);
    if (meeting.phase() > phase)
      group.counters.mma += instructions;
    agent.block(object, phase, op, /*ordersMemory=*/false);
  });
}

static LogicalResult translateInnerTiled(compat::InnerTiledOp op,
                                         Translator &t) {
  auto kind = dyn_cast<compat::MmaLayoutAttr>(op.getKind());
  const MmaInstruction *mma =
      kind ? lookupMmaInstruction(kind.getName()) : nullptr;
  if (!mma)
    return t.notModelled(op, "a kind that is no known matrix instruction");
  bool isWide = t.lanes() != 1;
  int64_t lanes = isWide ? t.lanes() : t.options().launch.subgroupSize;
  if (lanes != mma->subgroupSize)
    return t.notModelled(op, mma->name + " needs subgroups of " +
                                 Twine(mma->subgroupSize) + " lanes, found " +
                                 Twine(lanes));
  std::optional<ContractionSpace> space =
      fragmentSpace(op, *mma, kind.getColMajor());
  Reg lhs = t.reg(op.getLhs()), rhs = t.reg(op.getRhs());
  Reg acc = t.reg(op.getAcc()), r = t.reg(op.getResult());
  Contract contract = t.domain().contract(vector::CombiningKind::ADD, lhs.kind,
                                          rhs.kind, r.kind, /*exact=*/true);
  if (!space || !contract || (isWide && r.isTensor()))
    return t.notModelled(op, "these maps or types");
  int64_t instructions = 1;
  for (int64_t extent : op.getIterationShape())
    instructions *= extent;
  if (!isWide) {
    emitMeeting(
        op, {lhs, rhs, acc}, r, lanes, instructions,
        [=, space = std::move(*space)](SmallVectorImpl<LaneMeeting::Cells> &c) {
          contract(space, 1, c[0].data(), c[1].data(), c[2].data());
        },
        t);
    return success();
  }
  t.emit(op, [=, space = std::move(*space)](Agent &agent) {
    if (!agent.allActive()) {
      agent.fault(op, FaultKind::DivergentBarrier,
                  "not all lanes of the subgroup execute it");
      return;
    }
    std::memcpy(agent.cells(r), agent.cells(acc),
                agent.numCells(r) * r.cellBytes);
    contract(space, 1, agent.cells(lhs), agent.cells(rhs), agent.cells(r));
    agent.workgroup().counters.mma += instructions;
  });
  return success();
}

void distaff::simt::registerInnerTiled(OpRegistry &registry) {
  registry.add(translateInnerTiled);
}
