# What `cmake --install` puts where. The folder for Windows is put together by `./dev windows`.
install(TARGETS headlight RUNTIME DESTINATION bin)
install(DIRECTORY assets/ DESTINATION share/headlight PATTERN classes EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES python/headlight.py python/example.ipynb DESTINATION share/headlight/python)
install(FILES packaging/headlight.desktop DESTINATION share/applications)
install(FILES packaging/mime.xml DESTINATION share/mime/packages RENAME headlight.xml)
install(FILES packaging/headlight.svg DESTINATION share/icons/hicolor/scalable/apps)
# The program prints its man page and shell completions.
install(CODE [[
  set(share "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share")
  foreach(file man/man1/headlight.1 bash-completion/completions/headlight zsh/site-functions/_headlight
      fish/vendor_completions.d/headlight.fish)
    get_filename_component(folder ${share}/${file} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    set(arguments man)
    if(file MATCHES "^(bash|zsh|fish)")
      set(arguments completion ${CMAKE_MATCH_1})
    endif()
    message(STATUS "Installing: ${share}/${file}")
    execute_process(COMMAND "$<TARGET_FILE:headlight>" ${arguments} OUTPUT_FILE ${share}/${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
]])
