# Functions that declare Distaff's libraries, tools and tests.

# In a build for development, options of all but the targets marked HOT. -O0
# halves what they take to compile; on examples/matmul_f16.mlir, all of them
# without optimization make `distaff run --check` a quarter slower, while one
# of the HOT ones alone makes it 1.5 to 7 times slower.
set(DISTAFF_COLD_OPTIONS "" CACHE STRING "Compile options of what takes little of a run's time")

function(_distaff_optimize target is_hot)
  if(NOT is_hot AND DISTAFF_COLD_OPTIONS)
    target_compile_options(${target} PRIVATE ${DISTAFF_COLD_OPTIONS})
  endif()
endfunction()

# Links the HOT libraries before all else. Of a template's instantiations the
# linker keeps the first that it sees, which must be an optimised one.
function(_distaff_link_hot_first target)
  get_property(hot GLOBAL PROPERTY DISTAFF_HOT_LIBRARIES)
  if(DISTAFF_COLD_OPTIONS AND hot)
    list(TRANSFORM hot REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    list(JOIN hot " " files)
    target_link_options(${target} PRIVATE
      "SHELL:-Wl,--whole-archive ${files} -Wl,--no-whole-archive")
  endif()
endfunction()

# MLIR's headers dominate compile time, so all that uses MLIR shares a precompiled
# header, and all that uses the dialects of LLVM a second one, which goes on from it:
# what needs the first alone is compiled beside the second. Both are compiled as the
# HOT targets are. The others have another level of optimisation, which changes no
# declaration: -fno-validate-pch takes the header for theirs.
function(_distaff_precompile name header)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header})
  add_dependencies(${name} distaff-generated)
endfunction()

# Declares both, where the libraries are listed.
function(distaff_precompile_headers)
  _distaff_precompile(DistaffPrecompiled Precompiled.h)
  _distaff_precompile(DistaffPrecompiledLLVM PrecompiledLLVM.h)
  set(files ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles)
  set(first ${files}/DistaffPrecompiled.dir/cmake_pch.hxx.pch)
  set_source_files_properties(${files}/DistaffPrecompiledLLVM.dir/cmake_pch.hxx.cxx
    PROPERTIES OBJECT_DEPENDS ${first})
  target_compile_options(DistaffPrecompiledLLVM PRIVATE
    "SHELL:-Xclang -include-pch -Xclang ${first}")
endfunction()

# Half of what a cold compile of a small kernel takes is the dynamic linker's work on
# libLLVM and libMLIR. A build for release links the compiler with their archives
# instead, at fixed addresses: `distaff targets` takes 5 ms instead of 20. A tool that
# loads plugins shares the libraries with them, and cannot have copies of its own.
option(DISTAFF_STATIC "Link distaff with LLVM's archives" OFF)
add_library(DistaffArchives INTERFACE)
if(DISTAFF_STATIC)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(FILTER archives EXCLUDE REGEX "/lib(MLIRCAPI|MLIRTest|LLVMTest)")
  list(JOIN archives " " archives)
  # What libLLVM itself needs is there without the packages for development.
  find_library(DISTAFF_ZLIB NAMES z libz.so.1 REQUIRED)
  find_library(DISTAFF_ZSTD NAMES zstd libzstd.so.1 REQUIRED)
  mark_as_advanced(DISTAFF_ZLIB DISTAFF_ZSTD)
  target_link_libraries(DistaffArchives INTERFACE
    "-Wl,--start-group ${archives} -Wl,--end-group" ${DISTAFF_ZLIB} ${DISTAFF_ZSTD}
    -static-libstdc++ -static-libgcc -no-pie -Wl,--gc-sections)
endif()

# LLVM, and MLIR with it, for the tool or test that all is linked to in the end: its
# property says which it takes.
foreach(libraries LLVM "MLIR;LLVM")
  list(GET libraries 0 name)
  add_library(Distaff${name} INTERFACE)
  target_link_libraries(Distaff${name} INTERFACE
    "$<IF:$<BOOL:$<TARGET_PROPERTY:DISTAFF_LINKS_ARCHIVES>>,DistaffArchives,${libraries}>")
endforeach()

# Links a tool with LLVM's archives in a build with DISTAFF_STATIC.
function(distaff_link_statically target)
  set_target_properties(${target} PROPERTIES DISTAFF_LINKS_ARCHIVES ${DISTAFF_STATIC})
endfunction()

function(_distaff_use_mlir target is_hot has_llvm_dialects)
  target_link_libraries(${target} PUBLIC DistaffMLIR)
  if(has_llvm_dialects)
    target_precompile_headers(${target} REUSE_FROM DistaffPrecompiledLLVM)
  else()
    target_precompile_headers(${target} REUSE_FROM DistaffPrecompiled)
  endif()
  if(NOT is_hot AND DISTAFF_COLD_OPTIONS)
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-validate-pch")
  endif()
  # An executable's -fPIE would not fit the header's -fPIC.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# Joins the sources of a target, folder by folder, into translation units of at
# most so many bytes of text: in a file of its own, a source of 250 lines takes
# most of its compile time for headers, and for templates that its neighbours
# instantiate too. DISTAFF_UNITY=OFF compiles file by file, which `make test-all`
# does, so that no file takes what a neighbour defines or includes.
option(DISTAFF_UNITY "Compile several sources of a target at once" ON)
set(DISTAFF_UNITY_BYTES 320000 CACHE STRING "Bytes of text in a translation unit")
mark_as_advanced(DISTAFF_UNITY_BYTES)

function(_distaff_unite target)
  if(NOT DISTAFF_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} size)
    math(EXPR "bytes_${folder}" "0${bytes_${folder}} + ${size}")
    set("before_${folder}" 0)
  endforeach()
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    # Units of equal size, as many as the limit needs.
    math(EXPR share "${bytes_${folder}} / (${bytes_${folder}} / ${DISTAFF_UNITY_BYTES} + 1) + 1")
    math(EXPR number "${before_${folder}} / ${share}")
    string(MAKE_C_IDENTIFIER "${folder}_${number}" unit)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} size)
    math(EXPR "before_${folder}" "${before_${folder}} + ${size}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# distaff_add_library(NAME SOURCES a.cpp ... [HOT_SOURCES b.cpp ...] [LINK lib ...]
#                     [GENERATED target ...] [NO_MLIR | LLVM_DIALECTS] [HOT])
# A static library; NO_MLIR marks those that must build without MLIR, LLVM_DIALECTS
# those that include the headers of the dialects llvm, nvvm or rocdl, HOT those that
# most of a run's time is spent in. HOT_SOURCES are the files in which the
# rest of a library's time is spent, by a profile of `make test`.
function(distaff_add_library name)
  cmake_parse_arguments(ARG "NO_MLIR;LLVM_DIALECTS;HOT" "" "SOURCES;HOT_SOURCES;LINK;GENERATED" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  _distaff_unite(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  _distaff_optimize(${name} ${ARG_HOT})
  if(ARG_HOT)
    set_property(GLOBAL APPEND PROPERTY DISTAFF_HOT_LIBRARIES ${name})
  endif()
  set(needed)
  if(ARG_NO_MLIR)
    set(needed NO_MLIR)
  else()
    if(ARG_LLVM_DIALECTS)
      set(needed LLVM_DIALECTS)
    endif()
    _distaff_use_mlir(${name} ${ARG_HOT} ${ARG_LLVM_DIALECTS})
    # Generated headers of any dialect may be reached through another's.
    add_dependencies(${name} distaff-generated)
  endif()
  if(ARG_GENERATED)
    add_dependencies(${name} ${ARG_GENERATED})
  endif()
  if(ARG_HOT_SOURCES)
    # Either half calls the other.
    distaff_add_library(${name}Hot HOT ${needed}
      SOURCES ${ARG_HOT_SOURCES} LINK ${ARG_LINK} GENERATED ${ARG_GENERATED})
    target_link_libraries(${name} PUBLIC ${name}Hot)
    target_link_libraries(${name}Hot PUBLIC ${name})
  endif()
endfunction()

# distaff_add_tool(NAME SOURCES a.cpp ... [LINK lib ...] [NO_MLIR | LLVM_DIALECTS])
function(distaff_add_tool name)
  cmake_parse_arguments(ARG "NO_MLIR;LLVM_DIALECTS" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _distaff_unite(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  _distaff_optimize(${name} FALSE)
  if(NOT ARG_NO_MLIR)
    target_link_libraries(${name} PRIVATE ${DISTAFF_ALLOCATOR})
    _distaff_link_hot_first(${name})
    _distaff_use_mlir(${name} FALSE ${ARG_LLVM_DIALECTS})
    add_dependencies(${name} distaff-generated)
  endif()
endfunction()

# distaff_add_unittest(NAME SOURCES a.cpp ... [LINK lib ...] [NO_MLIR | LLVM_DIALECTS] [HOT])
# A GoogleTest binary under build/unittests, which lit finds by its name's ending.
function(distaff_add_unittest name)
  cmake_parse_arguments(ARG "NO_MLIR;LLVM_DIALECTS;HOT" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  _distaff_unite(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} gtest gtest_main pthread)
  _distaff_optimize(${name} ${ARG_HOT})
  if(NOT ARG_NO_MLIR)
    _distaff_use_mlir(${name} ${ARG_HOT} ${ARG_LLVM_DIALECTS})
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
