//===- Run.h - One execution of a kernel ------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates a kernel for a domain, brings arguments into the domain's cells,
// and holds the launch until its results have been read.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_SIMT_RUN_H
#define DISTAFF_LIB_SIMT_RUN_H

#include "Machine/Launch.h"
#include "Translate/Translator.h"

namespace distaff::simt {

struct MemRefArgument {
  size_t number;
  bool inWorkgroup; // numbered among the preloaded buffers, else among globals
  int64_t buffer;
  /// Per dim, in elements: only rows in workgroup memory may have padding.
  SmallVector<int64_t> shape, strides;

  /// Returns the positions of the elements in the buffer, in row-major order.
  std::vector<int64_t> positions() const;
};

class Execution {
public:
  Execution(FunctionOpInterface kernel, const Domain &domain,
            const Options &options)
      : domain(domain), kernel(kernel), options(options) {}

  /// Translates the kernel and passes its arguments; on failure fills in the
  /// outcome.
  LogicalResult prepare(func::FuncOp grid, ArrayRef<Array *> arguments);
  /// Runs the prepared kernel.
  LogicalResult run();

  /// Returns whether the elements of an argument share bytes: in the memory of
  /// a GPU, if the kernel no longer accesses single elements.
  bool isPacked(size_t number) const;
  bool hasRun() const { return launch->first != nullptr; }
  const Buffer &finalBuffer(const MemRefArgument &argument) const;
  /// Returns the register cells of all elements of an argument.
  std::vector<uint64_t> cellsOf(const MemRefArgument &argument) const;
  std::pair<std::vector<uint64_t>, SmallVector<int64_t>>
  resultOf(size_t number) const;

  const Domain &domain;
  Program program;
  std::unique_ptr<Launch> launch;
  SmallVector<MemRefArgument> memRefs;
  Outcome outcome;

private:
  LogicalResult fail(FaultKind kind, Operation *op, const Twine &message);
  LogicalResult translate(bool distributed);
  LogicalResult checkResults();
  LogicalResult chooseGrid(func::FuncOp grid, ArrayRef<Array *> arguments);
  LogicalResult passAll(ArrayRef<Array *> arguments);
  LogicalResult passArgument(size_t number, const Array &array);
  LogicalResult checkAlignment(size_t number);
  void setArray(Reg reg, int64_t buffer, ArrayRef<int64_t> shape,
                ArrayRef<int64_t> strides);
  LogicalResult passMemRef(size_t number, MemRefType type, const Array &array);
  LogicalResult passGlobals();
  Buffer makeBuffer(const Array &array, Kind kind, StringRef name) const;
  FailureOr<std::array<int64_t, 3>> evaluateGrid(func::FuncOp grid,
                                                 ArrayRef<Array *> arguments);
  void toCells(Kind kind, const uint8_t *bytes, int64_t count,
               uint8_t *cells) const;
  std::vector<uint8_t> toMemory(Kind kind, const uint8_t *bytes,
                                int64_t count) const;

  mutable FunctionOpInterface kernel;
  Options options;
  TranslationOptions translation;
  std::array<int64_t, 3> extentsOfGrid = {1, 1, 1};
  /// Extents of the grid of workgroups that the program starts itself.
  std::array<int64_t, 3> extentsOfScope = {1, 1, 1};
};

} // namespace distaff::simt

#endif // DISTAFF_LIB_SIMT_RUN_H
