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
// the instruction, a matrix is an addressing of a subgroup's cells, and the
// whole op, leading dimensions included, is one contraction over them. Lanes
// that are agents of their own, as in programs with tensors, execute it as a
// LaneMeeting.
//
// Products are exact, of elements as the instruction reads them (unsigned, or
// rounded to fewer bits); they are added to the accumulator one by one, in the
// order of the leading reduction indices and then of k, rounded in its format.
//
// Of an element with several replicas the first one is read; hardware that
// requires replicas reads all of them, so they must be equal.
//
//===----------------------------------------------------------------------===//
#include "../Machine/LaneMeeting.h"
#include "../Translate/OpRegistry.h"
#include "../Values/IndexSpace.h"
#include "MfmaLanes.h"
#include "MmaReading.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/IREE/MfmaModifiers.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

/// The places of a fragment's elements along its dimensions; the place of (row,
/// column, block) is rows[row] + columns[column] + blocks[block].
struct FragmentPlaces {
  std::vector<int64_t> rows, columns, blocks;
};

} // namespace

/// Returns the places of a fragment map, which is always a sum of functions of
/// the row, the column and the block.
static FragmentPlaces placesOf(const MmaInstruction &instruction,
                               MmaOperand operand) {
  std::vector<int32_t> slots = fragmentSlots(instruction, operand);
  MatrixElement extent = instruction.shape(operand);
  auto at = [&](int64_t row, int64_t column, int64_t block) -> int64_t {
    return slots[(block * extent.row + row) * extent.column + column];
  };
  FragmentPlaces places;
  for (int64_t row = 0; row < extent.row; ++row)
    places.rows.push_back(at(row, 0, 0));
  for (int64_t column = 0; column < extent.column; ++column)
    places.columns.push_back(at(0, column, 0) - at(0, 0, 0));
  for (int64_t block = 0; block < extent.block; ++block)
    places.blocks.push_back(at(0, 0, block) - at(0, 0, 0));
  for (int64_t block = 0; block < extent.block; ++block)
    for (int64_t row = 0; row < extent.row; ++row)
      for (int64_t column = 0; column < extent.column; ++column)
        assert(at(row, column, block) == places.rows[row] +
                                             places.columns[column] +
                                             places.blocks[block] &&
               "a fragment map that is no sum");
  return places;
}

/// Returns the lane of a replica that differs, in some fragment of `unit`
/// cells.
static std::optional<int64_t> findDifference(const uint8_t *cells,
                                             int64_t cellBytes, int64_t count,
                                             int64_t unit, int64_t lanes,
                                             const Copies &copies) {
  for (int64_t base = 0; base < count && !copies.empty(); base += unit)
    for (auto [cell, first] : copies)
      if (std::memcmp(cells + (base + cell) * cellBytes,
                      cells + (base + first) * cellBytes, cellBytes) != 0)
        return cell % lanes;
  return std::nullopt;
}

/// Returns outer x inner, the offsets of the outer index in units of `unit`.
static std::vector<int64_t> product(ArrayRef<int64_t> outer, int64_t unit,
                                    ArrayRef<int64_t> inner) {
  std::vector<int64_t> offsets;
  for (int64_t o : outer)
    for (int64_t i : inner)
      offsets.push_back(o * unit + i);
  return offsets;
}

/// Returns the leading dimensions of an operand: those that its map addresses.
static Shape leadingShape(Value operand, AffineMap map) {
  ArrayRef<int64_t> shape = cast<ShapedType>(operand.getType()).getShape();
  return Shape(shape.take_front(map.getNumResults()));
}

/// Returns the fragments of lhs, rhs and accumulator as one contraction over
/// cells.
static std::optional<ContractionSpace> fragmentSpace(iree::InnerTiledOp op,
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
  ContractionSpace space;
  space.lhsBatch = product(outer->lhsBatch, lhsUnit, a.blocks);
  space.rhsBatch = product(outer->rhsBatch, rhsUnit, b.blocks);
  space.accBatch = product(outer->accBatch, accUnit, c.blocks);
  space.lhsM = product(outer->lhsM, lhsUnit, a.rows);
  space.accM = product(outer->accM, accUnit, c.rows);
  space.rhsN = product(outer->rhsN, rhsUnit, b.columns);
  space.accN = product(outer->accN, accUnit, c.columns);
  space.lhsK = product(outer->lhsK, lhsUnit, a.columns);
  space.rhsK = product(outer->rhsK, rhsUnit, b.rows);
  return space;
}

/// A function that computes the result in the last operand's cells, for the
/// last agent.
using ComputeTogether =
    std::function<void(Agent &, SmallVectorImpl<LaneMeeting::Cells> &)>;

/// Emits the op for lanes that are agents.
static void emitMeeting(Operation *op, ArrayRef<Reg> operands, Reg result,
                        int64_t lanes, int64_t instructions,
                        ComputeTogether compute, Translator &t) {
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
    meeting.arrive(agent, [&](SmallVectorImpl<LaneMeeting::Cells> &cells) {
      compute(agent, cells);
    });
    if (agent.status() == Agent::Status::Faulted)
      return;
    if (meeting.phase() > phase)
      group.counters.mma += instructions;
    agent.block(object, phase, op, /*ordersMemory=*/false);
  });
}

namespace {
/// The computation of one op on the cells of all lanes.
class Product {
public:
  /// Returns nothing if the domain or the machine has no such product.
  static std::optional<Product> get(iree::InnerTiledOp op,
                                    const MmaInstruction &mma, bool transposed,
                                    const Domain &domain, Kind lhs, Kind rhs,
                                    Kind acc) {
    MmaOperand first = transposed ? MmaOperand::B : MmaOperand::A,
               second = transposed ? MmaOperand::A : MmaOperand::B;
    std::optional<ContractionSpace> space = fragmentSpace(op, mma, transposed);
    std::optional<Reading> left = readingOf(mma.element(first), lhs, domain);
    std::optional<Reading> right = readingOf(mma.element(second), rhs, domain);
    if (!space || !left || !right)
      return std::nullopt;
    Contract contract = domain.contract(vector::CombiningKind::ADD, left->kind,
                                        right->kind, acc, /*exact=*/true);
    if (!contract)
      return std::nullopt;
    Product product{std::move(*space), std::move(contract), &domain};
    product.lhs = {std::move(*left), copiesOf(mma, first),
                   mma.numRegisters(first) * mma.subgroupSize,
                   domain.cellBytes(lhs)};
    product.rhs = {std::move(*right), copiesOf(mma, second),
                   mma.numRegisters(second) * mma.subgroupSize,
                   domain.cellBytes(rhs)};
    product.lanes = mma.subgroupSize;
    return product;
  }

  void compute(const void *left, int64_t leftCells, const void *right,
               int64_t rightCells, void *acc) const {
    std::vector<uint8_t> leftScratch, rightScratch;
    contract(space, 1, lhs.reading.read(*domain, left, leftCells, leftScratch),
             rhs.reading.read(*domain, right, rightCells, rightScratch), acc);
  }

  /// Faults if a lane holds another element than the one that it must
  /// replicate.
  bool check(Agent &agent, Operation *op, const uint8_t *left,
             int64_t leftCells, const uint8_t *right,
             int64_t rightCells) const {
    std::optional<int64_t> lane = findDifference(left, lhs.cellBytes, leftCells,
                                                 lhs.unit, lanes, lhs.copies);
    if (!lane)
      lane = findDifference(right, rhs.cellBytes, rightCells, rhs.unit, lanes,
                            rhs.copies);
    if (lane)
      agent.fault(op, FaultKind::Misuse,
                  "lane " + std::to_string(*lane) +
                      " holds no copy of what another lane holds, as the "
                      "instruction wants it");
    return !lane;
  }

private:
  struct Side {
    Reading reading;
    Copies copies;
    int64_t unit = 0; // cells of a fragment
    int64_t cellBytes = 0;
  };
  Product(ContractionSpace space, Contract contract, const Domain *domain)
      : space(std::move(space)), contract(std::move(contract)), domain(domain) {
  }

  ContractionSpace space;
  Contract contract;
  const Domain *domain;
  Side lhs, rhs;
  int64_t lanes = 0;
};
} // namespace

/// Emits the op for a subgroup that is one agent.
static void emitWide(Operation *op, Reg lhs, Reg rhs, Reg acc, Reg result,
                     int64_t instructions, Product product, Translator &t) {
  t.emit(op, [=, product = std::move(product)](Agent &agent) {
    if (!agent.checkWhole(op) ||
        !product.check(agent, op, agent.cells(lhs), agent.numCells(lhs),
                       agent.cells(rhs), agent.numCells(rhs)))
      return;
    std::memcpy(agent.cells(result), agent.cells(acc),
                agent.numCells(result) * result.cellBytes);
    product.compute(agent.cells(lhs), agent.numCells(lhs), agent.cells(rhs),
                    agent.numCells(rhs), agent.cells(result));
    agent.workgroup().counters.mma += instructions;
  });
}

static LogicalResult translateInnerTiled(iree::InnerTiledOp op, Translator &t) {
  auto kind = dyn_cast<iree::MmaLayoutAttr>(op.getKind());
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
  Reg lhs = t.reg(op.getLhs()), rhs = t.reg(op.getRhs());
  Reg acc = t.reg(op.getAcc()), r = t.reg(op.getResult());
  std::optional<Product> product = Product::get(
      op, *mma, kind.getColMajor(), t.domain(), lhs.kind, rhs.kind, r.kind);
  if (!product || (isWide && r.isTensor()))
    return t.notModelled(op, "these maps or types");
  auto modifiers = iree::MfmaModifiers::of(op);
  MfmaLanes taken = {modifiers.cbsz, modifiers.abid, modifiers.blgp};
  if (!modifiers.isPlain() &&
      (!isWide || kind.getColMajor() || !taken.isOf(*mma)))
    return t.notModelled(op, "a matrix instruction with these modifiers");
  lhs = taken.takeA(op, *mma, lhs, t);
  rhs = taken.takeB(op, rhs, t);
  int64_t instructions = 1;
  for (int64_t extent : op.getIterationShape())
    instructions *= extent;
  if (isWide) {
    emitWide(op, lhs, rhs, acc, r, instructions, std::move(*product), t);
    return success();
  }
  emitMeeting(
      op, {lhs, rhs, acc}, r, lanes, instructions,
      [=, product = std::move(*product)](
          Agent &agent, SmallVectorImpl<LaneMeeting::Cells> &c) {
        int64_t left = c[0].size() / lhs.cellBytes,
                right = c[1].size() / rhs.cellBytes;
        if (product.check(agent, op, c[0].data(), left, c[1].data(), right))
          product.compute(c[0].data(), left, c[1].data(), right, c[2].data());
      },
      t);
  return success();
}

void distaff::simt::registerInnerTiled(OpRegistry &registry) {
  registry.add<iree::InnerTiledOp>(translateInnerTiled);
}
