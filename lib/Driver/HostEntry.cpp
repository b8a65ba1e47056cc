//===- HostEntry.cpp - The C function of a kernel on a CPU ----------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is built in LLVM's dialect, which the tasks that it calls
// (HostTask.h) are lowered to before both are linked.
//
//===----------------------------------------------------------------------===//
#include "HostEntry.h"
#include "distaff/Cpu/MatrixUnit.h"
#include "distaff/Kernel/HostTask.h"
#include "distaff/Kernel/Kernel.h"
#include "distaff/Pipelines/Backend.h"
#include "distaff/Target/Target.h"
#include "distaff/Target/ThisMachine.h"
#include "distaff/ToLLVM/KernelABI.h"
#include "distaff/ToLLVM/ToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringSet.h"

using namespace distaff;
using runtime::Formula;

namespace {

class EntryWriter {
public:
  EntryWriter(ModuleOp module, const runtime::Package &package)
      : module(module), package(package),
        b(module.getLoc(), module.getContext()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())),
        number(b.getI64Type()) {
    b.setInsertionPointToEnd(module.getBody());
  }

  void write();

private:
  using Named = llvm::StringMap<Value>;

  LLVM::LLVMFuncOp declare(StringRef name, Type result, ArrayRef<Type> inputs);
  void takeArguments(Block *entry);
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, number, b.getI64IntegerAttr(value));
  }
  Value evaluate(const Formula &formula);
  Value divide(Value lhs, Value rhs, bool up);
  void goOnIf(Value holds, Block *refused);
  void checkRequirements(Block *refused);
  void askForMatrices(Block *refused);
  bool hasAssertions();
  void defineAssertion();
  void launch(const runtime::Launch &each);

  ModuleOp module;
  const runtime::Package &package;
  ImplicitLocOpBuilder b;
  Type pointer, number;
  LLVM::LLVMFuncOp function;
  Named arguments;
  SmallVector<Value> extents;
  Value parallel;
};

} // namespace

/// Returns the type by which C passes a scalar of a package: halves and bytes
/// by their bits.
static Type typeInC(const runtime::Parameter &scalar, OpBuilder &b) {
  switch (scalar.type) {
  case runtime::ScalarType::F32:
    return b.getF32Type();
  case runtime::ScalarType::F64:
    return b.getF64Type();
  default:
    return b.getIntegerType(8 * runtime::byteSize(scalar.type));
  }
}

/// Returns the number of dynamic extents of a package's arguments.
static int64_t countExtents(const runtime::Package &package) {
  int64_t count = 0;
  for (const runtime::Parameter &argument : package.arguments)
    for (const Formula &extent : argument.shape)
      count += extent.kind == Formula::Kind::Extent;
  return count;
}

LLVM::LLVMFuncOp EntryWriter::declare(StringRef name, Type result,
                                      ArrayRef<Type> inputs) {
  auto module = cast<ModuleOp>(b.getInsertionBlock()->getParentOp());
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  return LLVM::LLVMFuncOp::create(b, name,
                                  LLVM::LLVMFunctionType::get(result, inputs));
}

void EntryWriter::takeArguments(Block *entry) {
  auto next = entry->args_begin();
  for (const runtime::Parameter *parameter : package.parameters())
    if (!parameter->isScalar)
      arguments[parameter->name] = *next++;
  for (const runtime::Workspace &workspace : package.workspaces)
    arguments[workspace.name] = *next++;
  for (const runtime::Parameter &argument : package.arguments)
    if (argument.isScalar)
      arguments[argument.name] = *next++;
  for (int64_t i = 0, e = countExtents(package); i < e; ++i)
    extents.push_back(*next++);
  parallel = *next;
}

/// Returns a quotient rounded down, or up; `rhs` is positive.
Value EntryWriter::divide(Value lhs, Value rhs, bool up) {
  Value quotient = LLVM::SDivOp::create(b, lhs, rhs);
  Value rest = LLVM::SRemOp::create(b, lhs, rhs);
  Value isOff = LLVM::ICmpOp::create(
      b, up ? LLVM::ICmpPredicate::sgt : LLVM::ICmpPredicate::slt, rest,
      constant(0));
  Value other = LLVM::AddOp::create(b, quotient, constant(up ? 1 : -1));
  return LLVM::SelectOp::create(b, isOff, other, quotient);
}

Value EntryWriter::evaluate(const Formula &formula) {
  using enum Formula::Kind;
  if (formula.kind == Constant)
    return constant(formula.value);
  if (formula.kind == Extent)
    return extents[formula.value];
  Value lhs = evaluate(formula.operands[0]),
        rhs = evaluate(formula.operands[1]);
  switch (formula.kind) {
  case Add:
    return LLVM::AddOp::create(b, lhs, rhs);
  case Subtract:
    return LLVM::SubOp::create(b, lhs, rhs);
  case Multiply:
    return LLVM::MulOp::create(b, lhs, rhs);
  case CeilDivide:
    return divide(lhs, rhs, /*up=*/true);
  case FloorDivide:
    return divide(lhs, rhs, /*up=*/false);
  case Modulo: {
    Value whole = LLVM::MulOp::create(b, divide(lhs, rhs, /*up=*/false), rhs);
    return LLVM::SubOp::create(b, lhs, whole);
  }
  case Minimum:
    return LLVM::SMinOp::create(b, lhs, rhs);
  case Maximum:
    return LLVM::SMaxOp::create(b, lhs, rhs);
  default:
    llvm_unreachable("constants and extents have no operands");
  }
}

/// Branches to `refused` unless a condition holds.
void EntryWriter::goOnIf(Value holds, Block *refused) {
  Block *before = b.getInsertionBlock();
  Block *next = b.createBlock(refused);
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, holds, next, refused);
  b.setInsertionPointToEnd(next);
}

/// Branches to `refused` unless all requirements hold.
void EntryWriter::checkRequirements(Block *refused) {
  Value fits;
  auto require = [&](LLVM::ICmpPredicate predicate, Value lhs, Value rhs) {
    Value holds = LLVM::ICmpOp::create(b, predicate, lhs, rhs);
    fits = fits ? LLVM::AndOp::create(b, fits, holds).getResult() : holds;
  };
  for (Value extent : extents)
    require(LLVM::ICmpPredicate::sge, extent, constant(0));
  for (const runtime::Requirement &each : package.requirements)
    require(LLVM::ICmpPredicate::eq, evaluate(each.lhs), evaluate(each.rhs));
  if (fits)
    goOnIf(fits, refused);
}

/// Branches to `refused` unless the system grants the registers that hold
/// matrices, if the kernels use any. Only Linux requires a request.
void EntryWriter::askForMatrices([[maybe_unused]] Block *refused) {
#if defined(__linux__) && defined(__x86_64__)
  if (!takesMatrices(module))
    return;
  using Ask = MatrixPermission;
  Value answer =
      LLVM::InlineAsmOp::create(
          b, number,
          ValueRange{constant(Ask::archPrctl), constant(Ask::request),
                     constant(Ask::tileData)},
          "syscall", "={rax},{rax},{rdi},{rsi},~{rcx},~{r11},~{memory}",
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::TailCallKind::None, /*asm_dialect=*/LLVM::AsmDialectAttr(),
          /*operand_attrs=*/ArrayAttr())
          .getResult(0);
  goOnIf(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, answer, constant(0)),
         refused);
#endif
}

/// Fills the frame of a launch and runs its workgroups.
void EntryWriter::launch(const runtime::Launch &each) {
  SmallVector<Value> passed;
  for (const std::string &name : each.buffers)
    passed.push_back(arguments.lookup(name));
  for (const std::string &name : each.scalars)
    passed.push_back(arguments.lookup(name));
  for (const Formula &extent : each.extents)
    passed.push_back(evaluate(extent));
  Value frame = LLVM::AllocaOp::create(
      b, pointer, number, constant(std::max<size_t>(1, passed.size())));
  for (auto [i, value] : llvm::enumerate(passed)) {
    Value slot = LLVM::GEPOp::create(b, pointer, number, frame,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(b, value, slot);
  }
  Value count = evaluate(each.grid[0]);
  for (const Formula &along : ArrayRef(each.grid).drop_front())
    count = LLVM::MulOp::create(b, count, evaluate(along));
  Type none = LLVM::LLVMVoidType::get(b.getContext());
  LLVM::LLVMFuncOp task;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(function);
    task = declare(hostTaskName(each.kernel), none, {pointer, number, number});
  }
  Value address = LLVM::AddressOfOp::create(b, task);
  Value isAlone = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, parallel,
                                       LLVM::ZeroOp::create(b, pointer));
  Block *before = b.getInsertionBlock();
  Block *last = &function.getBody().back();
  Block *alone = b.createBlock(last), *shared = b.createBlock(last),
        *after = b.createBlock(last);
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, isAlone, alone, shared);
  b.setInsertionPointToEnd(alone);
  LLVM::CallOp::create(b, task, ValueRange{frame, constant(0), count});
  LLVM::BrOp::create(b, ValueRange(), after);
  b.setInsertionPointToEnd(shared);
  LLVM::CallOp::create(
      b, LLVM::LLVMFunctionType::get(none, {pointer, pointer, number}),
      ValueRange{parallel, address, frame, count});
  LLVM::BrOp::create(b, ValueRange(), after);
  b.setInsertionPointToEnd(after);
}

/// Defines the handler of failed assertions, which the program may replace:
/// prints the message to the standard error stream, and aborts.
void EntryWriter::defineAssertion() {
  if (!hasAssertions())
    return;
  LLVM::LLVMFuncOp handler = declareHostAssertion(module);
  if (!handler.isExternal())
    return; // another kernel defined it
  handler.setLinkage(LLVM::Linkage::Weak);
  OpBuilder::InsertionGuard guard(b);
  std::string format = "assertion failed: %s\n";
  format += '\0';
  auto text = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(b.getI8Type(), format.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, "distaff_assertion_format",
      b.getStringAttr(format));
  LLVM::LLVMFuncOp print = LLVM::LLVMFuncOp::create(
      b, "dprintf",
      LLVM::LLVMFunctionType::get(b.getI32Type(), {b.getI32Type(), pointer},
                                  /*isVarArg=*/true));
  LLVM::LLVMFuncOp abort =
      declare("abort", LLVM::LLVMVoidType::get(b.getContext()), {});
  Block *entry = handler.addEntryBlock(b);
  b.setInsertionPointToEnd(entry);
  Value stream =
      LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(2));
  Value address = LLVM::AddressOfOp::create(b, text);
  LLVM::CallOp::create(b, print,
                       ValueRange{stream, address, entry->getArgument(0)});
  LLVM::CallOp::create(b, abort, ValueRange());
  LLVM::UnreachableOp::create(b);
}

/// Returns whether a kernel has assertions; those of grid functions are
/// requirements.
bool EntryWriter::hasAssertions() {
  return llvm::any_of(findKernels(module), [](FunctionOpInterface kernel) {
    return kernel->walk([](cf::AssertOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

void EntryWriter::write() {
  defineAssertion();
  SmallVector<Type> inputs;
  for (const runtime::Parameter *parameter : package.parameters())
    if (!parameter->isScalar)
      inputs.push_back(pointer);
  inputs.append(package.workspaces.size(), pointer);
  for (const runtime::Parameter &argument : package.arguments)
    if (argument.isScalar)
      inputs.push_back(typeInC(argument, b));
  inputs.append(countExtents(package), number);
  inputs.push_back(pointer);
  Type status = b.getI32Type();
  function = declare(hostFunctionName(package) + hostEntrySuffix.str(), status,
                     inputs);
  Block *entry = function.addEntryBlock(b);
  takeArguments(entry);
  Block *refused = b.createBlock(&function.getBody());
  b.setInsertionPointToEnd(refused);
  auto leave = [&](int64_t value) {
    LLVM::ReturnOp::create(
        b, LLVM::ConstantOp::create(b, status, b.getI32IntegerAttr(value))
               .getResult());
  };
  leave(-1);
  b.setInsertionPointToEnd(entry);
  checkRequirements(refused);
  askForMatrices(refused);
  for (const runtime::Launch &each : package.launches)
    launch(each);
  leave(0);
}

/// Returns whether a name is a keyword of C or C++, a name of the header or of
/// its includes, or a function that the code may call.
static bool isTaken(StringRef name, const Backend *backend) {
  if (name.ends_with("_t") || name.starts_with("distaff_") ||
      name.starts_with("INT") || name.starts_with("UINT") ||
      (backend && backend->isInLibrary && backend->isInLibrary(name)))
    return true;
  static const llvm::StringSet<> names = {
      "auto",      "bool",   "break",    "case",    "catch",     "char",
      "class",     "const",  "continue", "default", "delete",    "do",
      "double",    "else",   "enum",     "exp",     "extern",    "float",
      "for",       "goto",   "if",       "inline",  "int",       "log",
      "long",      "main",   "memcpy",   "memset",  "namespace", "new",
      "operator",  "pow",    "private",  "public",  "register",  "restrict",
      "return",    "short",  "signed",   "sizeof",  "sqrt",      "static",
      "struct",    "switch", "template", "this",    "throw",     "try",
      "typedef",   "union",  "unsigned", "using",   "virtual",   "void",
      "volatile",  "while",  "_Bool",    "abs",     "and",       "asm",
      "constexpr", "exit",   "explicit", "export",  "false",     "fmod",
      "free",      "friend", "linux",    "malloc",  "memmove",   "not",
      "nullptr",   "or",     "printf",   "stdin",   "stdout",    "true",
      "typeof",    "unix",   "xor",      "NULL"};
  return names.contains(name);
}

std::string distaff::hostFunctionName(const runtime::Package &package) {
  std::string symbol = emittedSymbol(package.name);
  return symbol == "main" ? "main_kernel" : symbol;
}

LogicalResult distaff::addHostEntry(ModuleOp module,
                                    const runtime::Package &package) {
  std::string symbol = hostFunctionName(package);
  const Target *target = lookupTarget(package.target);
  if (isTaken(symbol, target ? lookupBackend(*target) : nullptr))
    return emitError(module.getLoc(), "the kernel would be the C function '")
           << symbol
           << "', a name that C or its library keeps for itself; give the "
              "kernel another name";
  std::string entry = symbol + hostEntrySuffix.str();
  Operation *other = module.lookupSymbol(entry);
  // Kernels are functions of func, but the entries added before are not.
  if (isa_and_nonnull<LLVM::LLVMFuncOp>(other))
    return emitError(module.getLoc(), "the kernel '")
           << package.name << "' would be the C function '" << symbol
           << "', which another kernel of the module is; give one of them "
              "another name";
  if (other)
    return emitError(module.getLoc(), "the entry of the kernel '")
           << package.name << "' would have the symbol '" << entry
           << "', which a function of the module has; give that another name";
  module.getContext()->loadDialect<LLVM::LLVMDialect>();
  EntryWriter(module, package).write();
  return success();
}
