//===- IntrinsicSignatures.cpp - Signatures of LLVM intrinsics ------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The name of an overloaded intrinsic is a prefix, with or without a suffix of
// types; an intrinsic of one signature is called by its whole name.
//
//===----------------------------------------------------------------------===//
#include "IntrinsicSignatures.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Target/LLVMIR/TypeFromLLVM.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"

using namespace distaff;
namespace Intrinsic = llvm::Intrinsic;

namespace {
/// Compares a call with LLVM's intrinsic of its name.
class Signature {
public:
  explicit Signature(LLVM::CallIntrinsicOp call)
      : call(call), name(call.getIntrin()),
        id(Intrinsic::lookupIntrinsicID(name)) {}

  LogicalResult check();

private:
  InFlightDiagnostic refuse() {
    return call.emitOpError() << "(\"" << name << "\") ";
  }
  /// Returns the type of the call's operands and results.
  llvm::FunctionType *typeOfCall();
  LogicalResult refuseTypes(bool isResult);
  LogicalResult checkName(ArrayRef<llvm::Type *> overloads);
  LogicalResult checkImmediates(llvm::FunctionType *type);

  LLVM::CallIntrinsicOp call;
  StringRef name;
  Intrinsic::ID id;
  llvm::LLVMContext context;
};
} // namespace

llvm::FunctionType *Signature::typeOfCall() {
  LLVM::TypeToLLVMIRTranslator translator(context);
  SmallVector<llvm::Type *> results, operands;
  for (Type type : call->getResultTypes())
    results.push_back(translator.translateType(type));
  for (Value operand : call.getArgs())
    operands.push_back(translator.translateType(operand.getType()));
  return llvm::FunctionType::get(
      results.empty() ? llvm::Type::getVoidTy(context) : results.front(),
      operands, /*isVarArg=*/false);
}

/// Emits an error. It names the types of an intrinsic of one signature; for
/// overloaded ones only that these types are not supported.
LogicalResult Signature::refuseTypes(bool isResult) {
  auto function = [&](TypeRange operands, TypeRange results) {
    return FunctionType::get(call.getContext(), operands, results);
  };
  InFlightDiagnostic error = refuse();
  error << "has the signature "
        << function(call.getArgs().getTypes(), call->getResultTypes());
  if (Intrinsic::isOverloaded(id))
    return error << ", and no form of " << Intrinsic::getBaseName(id)
                 << (isResult ? " returns that" : " takes such operands");
  llvm::FunctionType *type = Intrinsic::getType(context, id);
  LLVM::TypeFromLLVMIRTranslator translator(*call.getContext());
  SmallVector<Type> operands, results;
  for (llvm::Type *operand : type->params())
    operands.push_back(translator.translateType(operand));
  if (!type->getReturnType()->isVoidTy())
    results.push_back(translator.translateType(type->getReturnType()));
  return error << ", and LLVM's is " << function(operands, results);
}

LogicalResult Signature::checkName(ArrayRef<llvm::Type *> overloads) {
  bool isNamedByStruct = llvm::any_of(
      overloads, [](llvm::Type *type) { return isa<llvm::StructType>(type); });
  if (!Intrinsic::isOverloaded(id) || name == Intrinsic::getBaseName(id) ||
      isNamedByStruct)
    return success();
  std::string known = Intrinsic::getNameNoUnnamedTypes(id, overloads);
  if (name == known)
    return success();
  return refuse() << "is named for other types than it is given, of which it "
                     "is "
                  << known;
}

/// Checks the operands that must be immediates.
LogicalResult Signature::checkImmediates(llvm::FunctionType *type) {
  llvm::AttributeList attributes = Intrinsic::getAttributes(context, id, type);
  for (auto [number, operand] : llvm::enumerate(call.getArgs()))
    if (attributes.hasParamAttr(number, llvm::Attribute::ImmArg) &&
        !matchPattern(operand, m_Constant()))
      return refuse() << "takes a constant as operand " << number
                      << ", which is part of the instruction";
  return success();
}

LogicalResult Signature::check() {
  if (id == Intrinsic::not_intrinsic)
    return refuse() << "is no intrinsic of LLVM 22";
  llvm::FunctionType *type = typeOfCall();
  SmallVector<Intrinsic::IITDescriptor> descriptors;
  Intrinsic::getIntrinsicInfoTableEntries(id, descriptors);
  ArrayRef<Intrinsic::IITDescriptor> rest = descriptors;
  SmallVector<llvm::Type *> overloads;
  auto matched = Intrinsic::matchIntrinsicSignature(type, rest, overloads);
  if (matched != Intrinsic::MatchIntrinsicTypes_Match ||
      Intrinsic::matchIntrinsicVarArg(/*isVarArg=*/false, rest))
    return refuseTypes(matched == Intrinsic::MatchIntrinsicTypes_NoMatchRet);
  if (failed(checkName(overloads)))
    return failure();
  return checkImmediates(type);
}

LogicalResult distaff::checkSignature(LLVM::CallIntrinsicOp call) {
  return Signature(call).check();
}
