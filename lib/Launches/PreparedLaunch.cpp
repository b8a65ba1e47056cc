//===- PreparedLaunch.cpp - Launches given as vector code -----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PreparedLaunch.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace distaff;

static constexpr StringRef preparedAttribute = "distaff.prepared_launch";

static bool isPrepared(func::FuncOp function) {
  return function && function.isPrivate() &&
         function->getAttrOfType<StringAttr>(preparedAttribute);
}

void distaff::prepareLaunch(func::FuncOp function, ModuleOp module,
                            StringRef what) {
  function.setPrivate();
  function->setAttr(preparedAttribute,
                    StringAttr::get(function.getContext(), what));
  SymbolTable(module).insert(function);
}

func::FuncOp distaff::preparedLaunchOf(Operation *op, ModuleOp module) {
  auto call = dyn_cast_or_null<func::CallOp>(op);
  if (!module && call)
    module = call->getParentOfType<ModuleOp>();
  if (!call || !module)
    return {};
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  return callee && callee->hasAttr(preparedAttribute) ? callee : func::FuncOp();
}

StringRef distaff::describePrepared(func::FuncOp function) {
  return function->getAttrOfType<StringAttr>(preparedAttribute).getValue();
}

void distaff::inlinePrepared(func::FuncOp function, ModuleOp module) {
  for (auto call : llvm::to_vector(function.getOps<func::CallOp>())) {
    func::FuncOp callee = preparedLaunchOf(call, module);
    if (!callee)
      continue;
    OpBuilder b(call);
    IRMapping map;
    map.map(callee.getArguments(), call.getOperands());
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator())
      b.clone(op, map);
    call.replaceAllUsesWith(
        llvm::map_to_vector(body.getTerminator()->getOperands(),
                            [&](Value result) { return map.lookup(result); }));
    call.erase();
  }
}

void distaff::erasePrepared(ModuleOp module) {
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (isPrepared(function) &&
        SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
}
