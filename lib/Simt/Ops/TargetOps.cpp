//===- TargetOps.cpp - Semantics of target instructions -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 8.5, 9.7.14.5.17, "Warp-level matrix transpose instruction:
// movmatrix": across a subgroup of 32 lanes a matrix of 8 x 8 elements of 16
// bits lies in one register per lane; lane l has elements 2 (l % 4) and
// 2 (l % 4) + 1 of row l / 4, before and, of the transposed matrix, after.
//
//===----------------------------------------------------------------------===//
#include "distaff/Simt/TargetOps.h"
#include "../Translate/OpRegistry.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include <map>

using namespace distaff;
using namespace distaff::simt;

/// Returns the slot, before, of the element that `to` has in the transposed
/// matrix.
static TargetOpSlot transposed(TargetOpSlot to, int64_t) {
  int64_t row = to.lane / 4, column = to.lane % 4 * 2 + to.reg;
  return {column * 4 + row / 2, row % 2};
}

/// Returns the slot, before V_PERMLANE16_SWAP or 32, of the value in `to`
/// afterwards: CDNA4 ISA, where every second group of `width` lanes of register
/// 0 and the one before it of register 1 change places.
static TargetOpSlot beforeSwap(TargetOpSlot to, int64_t width, int64_t parts) {
  int64_t word = to.reg / parts, half = to.reg % parts;
  bool isSecond = to.lane / width % 2;
  if (word == 0 && isSecond)
    return {to.lane - width, parts + half};
  if (word == 1 && !isSecond)
    return {to.lane + width, half};
  return to;
}

/// Returns the semantics of swaps, in the order in which they run.
static TargetOpMeaning swapped(StringRef name, std::vector<int64_t> widths,
                               int64_t parts) {
  return {name.str(),
          64,
          {2 * parts},
          2 * parts,
          "",
          [=](TargetOpSlot to, int64_t) {
            for (int64_t width : llvm::reverse(widths))
              to = beforeSwap(to, width, parts);
            return to;
          }};
}

/// Returns the semantics of a transposition of matrices of `rows` x `columns`
/// groups of `unit` lanes, side by side in a subgroup.
static TargetOpMeaning transposedLanes(const std::string &name, int64_t lanes,
                                       int64_t rows, int64_t columns,
                                       int64_t unit, int64_t parts) {
  return {name, lanes, {parts}, parts, "", [=](TargetOpSlot to, int64_t) {
            int64_t matrix = rows * columns * unit;
            int64_t first = to.lane - to.lane % matrix;
            int64_t group = to.lane % matrix / unit;
            int64_t column = group / rows, row = group % rows;
            return TargetOpSlot{first + (row * columns + column) * unit +
                                    to.lane % unit,
                                to.reg};
          }};
}

/// Adds, from the RDNA3 ISA, V_PERMLANE16_B32 and DPP QUAD_PERM: the
/// permutations of a row of 16 lanes, and of four, that transpose.
static void addLaneTranspositions(std::map<std::string, TargetOpMeaning> &all) {
  struct Matrix {
    const char *name;
    int64_t lanes, rows, columns, unit;
  };
  static constexpr Matrix matrices[] = {
      {"QUAD_PERM_W32_2X2", 32, 2, 2, 1}, {"QUAD_PERM_W64_2X2", 64, 2, 2, 1},
      {"PERMLANE16_2X2X2", 32, 2, 2, 2},  {"PERMLANE16_2X2X4", 32, 2, 2, 4},
      {"PERMLANE16_2X4", 32, 2, 4, 1},    {"PERMLANE16_4X2", 32, 4, 2, 1},
      {"PERMLANE16_2X4X2", 32, 2, 4, 2},  {"PERMLANE16_4X2X2", 32, 4, 2, 2},
      {"PERMLANE16_2X8", 32, 2, 8, 1},    {"PERMLANE16_8X2", 32, 8, 2, 1},
      {"PERMLANE16_4X4", 32, 4, 4, 1}};
  for (const Matrix &matrix : matrices)
    for (const char *type : {"F32", "I32", "F16", "BF16"}) {
      std::string name = std::string("ROCDL_") + matrix.name + "_" + type;
      all[name] =
          transposedLanes(name, matrix.lanes, matrix.rows, matrix.columns,
                          matrix.unit, StringRef(type).ends_with("16") ? 2 : 1);
    }
}

static std::map<std::string, TargetOpMeaning> &meanings() {
  static std::map<std::string, TargetOpMeaning> known = [] {
    std::map<std::string, TargetOpMeaning> all;
    for (const char *name :
         {"PTX_MOVMATRIX_TRANS_F16", "PTX_MOVMATRIX_TRANS_BF16"})
      all[name] = {name, 32, {2}, 2, "", transposed};
    std::pair<const char *, std::vector<int64_t>> swaps[] = {
        {"16", {16}}, {"32", {32}}, {"32_16", {32, 16}}, {"16_32", {16, 32}}};
    for (auto &[order, widths] : swaps)
      for (const char *type : {"F32", "I32", "F16", "BF16"}) {
        std::string name =
            std::string("ROCDL_PERMLANE") + order + "_SWAP_" + type;
        all[name] =
            swapped(name, widths, StringRef(type).ends_with("16") ? 2 : 1);
      }
    addLaneTranspositions(all);
    return all;
  }();
  return known;
}

const TargetOpMeaning *simt::lookupTargetOpMeaning(StringRef name) {
  auto it = meanings().find(name.str());
  return it == meanings().end() ? nullptr : &it->second;
}

TargetOpRegistration::TargetOpRegistration(TargetOpMeaning meaning)
    : name(meaning.name) {
  [[maybe_unused]] bool isNew =
      meanings().emplace(name, std::move(meaning)).second;
  assert(isNew && "a name means one instruction");
}

TargetOpRegistration::~TargetOpRegistration() { meanings().erase(name); }

namespace {
/// Gathers the values of one operand that the results of all issues read.
struct Gather {
  Reg from, to;
  std::vector<int64_t> sources; // cells of one issue, by cell of the result
  int64_t issues, fromUnit;

  void run(Agent &agent) const {
    int64_t bytes = from.cellBytes, unit = sources.size();
    for (int64_t issue = 0; issue < issues; ++issue)
      for (int64_t cell = 0; cell < unit; ++cell)
        std::memcpy(agent.cells(to) + (issue * unit + cell) * bytes,
                    agent.cells(from) +
                        (issue * fromUnit + sources[cell]) * bytes,
                    bytes);
  }
};
} // namespace

/// A function that combines the cells of several operands into those of `r`.
using Combine = std::function<void(Agent &)>;

static Combine functionOf(StringRef name, ArrayRef<Reg> read, Reg r,
                          const Domain &domain) {
  FloatFormat format = read.front().kind.format;
  if (read.size() == 1 && name == "math.exp2") {
    Unary exp2 = domain.unary(FloatUnary::Exp2, format);
    if (!exp2)
      return {};
    return [=, a = read[0]](Agent &agent) {
      exp2(agent.numCells(r), agent.cells(a), agent.cells(r));
    };
  }
  if (read.size() == 1 && name == "arith.negf") {
    Unary negate = domain.unary(FloatUnary::Negate, format);
    if (!negate)
      return {};
    return [=, a = read[0]](Agent &agent) {
      negate(agent.numCells(r), agent.cells(a), agent.cells(r));
    };
  }
  if (read.size() == 2 && name == "arith.addf") {
    Binary add = domain.binary(FloatBinary::Add, format);
    if (!add)
      return {};
    return [=, a = read[0], b = read[1]](Agent &agent) {
      add(agent.numCells(r), agent.cells(a), agent.cells(b), agent.cells(r));
    };
  }
  return {};
}

static LogicalResult translateTargetOp(core::TargetOpOp op, Translator &t) {
  const TargetOpMeaning *meaning =
      lookupTargetOpMeaning(op.getKind().getName());
  if (!meaning)
    return t.notModelled(op, "an instruction that the machine does not know");
  if (t.lanes() != meaning->lanes)
    return t.notModelled(op, meaning->name + " needs subgroups of " +
                                 Twine(meaning->lanes) + " lanes, found " +
                                 Twine(t.lanes()));
  Reg r = t.reg(op.getResult());
  int64_t lanes = t.lanes(), unit = meaning->resultRegisters * lanes;
  int64_t issues = r.elements / meaning->resultRegisters;
  std::vector<Gather> gathers;
  SmallVector<Reg> read;
  for (auto [operand, input] : llvm::enumerate(op.getInputs())) {
    Reg from = t.reg(input);
    int64_t fromUnit = meaning->operandRegisters[operand] * lanes;
    Reg to = meaning->function.empty() ? r : t.scratch(from.kind, r.elements);
    Gather gather{from, to, {}, issues, fromUnit};
    for (int64_t cell = 0; cell < unit; ++cell) {
      TargetOpSlot slot =
          meaning->source({cell % lanes, cell / lanes}, operand);
      gather.sources.push_back(slot.reg * lanes + slot.lane);
    }
    gathers.push_back(std::move(gather));
    read.push_back(to);
  }
  Combine combine;
  if (!meaning->function.empty()) {
    combine = functionOf(meaning->function, read, r, t.domain());
    if (!combine)
      return t.notModelled(op, meaning->function + " in this domain");
  }
  t.emit(op, [=, gathers = std::move(gathers)](Agent &agent) {
    if (!agent.checkWhole(op))
      return;
    for (const Gather &gather : gathers)
      gather.run(agent);
    if (combine)
      combine(agent);
  });
  return success();
}

LogicalResult distaff::simt::translateMovMatrix(Operation *op, Reg word, Reg r,
                                                Translator &t) {
  Kind half = Kind::integer(16);
  Regroup apart = t.domain().bitcast(word.kind, half),
          together = t.domain().bitcast(half, r.kind);
  if (!apart || !together || t.lanes() != 32 || word.kind.width != 32 ||
      word.elements != 1)
    return t.notModelled(op, "movmatrix of these registers");
  Reg before = t.scratch(half, 2), after = t.scratch(half, 2);
  t.emit(op, [=](Agent &agent) {
    if (!agent.checkWhole(op))
      return;
    int64_t lanes = agent.lanes(), bytes = before.cellBytes;
    apart(lanes, 1, agent.cells(word), 2, agent.cells(before));
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int64_t reg = 0; reg < 2; ++reg) {
        TargetOpSlot from = transposed({lane, reg}, 0);
        std::memcpy(agent.cells(after) + (reg * lanes + lane) * bytes,
                    agent.cells(before) +
                        (from.reg * lanes + from.lane) * bytes,
                    bytes);
      }
    together(lanes, 2, agent.cells(after), 1, agent.cells(r));
  });
  return success();
}

void distaff::simt::registerTargetOps(OpRegistry &registry) {
  registry.add<core::TargetOpOp>(translateTargetOp);
}
