//===- LinalgSoftmax.cpp - linalg.softmax ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp(x - max) / sum(exp(x - max)) along one dimension, each step on the whole
// array with the domain's functions, in the operand's own type.
//
//===----------------------------------------------------------------------===//
#include "ElementPlan.h"
#include "Linalg.h"

using namespace distaff;
using namespace distaff::simt;

namespace {

struct Softmax {
  Contract maximum, sum;
  Binary subtract, divide;
  Unary exp;
  Reg one, least, zero;
  int64_t dimension;
  unsigned bytes;

  bool isModelled() const {
    return maximum && sum && subtract && divide && exp;
  }
  void run(Agent &agent, ArrayRef<int64_t> shape, const uint8_t *from,
           uint8_t *to) const;

private:
  /// Reduces along the dimension and returns one cell per line.
  std::vector<uint64_t> reduce(Agent &agent, const Contract &contract, Reg init,
                               const ContractionSpace &space,
                               const uint8_t *from) const;
  /// Computes to = function(to, line's cell).
  void combine(const Binary &function, const ContractionSpace &space,
               const std::vector<uint64_t> &lines, uint8_t *to) const;
};

} // namespace

std::vector<uint64_t> Softmax::reduce(Agent &agent, const Contract &contract,
                                      Reg init, const ContractionSpace &space,
                                      const uint8_t *from) const {
  std::vector<uint64_t> lines((space.lhsM.size() * bytes + 7) / 8);
  auto *cells = reinterpret_cast<uint8_t *>(lines.data());
  for (size_t line = 0; line < space.lhsM.size(); ++line)
    std::memcpy(cells + line * bytes, agent.cells(init), bytes);
  contract(space, 1, from, agent.cells(one), cells);
  return lines;
}

void Softmax::combine(const Binary &function, const ContractionSpace &space,
                      const std::vector<uint64_t> &lines, uint8_t *to) const {
  auto *cells = reinterpret_cast<const uint8_t *>(lines.data());
  for (auto [line, first] : llvm::enumerate(space.lhsM))
    for (int64_t along : space.lhsK) {
      uint8_t *cell = to + (first + along) * bytes;
      function(1, cell, cells + line * bytes, cell);
    }
}

void Softmax::run(Agent &agent, ArrayRef<int64_t> shape, const uint8_t *from,
                  uint8_t *to) const {
  Shape strides = rowMajorStrides(shape), otherExtents;
  LinearAccess others;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (d != dimension) {
      others.strides.push_back(strides[d]);
      otherExtents.push_back(shape[d]);
    }
  ContractionSpace space;
  space.lhsBatch = space.rhsBatch = space.accBatch = space.rhsN =
      space.accN = {0};
  space.lhsM = offsetsOf(others, otherExtents);
  for (size_t line = 0; line < space.lhsM.size(); ++line)
    space.accM.push_back(int64_t(line));
  space.lhsK =
      offsetsOf(LinearAccess{0, {strides[dimension]}}, shape[dimension]);
  space.rhsK.assign(space.lhsK.size(), 0);

  int64_t count = numElements(shape);
  std::vector<uint64_t> largest = reduce(agent, maximum, least, space, from);
  std::memcpy(to, from, count * bytes);
  combine(subtract, space, largest, to);
  exp(count, to, to);
  std::vector<uint64_t> total = reduce(agent, sum, zero, space, to);
  combine(divide, space, total, to);
}

static LogicalResult translateSoftmax(linalg::SoftmaxOp op, Translator &t) {
  Reg input = t.reg(op.getInput()), output = t.reg(op.getOutput());
  if (t.lanes() != 1 || !input.kind.isFloat)
    return t.notModelled(op, "a softmax of this kind");
  std::optional<Reg> result;
  if (op->getNumResults() > 0)
    result = t.reg(op->getResult(0));
  const Domain &domain = t.domain();
  Kind kind = input.kind;
  auto reduction = [&](vector::CombiningKind combining) {
    return domain.contract(combining, kind, kind, kind, false);
  };
  Softmax softmax{reduction(vector::CombiningKind::MAXNUMF),
                  reduction(vector::CombiningKind::ADD),
                  domain.binary(FloatBinary::Sub, kind.format),
                  domain.binary(FloatBinary::Div, kind.format),
                  domain.unary(FloatUnary::Exp, kind.format),
                  t.constant(kind, encode(kind.format, 1.0)),
                  t.constant(kind, encode(kind.format, -HUGE_VAL)),
                  t.constant(kind, encode(kind.format, 0.0)),
                  int64_t(op.getDimension()),
                  domain.cellBytes(kind)};
  if (!softmax.isModelled())
    return t.notModelled(op, "these functions in this domain");
  Access access = Access::get(op, domain, kind);
  t.emit(op, [=](Agent &agent) {
    DenseOperand from, to;
    if (!from.read(agent, access, input))
      return;
    if (!result) {
      if (!to.read(agent, access, output, /*isRead=*/false))
        return;
      softmax.run(agent, from.shape, from.cells, to.loadedCells());
      to.write(agent, access, output);
      return;
    }
    Tensor tensor = Tensor::allocate(from.shape, softmax.bytes);
    softmax.run(agent, from.shape, from.cells, tensor.mutableCells());
    agent.tensor(*result) = std::move(tensor);
  });
  return success();
}

void distaff::simt::registerSoftmax(OpRegistry &registry) {
  registry.add<linalg::SoftmaxOp>(translateSoftmax);
}
