//===- KernelSelection.cpp - The kernels that a request is about ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelSelection.h"
#include "distaff/Pipelines/Pipelines.h"
#include "mlir/IR/SymbolTable.h"

namespace distaff {

/// Removes what no kernel of `kept` needs: other kernels, declarations.
static void keepOnly(ModuleOp module, ArrayRef<FunctionOpInterface> kept) {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    bool isNeeded = llvm::any_of(kept, [&](FunctionOpInterface kernel) {
      return function == kernel || function == findGridFunction(kernel);
    });
    if (!isNeeded && SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
  }
}

Answer findOneKernel(ModuleOp module, StringRef name,
                     FunctionOpInterface &kernel) {
  kernel = findKernel(module, name);
  if (kernel)
    return Answer::Yes;
  // A module without a kernel is no mistake of the request.
  return findKernels(module).empty() ? Answer::Refused : Answer::BadRequest;
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
    (void)findKernel(module); // says so
    return Answer::Refused;
  }
  keepOnly(module, kernels);
  return Answer::Yes;
}

} // namespace distaff
