//===- TargetOp.cpp - Instructions of a target that are no MMA ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text and verifiers of #distaff.target_op and distaff.target_op. A name that
// no target has does not parse, so getRow() never returns null.
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Distaff/Distaff.h"
#include "distaff/Target/Target.h"

using namespace distaff;
using namespace distaff::core;

//===----------------------------------------------------------------------===//
// TargetOpAttr
//===----------------------------------------------------------------------===//

Attribute TargetOpAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseLess() || parser.parseKeyword(&name) || parser.parseGreater())
    return {};
  return parser.getChecked<TargetOpAttr>(loc, parser.getContext(), name);
}

void TargetOpAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName() << '>';
}

LogicalResult TargetOpAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name) {
  if (!lookupTargetOp(name))
    return emitError() << "unknown target op '" << name << "'";
  return success();
}

const TargetOp *TargetOpAttr::getRow() const {
  return lookupTargetOp(getName());
}

//===----------------------------------------------------------------------===//
// TargetOpOp
//===----------------------------------------------------------------------===//

/// Returns the number of registers of one lane in a tile.
static int64_t registersIn(ArrayRef<Digit> places) {
  int64_t registers = 1;
  for (const Digit &digit : places)
    if (digit.axis == Axis::Register)
      registers *= digit.size;
  return registers;
}

LogicalResult TargetOpOp::verify() {
  const TargetOp &row = *getKind().getRow();
  if (getInputs().size() != row.operandPlaces.size())
    return emitOpError("takes ") << row.operandPlaces.size() << " operands as '"
                                 << row.name << "', got " << getInputs().size();
  auto isOf = [](VectorType type, ScalarKind kind) {
    std::string name;
    llvm::raw_string_ostream(name) << type.getElementType();
    return name == elementNameOf(kind);
  };
  auto check = [&](VectorType type, ArrayRef<Digit> places, ScalarKind kind,
                   StringRef what) -> LogicalResult {
    int64_t registers = registersIn(places);
    if (isOf(type, kind) && type.getDimSize(0) == getIssues() &&
        type.getDimSize(1) == registers)
      return success();
    return emitOpError(what)
           << " of " << getIssues() << " issues of '" << row.name << "' has "
           << registers << " registers of " << elementNameOf(kind)
           << " each, got " << type;
  };
  for (auto [input, places] : llvm::zip_equal(getInputs(), row.operandPlaces))
    if (failed(check(cast<VectorType>(input.getType()), places, row.operand,
                     "operand")))
      return failure();
  return check(getResult().getType(), row.resultPlaces, row.result, "result");
}
