# What `./dev web` builds with emscripten.

# Each program is linked twice, the second time with products that use relaxed SIMD, which not every
# browser has. The linker takes an object before one of the same name in a library.
add_library(headlight_relaxed OBJECT engine/kernels/tiled.cpp)
target_link_libraries(headlight_relaxed PRIVATE headlight_kernels headlight_warnings)
target_compile_options(headlight_relaxed PRIVATE -mrelaxed-simd -fno-trapping-math)
set_source_files_properties(engine/kernels/tiled.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# The command line under Node, for tests and measurements; it accesses the machine's files.
function(headlight_command_line target)
  add_executable(${target} tests/web/command_line.cpp)
  target_link_libraries(${target} PRIVATE ${ARGN} headlight_cli headlight_kernels headlight_warnings CLI11::CLI11)
  target_link_options(${target} PRIVATE -sNODERAWFS -sENVIRONMENT=node,worker -sEXIT_RUNTIME -sPROXY_TO_PTHREAD
    -sPTHREAD_POOL_SIZE=8 -sSTACK_SIZE=5MB -sDEFAULT_PTHREAD_STACK_SIZE=2MB -sINITIAL_MEMORY=256MB -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB)
endfunction()
headlight_command_line(headlight-cli)
headlight_command_line(headlight-cli-relaxed headlight_relaxed)

# The page. Its files are collected in page/ and page-relaxed/, from where ./dev web copies them.
# SHELL: keeps CMake from dropping a repeated option.
foreach(folder examples images lessons manual models scripts)
  list(APPEND files "SHELL:--preload-file ${PROJECT_SOURCE_DIR}/assets/${folder}@/headlight/assets/${folder}")
endforeach()
foreach(font IN LISTS HEADLIGHT_FONT_FILES)
  get_filename_component(name ${font} NAME)
  list(APPEND files "SHELL:--preload-file ${font}@/headlight/fonts/${name}")
endforeach()
function(headlight_page target folder)
  add_executable(${target} app/web.cpp)
  target_link_libraries(${target} PRIVATE ${ARGN} headlight_start headlight_tasks headlight_kernels headlight_warnings)
  set(library ${PROJECT_SOURCE_DIR}/app/platform/web/suspend.js)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME headlight RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder}
    LINK_DEPENDS ${library})
  target_link_options(${target} PRIVATE ${files} --js-library ${library} -sENVIRONMENT=web,worker -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
    "-sPTHREAD_POOL_SIZE=self.crossOriginIsolated?8:0" -sSTACK_SIZE=5MB -sDEFAULT_PTHREAD_STACK_SIZE=2MB
    -sINITIAL_MEMORY=256MB -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -Wno-pthreads-mem-growth
    -sEXPORTED_RUNTIME_METHODS=FS,ccall -sINCOMING_MODULE_JS_API=canvas,arguments,print,printErr,setStatus,preRun,postRun,onRuntimeInitialized,onAbort,onExit,locateFile)
endfunction()
headlight_page(headlight page)
headlight_page(headlight_relaxed_page page-relaxed headlight_relaxed)
