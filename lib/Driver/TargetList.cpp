//===- TargetList.cpp - Listing targets and instructions ------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Driver/TargetList.h"
#include "distaff/Target/ThisMachine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;
using llvm::json::Array;
using llvm::json::Object;

/// Returns the dot products of packed operands, those of the matrix unit last.
static SmallVector<const PackedDot *> dotsOf(const Target &target) {
  SmallVector<const PackedDot *> dots;
  for (const PackedDot &dot : target.simd.packedDots)
    dots.push_back(&dot);
  for (const PackedDot &dot : target.simd.matrices.dots)
    dots.push_back(&dot);
  return dots;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printSummary(const Target &target, raw_ostream &stream) {
  stream << target.name << "\t";
  if (target.isHost())
    stream << target.simd.registers << " vectors of " << target.simd.vectorBits
           << " bits per core, " << target.computeUnits << " cores"
           << (target.isExperimental ? ", experimental" : "")
           << (runsOnThisMachine(target) ? "" : ", not on this CPU");
  else
    stream << target.subgroupSize << " lanes per subgroup, "
           << target.mma.size() << " MMA instructions";
  stream << "\n";
}

void distaff::printTargets(ArrayRef<const Target *> targets,
                           raw_ostream &stream) {
  for (const Target *target : targets)
    printSummary(*target, stream);
}

/// Prints rows of cells; each column is as wide as its widest cell.
static void printTable(ArrayRef<SmallVector<std::string>> rows,
                       raw_ostream &stream) {
  SmallVector<size_t> widths;
  for (ArrayRef<std::string> row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, cell.size());
  }
  for (ArrayRef<std::string> row : rows) {
    std::string line;
    for (auto [width, cell] : llvm::zip(widths, row))
      line += "  " + cell + std::string(width - cell.size(), ' ');
    stream << StringRef(line).rtrim() << "\n";
  }
}

static std::string shapeOf(ArrayRef<int64_t> extents) {
  return llvm::join(
      llvm::map_range(extents,
                      [](int64_t extent) { return std::to_string(extent); }),
      "x");
}

static SmallVector<std::string> cellsOf(const MmaRow &row) {
  std::string shape = shapeOf({row.m, row.n, row.k});
  if (row.blocks > 1)
    shape += llvm::formatv(" ({0} blocks)", row.blocks).str();
  return {row.name.str(), shape,
          llvm::formatv("{0} x {1} + {2}", nameOf(row.a), nameOf(row.b),
                        nameOf(row.c))
              .str(),
          std::to_string(row.issueCost), row.instruction.str()};
}

static SmallVector<std::string> cellsOf(const TargetOp &row) {
  return {row.name.str(), shapeOf(row.shape),
          (nameOf(row.operand) + " to " + nameOf(row.result)).str(),
          std::to_string(row.issueCost), row.operation.str()};
}

static void printCoreInstructions(const Target &target, raw_ostream &stream) {
  SmallVector<SmallVector<std::string>> rows;
  for (const PackedDot *dot : dotsOf(target))
    rows.push_back(
        {dot->name.str(), llvm::formatv("{0} x {1} + {2}", nameOf(dot->lhs),
                                        nameOf(dot->rhs), nameOf(dot->result))
                              .str()});
  stream << "mma_kind takes no instruction of a CPU; products of these types "
            "are summed by\n";
  rows.insert(rows.begin(), {"NAME", "A x B + C"});
  printTable(rows, stream);
}

void distaff::printInstructions(const Target &target, raw_ostream &stream) {
  printSummary(target, stream);
  if (target.isHost()) {
    if (!dotsOf(target).empty())
      printCoreInstructions(target, stream);
    return;
  }
  SmallVector<SmallVector<std::string>> rows = {
      {"NAME", "MxNxK", "A x B + C", "SLOTS", "INSTRUCTION"}};
  for (const MmaRow &row : target.mma)
    rows.push_back(cellsOf(row));
  stream << "mma_kind=NAME, #iree_gpu.mma_layout<NAME>\n";
  printTable(rows, stream);
  if (target.ops.empty())
    return;
  rows = {{"NAME", "TILE", "TYPES", "SLOTS", "OPERATION"}};
  for (const TargetOp &row : target.ops)
    rows.push_back(cellsOf(row));
  stream << "mma_kind = #distaff.target_op<NAME>\n";
  printTable(rows, stream);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Object toJson(const MmaRow &row) {
  return Object{{"name", row.name},
                {"m", row.m},
                {"n", row.n},
                {"k", row.k},
                {"blocks", row.blocks},
                {"a", nameOf(row.a)},
                {"b", nameOf(row.b)},
                {"c", nameOf(row.c)},
                {"issueSlots", row.issueCost},
                {"instruction", row.instruction}};
}

static Object toJson(const TargetOp &row) {
  return Object{{"name", row.name},
                {"operation", row.operation},
                {"tile", Array(row.shape)},
                {"operand", nameOf(row.operand)},
                {"result", nameOf(row.result)},
                {"issueSlots", row.issueCost}};
}

static Object toJson(const PackedDot &dot) {
  return Object{{"name", dot.name},
                {"a", nameOf(dot.lhs)},
                {"b", nameOf(dot.rhs)},
                {"c", nameOf(dot.result)}};
}

static Object toJson(const Target &target) {
  Array mma, ops, dots;
  for (const MmaRow &row : target.mma)
    mma.push_back(toJson(row));
  for (const TargetOp &row : target.ops)
    ops.push_back(toJson(row));
  for (const PackedDot *dot : dotsOf(target))
    dots.push_back(toJson(*dot));
  Object object{{"name", target.name},
                {"family", target.family.name},
                {"subgroupSize", target.subgroupSize},
                {"maxWorkgroupSize", target.maxWorkgroupSize},
                {"mma", std::move(mma)},
                {"targetOps", std::move(ops)},
                {"packedDots", std::move(dots)}};
  if (target.isHost()) {
    object["vectorBits"] = target.simd.vectorBits;
    object["vectorRegisters"] = target.simd.registers;
    object["experimental"] = target.isExperimental;
    object["runsHere"] = runsOnThisMachine(target);
  }
  return object;
}

void distaff::printTargetsJson(ArrayRef<const Target *> targets,
                               raw_ostream &stream) {
  Array array;
  for (const Target *target : targets)
    array.push_back(toJson(*target));
  stream << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(array)));
}
