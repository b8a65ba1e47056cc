//===- KernelSignature.cpp - Parameters of a launch -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As written, a kernel has arguments a0, a1, ... and results r0, r1, ... .
// Stages append results to the arguments, each marked with its number; the
// values still returned have the numbers that no argument has, in order.
//
//===----------------------------------------------------------------------===//
#include "distaff/Kernel/ConvertedKernel.h"
#include "distaff/Kernel/ExtentFormulas.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace distaff {

using Role = KernelParameter::Role;

/// Returns the number in an argument's mark, nullopt if it has no such mark.
static FailureOr<std::optional<unsigned>>
markedNumber(FunctionOpInterface kernel, unsigned argument, StringRef name,
             StringRef of) {
  Attribute mark = kernel.getArgAttr(argument, name);
  if (!mark)
    return std::optional<unsigned>();
  auto number = dyn_cast<IntegerAttr>(mark);
  if (!number || number.getValue().isNegative() ||
      !number.getValue().isIntN(31)) {
    kernel.emitError("argument ")
        << argument << " has `" << name << "` = " << mark
        << ", needed the number of " << of;
    return failure();
  }
  return std::optional<unsigned>(number.getValue().getZExtValue());
}

static bool isMarkedWorkspace(FunctionOpInterface kernel, unsigned argument) {
  return bool(kernel.getArgAttr(argument, kWorkspaceAttrName));
}

static bool isMarkedUnpacked(FunctionOpInterface kernel, unsigned argument) {
  return bool(kernel.getArgAttr(argument, kUnpackedAttrName));
}

static LogicalResult checkMarks(FunctionOpInterface kernel, unsigned argument) {
  bool isResult = bool(kernel.getArgAttr(argument, kResultAttrName));
  bool isWorkspace = isMarkedWorkspace(kernel, argument);
  if (isResult && isWorkspace)
    return kernel.emitError("argument ")
           << argument << " is marked as a result and as a workspace";
  Type type = passedType(kernel, argument);
  auto memref = dyn_cast<MemRefType>(type);
  if ((isResult || isWorkspace) && !memref)
    return kernel.emitError("argument ")
           << argument << " of type " << type << " is marked as a "
           << (isResult ? "result" : "workspace") << ", which is a memref";
  Attribute extents = kernel.getArgAttr(argument, kExtentsAttrName);
  if (!extents)
    return success();
  auto map = dyn_cast<AffineMapAttr>(extents);
  if (isResult && map && map.getValue().getNumDims() == 0 &&
      map.getValue().getNumResults() == memref.getNumDynamicDims())
    return success();
  return kernel.emitError("argument ")
         << argument << " of type " << type << " has `" << kExtentsAttrName
         << "` = " << extents << ", needed "
         << (isResult ? memref.getNumDynamicDims() : 0)
         << " formulas of the launch's extents; results have one per dynamic "
            "extent";
}

/// Returns the formulas of a result, or of an argument that is a result.
static AffineMap extentsOf(Attribute attribute) {
  auto map = dyn_cast_if_present<AffineMapAttr>(attribute);
  return map ? map.getValue() : AffineMap();
}

namespace {
/// Collects the results of a kernel by their numbers.
class Results {
public:
  explicit Results(FunctionOpInterface kernel) : kernel(kernel) {}

  LogicalResult add(unsigned number, unsigned argument, Type type) {
    for (const KernelParameter &other : marked)
      if (other.number == number)
        return kernel.emitError("arguments ")
               << other.position << " and " << argument
               << " are both marked as result " << number;
    marked.push_back({Role::Result, type, number, argument,
                      /*isReturned=*/false,
                      extentsOf(kernel.getArgAttr(argument, kExtentsAttrName)),
                      isMarkedUnpacked(kernel, argument)});
    return success();
  }

  /// Returns all of them in order, with returned ones in the gaps.
  FailureOr<SmallVector<KernelParameter>> finish() {
    llvm::sort(marked, [](const auto &a, const auto &b) {
      return a.number < b.number;
    });
    SmallVector<KernelParameter> all;
    ArrayRef<KernelParameter> left = marked;
    for (auto [position, type] : llvm::enumerate(kernel.getResultTypes())) {
      takeUntilGap(left, all);
      all.push_back(
          {Role::Result, type, unsigned(all.size()), unsigned(position),
           /*isReturned=*/true,
           extentsOf(kernel.getResultAttr(position, kExtentsAttrName)),
           bool(kernel.getResultAttr(position, kUnpackedAttrName))});
    }
    takeUntilGap(left, all);
    if (!left.empty()) {
      kernel.emitError("argument ")
          << left.front().position << " is marked as result "
          << left.front().number << ", and there is no result " << all.size();
      return failure();
    }
    return all;
  }

private:
  static void takeUntilGap(ArrayRef<KernelParameter> &left,
                           SmallVectorImpl<KernelParameter> &all) {
    for (; !left.empty() && left.front().number == all.size();
         left = left.drop_front())
      all.push_back(left.front());
  }

  FunctionOpInterface kernel;
  SmallVector<KernelParameter> marked;
};
} // namespace

FailureOr<KernelSignature> KernelSignature::get(FunctionOpInterface kernel) {
  KernelSignature signature;
  Results results(kernel);
  for (unsigned position = 0; position < kernel.getNumArguments(); ++position) {
    if (isPassedExtent(kernel, position))
      continue;
    Type type = passedType(kernel, position);
    auto number = markedNumber(kernel, position, kResultAttrName, "a result");
    auto input = markedNumber(kernel, position, kInputAttrName, "an argument");
    if (failed(number) || failed(input) ||
        failed(checkMarks(kernel, position)) ||
        (*number && failed(results.add(**number, position, type))))
      return failure();
    if (*number)
      continue;
    bool isWorkspace = isMarkedWorkspace(kernel, position);
    auto &list = isWorkspace ? signature.workspaces : signature.arguments;
    list.push_back({isWorkspace ? Role::Workspace : Role::Argument, type,
                    input->value_or(unsigned(list.size())), position,
                    /*isReturned=*/false, /*extents=*/{},
                    isMarkedUnpacked(kernel, position)});
  }
  // The kernel ABI passes pointers first.
  llvm::stable_sort(signature.arguments,
                    [](const auto &one, const auto &other) {
                      return one.number < other.number;
                    });
  for (auto [number, argument] : llvm::enumerate(signature.arguments))
    if (argument.number != number) {
      kernel.emitOpError("has no argument ")
          << number << ", and an argument " << argument.number;
      return failure();
    }
  FailureOr<SmallVector<KernelParameter>> all = results.finish();
  if (failed(all))
    return failure();
  signature.results = std::move(*all);
  size_t count = signature.dynamicExtents().size();
  for (const KernelParameter &result : signature.results)
    if (result.extents && result.extents.getNumSymbols() != count)
      return kernel.emitError("argument ")
             << result.position << " has formulas of "
             << result.extents.getNumSymbols() << " extents, the launch has "
             << count;
  return signature;
}

SmallVector<KernelParameter> KernelSignature::passed() const {
  SmallVector<KernelParameter> all;
  for (const auto *list : {&arguments, &results, &workspaces})
    llvm::copy_if(*list, std::back_inserter(all),
                  [](const auto &parameter) { return !parameter.isReturned; });
  llvm::sort(all, [](const auto &a, const auto &b) {
    return a.position < b.position;
  });
  return all;
}

/// Returns whether a type is memory of the kernel's own, which no launch
/// passes.
static bool isWorkgroupMemory(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref);
}

SmallVector<KernelParameter> KernelSignature::pointers() const {
  SmallVector<KernelParameter> all;
  for (const auto *list : {&arguments, &results, &workspaces})
    llvm::copy_if(*list, std::back_inserter(all), [](const auto &parameter) {
      return parameter.isPointer() && !isWorkgroupMemory(parameter.type);
    });
  return all;
}

SmallVector<KernelParameter> KernelSignature::scalars() const {
  SmallVector<KernelParameter> all;
  llvm::copy_if(arguments, std::back_inserter(all),
                [](const auto &parameter) { return !parameter.isPointer(); });
  return all;
}

SmallVector<std::pair<unsigned, unsigned>>
KernelSignature::dynamicExtents() const {
  SmallVector<std::pair<unsigned, unsigned>> extents;
  for (const KernelParameter &argument : arguments) {
    auto shaped = dyn_cast<ShapedType>(argument.type);
    if (!shaped || !shaped.hasRank())
      continue;
    for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
      if (shaped.isDynamicDim(dim))
        extents.emplace_back(argument.number, dim);
  }
  return extents;
}

std::optional<SmallVector<int64_t>> shapeOf(const KernelParameter &result,
                                            ArrayRef<int64_t> extents) {
  auto type = cast<ShapedType>(result.type);
  SmallVector<int64_t> shape(type.getShape());
  if (type.hasStaticShape())
    return shape;
  if (!result.extents)
    return std::nullopt;
  auto values = evaluate(result.extents, extents);
  if (!values || llvm::any_of(*values, [](int64_t value) { return value < 0; }))
    return std::nullopt;
  const int64_t *next = values->begin();
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent))
      extent = *next++;
  return shape;
}

void markResults(FunctionOpInterface kernel, unsigned firstArgument,
                 ArrayRef<unsigned> numbers) {
  Builder builder(kernel.getContext());
  for (auto [offset, number] : llvm::enumerate(numbers))
    kernel.setArgAttr(firstArgument + offset, kResultAttrName,
                      builder.getIndexAttr(number));
}

} // namespace distaff
