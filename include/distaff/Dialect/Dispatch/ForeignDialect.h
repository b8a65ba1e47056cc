//===- ForeignDialect.h - Dialects that are read in part --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IREE's dumps contain attributes that no kernel needs: descriptions of
// devices, tiling for IREE's own pipelines. Their dialects keep them as text,
// so that they are parsed and printed unchanged; an op that is not defined here
// is rejected by name, since its effect cannot be left out.
//
//   #hal.device.affinity<@d>   ->  OpaqueAttr of hal, "device.affinity<@d>"
//   hal.fence.await ...        ->  error: 'hal.fence.await' is an op of IREE
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISPATCH_FOREIGNDIALECT_H
#define DISTAFF_DIALECT_DISPATCH_FOREIGNDIALECT_H

#include "distaff/LLVM.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

namespace distaff::dispatch {

/// Parses a dialect's attribute or type as text. The dialect's hooks call it
/// for those that they do not define.
Attribute parseForeignAttribute(DialectAsmParser &parser, Type type);
Type parseForeignType(DialectAsmParser &parser);

/// The parsers that are generated from a dialect's definitions; they are static
/// in the file that includes them.
using GeneratedAttributeParser = function_ref<OptionalParseResult(
    AsmParser &, StringRef *, Type, Attribute &)>;
using GeneratedTypeParser =
    function_ref<OptionalParseResult(AsmParser &, StringRef *, Type &)>;

/// Parses an attribute of a dialect that keeps those in `foreign` as text; any
/// other attribute that it does not define is an error.
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

/// Rejects an op that its dialect does not define.
ParseResult refuseForeignOp(OpAsmParser &parser, OperationState &state);

} // namespace distaff::dispatch

#endif // DISTAFF_DIALECT_DISPATCH_FOREIGNDIALECT_H
