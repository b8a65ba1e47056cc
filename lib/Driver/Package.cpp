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
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Driver/Parameters.h"
#include "distaff/Pipelines/Emit.h"
#include "distaff/Pipelines/Pipelines.h"
#include "distaff/Target/Target.h"

namespace distaff {

KernelSignature KernelSignature::get(func::FuncOp kernel) {
  return {kernel.getName().str(), SmallVector<Type>(kernel.getArgumentTypes()),
          SmallVector<Type>(kernel.getResultTypes())};
}

namespace {

using runtime::CodeObject;
using runtime::Formula;
using runtime::Parameter;

/// Numbers the dynamic extents of the arguments in order.
class ParameterWriter {
public:
  FailureOr<Parameter> write(std::string name, Type type, Location location,
                             bool isArgument) {
    Parameter parameter;
    parameter.name = std::move(name);
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
    for (int64_t extent : shaped.getShape()) {
      if (!ShapedType::isDynamic(extent)) {
        parameter.shape.push_back(Formula::constant(extent));
        continue;
      }
      if (!isArgument) {
        emitError(location) << parameter.name << " of type " << type
                            << " has a dynamic extent: a package needs its "
                               "formula, which is not derived yet";
        return failure();
      }
      parameter.shape.push_back(Formula::extent(extents++));
    }
    return parameter;
  }

private:
  int64_t extents = 0;
};

CodeObject codeObject(StringRef kind, const Target &target, std::string bytes) {
  auto [major, minor, exact] = target.capability;
  runtime::Compatibility compatibility =
      exact           ? runtime::Compatibility::Exact
      : kind == "ptx" ? runtime::Compatibility::Later
                      : runtime::Compatibility::SameMajor;
  return {kind.str(), target.chip.str(), major,
          minor,      compatibility,     std::move(bytes)};
}

LogicalResult addCode(ModuleOp module, const Target &target, AsPackage form,
                      runtime::Package &package) {
  if (target.family == Family::AMDGPU) {
    FailureOr<std::string> hsaco = emitText(module, target, EmitKind::HSACO);
    if (failed(hsaco))
      return failure();
    package.codeObjects.push_back(codeObject("hsaco", target, *hsaco));
    return success();
  }
  FailureOr<std::string> ptx = emitText(module, target, EmitKind::PTX);
  if (failed(ptx))
    return failure();
  package.codeObjects.push_back(codeObject("ptx", target, *ptx));
  if (!form.assembled || !findPtxas())
    return success(); // the driver compiles the PTX
  FailureOr<std::string> cubin =
      assemblePtx(module.getLoc(), package.codeObjects.back().bytes, target);
  if (failed(cubin))
    return failure();
  package.codeObjects.push_back(codeObject("cubin", target, *cubin));
  return success();
}

} // namespace

FailureOr<runtime::Package> describePackage(ModuleOp module,
                                            const KernelSignature &signature,
                                            const Target &target) {
  func::FuncOp kernel = findKernel(module, signature.name);
  if (!kernel)
    return failure();
  runtime::Package package;
  package.name = signature.name;
  package.target = target.name.str();

  ParameterWriter writer;
  for (auto [list, types, prefix] :
       {std::tuple(&package.arguments, ArrayRef(signature.arguments), "arg"),
        std::tuple(&package.results, ArrayRef(signature.results), "res")})
    for (auto [i, type] : llvm::enumerate(types)) {
      FailureOr<Parameter> parameter =
          writer.write(prefix + std::to_string(i), type, kernel.getLoc(),
                       list == &package.arguments);
      if (failed(parameter))
        return failure();
      list->push_back(*parameter);
    }

  runtime::Launch launch;
  launch.kernel = emittedSymbol(signature.name);
  func::FuncOp grid = findGrid(kernel);
  FailureOr<std::array<Formula, 3>> formulas = gridFormulas(kernel, grid);
  if (failed(formulas))
    return failure();
  launch.grid = *formulas;
  auto info = kernel->getAttrOfType<compat::TranslationInfoAttr>(
      compat::TranslationInfoAttr::attributeName);
  if (!info || info.getWorkgroupSize().empty()) {
    kernel.emitOpError("has no translation_info with a workgroup_size, which "
                       "its launch needs");
    return failure();
  }
  for (auto [to, from] :
       llvm::zip(launch.workgroupSize, info.getWorkgroupSize()))
    to = from;
  launch.sharedMemory = dynamicWorkgroupMemory(kernel, target);
  for (const Parameter &argument : package.arguments)
    (argument.isScalar ? launch.scalars : launch.buffers)
        .push_back(argument.name);
  // Scalar and vector results became arguments before tensor results did.
  for (bool tensors : {false, true})
    for (auto [result, type] :
         llvm::zip_equal(package.results, signature.results))
      if (isa<TensorType>(type) == tensors)
        launch.buffers.push_back(result.name);
  package.launches.push_back(std::move(launch));
  return package;
}

FailureOr<std::string> buildPackage(ModuleOp module,
                                    const KernelSignature &signature,
                                    const Target &target, AsPackage form) {
  FailureOr<runtime::Package> package =
      describePackage(module, signature, target);
  if (failed(package) || failed(addCode(module, target, form, *package)))
    return failure();
  // What the launcher would refuse is not written.
  if (std::string why = checkPackage(*package); !why.empty()) {
    findKernel(module, signature.name)->emitError()
        << "no package of '" << signature.name << "' can be launched: " << why;
    return failure();
  }
  return serializePackage(*package);
}

} // namespace distaff
