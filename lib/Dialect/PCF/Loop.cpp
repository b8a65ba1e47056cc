//===- Loop.cpp - pcf.loop ------------------------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RefOwner.h"

using namespace distaff;
using namespace distaff::pcf;

void LoopOp::build(OpBuilder &builder, OperationState &state,
                   RefOwnerParts parts, ValueRange counts) {
  addParts<LoopOp>(builder, state, parts, counts);
  SmallVector<Type> types = parts.getRefTypes();
  types.append(counts.size(), builder.getIndexType());
  addBody(builder, state, types);
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  RefOwnerParser owner(parser, result);
  SmallVector<OpAsmParser::UnresolvedOperand> counts;
  if (owner.parseScope() || parser.parseKeyword("count"))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(counts, AsmParser::Delimiter::Paren))
    return failure();
  if (counts.empty())
    return parser.emitError(loc, "expected at least one count");
  loc = parser.getCurrentLocation();
  if (owner.parseExecute())
    return failure();
  if (owner.trailing.size() != counts.size())
    return parser.emitError(loc)
           << "expected " << counts.size() << " iteration ids, got "
           << owner.trailing.size();
  if (owner.parseTypesAndBody() ||
      parser.resolveOperands(counts, parser.getBuilder().getIndexType(),
                             result.operands))
    return failure();
  return owner.finish<LoopOp>({static_cast<int32_t>(counts.size())});
}

void LoopOp::print(OpAsmPrinter &printer) {
  printScope(printer, *this);
  printer << " count(" << getCounts() << ')';
  printRefOwner(printer, *this);
}

LogicalResult LoopOp::verify() {
  if (getCounts().empty())
    return emitOpError() << "expected at least one count";
  if (failed(verifySingleBlock(*this, getExecute())))
    return failure();
  size_t refs = getIsReadonly().size();
  size_t arguments = getExecute().getNumArguments();
  if (arguments != refs + getCounts().size() && arguments >= refs)
    return emitOpError() << "expected " << getCounts().size()
                         << " iteration ids, got " << arguments - refs;
  if (failed(verifyRefOwner(*this, getCounts().size(), "iteration ids")))
    return failure();
  for (BlockArgument id : getIds())
    if (!id.getType().isIndex())
      return emitOpError() << "id and count arguments must have type 'index'";
  return success();
}

LogicalResult LoopOp::verifyRegions() {
  return verifyReturn(*this, getExecute());
}

void LoopOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  nameRefs(*this, setName);
  for (BlockArgument id : getIds())
    setName(id, "id");
}
