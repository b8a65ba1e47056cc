//===- PCFCopies.td - Asynchronous copies ------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCFCOPIES_TD
#define DISTAFF_DIALECT_PCF_PCFCOPIES_TD

def PCF_AnyCopyToken : Type<
    CPred<"::llvm::isa<::distaff::pcf::CopyTokenType>($_self)">, "copy token">,
    BuildableType<"::distaff::pcf::CopyTokenType::get($_builder.getContext())">;

def PCF_AsyncCopyOp : PCF_Op<"async_copy"> {
  let summary = "Starts a copy from one sref to another";
  let description = [{
    Copies all elements of the source to the same places of the destination; a
    slice is copied through views. The content of the destination is undefined
    until a wait for the token, and the source must not change before.

    In a phase of a group the group copies, as one, and its token is payload that
    a later phase waits for; elsewhere the worker that runs the op does.

    Example:
    ```mlir
    %t = pcf.async_copy %tile into %panel
      : !pcf.sref<64x32xf16, #iree_codegen.workgroup_scope>
      into !pcf.sref<64x32xf16, #iree_gpu.subgroup_scope>
    ```
  }];
  let arguments = (ins
    Arg<PCF_AnySRef, "", [MemRead]>:$source,
    Arg<PCF_AnySRef, "", [MemWrite]>:$dest
  );
  let results = (outs PCF_AnyCopyToken:$token);
  let assemblyFormat = "$source `into` $dest" # AttributeDictionary<>.format
    # "`:` type($source) `into` type($dest)";
  let hasVerifier = 1;
}

def PCF_WaitOp : PCF_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until copies are complete";
  let description = [{
    In a phase of a group its members also wait for each other, and all of them
    see the copied elements, as after a barrier of the group before the phase
    with a fence of the destinations. Elsewhere the worker sees them. Others see
    them after a barrier with a fence that follows the wait, as for any write.

    Example: `pcf.wait %t, %u`
  }];
  let arguments = (ins Variadic<PCF_AnyCopyToken>:$tokens);
  let assemblyFormat = "$tokens" # AttributeDictionary<>.format;
}

#endif // DISTAFF_DIALECT_PCF_PCFCOPIES_TD
