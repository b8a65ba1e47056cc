//===- KernelSelection.cpp - Selecting the kernels of a request -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelSelection.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

namespace distaff {

/// Removes all ops that no kernel of `kept` needs: other kernels, declarations,
/// tables.
static void keepOnly(ModuleOp module, ArrayRef<FunctionOpInterface> kept) {
  SmallVector<FunctionOpInterface> functions;
  for (Operation &op : *module.getBody()) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      functions.push_back(function);
    else if (auto lanes = dyn_cast<gpu::GPUModuleOp>(op))
      llvm::append_range(functions, lanes.getOps<FunctionOpInterface>());
  }
  for (FunctionOpInterface function : functions) {
    bool isNeeded = llvm::any_of(kept, [&](FunctionOpInterface kernel) {
      // A grid function where no launch looks for it is reported later.
      return function == kernel ||
             function.getName() == gridFunctionName(kernel.getName());
    });
    if (!isNeeded &&
        SymbolTable::symbolKnownUseEmpty(function, function->getParentOp()))
      function.erase();
  }
  for (auto lanes :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
    if (lanes.getOps<FunctionOpInterface>().empty())
      lanes.erase();
  SmallVector<memref::GlobalOp> tables;
  module.walk([&](memref::GlobalOp table) { tables.push_back(table); });
  for (memref::GlobalOp table : tables)
    if (SymbolTable::symbolKnownUseEmpty(table, table->getParentOp()))
      table.erase();
}

Answer findOneKernel(ModuleOp module, StringRef name,
                     FunctionOpInterface &kernel) {
  kernel = findKernel(module, name);
  if (kernel)
    return Answer::Yes;
  // A module without a kernel, or with two of one name, is not an error of the
  // request.
  SmallVector<FunctionOpInterface> kernels = findKernels(module);
  bool isNamed = llvm::any_of(kernels, [&](FunctionOpInterface known) {
    return known.getName() == name;
  });
  return kernels.empty() || isNamed ? Answer::Refused : Answer::BadRequest;
}

Answer selectKernel(ModuleOp module, StringRef name,
                    FunctionOpInterface &kernel) {
  Answer answer = findOneKernel(module, name, kernel);
  if (answer == Answer::Yes)
    keepOnly(module, kernel);
  return answer;
}

Answer selectAllKernels(ModuleOp module,
                        SmallVectorImpl<FunctionOpInterface> &kernels) {
  llvm::append_range(kernels, findKernels(module));
  if (kernels.empty()) {
    (void)findKernel(module); // reports the error
    return Answer::Refused;
  }
  keepOnly(module, kernels);
  return Answer::Yes;
}

} // namespace distaff
