//===- EmitRemarks.cpp - Compiler decisions as remarks --------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EmitRemarks.h"
#include "distaff/Explain/Remarks.h"

void distaff::emitRemarks(ModuleOp module, const DecisionLog &log) {
  auto file = dyn_cast<FileLineColLoc>(module.getLoc());
  for (const Remark &remark : remarksOf(log)) {
    Location at = module.getLoc();
    if (file && remark.line != 0)
      at = FileLineColLoc::get(file.getFilename(), remark.line, /*column=*/1);
    emitRemark(at) << remark.text;
  }
}
