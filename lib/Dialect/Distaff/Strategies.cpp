//===- Strategies.cpp - Strategies to lower n-D vector ops ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/Strategies.h"
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Dialect/Distaff/NativeVector.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace distaff;
using namespace distaff::core;

static constexpr StringLiteral ofVectors[] = {"nested", "flattened"};
static constexpr StringLiteral ofPieces[] = {"4", "8", "16", "32"};
static constexpr StringLiteral ofTransfers[] = {"rows", "elements"};
static constexpr StringLiteral ofRemainders[] = {"parts", "masked"};
static constexpr StringLiteral ofContractions[] = {"outer", "parallel", "dot",
                                                   "elements"};
static constexpr StringLiteral ofReductions[] = {"halves", "transposed",
                                                 "elements"};

const StrategyChoice core::vectorStrategies{"vectors", ofVectors},
    core::pieceStrategies{"pieces", ofPieces},
    core::transferStrategies{"transfers", ofTransfers},
    core::remainderStrategies{"remainders", ofRemainders},
    core::contractionStrategies{"contractions", ofContractions},
    core::reductionStrategies{"reductions", ofReductions};

ArrayRef<const StrategyChoice *> core::allStrategies() {
  static const StrategyChoice *const all[] = {
      &vectorStrategies,    &pieceStrategies,       &transferStrategies,
      &remainderStrategies, &contractionStrategies, &reductionStrategies};
  return all;
}

static StringRef nameIn(Operation *op, StringRef subject) {
  auto strategies =
      op ? op->getAttrOfType<DictionaryAttr>(strategiesAttributeName) : nullptr;
  auto name = strategies ? strategies.getAs<StringAttr>(subject) : nullptr;
  return name ? name.getValue() : StringRef();
}

StringRef core::strategyAskedFor(Operation *op, const StrategyChoice &choice) {
  StringRef own = nameIn(op, choice.subject);
  return own.empty() ? nameIn(op->getParentOfType<FunctionOpInterface>(),
                              choice.subject)
                     : own;
}

LogicalResult core::verifyStrategies(Operation *op, Attribute attribute) {
  auto strategies = dyn_cast<DictionaryAttr>(attribute);
  if (!strategies)
    return op->emitOpError("has ")
           << strategiesAttributeName << " = " << attribute
           << ", which has to be a dictionary, as {contractions = \"dot\"}";
  for (NamedAttribute entry : strategies) {
    const auto *choice =
        llvm::find_if(allStrategies(), [&](const StrategyChoice *choice) {
          return choice->subject == entry.getName().getValue();
        });
    if (choice == allStrategies().end())
      return op->emitOpError("has ")
             << strategiesAttributeName << " for '"
             << entry.getName().getValue() << "', and there are "
             << llvm::join(llvm::map_range(allStrategies(),
                                           [](const StrategyChoice *choice) {
                                             return choice->subject;
                                           }),
                           ", ");
    auto name = dyn_cast<StringAttr>(entry.getValue());
    if (!name || !llvm::is_contained((*choice)->names, name.getValue()))
      return op->emitOpError("has the strategy ")
             << entry.getValue() << " for " << (*choice)->subject
             << ", and there are " << llvm::join((*choice)->names, ", ");
  }
  return success();
}

LogicalResult
DistaffDialect::verifyOperationAttribute(Operation *op,
                                         NamedAttribute attribute) {
  if (attribute.getName() == strategiesAttributeName)
    return verifyStrategies(op, attribute.getValue());
  if (attribute.getName() == nativeVectorAttributeName)
    return verifyNativeVector(op, attribute.getValue());
  return success();
}
