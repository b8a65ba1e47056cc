//===- KernelSubset.cpp - Passes for some kernels of a module -------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelSubset.h"
#include "distaff/Dialect/Compat/Kernel.h"

namespace distaff {

namespace {
/// Kernels that are out of their module, with declarations in their place.
class KernelsAside {
public:
  KernelsAside(ModuleOp module, llvm::function_ref<bool(func::FuncOp)> stays);
  ~KernelsAside();
  KernelsAside(const KernelsAside &) = delete;
  KernelsAside &operator=(const KernelsAside &) = delete;

private:
  SmallVector<std::pair<func::FuncOp, func::FuncOp>> kernels;
};

struct OnKernelSubset final
    : PassWrapper<OnKernelSubset, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OnKernelSubset)

  OnKernelSubset(std::function<bool(func::FuncOp)> takes, OpPassManager passes)
      : takes(std::move(takes)), passes(std::move(passes)) {}
  OnKernelSubset(const OnKernelSubset &other)
      : PassWrapper(other), takes(other.takes), passes(other.passes) {}

  StringRef getName() const final { return "OnKernelSubset"; }

  void getDependentDialects(DialectRegistry &registry) const final {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() final {
    llvm::DenseSet<Operation *> taken;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (isKernel(kernel) && takes(kernel))
        taken.insert(kernel);
    if (taken.empty())
      return markAllAnalysesPreserved();
    KernelsAside aside(getOperation(), [&](func::FuncOp kernel) {
      return taken.contains(kernel);
    });
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

private:
  std::function<bool(func::FuncOp)> takes;
  OpPassManager passes;
};
} // namespace

KernelsAside::KernelsAside(ModuleOp module,
                           llvm::function_ref<bool(func::FuncOp)> stays) {
  for (auto kernel : llvm::to_vector(module.getOps<func::FuncOp>())) {
    if (!isKernel(kernel) || stays(kernel))
      continue;
    OpBuilder builder(kernel);
    auto declaration = cast<func::FuncOp>(builder.cloneWithoutRegions(*kernel));
    declaration.setPrivate();
    kernel->remove();
    kernels.push_back({declaration, kernel});
  }
}

KernelsAside::~KernelsAside() {
  for (auto [declaration, kernel] : kernels) {
    declaration->getBlock()->getOperations().insert(declaration->getIterator(),
                                                    kernel);
    declaration->erase();
  }
}

void addForKernels(OpPassManager &pipeline,
                   std::function<bool(func::FuncOp)> takes,
                   llvm::function_ref<void(OpPassManager &)> add) {
  OpPassManager passes(ModuleOp::getOperationName());
  add(passes);
  pipeline.addPass(
      std::make_unique<OnKernelSubset>(std::move(takes), std::move(passes)));
}

} // namespace distaff
