# Functions that declare Distaff's libraries, tools and tests.

# MLIR's headers dominate compile time, so every library that uses MLIR shares
# one precompiled header, and every test one that has GoogleTest too.
function(_distaff_precompile name)
  if(NOT TARGET ${name})
    file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
    add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
    target_precompile_headers(${name} PRIVATE
      ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h ${ARGN})
    add_dependencies(${name} distaff-generated)
  endif()
endfunction()

function(_distaff_use_mlir target)
  target_link_libraries(${target} PUBLIC MLIR LLVM)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(gtest IN_LIST libraries)
    _distaff_precompile(DistaffTestPrecompiled <gtest/gtest.h>)
    target_link_libraries(DistaffTestPrecompiled PRIVATE gtest)
    target_compile_options(DistaffTestPrecompiled PRIVATE -O1)
    target_precompile_headers(${target} REUSE_FROM DistaffTestPrecompiled)
    # Tests are compiled more often than they run long.
    target_compile_options(${target} PRIVATE -O1)
  else()
    _distaff_precompile(DistaffPrecompiled)
    target_precompile_headers(${target} REUSE_FROM DistaffPrecompiled)
  endif()
  # An executable's -fPIE would not fit the header's -fPIC.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# distaff_add_library(NAME SOURCES a.cpp ... [LINK lib ...] [GENERATED target ...] [NO_MLIR])
# A static library; NO_MLIR marks those that must build without MLIR.
function(distaff_add_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "SOURCES;LINK;GENERATED" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_NO_MLIR)
    _distaff_use_mlir(${name})
    # Generated headers of any dialect may be reached through another's.
    add_dependencies(${name} distaff-generated)
  endif()
  if(ARG_GENERATED)
    add_dependencies(${name} ${ARG_GENERATED})
  endif()
endfunction()

# distaff_add_tool(NAME SOURCES a.cpp ... [LINK lib ...] [NO_MLIR])
function(distaff_add_tool name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_NO_MLIR)
    target_link_libraries(${name} PRIVATE ${DISTAFF_ALLOCATOR})
    _distaff_use_mlir(${name})
    add_dependencies(${name} distaff-generated)
  endif()
endfunction()

# distaff_add_unittest(NAME SOURCES a.cpp ... [LINK lib ...] [NO_MLIR])
# A GoogleTest binary under build/unittests, which lit finds by its name's ending.
function(distaff_add_unittest name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} gtest gtest_main pthread)
  if(ARG_NO_MLIR)
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h>)
    target_compile_options(${name} PRIVATE -O1)
  else()
    _distaff_use_mlir(${name})
    add_dependencies(${name} distaff-generated)
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
endfunction()

# distaff_add_dialect(FILE NAMESPACE [TYPES]): runs mlir-tblgen on FILE.td, which
# defines the dialect NAMESPACE with its attributes, ops and, if so said, types.
function(distaff_add_dialect file namespace)
  cmake_parse_arguments(ARG "TYPES" "" "" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${file}.td)
  mlir_tablegen(${file}Dialect.h.inc -gen-dialect-decls -dialect=${namespace})
  mlir_tablegen(${file}Dialect.cpp.inc -gen-dialect-defs -dialect=${namespace})
  mlir_tablegen(${file}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${namespace})
  mlir_tablegen(${file}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${namespace})
  if(ARG_TYPES)
    mlir_tablegen(${file}Types.h.inc -gen-typedef-decls -typedefs-dialect=${namespace})
    mlir_tablegen(${file}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${namespace})
  endif()
  mlir_tablegen(${file}.h.inc -gen-op-decls -dialect=${namespace})
  mlir_tablegen(${file}.cpp.inc -gen-op-defs -dialect=${namespace})
  add_public_tablegen_target(Distaff${file}IncGen)
  add_dependencies(distaff-generated Distaff${file}IncGen)
endfunction()

# distaff_add_interfaces(FILE KIND): runs mlir-tblgen on FILE.td, which defines
# interfaces of KIND: ATTR, OP or TYPE.
function(distaff_add_interfaces file kind)
  string(TOLOWER ${kind} kind)
  set(LLVM_TARGET_DEFINITIONS ${file}.td)
  mlir_tablegen(${file}.h.inc -gen-${kind}-interface-decls)
  mlir_tablegen(${file}.cpp.inc -gen-${kind}-interface-defs)
  add_public_tablegen_target(Distaff${file}IncGen)
  add_dependencies(distaff-generated Distaff${file}IncGen)
endfunction()

# distaff_add_enums(FILE): runs mlir-tblgen on FILE.td, which defines enums and
# includes no other definition of one.
function(distaff_add_enums file)
  set(LLVM_TARGET_DEFINITIONS ${file}.td)
  mlir_tablegen(${file}.h.inc -gen-enum-decls)
  mlir_tablegen(${file}.cpp.inc -gen-enum-defs)
  add_public_tablegen_target(Distaff${file}IncGen)
  add_dependencies(distaff-generated Distaff${file}IncGen)
endfunction()
