# Compiling a source mostly means reading the same headers, so they are precompiled once for all
# targets with the same flags. Every source still includes what it needs: with clang (`./dev fuzz`,
# `./dev check-on SUITE clang++`) there are no precompiled headers.
function(headlight_precompile target)
  if(HEADLIGHT_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/common_headers.h ${ARGN})
    # A cached precompiled header would have other header times: "redefinition".
    set(launcher "")
    if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      set(launcher ${PROJECT_SOURCE_DIR}/cmake/precompile)
    endif()
    set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER ${launcher})
    headlight_cache_with_precompiled(${target})
  endif()
endfunction()

# ccache needs this option for every source that uses a precompiled header. It must not be set for
# the header itself: the preprocessor would read the previous one and define everything twice.
function(headlight_cache_with_precompiled target)
  if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT HEADLIGHT_BATCHES)
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -fpch-preprocess)
  endif()
endfunction()

# Compiles several sources of a folder as one, because reading headers takes most of the time. So
# names in anonymous namespaces must differ among the sources of a folder.
function(headlight_batch target)
  if(HEADLIGHT_BATCHES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      # GCC treats an anonymous namespace in an included source as one in a header.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# precompiled: a target after headlight_precompile.
function(headlight_share_headers target precompiled)
  if(HEADLIGHT_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
    headlight_cache_with_precompiled(${target})
    if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND HEADLIGHT_BATCHES)
      target_compile_options(${target} PRIVATE -fpch-preprocess) # not batched with others
    endif()
  endif()
endfunction()

# Most of the program builds text and screens. -O1 compiles it in two thirds of the time and draws a
# frame as fast (tests/bench/window_bench.py). These folders have loops over pixels or vectors; only in
# the page are they compiled with -O1, too:
set(headlight_with_loops app/index app/gl app/ui app/figure)
set(headlight_text_options $<$<NOT:$<CONFIG:Debug>>:-O1>)

# One folder is one target, both named after the last part of the path. A target finds another
# folder's headers, as "folder/file.h", only through NEEDS: each target's include directory holds a
# single link to its own folder. So an include in the wrong direction does not compile. Headers
# include others in turn, which the compiler must find too. tests/layering.cmake checks that a
# target itself names every folder it includes from.
function(headlight_module folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_FLAGS" "SHARES" "WITH;NEEDS;USES;HIDES;PRECOMPILES")
  get_filename_component(name ${folder} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.h)
  foreach(with IN LISTS arg_WITH) # those of its subfolders that are for this system
    file(GLOB more CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${with}/*.cpp)
    list(APPEND sources ${more})
    if(with STREQUAL windows) # its header has macros such as near and small
      set_source_files_properties(${more} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()

  set(includes ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${includes})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${includes}/${name} SYMBOLIC)

  set(target headlight_${name})
  list(TRANSFORM arg_NEEDS PREPEND headlight_)
  if(sources)
    add_library(${target} STATIC ${sources} ${headers})
    headlight_batch(${target})
    if(folder MATCHES "^app/" AND (EMSCRIPTEN OR NOT folder IN_LIST headlight_with_loops))
      target_compile_options(${target} PRIVATE ${headlight_text_options})
      set(common headlight_text_headers)
    else()
      set(common headlight_common_headers)
    endif()
    if(HEADLIGHT_SANITIZE MATCHES address AND folder MATCHES "^engine/")
      # The engine divides 0 by 0 on purpose: NaN stands for a number that does not exist.
      target_compile_options(${target} PRIVATE -fno-sanitize=float-divide-by-zero)
    endif()
    target_include_directories(${target} PUBLIC ${includes})
    # NEEDS: our folders; USES: libraries in our headers; HIDES: libraries used only internally.
    target_link_libraries(${target} PUBLIC ${arg_NEEDS} ${arg_USES} PRIVATE headlight_warnings ${arg_HIDES})
    # OWN_FLAGS: its flags differ from all other folders', so it cannot share precompiled headers.
    # PRECOMPILES: headers for it and for all who share with it; SHARES: the folder to share with.
    if(arg_OWN_FLAGS OR arg_PRECOMPILES)
      headlight_precompile(${target} ${arg_PRECOMPILES})
    elseif(arg_SHARES)
      headlight_share_headers(${target} headlight_${arg_SHARES})
    else()
      headlight_share_headers(${target} ${common})
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${includes})
    target_link_libraries(${target} INTERFACE ${arg_NEEDS} ${arg_USES})
  endif()
endfunction()

# The modules of the folders in app/screens that have a CMakeLists.txt; `names` receives their
# names.
function(headlight_screens names)
  file(GLOB lists CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/app/screens/*/CMakeLists.txt)
  foreach(list IN LISTS lists)
    get_filename_component(folder ${list} DIRECTORY)
    add_subdirectory(${folder})
    get_filename_component(name ${folder} NAME)
    list(APPEND found ${name})
  endforeach()
  set(${names} ${found} PARENT_SCOPE)
endfunction()
