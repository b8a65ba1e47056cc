//===- Package.cpp - From a lowered kernel to a package -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Package.h"
#include "GridFormula.h"
#include "distaff/Conversion/KernelABI.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Dialect/Compat/LaunchSequence.h"
#include "distaff/Driver/Parameters.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Pipelines/Convert.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Pipelines/Pipelines.h"
#include "distaff/Target/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace distaff {

static std::string nameOf(const KernelParameter &parameter) {
  switch (parameter.role) {
  case KernelParameter::Role::Argument:
    return "arg" + std::to_string(parameter.number);
  case KernelParameter::Role::Result:
    return "res" + std::to_string(parameter.number);
  case KernelParameter::Role::Workspace:
    return "workspace" + std::to_string(parameter.number);
  }
  llvm_unreachable("unknown role");
}

namespace {

using runtime::CodeObject;
using runtime::Formula;
using runtime::Parameter;

/// Numbers the dynamic extents of the arguments in order.
class ParameterWriter {
public:
  FailureOr<Parameter> write(const KernelParameter &from, Location location) {
    Parameter parameter;
    Type type = from.type;
    bool isArgument = from.role == KernelParameter::Role::Argument;
    parameter.name = nameOf(from);
    std::optional<runtime::ScalarType> element =
        scalarTypeOf(getElementTypeOrSelf(type));
    if (!element) {
      emitError(location) << parameter.name << " of type " << type
                          << " cannot be passed to a package";
      return failure();
    }
    parameter.type = *element;
    auto shaped = dyn_cast<ShapedType>(type);
    // A scalar result is stored to memory like a shaped one of rank 0.
    parameter.isScalar = isArgument && !shaped;
    if (!shaped)
      return parameter;
    if (!isArgument && !shaped.hasStaticShape() && !from.extents) {
      emitError(location) << parameter.name << " of type " << type
                          << " has a dynamic extent and no formula for it, by "
                             "which a package would give it memory";
      return failure();
    }
    std::vector<Formula> formulas;
    if (from.extents)
      formulas = toFormulas(from.extents);
    auto formula = formulas.begin();
    for (int64_t extent : shaped.getShape())
      parameter.shape.push_back(!ShapedType::isDynamic(extent)
                                    ? Formula::constant(extent)
                                : isArgument ? Formula::extent(extents++)
                                             : *formula++);
    return parameter;
  }

private:
  int64_t extents = 0;
};

CodeObject codeObject(const CodeKind &kind, const Target &target,
                      std::string bytes) {
  auto [major, minor, exact] = target.capability;
  runtime::Compatibility compatibility =
      exact              ? runtime::Compatibility::Exact
      : kind.runsOnLater ? runtime::Compatibility::Later
                         : runtime::Compatibility::SameMajor;
  return {kind.name.str(), target.chip.str(), major,
          minor,           compatibility,     std::move(bytes)};
}

/// What else the driver of a device makes of what it is given it makes itself.
bool isPackaged(const CodeKind &kind, AsPackage form) {
  if (kind.inPackage == CodeKind::InPackage::WhereFound)
    return form.assembled && !(kind.whyMissing && kind.whyMissing());
  return kind.inPackage == CodeKind::InPackage::Yes;
}

LogicalResult addCode(ModuleOp module, const Target &target, AsPackage form,
                      runtime::Package &package) {
  SmallVector<const CodeKind *> kinds;
  SmallVector<StringRef> names;
  if (const Backend *backend = lookupBackend(target))
    for (const CodeKind &kind : backend->kinds)
      if (isPackaged(kind, form)) {
        kinds.push_back(&kind);
        names.push_back(kind.name);
      }
  FailureOr<std::vector<std::string>> codes = emitCode(module, target, names);
  if (failed(codes))
    return failure();
  for (auto [kind, code] : llvm::zip_equal(kinds, *codes))
    package.codeObjects.push_back(codeObject(*kind, target, std::move(code)));
  return success();
}

} // namespace

static bool isWorkgroupMemory(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref);
}

/// The name that users give and see: "arg0", "res1".
static LogicalResult addParameters(const KernelSignature &signature,
                                   Location location,
                                   runtime::Package &package) {
  ParameterWriter writer;
  for (auto [from, to] : {std::pair(&signature.arguments, &package.arguments),
                          std::pair(&signature.results, &package.results)})
    for (const KernelParameter &parameter : *from) {
      // Memory of the kernel's own; the code says where it is.
      if (isWorkgroupMemory(parameter.type))
        continue;
      FailureOr<Parameter> written = writer.write(parameter, location);
      if (failed(written))
        return failure();
      to->push_back(*written);
    }
  for (const KernelParameter &workspace : signature.workspaces) {
    auto type = cast<MemRefType>(workspace.type);
    std::optional<runtime::ScalarType> element =
        scalarTypeOf(type.getElementType());
    if (!element || !type.hasStaticShape())
      return emitError(location) << nameOf(workspace) << " of type " << type
                                 << " has no size that a package can hold";
    package.workspaces.push_back(
        {nameOf(workspace), Formula::constant(type.getNumElements() *
                                              runtime::byteSize(*element))});
  }
  return success();
}

/// How the kernel is launched, with its parameters in ABI order.
static FailureOr<runtime::Launch>
describeLaunch(FunctionOpInterface kernel, const KernelSignature &signature,
               const Target &target) {
  runtime::Launch launch;
  launch.kernel = emittedSymbol(kernel.getName());
  FailureOr<std::array<Formula, 3>> grid = gridFormulas(kernel);
  if (failed(grid))
    return failure();
  launch.grid = *grid;
  LaunchSizes sizes = launchSizesOf(kernel);
  if (!sizes.workgroup) {
    kernel.emitOpError("does not say how many lanes a workgroup has, which its "
                       "launch needs");
    return failure();
  }
  launch.workgroupSize = *sizes.workgroup;
  launch.sharedMemory = launchedWorkgroupMemory(kernel, target);
  for (const KernelParameter &pointer : signature.pointers())
    launch.buffers.push_back(nameOf(pointer));
  for (const KernelParameter &scalar : signature.scalars())
    launch.scalars.push_back(nameOf(scalar));
  return launch;
}

/// The name of each value of a sequence, and the workspaces among them.
static FailureOr<std::vector<std::string>>
nameValues(ModuleOp module, const LaunchSequence &sequence,
           runtime::Package &package) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < sequence.host.getNumArguments(); ++i)
    names.push_back("arg" + std::to_string(i));
  for (const SequencedLaunch &launch : sequence.launches) {
    FunctionOpInterface kernel = findKernel(module, launch.kernel);
    FailureOr<KernelSignature> signature = failure();
    if (!kernel || failed(signature = KernelSignature::get(kernel)))
      return failure();
    for (const KernelParameter &result : signature->results) {
      auto place = llvm::find(sequence.returned, int64_t(names.size()));
      if (place != sequence.returned.end()) {
        names.push_back("res" +
                        std::to_string(place - sequence.returned.begin()));
        continue;
      }
      auto type = cast<ShapedType>(result.type);
      std::optional<runtime::ScalarType> element =
          scalarTypeOf(type.getElementType());
      if (!element || !type.hasStaticShape())
        return kernel.emitError("makes a ")
               << type
               << " for a later launch, and a package holds the size of "
                  "workspaces of static shape only; run it with --device simt, "
                  "or make the extents static";
      names.push_back("workspace" + std::to_string(package.workspaces.size()));
      package.workspaces.push_back(
          {names.back(), Formula::constant(type.getNumElements() *
                                           runtime::byteSize(*element))});
    }
  }
  return names;
}

/// All launches of a function that is several, in order.
static FailureOr<runtime::Package>
describeSequence(ModuleOp module, const LaunchSequence &sequence,
                 const Target &target) {
  runtime::Package package;
  package.name = sequence.host.getName().str();
  package.target = target.name.str();
  FailureOr<KernelSignature> signature = KernelSignature::get(sequence.host);
  if (failed(signature) ||
      failed(addParameters(*signature, sequence.host.getLoc(), package)))
    return failure();
  if (!signature->dynamicExtents().empty()) {
    sequence.host.emitError(
        "is several launches with dynamic extents, of which there is no "
        "package "
        "yet; run it with --device simt, or make the extents static");
    return failure();
  }
  FailureOr<std::vector<std::string>> names =
      nameValues(module, sequence, package);
  if (failed(names))
    return failure();
  size_t made = sequence.host.getNumArguments();
  for (const SequencedLaunch &each : sequence.launches) {
    FunctionOpInterface kernel = findKernel(module, each.kernel);
    FailureOr<KernelSignature> own = KernelSignature::get(kernel);
    if (failed(own))
      return failure();
    FailureOr<runtime::Launch> launch = describeLaunch(kernel, *own, target);
    if (failed(launch))
      return failure();
    auto nameIn = [&](const KernelParameter &parameter) {
      return (*names)[parameter.role == KernelParameter::Role::Result
                          ? made + parameter.number
                          : each.operands[parameter.number]];
    };
    launch->buffers.clear();
    launch->scalars.clear();
    for (const KernelParameter &pointer : own->pointers())
      launch->buffers.push_back(nameIn(pointer));
    for (const KernelParameter &scalar : own->scalars())
      launch->scalars.push_back(nameIn(scalar));
    made += each.results;
    package.launches.push_back(std::move(*launch));
  }
  return package;
}

FailureOr<runtime::Package> describePackage(ModuleOp module, StringRef name,
                                            const Target &target) {
  if (std::optional<LaunchSequence> sequence =
          LaunchSequence::find(module, name))
    return describeSequence(module, *sequence, target);
  FunctionOpInterface kernel = findKernel(module, name);
  if (!kernel)
    return failure();
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  runtime::Package package;
  package.name = kernel.getName().str();
  package.target = target.name.str();
  FailureOr<runtime::Launch> launch;
  if (failed(addParameters(*signature, kernel.getLoc(), package)) ||
      failed(launch = describeLaunch(kernel, *signature, target)))
    return failure();
  package.launches.push_back(std::move(*launch));
  auto requirements = gridRequirements(kernel);
  if (failed(requirements))
    return failure();
  package.requirements = std::move(*requirements);
  return package;
}

FailureOr<std::string> buildPackage(ModuleOp module, StringRef name,
                                    const Target &target, AsPackage form) {
  FailureOr<runtime::Package> package = describePackage(module, name, target);
  if (failed(package) || failed(addCode(module, target, form, *package)))
    return failure();
  // What the launcher would refuse is not written.
  if (std::string why = checkPackage(*package); !why.empty()) {
    module.emitError() << "no package of '" << package->name
                       << "' can be launched: " << why;
    return failure();
  }
  return serializePackage(*package);
}

} // namespace distaff
