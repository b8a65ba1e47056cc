//===- Counts.cpp - How many results were compared ------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Counts.h"
#include "llvm/ADT/StringRef.h"

using namespace distaff::scalars;

void Counts::add(const ScalarOp &op, const Device &device, size_t results) {
  byDevice[device.name] += results;
  bool isExpression = llvm::StringRef(op.name).contains('(');
  byOp[isExpression ? "expressions" : op.name][op.operands.front()->name] +=
      results;
}

std::string Counts::asMarkdown() const {
  std::string text = "| device | results |\n| --- | --- |\n";
  for (const auto &[device, results] : byDevice)
    text += "| " + device + " | " + std::to_string(results) + " |\n";
  text += "\n| op |";
  std::string line = "| --- |";
  for (const Format &type : formats()) {
    text += std::string(" ") + type.name + " |";
    line += " --- |";
  }
  text += "\n" + line + "\n";
  for (const auto &[op, counts] : byOp) {
    text += "| " + op + " |";
    for (const Format &type : formats()) {
      auto found = counts.find(type.name);
      text += found == counts.end()
                  ? "  |"
                  : " " + std::to_string(found->second) + " |";
    }
    text += "\n";
  }
  return text;
}
