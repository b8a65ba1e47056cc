//===- Package.cpp - Packaging a lowered kernel ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/Package.h"
#include "GridFormula.h"
#include "distaff/Driver/Parameters.h"
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Kernel/LaunchSequence.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Pipelines/Convert.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Target/Target.h"
#include "distaff/ToLLVM/KernelABI.h"
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

/// Returns the shape of a result or a workspace, as formulas of the extents
/// that its kernel is passed; none if a dynamic extent has no formula.
std::optional<std::vector<Formula>> shapeOf(const KernelParameter &made) {
  auto shaped = dyn_cast<ShapedType>(made.type);
  if (!shaped)
    return std::vector<Formula>();
  if (!shaped.hasStaticShape() && !made.extents)
    return std::nullopt;
  std::vector<Formula> formulas, shape;
  if (made.extents)
    formulas = toFormulas(made.extents);
  auto formula = formulas.begin();
  for (int64_t extent : shaped.getShape())
    shape.push_back(ShapedType::isDynamic(extent) ? *formula++
                                                  : Formula::constant(extent));
  return shape;
}

/// Numbers the dynamic extents of the arguments in order.
class ParameterWriter {
public:
  FailureOr<Parameter> write(const KernelParameter &from, Location location) {
    Parameter parameter;
    Type type = from.type;
    bool isArgument = from.role == KernelParameter::Role::Argument;
    parameter.name = nameOf(from);
    std::optional<runtime::ScalarType> element =
        isa<ShapedType>(type) ? arrayTypeOf(getElementTypeOrSelf(type))
                              : scalarTypeOf(type);
    if (!element && straddlesBytes(getElementTypeOrSelf(type))) {
      emitError(location) << parameter.name << " of type " << type << " "
                          << kStraddledBytes;
      return failure();
    }
    if (!element) {
      emitError(location) << parameter.name << " of type " << type
                          << " cannot be passed to a package";
      return failure();
    }
    parameter.type = *element;
    auto shaped = dyn_cast<ShapedType>(type);
    // A scalar result is stored to memory like a shaped one of rank 0.
    parameter.isScalar = isArgument && !shaped;
    parameter.isUnpacked = from.isUnpacked;
    if (!shaped)
      return parameter;
    if (!isArgument) {
      std::optional<std::vector<Formula>> shape = shapeOf(from);
      if (!shape)
        return emitError(location)
               << parameter.name << " of type " << type
               << " has a dynamic extent and no formula for it, by which a "
                  "package would give it memory";
      parameter.shape = std::move(*shape);
      return parameter;
    }
    for (int64_t extent : shaped.getShape())
      parameter.shape.push_back(ShapedType::isDynamic(extent)
                                    ? Formula::extent(extents++)
                                    : Formula::constant(extent));
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

/// Returns whether a package has a kind of code; the driver of a device makes
/// the other kinds itself.
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
  FailureOr<std::vector<std::string>> codes =
      emitCode(module, target, names, &package.constants, form.threads);
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

/// Describes arguments or results, except workgroup memory.
static LogicalResult addParameters(ArrayRef<KernelParameter> from,
                                   Location location,
                                   std::vector<Parameter> &to) {
  ParameterWriter writer;
  for (const KernelParameter &parameter : from) {
    // The kernel's code places its own workgroup memory.
    if (isWorkgroupMemory(parameter.type))
      continue;
    FailureOr<Parameter> written = writer.write(parameter, location);
    if (failed(written))
      return failure();
    to.push_back(*written);
  }
  return success();
}

static LogicalResult addParameters(const KernelSignature &signature,
                                   Location location,
                                   runtime::Package &package) {
  if (failed(addParameters(signature.arguments, location, package.arguments)) ||
      failed(addParameters(signature.results, location, package.results)))
    return failure();
  for (const KernelParameter &workspace : signature.workspaces) {
    auto type = cast<MemRefType>(workspace.type);
    std::optional<runtime::ScalarType> element =
        arrayTypeOf(type.getElementType());
    if (!element || !type.hasStaticShape())
      return emitError(location) << nameOf(workspace) << " of type " << type
                                 << " has no size that a package can hold";
    package.workspaces.push_back(
        {nameOf(workspace), Formula::constant(type.getNumElements() *
                                              runtime::byteSize(*element))});
  }
  return success();
}

/// Describes the launch of the kernel, with its parameters in ABI order.
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
  for (size_t i = 0, e = signature.dynamicExtents().size(); i < e; ++i)
    launch.extents.push_back(Formula::extent(i));
  return launch;
}

namespace {
/// Describes all launches of a function that becomes several, in order. A
/// kernel's formulas refer to its own parameters, those of a package to the
/// package's arguments.
class SequenceWriter {
public:
  SequenceWriter(ModuleOp module, const LaunchSequence &sequence,
                 const Target &target)
      : module(module), sequence(sequence), target(target) {}

  FailureOr<runtime::Package> write();

private:
  /// The name and the shape of a numbered value of the sequence.
  struct NamedValue {
    std::string name;
    std::vector<Formula> shape;
  };

  LogicalResult addArguments();
  LogicalResult describePacked(size_t number);
  LogicalResult addResult(FunctionOpInterface kernel,
                          const KernelParameter &result,
                          const std::vector<Formula> &extents);
  LogicalResult addRequirements(FunctionOpInterface kernel,
                                const SequencedLaunch &launch,
                                const std::vector<Formula> &extents);
  LogicalResult addLaunch(const SequencedLaunch &each);

  ModuleOp module;
  const LaunchSequence &sequence;
  const Target &target;
  runtime::Package package;
  std::vector<NamedValue> values;
};
} // namespace

LogicalResult SequenceWriter::addArguments() {
  FailureOr<KernelSignature> signature = KernelSignature::get(sequence.host);
  if (failed(signature) ||
      failed(addParameters(signature->arguments, sequence.host.getLoc(),
                           package.arguments)))
    return failure();
  for (const Parameter &argument : package.arguments)
    values.push_back({argument.name, argument.shape});
  package.results.resize(signature->results.size());
  return success();
}

/// Describes a result whose elements share bytes: the launches make its bytes.
LogicalResult SequenceWriter::describePacked(size_t number) {
  FailureOr<KernelSignature> whole = KernelSignature::get(sequence.host);
  if (failed(whole))
    return failure();
  const KernelParameter &result = whole->results[number];
  Type element = getElementTypeOrSelf(result.type);
  if (!result.isPacked())
    return success();
  std::optional<std::vector<Formula>> shape = shapeOf(result);
  if (!shape)
    return sequence.host.emitError("returns a ")
           << result.type << ", of which a package cannot know the size";
  package.results[number].type = *arrayTypeOf(element);
  package.results[number].shape = *shape;
  package.results[number].isUnpacked = false;
  return success();
}

/// Adds an output of a launch as a result of the package or as a workspace.
LogicalResult SequenceWriter::addResult(FunctionOpInterface kernel,
                                        const KernelParameter &result,
                                        const std::vector<Formula> &extents) {
  std::optional<runtime::ScalarType> element =
      arrayTypeOf(getElementTypeOrSelf(result.type));
  std::optional<std::vector<Formula>> shape = shapeOf(result);
  if (!element || !shape)
    return kernel.emitError("makes a ")
           << result.type << ", of which a package cannot know the size";
  for (Formula &extent : *shape)
    extent = extent.substitute(extents);
  auto place = llvm::find(sequence.returned, int64_t(values.size()));
  if (place != sequence.returned.end()) {
    size_t number = place - sequence.returned.begin();
    std::string name = "res" + std::to_string(number);
    package.results[number] = {name, *element, /*isScalar=*/false, *shape,
                               result.isUnpacked};
    if (failed(describePacked(number)))
      return failure();
    values.push_back({name, *shape});
    return success();
  }
  std::string name = "workspace" + std::to_string(package.workspaces.size());
  Formula bytes = Formula::constant(runtime::byteSize(*element));
  for (const Formula &extent : *shape)
    bytes = Formula::binary(Formula::Kind::Multiply, bytes, extent);
  package.workspaces.push_back({name, bytes});
  values.push_back({name, *shape});
  return success();
}

/// Replaces a kernel's arguments in a sentence by those of the package.
static std::string
renameArguments(StringRef text,
                function_ref<std::string(size_t)> nameOfArgument) {
  constexpr StringRef prefix = "arg";
  std::string renamed;
  while (!text.empty()) {
    size_t at = text.find(prefix);
    renamed += text.take_front(at);
    text = text.drop_front(std::min(at, text.size()));
    size_t number = 0;
    if (!text.consume_front(prefix))
      break;
    renamed +=
        text.consumeInteger(10, number) ? prefix.str() : nameOfArgument(number);
  }
  return renamed;
}

LogicalResult
SequenceWriter::addRequirements(FunctionOpInterface kernel,
                                const SequencedLaunch &launch,
                                const std::vector<Formula> &extents) {
  auto requirements = gridRequirements(kernel);
  if (failed(requirements))
    return failure();
  auto nameOfArgument = [&](size_t number) {
    return number < launch.operands.size()
               ? values[launch.operands[number]].name
               : "arg" + std::to_string(number);
  };
  for (const runtime::Requirement &each : *requirements) {
    Formula lhs = each.lhs.substitute(extents),
            rhs = each.rhs.substitute(extents);
    if (!(lhs == rhs))
      package.requirements.push_back(
          {lhs, rhs,
           kernel.getName().str() + ": " +
               renameArguments(each.message, nameOfArgument)});
  }
  return success();
}

LogicalResult SequenceWriter::addLaunch(const SequencedLaunch &each) {
  FunctionOpInterface kernel = findKernel(module, each.kernel);
  FailureOr<KernelSignature> own = failure();
  if (!kernel || failed(own = KernelSignature::get(kernel)))
    return failure();
  FailureOr<runtime::Launch> launch = describeLaunch(kernel, *own, target);
  if (failed(launch))
    return failure();
  std::vector<Formula> extents;
  for (auto [argument, dim] : own->dynamicExtents())
    extents.push_back(values[each.operands[argument]].shape[dim]);
  launch->extents = extents;
  for (Formula &workgroups : launch->grid)
    workgroups = workgroups.substitute(extents);
  size_t made = values.size();
  for (const KernelParameter &result : own->results)
    if (failed(addResult(kernel, result, extents)))
      return failure();
  auto nameIn = [&](const KernelParameter &parameter) {
    return values[parameter.role == KernelParameter::Role::Result
                      ? made + parameter.number
                      : each.operands[parameter.number]]
        .name;
  };
  launch->buffers.clear();
  launch->scalars.clear();
  for (const KernelParameter &pointer : own->pointers())
    launch->buffers.push_back(nameIn(pointer));
  for (const KernelParameter &scalar : own->scalars())
    launch->scalars.push_back(nameIn(scalar));
  package.launches.push_back(std::move(*launch));
  return addRequirements(kernel, each, extents);
}

FailureOr<runtime::Package> SequenceWriter::write() {
  package.name = sequence.host.getName().str();
  package.target = target.name.str();
  if (failed(addArguments()))
    return failure();
  for (const SequencedLaunch &each : sequence.launches)
    if (failed(addLaunch(each)))
      return failure();
  assert(llvm::none_of(
             package.results,
             [](const Parameter &result) { return result.name.empty(); }) &&
         "every result is made by a launch of its own");
  return std::move(package);
}

FailureOr<runtime::Package> describePackage(ModuleOp module, StringRef name,
                                            const Target &target) {
  if (std::optional<LaunchSequence> sequence =
          LaunchSequence::find(module, name))
    return SequenceWriter(module, *sequence, target).write();
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
  // A package that the launcher would refuse is not written.
  if (std::string why = checkPackage(*package); !why.empty()) {
    module.emitError() << "no package of '" << package->name
                       << "' can be launched: " << why;
    return failure();
  }
  return serializePackage(*package);
}

} // namespace distaff
