//===- SharedExecutor.cpp - pcf.shared_executor ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RefOwner.h"

using namespace distaff;
using namespace distaff::pcf;

void SharedExecutorOp::build(OpBuilder &builder, OperationState &state,
                             RefOwnerParts parts, TypeRange leadingTypes) {
  addParts<SharedExecutorOp>(builder, state, parts);
  state.getOrAddProperties<Properties>().num_leading_args = leadingTypes.size();
  SmallVector<Type> types(leadingTypes);
  llvm::append_range(types, parts.getRefTypes());
  types.push_back(ThreadgroupType::get(parts.scope));
  if (leadingTypes.empty())
    state.addRegion();
  else
    addBody(builder, state, {});
  addBody(builder, state, types);
}

ParseResult SharedExecutorOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  RefOwnerParser owner(parser, result);
  if (owner.parseScope() || owner.parseInitializer())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (owner.parseExecute())
    return failure();
  if (owner.trailing.size() != 1)
    return parser.emitError(loc) << "expected one threadgroup, got "
                                 << owner.trailing.size() << " arguments";
  if (owner.parseTypesAndBody())
    return failure();
  result.getOrAddProperties<Properties>().num_leading_args =
      owner.leading.size();
  return owner.finish<SharedExecutorOp>();
}

void SharedExecutorOp::print(OpAsmPrinter &printer) {
  printScope(printer, *this);
  printRefOwner(printer, *this);
}

LogicalResult SharedExecutorOp::verify() {
  if (failed(verifySingleBlock(*this, getExecute())) ||
      failed(verifyRefOwner(*this, 1, "threadgroup")))
    return failure();
  Type last = getTrailingArgs().front().getType();
  auto group = dyn_cast<ThreadgroupType>(last);
  if (!group)
    return emitOpError()
           << "last execute argument must be '!pcf.threadgroup', got " << last;
  if (group.getScope() != getScope())
    return emitOpError() << "threadgroup has scope " << group.getScope()
                         << ", expected " << getScope();
  if (!group.getPayload().empty())
    return emitOpError() << "executor threadgroup must have no payload";
  return verifyInitializer(*this);
}

LogicalResult SharedExecutorOp::verifyRegions() {
  if (failed(verifyReturn(*this, getExecute())))
    return failure();
  return verifyInitializerIsPure(*this);
}

void SharedExecutorOp::getAsmBlockArgumentNames(Region &region,
                                                OpAsmSetValueNameFn setName) {
  if (&region != &getExecute())
    return;
  nameRefs(*this, setName);
  setName(getThreadgroup(), "tg");
}
