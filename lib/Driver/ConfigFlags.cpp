//===- ConfigFlags.cpp - --config -----------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/ConfigFlags.h"
#include "distaff/Dialect/Compat/Compat.h"
#include "distaff/Dialect/Compat/Kernel.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/Distaff/Strategies.h"
#include "distaff/Pipelines/Pipelines.h"
#include "distaff/Target/Target.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using compat::LoweringConfigAttr;
using compat::TranslationInfoAttr;

namespace {
/// One flag, taken apart.
struct Override {
  StringRef kernel, key, value;
};

/// The attributes of a function that flags write.
class LaunchAttributes {
public:
  explicit LaunchAttributes(DictionaryAttr present, MLIRContext *context)
      : builder(context), entries(present) {}

  /// Sets what `key` stands for; says what is wrong otherwise.
  std::optional<std::string> set(StringRef key, StringRef value);

  const NamedAttrList &get() const { return entries; }

private:
  std::optional<std::string> setSize(StringRef key, StringRef value);
  std::optional<std::string> setStrategy(const core::StrategyChoice &choice,
                                         StringRef value);
  std::optional<std::string> setConfig(StringRef key, Attribute value);

  Builder builder;
  NamedAttrList entries;
};
} // namespace

/// 64x64x0 and 64,64,0; none for another text.
static std::optional<SmallVector<int64_t>> parseIntegers(StringRef text) {
  SmallVector<int64_t> integers;
  for (StringRef part : llvm::split(text, text.contains('x') ? 'x' : ','))
    if (part.empty() || !llvm::all_of(part, llvm::isDigit) ||
        part.getAsInteger(10, integers.emplace_back()))
      return std::nullopt;
  return integers;
}

/// The attribute that a value means; null where it means none, and why.
static Attribute parseValue(StringRef key, StringRef value, Builder &builder,
                            std::string &why) {
  if (std::optional<SmallVector<int64_t>> integers = parseIntegers(value))
    return key == "resident" && integers->size() == 1
               ? Attribute(builder.getI64IntegerAttr(integers->front()))
               : builder.getI64ArrayAttr(*integers);
  std::string text = value.str();
  if (key == "mma_kind" && !value.starts_with("#"))
    text = "#iree_gpu.mma_layout<" + text + ">";
  ScopedDiagnosticHandler silent(builder.getContext(),
                                 [&](Diagnostic &diagnostic) {
                                   if (why.empty())
                                     why = diagnostic.str();
                                   return success();
                                 });
  return parseAttribute(text, builder.getContext());
}

std::optional<std::string> LaunchAttributes::setSize(StringRef key,
                                                     StringRef value) {
  constexpr StringRef name = TranslationInfoAttr::attributeName;
  auto present = dyn_cast_if_present<TranslationInfoAttr>(entries.get(name));
  SmallVector<int64_t> size;
  int64_t lanes = 0;
  if (present) {
    size = llvm::to_vector(present.getWorkgroupSize());
    lanes = present.getSubgroupSize();
  }
  std::optional<SmallVector<int64_t>> integers = parseIntegers(value);
  bool isSubgroup = key == "subgroup_size";
  if (!integers || integers->size() > (isSubgroup ? 1 : 3) ||
      llvm::is_contained(*integers, 0))
    return (key +
            (isSubgroup ? " is a number of lanes, as 32, not '"
                        : " is lanes along x, y and z, as 256 or 16x16, "
                          "not '") +
            value + "'")
        .str();
  if (isSubgroup)
    lanes = integers->front();
  else
    size = *integers;
  entries.set(name,
              TranslationInfoAttr::get(
                  builder.getContext(),
                  present ? present.getPipeline() : StringAttr(), size, lanes,
                  present ? present.getConfiguration() : DictionaryAttr()));
  return std::nullopt;
}

std::optional<std::string>
LaunchAttributes::setStrategy(const core::StrategyChoice &choice,
                              StringRef value) {
  if (!llvm::is_contained(choice.names, value))
    return (choice.subject + " are " + llvm::join(choice.names, ", ") +
            ", not '" + value + "'")
        .str();
  constexpr StringRef name = core::strategiesAttributeName;
  NamedAttrList strategies(
      dyn_cast_if_present<DictionaryAttr>(entries.get(name)));
  strategies.set(choice.subject, builder.getStringAttr(value));
  entries.set(name, strategies.getDictionary(builder.getContext()));
  return std::nullopt;
}

static const core::StrategyChoice *findStrategies(StringRef key) {
  for (const core::StrategyChoice *choice : core::allStrategies())
    if (choice->subject == key)
      return choice;
  return nullptr;
}

std::optional<std::string> LaunchAttributes::setConfig(StringRef key,
                                                       Attribute value) {
  constexpr StringRef name = LoweringConfigAttr::attributeName;
  NamedAttrList config;
  if (auto present = dyn_cast_if_present<LoweringConfigAttr>(entries.get(name)))
    config = present.getAttributes();
  config.set(key, value);
  MLIRContext *context = builder.getContext();
  std::string why;
  ScopedDiagnosticHandler silent(context, [&](Diagnostic &diagnostic) {
    why = diagnostic.str();
    return success();
  });
  auto checked = LoweringConfigAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context,
      config.getDictionary(context));
  if (!checked)
    return why;
  entries.set(name, checked);
  return std::nullopt;
}

std::optional<std::string> LaunchAttributes::set(StringRef key,
                                                 StringRef value) {
  if (key == "workgroup_size" || key == "subgroup_size")
    return setSize(key, value);
  if (const core::StrategyChoice *choice = findStrategies(key))
    return setStrategy(*choice, value);
  if (!llvm::is_contained(LoweringConfigAttr::getReadKeys(), key))
    return ("the unknown key '" + key + "', known are " +
            llvm::join(LoweringConfigAttr::getReadKeys(), ", ") +
            ", workgroup_size, subgroup_size; of CPUs " +
            llvm::join(llvm::map_range(core::allStrategies(),
                                       [](const core::StrategyChoice *choice) {
                                         return choice->subject;
                                       }),
                       ", "))
        .str();
  std::string why;
  Attribute parsed = parseValue(key, value, builder, why);
  if (!parsed)
    return (key + " is " +
            (key == "mma_kind" ? "an instruction" : "integers, as 64x64x0") +
            ", or an attribute; of '" + value + "': " + why)
        .str();
  return setConfig(key, parsed);
}

/// The kernel that a name means, itself or by one of its launches.
static FunctionOpInterface kernelOf(ArrayRef<FunctionOpInterface> kernels,
                                    StringRef name) {
  for (FunctionOpInterface kernel : kernels)
    if (kernel.getName() == name)
      return kernel;
  // Of "a" and "a__b", "a__b__0" is a launch of the second.
  FunctionOpInterface longest;
  for (FunctionOpInterface kernel : kernels) {
    StringRef rest = name;
    if (rest.consume_front(kernel.getName()) && rest.starts_with("__") &&
        (!longest || kernel.getName().size() > longest.getName().size()))
      longest = kernel;
  }
  return longest;
}

/// Writes one onto the function of a kernel, or of one of its launches.
static std::optional<std::string> write(FunctionOpInterface kernel,
                                        const Override &flag) {
  MLIRContext *context = kernel.getContext();
  bool isOfLaunch = !flag.kernel.empty() && flag.kernel != kernel.getName();
  constexpr StringRef launchesName = LoweringConfigAttr::launchesName;
  auto launches = kernel->getAttrOfType<DictionaryAttr>(launchesName);
  DictionaryAttr present = kernel->getDiscardableAttrDictionary();
  if (isOfLaunch)
    present = launches ? launches.getAs<DictionaryAttr>(flag.kernel) : nullptr;
  LaunchAttributes attributes(present ? present : DictionaryAttr::get(context),
                              context);
  if (std::optional<std::string> why = attributes.set(flag.key, flag.value))
    return why;
  if (!isOfLaunch) {
    for (NamedAttribute attribute : attributes.get())
      kernel->setAttr(attribute.getName(), attribute.getValue());
    return std::nullopt;
  }
  NamedAttrList all(launches);
  all.set(flag.kernel, attributes.get().getDictionary(context));
  kernel->setAttr(launchesName, all.getDictionary(context));
  return std::nullopt;
}

std::optional<std::string> distaff::overrideConfig(ModuleOp module,
                                                   StringRef function,
                                                   StringRef flag,
                                                   const Target *target) {
  module.getContext()
      ->loadDialect<compat::IREECodegenDialect, compat::IREEGPUDialect,
                    core::DistaffDialect>();
  auto [name, value] = flag.split('=');
  auto [kernel, key] = name.rsplit('.');
  if (!name.contains('.'))
    std::swap(kernel, key);
  if (!flag.contains('=') || key.empty() || value.empty())
    return "it is KEY=VALUE, or KERNEL.KEY=VALUE";
  Override parsed{kernel.trim(), key.trim(), value.trim()};
  if (findStrategies(parsed.key) && target && !target->isHost())
    return (parsed.key + " are of vectors on a CPU, and lanes of " +
            target->name + " hold elements")
        .str();
  SmallVector<FunctionOpInterface> kernels = findKernels(module);
  if (parsed.kernel.empty()) {
    for (FunctionOpInterface each : kernels)
      if (function.empty() || each.getName() == function)
        if (std::optional<std::string> why = write(each, parsed))
          return why;
    return std::nullopt;
  }
  FunctionOpInterface meant = kernelOf(kernels, parsed.kernel);
  if (!meant)
    return ("there is no kernel '" + parsed.kernel +
            "', nor one that could "
            "become such a launch")
        .str();
  if (!function.empty() && meant.getName() != function)
    return ("it is for '" + meant.getName() + "', and --func takes '" +
            function + "'")
        .str();
  return write(meant, parsed);
}
