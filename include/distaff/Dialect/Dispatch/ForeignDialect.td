//===- ForeignDialect.td - Dialects parsed in part ---------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISPATCH_FOREIGNDIALECT_TD
#define DISTAFF_DIALECT_DISPATCH_FOREIGNDIALECT_TD

include "mlir/IR/DialectBase.td"

// Attributes and types that the dialect does not define are kept as text, and
// an op that it does not define is rejected by name (ForeignDialect.h).
class ForeignDialect<string namespaceName> : Dialect {
  let name = namespaceName;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type,
                   ::mlir::DialectAsmPrinter &printer) const override;
    ::std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

#endif // DISTAFF_DIALECT_DISPATCH_FOREIGNDIALECT_TD
