//===- Assertions.cpp - Lowering of cf.assert -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cf.assert %c, "m"   =>   scf.if not %c { llvm.intr.trap {assertion = "m"} }
//
// On a CPU the function of hostAssertionSymbol is called with the message in
// place of the trap. Neither returns, and LLVM can rely on it.
//
//===----------------------------------------------------------------------===//
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Kernel/HostTask.h"
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace distaff;

LLVM::LLVMFuncOp distaff::declareHostAssertion(ModuleOp module) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(hostAssertionSymbol))
    return known;
  MLIRContext *context = module.getContext();
  auto b = OpBuilder::atBlockBegin(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, module.getLoc(), hostAssertionSymbol,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                  LLVM::LLVMPointerType::get(context)));
  function.setPassthroughAttr(b.getStrArrayAttr({"noreturn", "cold"}));
  return function;
}

namespace {
/// Adds messages to a module as constants, each message once.
class MessageTable {
public:
  explicit MessageTable(ModuleOp module) : module(module), symbols(module) {}

  /// Returns the address of a message that ends in a null byte.
  Value addressOf(ImplicitLocOpBuilder &b, StringAttr message) {
    LLVM::GlobalOp &global = globals[message];
    if (!global)
      global = create(b, message.getValue());
    return LLVM::AddressOfOp::create(b, global);
  }

private:
  LLVM::GlobalOp create(ImplicitLocOpBuilder &b, StringRef message) {
    std::string text = message.str();
    text += '\0';
    OpBuilder detached(b.getContext());
    auto global = LLVM::GlobalOp::create(
        detached, b.getLoc(),
        LLVM::LLVMArrayType::get(b.getI8Type(), text.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, "distaff_assertion",
        b.getStringAttr(text));
    // Appends a number to the name if it is taken.
    symbols.insert(global, module.getBody()->begin());
    return global;
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<StringAttr, LLVM::GlobalOp> globals;
};
} // namespace

void distaff::lowerAssertions(func::FuncOp kernel, bool isOfHost) {
  SmallVector<cf::AssertOp> assertions;
  kernel.walk([&](cf::AssertOp op) { assertions.push_back(op); });
  if (assertions.empty())
    return;
  auto module = kernel->getParentOfType<ModuleOp>();
  MessageTable messages(module);
  for (cf::AssertOp op : assertions) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
    Value fails = arith::XOrIOp::create(b, op.getArg(), yes);
    auto branch = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    if (isOfHost)
      LLVM::CallOp::create(b, declareHostAssertion(module),
                           messages.addressOf(b, op.getMsgAttr()));
    else
      LLVM::Trap::create(b)->setAttr(kAssertionAttrName, op.getMsgAttr());
    op.erase();
  }
}
