//===- Parsing.h - Kernels for the tests, from text -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_ANALYSIS_PARSING_H
#define DISTAFF_UNITTESTS_ANALYSIS_PARSING_H

#include "distaff/Analysis/Layout/LayoutTransfer.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/VectorExt/LayoutOf.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

namespace distaff {

/// A module from text, and what is said about it.
class Kernel {
public:
  explicit Kernel(llvm::StringRef text)
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
          for (Diagnostic &note : diagnostic.getNotes())
            messages += "note: " + note.str() + "\n";
          return success();
        }) {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                    math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                    ub::UBDialect, vector::VectorDialect>();
    iree::registerIREE(registry);
    vector_ext::registerVectorExt(registry);
    context.appendDialectRegistry(registry);
    context.printOpOnDiagnostic(false);
    module = parseSourceString<ModuleOp>(text, &context);
    if (module)
      function = *module->getOps<func::FuncOp>().begin();
  }

  /// The only op of this name; a test's own mistake otherwise.
  Operation *op(llvm::StringRef name) {
    Operation *found = nullptr;
    function.walk([&](Operation *op) {
      if (op->getName().getStringRef() == name)
        found = op;
    });
    assert(found && "no such op in the kernel");
    return found;
  }

  MLIRContext context;
  std::string messages;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

} // namespace distaff

#endif // DISTAFF_UNITTESTS_ANALYSIS_PARSING_H
