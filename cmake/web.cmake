# What `./dev web` builds with emscripten.

# The command line under Node, for tests and measurements; it accesses the machine's files.
add_executable(headlight-cli tests/web/command_line.cpp)
target_link_libraries(headlight-cli PRIVATE headlight_cli headlight_kernels headlight_warnings CLI11::CLI11)
target_link_options(headlight-cli PRIVATE -sNODERAWFS -sENVIRONMENT=node,worker -sEXIT_RUNTIME -sPROXY_TO_PTHREAD
  -sPTHREAD_POOL_SIZE=8 -sSTACK_SIZE=5MB -sDEFAULT_PTHREAD_STACK_SIZE=2MB -sINITIAL_MEMORY=256MB -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB)

# The page. Its files are collected in page/, from where ./dev web copies them.
set(page ${PROJECT_BINARY_DIR}/page)
set(page_sources ${PROJECT_SOURCE_DIR}/app/platform/web/page)
add_executable(headlight app/web.cpp)
target_link_libraries(headlight PRIVATE headlight_platform headlight_kernels headlight_warnings)
set_target_properties(headlight PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${page})
# SHELL: keeps CMake from dropping a repeated option.
foreach(folder examples images lessons manual models scripts)
  list(APPEND files "SHELL:--preload-file ${PROJECT_SOURCE_DIR}/assets/${folder}@/headlight/assets/${folder}")
endforeach()
foreach(font IN LISTS HEADLIGHT_FONT_FILES)
  get_filename_component(name ${font} NAME)
  list(APPEND files "SHELL:--preload-file ${font}@/headlight/fonts/${name}")
endforeach()
target_link_options(headlight PRIVATE ${files} -sENVIRONMENT=web,worker -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
  -sPTHREAD_POOL_SIZE=8 -sSTACK_SIZE=5MB -sDEFAULT_PTHREAD_STACK_SIZE=2MB
  -sINITIAL_MEMORY=256MB -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -Wno-pthreads-mem-growth
  -sEXPORTED_RUNTIME_METHODS=FS,ccall -sINCOMING_MODULE_JS_API=canvas,arguments,print,printErr,setStatus,preRun,postRun,onRuntimeInitialized,onAbort,onExit)
