//===- ConfigFlags.cpp - The flag --config --------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/ConfigFlags.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "distaff/Dialect/Distaff/Strategies.h"
#include "distaff/Dialect/IREE/IREE.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Pipelines/BuildPipeline.h"
#include "distaff/Target/Target.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace distaff;
using iree::LoweringConfigAttr;
using iree::TranslationInfoAttr;

namespace {
/// A parsed flag.
struct Override {
  StringRef kernel, key, value;
};

/// The attributes of a function that flags write.
class LaunchAttributes {
public:
  /// `target` is the target of the compilation; may be null.
  LaunchAttributes(DictionaryAttr present, const Target *target,
                   MLIRContext *context)
      : target(target), builder(context), entries(present) {}

  /// Sets the attribute of `key`; returns an error otherwise.
  std::optional<std::string> set(StringRef key, StringRef value);

  const NamedAttrList &get() const { return entries; }

private:
  std::optional<std::string> setSize(StringRef key, StringRef value);
  std::optional<std::string> setStrategy(const core::StrategyChoice &choice,
                                         StringRef value);
  std::optional<std::string> setNativeVector(StringRef value);
  std::optional<std::string> setConfig(StringRef key, Attribute value);

  const Target *target;
  Builder builder;
  NamedAttrList entries;
};
} // namespace

/// Parses 64x64x0 and 64,64,0; returns none for another text.
static std::optional<SmallVector<int64_t>> parseIntegers(StringRef text) {
  SmallVector<int64_t> integers;
  for (StringRef part : llvm::split(text, text.contains('x') ? 'x' : ','))
    if (part.empty() || !llvm::all_of(part, llvm::isDigit) ||
        part.getAsInteger(10, integers.emplace_back()))
      return std::nullopt;
  return integers;
}

static std::string listInstructions(const Target &target) {
  if (target.mma.empty())
    return "none";
  return llvm::join(
      llvm::map_range(target.mma, [](const MmaRow &row) { return row.name; }),
      ", ");
}

/// Returns the attribute that a value denotes; null if it denotes none, and the
/// reason in `why`. Instructions are suggested from the target, if it is given.
static Attribute parseValue(StringRef key, StringRef value,
                            const Target *target, Builder &builder,
                            std::string &why) {
  if (std::optional<SmallVector<int64_t>> integers = parseIntegers(value))
    return key == "resident" && integers->size() == 1
               ? Attribute(builder.getI64IntegerAttr(integers->front()))
               : builder.getI64ArrayAttr(*integers);
  std::string text = value.str();
  if (key == "mma_kind" && target && !value.starts_with("#") &&
      !lookupMma(value)) {
    why = "unknown MMA instruction; " + target->name.str() + " has " +
          listInstructions(*target);
    return nullptr;
  }
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

std::optional<std::string> LaunchAttributes::setNativeVector(StringRef value) {
  std::optional<SmallVector<int64_t>> sizes = parseIntegers(value);
  if (!sizes || llvm::is_contained(*sizes, 0))
    return ("native_vector is sizes of at least 1, as 4x8, not '" + value + "'")
        .str();
  entries.set(core::nativeVectorAttributeName,
              builder.getDenseI64ArrayAttr(*sizes));
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
  if (key == "native_vector")
    return setNativeVector(value);
  if (const core::StrategyChoice *choice = findStrategies(key))
    return setStrategy(*choice, value);
  if (!llvm::is_contained(LoweringConfigAttr::getReadKeys(), key))
    return ("the unknown key '" + key + "', known are " +
            llvm::join(LoweringConfigAttr::getReadKeys(), ", ") +
            ", workgroup_size, subgroup_size, native_vector; of CPUs " +
            llvm::join(llvm::map_range(core::allStrategies(),
                                       [](const core::StrategyChoice *choice) {
                                         return choice->subject;
                                       }),
                       ", "))
        .str();
  std::string why;
  Attribute parsed = parseValue(key, value, target, builder, why);
  if (!parsed)
    return (key + " is " +
            (key == "mma_kind" ? "an instruction" : "integers, as 64x64x0") +
            ", or an attribute; of '" + value + "': " + why)
        .str();
  return setConfig(key, parsed);
}

/// Returns the kernel that a name denotes, by itself or by one of its launches.
static FunctionOpInterface kernelOf(ArrayRef<FunctionOpInterface> kernels,
                                    StringRef name) {
  for (FunctionOpInterface kernel : kernels)
    if (kernel.getName() == name)
      return kernel;
  // With kernels "a" and "a__b", "a__b__0" is a launch of the second.
  FunctionOpInterface longest;
  for (FunctionOpInterface kernel : kernels) {
    StringRef rest = name;
    if (rest.consume_front(kernel.getName()) && rest.starts_with("__") &&
        (!longest || kernel.getName().size() > longest.getName().size()))
      longest = kernel;
  }
  return longest;
}

/// Writes a flag onto the function of a kernel, or of one of its launches.
static std::optional<std::string>
write(FunctionOpInterface kernel, const Override &flag, const Target *target) {
  MLIRContext *context = kernel.getContext();
  bool isOfLaunch = !flag.kernel.empty() && flag.kernel != kernel.getName();
  constexpr StringRef launchesName = LoweringConfigAttr::launchesName;
  auto launches = kernel->getAttrOfType<DictionaryAttr>(launchesName);
  DictionaryAttr present = kernel->getDiscardableAttrDictionary();
  if (isOfLaunch)
    present = launches ? launches.getAs<DictionaryAttr>(flag.kernel) : nullptr;
  LaunchAttributes attributes(present ? present : DictionaryAttr::get(context),
                              target, context);
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
      ->loadDialect<iree::IREECodegenDialect, iree::IREEGPUDialect,
                    core::DistaffDialect>();
  auto [name, value] = flag.split('=');
  auto [kernel, key] = name.rsplit('.');
  if (!name.contains('.'))
    std::swap(kernel, key);
  if (!flag.contains('=') || key.empty() || value.empty())
    return "it is KEY=VALUE, or KERNEL.KEY=VALUE; --config help lists keys and "
           "values";
  Override parsed{kernel.trim(), key.trim(), value.trim()};
  if (findStrategies(parsed.key) && target && !target->isHost())
    return (parsed.key + " are of vectors on a CPU, and lanes of " +
            target->name + " hold elements")
        .str();
  SmallVector<FunctionOpInterface> kernels = findKernels(module);
  if (parsed.kernel.empty()) {
    for (FunctionOpInterface each : kernels)
      if (function.empty() || each.getName() == function)
        if (std::optional<std::string> why = write(each, parsed, target))
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
  return write(meant, parsed, target);
}

//===----------------------------------------------------------------------===//
// Help
//===----------------------------------------------------------------------===//

namespace {
struct KeyHelp {
  StringLiteral key, values, meaning;
};
} // namespace

/// The keys that a user sets; lane_basis, thread and partial_reduction also
/// occur in files of other compilers.
static constexpr KeyHelp keyHelps[] = {
    {"workgroup", "64x64x0", "points of each loop per workgroup, 0: all of it"},
    {"reduction", "0x0x32", "points of each reduced loop at a time"},
    {"partial_reduction", "0x64",
     "points of a reduced loop per partial result"},
    {"subgroup", "32x32x0", "points of each loop per subgroup"},
    {"subgroup_basis", "ATTRIBUTE", "subgroups along each loop, and an order"},
    {"lane_basis", "ATTRIBUTE", "lanes along each loop, and an order"},
    {"thread", "1x4", "elements of each loop per lane at once"},
    {"promote_operands", "0,1", "operands that go through workgroup memory"},
    {"resident", "2", "tiles that a workgroup computes one after the other"},
    {"native_vector", "4x8",
     "elements of the innermost dims of vectors that are computed at a time"}};

/// Prints "  linalg.matmul (line 3): 512x384x256" for each op with tiled loops.
static void listLoops(FunctionOpInterface kernel, raw_ostream &stream) {
  kernel.walk([&](linalg::LinalgOp op) {
    if (isa<linalg::FillOp>(op))
      return;
    stream << "  " << op->getName();
    if (auto place = dyn_cast<FileLineColLoc>(op.getLoc()))
      stream << " (line " << place.getLine() << ")";
    stream << ": loops of ";
    llvm::interleave(
        op.getStaticLoopRanges(), stream,
        [&](int64_t extent) {
          if (ShapedType::isDynamic(extent))
            stream << '?';
          else
            stream << extent;
        },
        "x");
    stream << "\n";
  });
}

std::string distaff::describeConfig(ModuleOp module, StringRef function,
                                    const Target &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto line = [&](StringRef key, const Twine &values, const Twine &meaning) {
    stream << llvm::formatv("  {0,-26} {1}\n", (key + "=" + values).str(),
                            meaning.str());
  };
  stream << "--config [KERNEL.]KEY=VALUE, for " << target.name << ":\n";
  for (const KeyHelp &help : keyHelps)
    line(help.key, help.values, help.meaning);
  if (!target.isHost()) {
    line("mma_kind", "NAME", listInstructions(target));
    line("workgroup_size", "256, 16x16",
         "lanes, a multiple of " + Twine(target.subgroupSize) + " up to " +
             Twine(target.maxWorkgroupSize));
    line("subgroup_size", Twine(target.subgroupSize), "lanes");
  } else {
    for (const core::StrategyChoice *choice : core::allStrategies())
      line(choice->subject, "NAME", llvm::join(choice->names, ", "));
  }
  for (FunctionOpInterface kernel : findKernels(module))
    if (function.empty() || kernel.getName() == function) {
      stream << "@" << kernel.getName()
             << " (several launches are named as explain names them):\n";
      listLoops(kernel, stream);
    }
  return text;
}
