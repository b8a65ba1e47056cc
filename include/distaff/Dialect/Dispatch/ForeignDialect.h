//===- ForeignDialect.h - A dialect of which parts are read -----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IREE's dumps mention attributes of which no kernel is made: what a device is,
// how its own pipelines tile. A dialect of those keeps them as text, so that
// they are parsed and printed as they are; an op that it does not define is
// refused by name, since what it does cannot be left out.
//
//   #hal.device.affinity<@d>   ->  OpaqueAttr of hal, "device.affinity<@d>"
//   hal.fence.await ...        ->  error: 'hal.fence.await' is an op of IREE
//   ...
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISPATCH_FOREIGNDIALECT_H
#define DISTAFF_DIALECT_DISPATCH_FOREIGNDIALECT_H

#include "distaff/LLVM.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

namespace distaff::dispatch {

/// What was parsed of a dialect's attribute or type, as text. The dialect's
/// hooks call it for those that they do not define.
Attribute parseForeignAttribute(DialectAsmParser &parser, Type type);
Type parseForeignType(DialectAsmParser &parser);

/// The parsers that are generated from a dialect's definitions. They are static
/// in the file that has them.
using GeneratedAttributeParser = function_ref<OptionalParseResult(
    AsmParser &, StringRef *, Type, Attribute &)>;
using GeneratedTypeParser =
    function_ref<OptionalParseResult(AsmParser &, StringRef *, Type &)>;

/// Parses an attribute of a dialect that keeps as text those in `foreign`; of
/// the others, those that it does not define are mistakes.
Attribute parseDefinedAttribute(DialectAsmParser &parser, Type type,
                                ArrayRef<StringLiteral> foreign,
                                GeneratedAttributeParser generated);

/// Parses an attribute or a type of a dialect that keeps as text all but those
/// that it defines.
Attribute parseReadAttribute(DialectAsmParser &parser, Type type,
                             ArrayRef<StringLiteral> defined,
                             GeneratedAttributeParser generated);
Type parseReadType(DialectAsmParser &parser, ArrayRef<StringLiteral> defined,
                   GeneratedTypeParser generated);

/// The hook for an op that its dialect does not define.
ParseResult refuseForeignOp(OpAsmParser &parser, OperationState &state);

} // namespace distaff::dispatch

#endif // DISTAFF_DIALECT_DISPATCH_FOREIGNDIALECT_H
