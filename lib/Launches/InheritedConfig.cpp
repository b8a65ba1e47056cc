//===- InheritedConfig.cpp - Tiles that another compiler chose ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "InheritedConfig.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Dialect/IREE/InheritedConfig.h"
#include "distaff/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace distaff;
using iree::LoweringConfigAttr;

bool distaff::hasInheritedConfig(func::FuncOp kernel) {
  return kernel->hasAttr(iree::inheritedConfigName);
}

void distaff::dropInheritedConfig(func::FuncOp kernel) {
  constexpr StringRef infoName = iree::TranslationInfoAttr::attributeName;
  Attribute inherited = kernel->removeAttr(iree::inheritedConfigName);
  // Sizes that a flag has replaced since then are the user's.
  if (kernel->getAttr(infoName) == inherited)
    kernel->removeAttr(infoName);
  for (Block &block : kernel.getBody())
    block.walk([](Operation *op) {
      op->removeAttr(LoweringConfigAttr::attributeName);
    });
}

/// Keeps only the tiles of a config, which are valid for every pipeline.
static void keepTiles(func::FuncOp kernel) {
  for (Block &block : kernel.getBody())
    block.walk([](Operation *op) {
      constexpr StringRef name = LoweringConfigAttr::attributeName;
      auto config = op->getAttrOfType<LoweringConfigAttr>(name);
      if (!config)
        return;
      NamedAttrList kept;
      for (StringRef key : {"workgroup", "reduction"})
        if (Attribute value = config.getAttributes().get(key))
          kept.set(key, value);
      if (kept.empty())
        op->removeAttr(name);
      else
        op->setAttr(
            name, LoweringConfigAttr::get(
                      op->getContext(), kept.getDictionary(op->getContext())));
    });
}

/// Configures a copy of the kernel; returns the error if that is refused.
static std::optional<std::string>
whyRefused(func::FuncOp kernel,
           function_ref<LogicalResult(func::FuncOp)> configure) {
  OwningOpRef<ModuleOp> copy = kernel->getParentOfType<ModuleOp>().clone();
  auto tried = copy->lookupSymbol<func::FuncOp>(kernel.getName());
  tried->removeAttr(iree::inheritedConfigName);
  std::string why;
  ScopedDiagnosticHandler handler(
      kernel.getContext(), [&](Diagnostic &diagnostic) {
        if (why.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          why = diagnostic.str();
        return success();
      });
  if (succeeded(configure(tried)))
    return std::nullopt;
  return why;
}

/// Returns which of a kernel's sizes the target does not have, if any.
static std::optional<std::string> whyNoLaunch(func::FuncOp kernel,
                                              const Target &target) {
  auto info = kernel->getAttrOfType<iree::TranslationInfoAttr>(
      iree::TranslationInfoAttr::attributeName);
  int64_t subgroup = info ? info.getSubgroupSize() : 0,
          lanes = info ? info.getNumThreads() : 0;
  if (subgroup && subgroup != target.subgroupSize)
    return llvm::formatv("its subgroups have {0} lanes, those of {1} have {2}",
                         subgroup, target.name, target.subgroupSize)
        .str();
  if (lanes > target.maxWorkgroupSize)
    return llvm::formatv("its workgroups have {0} lanes, {1} has up to {2}",
                         lanes, target.name, target.maxWorkgroupSize)
        .str();
  return std::nullopt;
}

void distaff::settleInheritedConfig(
    func::FuncOp kernel, const Target &target,
    function_ref<LogicalResult(func::FuncOp)> configure) {
  if (std::optional<std::string> why = whyNoLaunch(kernel, target)) {
    kernel.emitWarning(
        "the kernel does not follow the tiles that it comes with: ")
        << *why;
    return dropInheritedConfig(kernel);
  }
  std::optional<std::string> why = whyRefused(kernel, configure);
  if (why) {
    keepTiles(kernel);
    if (!whyRefused(kernel, configure)) {
      kernel.emitWarning(
          "the kernel follows the tiles and sizes that it comes with, and "
          "not how lanes share them: ")
          << *why;
    } else {
      kernel.emitWarning(
          "the kernel does not follow the tiles that it comes with: ")
          << *why;
      return dropInheritedConfig(kernel);
    }
  }
  kernel->removeAttr(iree::inheritedConfigName);
}
