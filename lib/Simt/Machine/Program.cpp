//===- Program.cpp - Instructions and registers of a kernel ---------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"

using namespace distaff;
using namespace distaff::simt;

uint32_t Program::number(uint32_t first) {
  base = first;
  uint32_t next = first + end();
  for (const std::shared_ptr<InnerProgram> &part : inner)
    next = part->program.number(next);
  return next;
}

Operation *Program::opAt(uint32_t number) const {
  if (number >= base && number - base < code.size())
    return code[number - base].op;
  for (const std::shared_ptr<InnerProgram> &part : inner)
    if (Operation *op = part->program.opAt(number))
      return op;
  return nullptr;
}
