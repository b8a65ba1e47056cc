//===- ErrorTable.h - The largest errors that are documented ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/ScalarOps.md has a table for GPUs and one for CPUs. A row is a function,
// a column a type, a cell the largest distance from the exact value in units of
// the last place, rounded up to a quarter, 0 where the result is the nearest
// number; an empty cell is 0.
// What no row names is right to the last bit.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SCALARS_ERRORTABLE_H
#define DISTAFF_UNITTESTS_SCALARS_ERRORTABLE_H

#include "Definitions.h"
#include "Devices.h"

#include <map>
#include <set>

namespace distaff::scalars {

class ErrorTable {
public:
  /// Reads the page's tables. Returns what is wrong with it, or nothing.
  std::string read(const std::string &page);
  /// The page with these tables in place of its own.
  std::string write(const std::string &page) const;

  /// What an op's results may be off by on a device.
  double largestOf(const ScalarOp &op, const Device &device) const;
  /// Replaces what the table has by the largest of the errors that are added.
  void add(const ScalarOp &op, const Device &device, double error);

private:
  using Row = std::map<std::string, double>; ///< by type
  static std::string tableOf(const Device &device);

  std::map<std::string, std::map<std::string, Row>> tables;
  std::set<const double *> replaced;
};

} // namespace distaff::scalars

#endif // DISTAFF_UNITTESTS_SCALARS_ERRORTABLE_H
