//===- KernelSubset.cpp - Passes on some kernels of a module --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelSubset.h"
#include "distaff/Kernel/Kernel.h"

namespace distaff {

namespace {
/// Takes kernels out of their module, with declarations in their place, as long
/// as it lives.
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

  OnKernelSubset(std::function<bool(func::FuncOp)> takes, StringRef advice,
                 OpPassManager passes)
      : takes(std::move(takes)), advice(advice), passes(std::move(passes)) {}
  OnKernelSubset(const OnKernelSubset &other)
      : PassWrapper(other), takes(other.takes), advice(other.advice),
        passes(other.passes) {}

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
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      if (!advice.empty() &&
          diagnostic.getSeverity() == DiagnosticSeverity::Error)
        diagnostic.attachNote() << advice;
      return failure();
    });
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

private:
  std::function<bool(func::FuncOp)> takes;
  std::string advice;
  OpPassManager passes;
};

struct AttemptOnKernels final
    : PassWrapper<AttemptOnKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AttemptOnKernels)

  AttemptOnKernels(std::function<bool(func::FuncOp)> takes, StringRef otherwise,
                   OpPassManager passes)
      : takes(std::move(takes)), otherwise(otherwise),
        passes(std::move(passes)) {}
  AttemptOnKernels(const AttemptOnKernels &other)
      : PassWrapper(other), takes(other.takes), otherwise(other.otherwise),
        passes(other.passes) {}

  StringRef getName() const final { return "AttemptOnKernels"; }

  void getDependentDialects(DialectRegistry &registry) const final {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() final {
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (isKernel(kernel) && takes(kernel))
        attempt(kernel);
  }

private:
  void attempt(func::FuncOp kernel);

  std::function<bool(func::FuncOp)> takes;
  std::string otherwise;
  OpPassManager passes;
};
} // namespace

void AttemptOnKernels::attempt(func::FuncOp kernel) {
  KernelsAside aside(getOperation(),
                     [&](func::FuncOp other) { return other == kernel; });
  OwningOpRef<func::FuncOp> before = kernel.clone();
  SmallVector<Diagnostic> errors;
  {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      errors.push_back(std::move(diagnostic));
      return success();
    });
    if (succeeded(runPipeline(passes, getOperation())))
      return;
  }
  kernel->getBlock()->getOperations().insert(kernel->getIterator(),
                                             before.release());
  kernel.erase();
  for (Diagnostic &error : errors) {
    InFlightDiagnostic warning = emitWarning(error.getLocation())
                                 << error.str() << "; " << otherwise;
    for (Diagnostic &note : error.getNotes())
      warning.attachNote(note.getLocation()) << note.str();
  }
}

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
  addAdvisedForKernels(pipeline, std::move(takes), /*advice=*/"", add);
}

void addAdvisedForKernels(OpPassManager &pipeline,
                          std::function<bool(func::FuncOp)> takes,
                          StringRef advice,
                          llvm::function_ref<void(OpPassManager &)> add) {
  OpPassManager passes(ModuleOp::getOperationName());
  add(passes);
  pipeline.addPass(std::make_unique<OnKernelSubset>(std::move(takes), advice,
                                                    std::move(passes)));
}

void addAttemptForKernels(OpPassManager &pipeline,
                          std::function<bool(func::FuncOp)> takes,
                          StringRef otherwise,
                          llvm::function_ref<void(OpPassManager &)> add) {
  OpPassManager passes(ModuleOp::getOperationName());
  add(passes);
  pipeline.addPass(std::make_unique<AttemptOnKernels>(
      std::move(takes), otherwise, std::move(passes)));
}

} // namespace distaff
