//===- ForeignDialect.cpp - Dialects that are read in part ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Dialect/Dispatch/ForeignDialect.h"
#include "distaff/Dialect/Dispatch/Dispatch.h"
#include "distaff/Dialect/Dispatch/LinalgExt.h"

using namespace distaff;
using namespace distaff::dispatch;

static StringAttr dialectNameOf(DialectAsmParser &parser) {
  // For `#hal.x<...>`, the spec is the text after "hal.".
  StringRef spec = parser.getFullSymbolSpec();
  const char *end = spec.data() - 1, *begin = end;
  while (llvm::isAlnum(begin[-1]) || begin[-1] == '_' || begin[-1] == '$')
    --begin;
  return StringAttr::get(parser.getContext(), StringRef(begin, end - begin));
}

Attribute dispatch::parseForeignAttribute(DialectAsmParser &parser, Type type) {
  return OpaqueAttr::get(dialectNameOf(parser), parser.getFullSymbolSpec(),
                         type ? type : NoneType::get(parser.getContext()));
}

Type dispatch::parseForeignType(DialectAsmParser &parser) {
  return OpaqueType::get(dialectNameOf(parser), parser.getFullSymbolSpec());
}

/// Returns `x` for `#dialect.x<...>`.
static StringRef mnemonicOf(DialectAsmParser &parser) {
  return parser.getFullSymbolSpec().split('<').first;
}

Attribute dispatch::parseDefinedAttribute(DialectAsmParser &parser, Type type,
                                          ArrayRef<StringLiteral> foreign,
                                          GeneratedAttributeParser generated) {
  StringRef mnemonic = mnemonicOf(parser);
  if (llvm::is_contained(foreign, mnemonic))
    return parseForeignAttribute(parser, type);
  SMLoc loc = parser.getCurrentLocation();
  Attribute attribute;
  if (generated(parser, &mnemonic, type, attribute).has_value())
    return attribute;
  parser.emitError(loc) << "unknown attribute `" << mnemonic << "` in dialect `"
                        << dialectNameOf(parser).getValue() << "`";
  return {};
}

Attribute dispatch::parseReadAttribute(DialectAsmParser &parser, Type type,
                                       ArrayRef<StringLiteral> defined,
                                       GeneratedAttributeParser generated) {
  StringRef mnemonic = mnemonicOf(parser);
  if (!llvm::is_contained(defined, mnemonic))
    return parseForeignAttribute(parser, type);
  Attribute attribute;
  (void)generated(parser, &mnemonic, type, attribute);
  return attribute;
}

Type dispatch::parseReadType(DialectAsmParser &parser,
                             ArrayRef<StringLiteral> defined,
                             GeneratedTypeParser generated) {
  StringRef mnemonic = mnemonicOf(parser);
  if (!llvm::is_contained(defined, mnemonic))
    return parseForeignType(parser);
  Type type;
  (void)generated(parser, &mnemonic, type);
  return type;
}

ParseResult dispatch::refuseForeignOp(OpAsmParser &parser, OperationState &) {
  return parser.emitError(parser.getNameLoc())
         << "is an op of IREE that is not read; give it the dispatch as it is "
            "dumped earlier, as by --compile-to=executable-sources";
}

namespace {
/// A dialect that keeps all its attributes and types as text.
template <typename ConcreteT> class TextDialect : public Dialect {
public:
  explicit TextDialect(MLIRContext *context)
      : Dialect(ConcreteT::getDialectNamespace(), context,
                TypeID::get<ConcreteT>()) {}

  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override {
    return parseForeignAttribute(parser, type);
  }
  Type parseType(DialectAsmParser &parser) const override {
    return parseForeignType(parser);
  }
  std::optional<ParseOpHook>
  getParseOperationHook(StringRef name) const override {
    return ParseOpHook(refuseForeignOp);
  }
};

class IREECPUDialect final : public TextDialect<IREECPUDialect> {
public:
  using TextDialect::TextDialect;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IREECPUDialect)
  static constexpr StringLiteral getDialectNamespace() { return "iree_cpu"; }
};

class IREEEncodingDialect final : public TextDialect<IREEEncodingDialect> {
public:
  using TextDialect::TextDialect;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IREEEncodingDialect)
  static constexpr StringLiteral getDialectNamespace() {
    return "iree_encoding";
  }
};

class IREEROCMDialect final : public TextDialect<IREEROCMDialect> {
public:
  using TextDialect::TextDialect;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IREEROCMDialect)
  static constexpr StringLiteral getDialectNamespace() { return "rocm"; }
};

class IREEStreamDialect final : public TextDialect<IREEStreamDialect> {
public:
  using TextDialect::TextDialect;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IREEStreamDialect)
  static constexpr StringLiteral getDialectNamespace() { return "stream"; }
};

class IREEFlowDialect final : public TextDialect<IREEFlowDialect> {
public:
  using TextDialect::TextDialect;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IREEFlowDialect)
  static constexpr StringLiteral getDialectNamespace() { return "flow"; }
};
} // namespace

void dispatch::registerDispatch(DialectRegistry &registry) {
  registry.insert<HALDialect, LinalgExtDialect, TensorExtDialect, UtilDialect,
                  IREECPUDialect, IREEEncodingDialect, IREEROCMDialect,
                  IREEStreamDialect, IREEFlowDialect>();
}
