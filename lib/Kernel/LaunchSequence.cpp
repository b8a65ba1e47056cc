//===- LaunchSequence.cpp - Several launches of one function --------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Kernel/LaunchSequence.h"

namespace distaff {

static constexpr llvm::StringLiteral launchesName = "launches";
static constexpr llvm::StringLiteral returnsName = "returns";

std::string launchName(StringRef function, size_t number) {
  return (function + "__" + Twine(number)).str();
}

LogicalResult verifyLaunchNames(ModuleOp module,
                                ArrayRef<func::FuncOp> launches, Location loc) {
  for (func::FuncOp launch : launches)
    for (auto other : module.getOps<func::FuncOp>())
      if (other != launch && other.getName() == launch.getName()) {
        InFlightDiagnostic error =
            other.emitOpError("has the name of a launch of another kernel, @")
            << launch.getName() << "; rename it, or give one of both by --func";
        error.attachNote(loc) << "this kernel is several launches";
        return error;
      }
  return success();
}

func::FuncOp LaunchSequence::create(OpBuilder &builder, Location loc,
                                    StringRef name, FunctionType type,
                                    ArrayRef<SequencedLaunch> launches,
                                    ArrayRef<int64_t> returned) {
  auto host = func::FuncOp::create(builder, loc, name, type);
  host.setPrivate();
  host->setAttr(hostAttributeName, builder.getUnitAttr());
  SmallVector<Attribute> list;
  for (const SequencedLaunch &launch : launches)
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("kernel", builder.getStringAttr(launch.kernel)),
         builder.getNamedAttr("operands",
                              builder.getDenseI64ArrayAttr(launch.operands)),
         builder.getNamedAttr("results",
                              builder.getI64IntegerAttr(launch.results))}));
  host->setAttr(launchesName, builder.getArrayAttr(list));
  host->setAttr(returnsName, builder.getDenseI64ArrayAttr(returned));
  return host;
}

int64_t LaunchSequence::numValues() const {
  int64_t count = host.getNumArguments();
  for (const SequencedLaunch &launch : launches)
    count += launch.results;
  return count;
}

/// Returns whether every number refers to an argument or an earlier result.
static bool isComplete(LaunchSequence &sequence) {
  int64_t known = sequence.host.getNumArguments();
  auto areKnown = [&](ArrayRef<int64_t> numbers) {
    return llvm::all_of(numbers,
                        [&](int64_t n) { return n >= 0 && n < known; });
  };
  for (const SequencedLaunch &launch : sequence.launches) {
    if (!areKnown(launch.operands) || launch.results < 0)
      return false;
    known += launch.results;
  }
  return areKnown(sequence.returned) &&
         sequence.returned.size() == sequence.host.getNumResults();
}

std::optional<LaunchSequence> LaunchSequence::find(ModuleOp module,
                                                   StringRef name) {
  for (auto host : module.getOps<func::FuncOp>()) {
    auto list = host->getAttrOfType<ArrayAttr>(launchesName);
    auto returns = host->getAttrOfType<DenseI64ArrayAttr>(returnsName);
    if (host.getName() != name || !host->hasAttr(hostAttributeName) || !list ||
        !returns)
      continue;
    LaunchSequence sequence;
    sequence.host = host;
    llvm::append_range(sequence.returned, returns.asArrayRef());
    for (Attribute entry : list) {
      auto launch = dyn_cast<DictionaryAttr>(entry);
      if (!launch)
        return std::nullopt;
      auto kernel = launch.getAs<StringAttr>("kernel");
      auto operands = launch.getAs<DenseI64ArrayAttr>("operands");
      auto results = launch.getAs<IntegerAttr>("results");
      if (!kernel || !operands || !results)
        return std::nullopt;
      sequence.launches.push_back({kernel.str(),
                                   llvm::to_vector(operands.asArrayRef()),
                                   results.getInt()});
    }
    if (!isComplete(sequence))
      return std::nullopt;
    return sequence;
  }
  return std::nullopt;
}

} // namespace distaff
