//===- OldSpellings.cpp - Notes on syntax of older MLIR versions ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "distaff/Driver/OldSpellings.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Regex.h"
#include <optional>

using namespace distaff;

namespace {
/// A spelling that this version of MLIR does not parse, by extended regular
/// expressions.
struct OldSpelling {
  /// The text that a note quotes; no letter, digit or sigil precedes it.
  StringLiteral words;
  /// The spelling of today; $1 is the first group of the expressions.
  StringLiteral today;
  /// The text that must follow; by default, the end of a name.
  StringLiteral context = "($|[^a-zA-Z0-9_.])";
};
} // namespace

/// The old spellings; the first that matches counts.
static constexpr OldSpelling oldSpellings[] = {
    // Names.
    {"arith\\.(max|min)f", "arith.$1imumf"},
    {"kind = #vector\\.kind<(max|min)f>", "kind = #vector.kind<$1imumf>", ""},
    {"<(max|min)f>", "kind = #vector.kind<$1imumf>", " *:"},
    {"(max|min)f", "$1imumf"},
    {"vector\\.extractelement", "vector.extract %v[%i] : T from vector<NxT>"},
    {"vector\\.insertelement", "vector.insert %x, %v[%i] : T into vector<NxT>"},
    {"vector\\.splat|splat", "vector.broadcast %x : T to vector<NxT>"},
    {"vector\\.warp_execute_on_lane_0", "gpu.warp_execute_on_lane_0"},
    {"math\\.abs", "math.absf"},
    {"linalg\\.init_tensor", "tensor.empty() : tensor<...>"},
    {"scf\\.foreach_thread\\.perform_concurrently", "scf.forall.in_parallel"},
    {"scf\\.foreach_thread", "scf.forall"},
    {"memref\\.tensor_load|tensor_load", "bufferization.to_tensor"},
    {"memref\\.buffer_cast|bufferization\\.to_memref",
     "bufferization.to_buffer"},
    {"tensor\\.(pack|unpack)", "linalg.$1"},
    {"subtensor_insert", "tensor.insert_slice"},
    {"subtensor", "tensor.extract_slice"},
    {"iree_vector_ext\\.layout_conflict_resolution",
     "iree_vector_ext.to_layout %v to layout(#layout) : vector<...>"},
    {"#iree_vector_ext\\.(layout|per_dim_layout)",
     "#iree_vector_ext.nested_layout"},
    {"subgroups_per_workgroup", "subgroup_tile"},
    {"batches_per_subgroup", "batch_tile"},
    {"outers_per_batch", "outer_tile"},
    {"threads_per_outer", "thread_tile"},
    {"elements_per_thread", "element_tile"},
    {"iree_gpu\\.multi_mma", "iree_codegen.inner_tiled"},
    // Ops of the standard dialect.
    {"func", "func.func", " +(private +|public +)?@"},
    {"(constant|select|addf|subf|mulf|divf|negf|cmpf|addi|subi|muli|cmpi|andi|"
     "ori|xori|extf|truncf|trunci|index_cast|sitofp|fptosi)",
     "arith.$1", " +[-%0-9a-z]"},
    {"(alloc|alloca|load|dim|subview)", "memref.$1", " *[(%]"},
    // Other forms of existing ops.
    {"\"gpu\\.(thread_id|block_id|block_dim|grid_dim)\"", "gpu.$1 x",
     "\\(\\) *\\{dimension = \""},
    {"gpu\\.shuffle", "gpu.shuffle $1 %x, %offset, %width : T",
     " +%[^:]* (xor|up|down|idx) +:"},
    {"linalg\\.fill", "linalg.fill ins(%x : T) outs(%t : tensor<...>)",
     " *\\( *%"},
    {"vector\\.reduction", "vector.reduction <$1>, %v", " +\"([a-z]+)\""},
    {"vector\\.multi_reduction",
     "vector.multi_reduction <kind>, %v, %accumulator [dims]",
     " +[^,]*, *%[a-zA-Z0-9_#]+ *\\["},
    {"vector\\.extract", "vector.extract %v[0] : T from vector<NxT>",
     " +%[^:]*: *[^ ]*$"},
    {"vector\\.(insert|extract)", "vector.$1 ... %v[0, %i] ...",
     " [^\\[]*\\[[^]]*: *i(ndex|[0-9]+)[],]"},
    {"vector\\.insert", "vector.insert %x, %v[0] : T into vector<NxT>",
     " +%[^:]*: *[^ ]*$"},
    {"iree_vector_ext\\.to_layout",
     "iree_vector_ext.to_layout %v to layout(#layout) : vector<...>",
     " +[^ ]+ to #"},
    {"#iree_vector_ext\\.nested_layout<\\[",
     "#iree_vector_ext.nested_layout<subgroup_tile = [...], batch_tile = "
     "[...], outer_tile = [...], thread_tile = [...], element_tile = [...], "
     "subgroup_strides = [...], thread_strides = [...]>",
     ""},
    {"amdgpu\\.(mfma|wmma)", "amdgpu.$1 MxNxK %a * %b + %c", " +%"},
};

/// Code of later versions that no table can translate (VX-184): the dump should
/// be taken before the pass that makes it.
static constexpr OldSpelling laterCode[] = {
    {"llvm\\.(load|store|getelementptr|call|cond_br|br|func)",
     "ConvertToNVVMPass, or ConvertToROCDLPass", ".*<[a-z]+ = "},
    {"rocdl\\.make\\.buffer\\.rsrc", "ConvertToROCDLPass", ""},
};

namespace {
/// A note on a line of the text.
struct LineNote {
  int64_t column; // column of the words, from 1
  std::string text;
};
} // namespace

/// Returns the note for the first spelling of a list that a line has; `who` and
/// `advice` are the texts before the words and before the replacement.
static std::optional<LineNote> noteFor(StringRef line,
                                       ArrayRef<OldSpelling> spellings,
                                       StringRef who, StringRef advice) {
  for (const OldSpelling &spelling : spellings) {
    std::string pattern =
        ("(^|[^a-zA-Z0-9_.$%@#!\"])(" + spelling.words + ")" + spelling.context)
            .str();
    SmallVector<StringRef> groups;
    if (!llvm::Regex(pattern).match(line, &groups))
      continue;
    std::string today = spelling.today.str();
    if (size_t at = today.find("$1"); at != std::string::npos)
      today.replace(at, 2, groups[3].str());
    return LineNote{groups[2].data() - line.data() + 1,
                    (who + groups[2] + advice + today + "`").str()};
  }
  return std::nullopt;
}

static std::optional<LineNote> noteFor(StringRef line) {
  if (auto note = noteFor(line, oldSpellings, "earlier versions wrote `",
                          "`; today that is `"))
    return note;
  return noteFor(line, laterCode, "later versions write `",
                 "` so; give the dispatch as it is dumped before `");
}

std::optional<OldSpellingNote>
OldSpellingFinder::find(const Diagnostic &diagnostic) {
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error || !place)
    return std::nullopt;
  // The parser may report an error while it is at the next op.
  constexpr int64_t reach = 2;
  int64_t last = std::min<int64_t>(place.getLine(), lines.size());
  for (int64_t number = last; number > 0 && number >= last - reach; --number) {
    std::optional<LineNote> note = noteFor(lines[number - 1].split("//").first);
    if (!note)
      continue;
    if (!noted.insert(number).second)
      return std::nullopt;
    return OldSpellingNote{number, note->column, note->text};
  }
  return std::nullopt;
}

OldSpellingNotes::OldSpellingNotes(MLIRContext *context, StringRef text)
    : finder(text), handler(context, [this](Diagnostic &diagnostic) {
        std::optional<OldSpellingNote> note = finder.find(diagnostic);
        if (note) {
          auto place = cast<FileLineColLoc>(diagnostic.getLocation());
          diagnostic.attachNote(FileLineColLoc::get(place.getFilename(),
                                                    note->line, note->column))
              << note->text;
        }
        return failure(); // other handlers print the diagnostic
      }) {}
