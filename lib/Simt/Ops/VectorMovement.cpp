//===- VectorMovement.cpp - Vector operations that move data --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static movement is one instruction with a table of origins (Movement.h). This
// file also has dynamic positions, bitcasts, and vectors without operands: step
// and masks.
//
//===----------------------------------------------------------------------===//
#include "../Values/IndexSpace.h"
#include "../Values/Movement.h"
#include "Masked.h"

using namespace distaff;
using namespace distaff::simt;

//===----------------------------------------------------------------------===//
// Static movement
//===----------------------------------------------------------------------===//

/// A run of consecutive elements that stay consecutive.
struct Run {
  int32_t operand;
  int64_t from, to, count;
};

static std::vector<Run> runsOf(ArrayRef<Origin> origins) {
  std::vector<Run> runs;
  for (auto [i, origin] : llvm::enumerate(origins)) {
    if (origin.operand < 0)
      continue;
    if (!runs.empty()) {
      Run &last = runs.back();
      if (last.operand == origin.operand &&
          last.from + last.count == origin.element &&
          last.to + last.count == int64_t(i)) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({origin.operand, origin.element, int64_t(i), 1});
  }
  return runs;
}

static void emitMovement(Operation *op, ArrayRef<Origin> origins, Value result,
                         Translator &t) {
  SmallVector<Reg> operands;
  for (Value operand : op->getOperands())
    operands.push_back(t.reg(operand));
  Reg r = t.reg(result);
  t.emit(op, [=, runs = runsOf(origins)](Agent &agent) {
    int64_t bytes = agent.lanes() * r.cellBytes;
    uint8_t *to = agent.cells(r);
    for (const Run &run : runs)
      std::memcpy(to + run.to * bytes,
                  agent.cells(operands[run.operand]) + run.from * bytes,
                  run.count * bytes);
  });
}

static LogicalResult translateDynamic(Operation *op, Translator &t);

static LogicalResult translateMovement(Operation *op, Translator &t) {
  std::optional<Movement> movement = movementOf(op);
  if (!movement)
    return translateDynamic(op, t);
  for (auto [result, origins] : llvm::zip_equal(op->getResults(), *movement)) {
    // A lane's part has the elements of all lanes (LaneCode.h). Ops there that
    // are not elementwise broadcast a scalar or change the shape.
    int64_t count = t.reg(result).elements;
    for (int64_t i = origins.size(); i < count; ++i)
      origins.push_back({0, isa<vector::ShapeCastOp>(op) ? int32_t(i) : 0});
    emitMovement(op, origins, result, t);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Dynamic positions
//===----------------------------------------------------------------------===//

/// A position in the leading dimensions of a vector, partly in registers.
struct Position {
  Shape extents, strides;
  SmallVector<Reg> registers;
  SmallVector<int64_t> constants; // kDynamic: the next register

  Position(VectorType vector, ArrayRef<int64_t> fixed, ValueRange dynamic,
           Translator &t)
      : extents(vector.getShape().take_front(fixed.size())),
        strides(rowMajorStrides(vector.getShape())), constants(fixed) {
    for (Value value : dynamic)
      registers.push_back(t.reg(value));
  }

  /// Returns the first element at this position, or -1 out of bounds.
  int64_t element(Agent &agent, int64_t lane) const {
    int64_t element = 0;
    size_t next = 0;
    for (auto [d, constant] : llvm::enumerate(constants)) {
      int64_t index = constant;
      if (ShapedType::isDynamic(constant))
        index = agent.integer(registers[next++], lane);
      if (index < 0 || index >= extents[d])
        return -1;
      element += index * strides[d];
    }
    return element;
  }
};

/// Moves `count` elements per lane between a vector at a position and a part.
template <typename Move>
static void atPosition(Agent &agent, Operation *op, const Position &position,
                       int64_t count, Reg vector, Reg part, Move move) {
  int64_t lanes = agent.lanes(), bytes = part.cellBytes;
  forEachLane(agent.mask(), [&](int64_t lane) {
    int64_t first = position.element(agent, lane);
    if (first < 0) {
      agent.fault(op, FaultKind::OutOfBounds,
                  "a position of " + agent.describe(lane) +
                      " is outside the vector",
                  agent.placeOf(lane));
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      move(agent.cells(vector) + ((first + i) * lanes + lane) * bytes,
           agent.cells(part) + (i * lanes + lane) * bytes, bytes);
  });
}

static LogicalResult translateDynamic(Operation *op, Translator &t) {
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    Reg vector = t.reg(extract.getSource()), r = t.reg(extract.getResult());
    Position position(extract.getSourceVectorType(),
                      extract.getStaticPosition(), extract.getDynamicPosition(),
                      t);
    t.emit(op, [=](Agent &agent) {
      atPosition(agent, op, position, r.elements, vector, r,
                 [](uint8_t *whole, uint8_t *part, int64_t bytes) {
                   std::memcpy(part, whole, bytes);
                 });
    });
    return success();
  }
  auto insert = dyn_cast<vector::InsertOp>(op);
  if (!insert)
    return t.notModelled(op, "a vector whose shape is not static");
  Reg part = t.reg(insert.getValueToStore()), into = t.reg(insert.getDest());
  Reg r = t.reg(insert.getResult());
  Position position(insert.getDestVectorType(), insert.getStaticPosition(),
                    insert.getDynamicPosition(), t);
  t.emit(op, [=](Agent &agent) {
    agent.copy(into, r);
    atPosition(agent, op, position, part.elements, r, part,
               [](uint8_t *whole, uint8_t *part, int64_t bytes) {
                 std::memcpy(whole, part, bytes);
               });
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static LogicalResult translateBitcast(vector::BitCastOp op, Translator &t) {
  Reg a = t.reg(op.getSource()), r = t.reg(op.getResult());
  Regroup regroup = t.domain().bitcast(a.kind, r.kind);
  if (!regroup)
    return t.notModelled(op, "a bitcast in this domain");
  // Only the innermost dimension changes: rows are regrouped one by one.
  Shape from(op.getSourceVectorType().getShape());
  Shape to(op.getResultVectorType().getShape());
  int64_t perRowFrom = from.empty() ? 1 : from.back();
  int64_t perRowTo = to.empty() ? 1 : to.back();
  int64_t rows = a.elements / perRowFrom;
  t.emit(op, [=](Agent &agent) {
    int64_t lanes = agent.lanes();
    for (int64_t row = 0; row < rows; ++row)
      regroup(lanes, perRowFrom,
              agent.cells(a) + row * perRowFrom * lanes * a.cellBytes, perRowTo,
              agent.cells(r) + row * perRowTo * lanes * r.cellBytes);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Vectors without operands
//===----------------------------------------------------------------------===//

static LogicalResult translateStep(vector::StepOp op, Translator &t) {
  Reg r = t.reg(op.getResult());
  for (int64_t e = 0; e < r.elements; ++e)
    t.setConstant(r, e, uint64_t(e));
  return success();
}

static LogicalResult translateConstantMask(vector::ConstantMaskOp op,
                                           Translator &t) {
  Reg r = t.reg(op.getResult());
  int64_t element = 0;
  forEachIndex(op.getVectorType().getShape(), [&](ArrayRef<int64_t> index) {
    bool inside = llvm::all_of_zip(index, op.getMaskDimSizes(),
                                   [](int64_t i, int64_t n) { return i < n; });
    t.setConstant(r, element++, inside);
  });
  return success();
}

static LogicalResult translateCreateMask(vector::CreateMaskOp op,
                                         Translator &t) {
  Reg r = t.reg(op.getResult());
  SmallVector<Reg> bounds;
  for (Value bound : op.getOperands())
    bounds.push_back(t.reg(bound));
  Shape shape(op.getVectorType().getShape());
  if (shape.empty()) // vector<i1> has one bound too
    shape.push_back(1);
  // The domain compares, so an undecided bound stays undecided.
  Binary below = t.domain().compare(arith::CmpIPredicate::slt, 64);
  Binary both = t.domain().binary(IntegerBinary::And, 1);
  if (!below || !both)
    return t.notModelled(op, "integers in this domain");
  // Lane-wise comparisons of each coordinate with its bound, per dimension.
  SmallVector<Reg> coordinates, inside;
  for (int64_t extent : shape) {
    coordinates.push_back(t.scratch(Kind::index(), extent));
    inside.push_back(t.scratch(Kind::integer(1), extent));
    for (int64_t i = 0; i < extent; ++i)
      t.setConstant(coordinates.back(), i, uint64_t(i));
  }
  t.emit(op, [=](Agent &agent) {
    int64_t lanes = agent.lanes();
    for (auto [d, extent] : llvm::enumerate(shape))
      for (int64_t i = 0; i < extent; ++i)
        below(lanes,
              agent.cells(coordinates[d]) +
                  i * lanes * coordinates[d].cellBytes,
              agent.cells(bounds[d]),
              agent.cells(inside[d]) + i * lanes * inside[d].cellBytes);
    int64_t element = 0;
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      copyElement(agent, inside[0], index[0], r, element);
      uint8_t *cell = agent.cells(r) + element * lanes * r.cellBytes;
      for (size_t d = 1; d < index.size(); ++d)
        both(lanes, cell,
             agent.cells(inside[d]) + index[d] * lanes * r.cellBytes, cell);
      ++element;
    });
  });
  return success();
}

void distaff::simt::registerVectorMovement(OpRegistry &registry) {
  for (StringRef name : {vector::BroadcastOp::getOperationName(),
                         vector::TransposeOp::getOperationName(),
                         vector::ShapeCastOp::getOperationName(),
                         vector::ExtractOp::getOperationName(),
                         vector::InsertOp::getOperationName(),
                         vector::InsertStridedSliceOp::getOperationName(),
                         vector::ExtractStridedSliceOp::getOperationName(),
                         vector::ShuffleOp::getOperationName(),
                         vector::InterleaveOp::getOperationName(),
                         vector::DeinterleaveOp::getOperationName(),
                         vector::FromElementsOp::getOperationName(),
                         vector::ToElementsOp::getOperationName()})
    registry.add(name, translateMovement);
  registry.add<vector::BitCastOp>(translateBitcast);
  registry.add<vector::StepOp>(translateStep);
  registry.add<vector::ConstantMaskOp>(translateConstantMask);
  registry.add<vector::CreateMaskOp>(translateCreateMask);
}
