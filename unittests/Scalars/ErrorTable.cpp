//===- ErrorTable.cpp - The largest errors that are documented ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ErrorTable.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace distaff::scalars;
using llvm::StringRef;

static constexpr const char *columns[] = {"f8", "f16", "bf16", "f32", "f64"};

/// The four types of 8 bits share a column.
static std::string columnOf(const Format &format) {
  return format.bits == 8 ? "f8" : format.name;
}

std::string ErrorTable::tableOf(const Device &device) {
  return StringRef(device.target) == "host" ? "CPUs" : "GPUs";
}

double ErrorTable::largestOf(const ScalarOp &op, const Device &device) const {
  auto table = tables.find(tableOf(device));
  if (table == tables.end())
    return 0;
  auto row = table->second.find(op.name);
  if (row == table->second.end())
    return 0;
  auto cell = row->second.find(columnOf(*op.result));
  return cell == row->second.end() ? 0 : cell->second;
}

void ErrorTable::add(const ScalarOp &op, const Device &device, double error) {
  double &cell = tables[tableOf(device)][op.name][columnOf(*op.result)];
  if (replaced.insert(&cell).second)
    cell = 0;
  cell = std::max(cell, std::ceil(error * 4) / 4);
}

std::string ErrorTable::read(const std::string &page) {
  std::string table;
  llvm::SmallVector<StringRef> lines;
  StringRef(page).split(lines, '\n');
  for (StringRef line : lines) {
    if (line.consume_front("## On "))
      table = line.str();
    if (table.empty() || !line.starts_with("| `"))
      continue;
    llvm::SmallVector<StringRef> cells;
    line.split(cells, '|');
    if (cells.size() != std::size(columns) + 3)
      return "a row has other columns: " + line.str();
    for (auto [column, cell] :
         llvm::zip(columns, llvm::ArrayRef(cells).drop_front(2))) {
      StringRef number = cell.trim();
      double error;
      if (number.empty())
        continue;
      if (number.getAsDouble(error))
        return "a cell is no number: " + line.str();
      // Of what is beyond, the page says why.
      std::string name = cells[1].trim().trim('`').str();
      double most = name == "exp" ? 64 : 4;
      if (error > most)
        return "an error is too large to be documented: " + line.str();
      tables[table][name][column] = error;
    }
  }
  return table.empty() ? "the page has no table" : "";
}

std::string ErrorTable::write(const std::string &page) const {
  std::string text;
  llvm::SmallVector<StringRef> lines;
  StringRef(page).rtrim().split(lines, '\n');
  bool isCopied = true;
  for (StringRef line : lines) {
    isCopied |= line.starts_with("#");
    if (isCopied)
      text += line.str() + "\n";
    if (!line.consume_front("## On "))
      continue;
    isCopied = false;
    text += "\n| function | f8 | f16 | bf16 | f32 | f64 |\n"
            "| --- | --- | --- | --- | --- | --- |\n";
    auto table = tables.find(line.str());
    if (table == tables.end())
      continue;
    for (const auto &[name, row] : table->second) {
      if (llvm::all_of(row, [](auto &cell) { return cell.second == 0; }))
        continue;
      text += "| `" + name + "` |";
      for (const char *column : columns) {
        auto cell = row.find(column);
        text += cell == row.end() || cell->second == 0
                    ? "  |"
                    : llvm::formatv(" {0:F2} |", cell->second).str();
      }
      text += "\n";
    }
    text += "\n";
  }
  return StringRef(text).rtrim().str() + "\n";
}
