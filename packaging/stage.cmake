# Run by cpack when all files are in the folder that becomes the package: adds what only a Debian package has, and
# gives every file the time of SOURCE_DATE_EPOCH, so that the same commit gives the same package.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(documents ${root}/share/doc/headlight)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Debian's zsh looks here.
file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH
file(WRITE ${documents}/changelog.Debian
  "headlight (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
  "  * Version ${CPACK_PACKAGE_VERSION}. The file changelog.gz lists what is new.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
run(gzip -9n ${documents}/changelog ${documents}/changelog.Debian ${root}/share/man/man1/headlight.1)

# Python finds `import headlight` here.
set(modules lib/python3/dist-packages)
file(MAKE_DIRECTORY ${root}/${modules})
file(CREATE_LINK ../../../share/headlight/python/headlight.py ${root}/${modules}/headlight.py SYMBOLIC)
file(CREATE_LINK ../../headlight/manual ${documents}/manual SYMBOLIC)

run(find ${CPACK_TEMPORARY_DIRECTORY} -exec touch --no-dereference --date @$ENV{SOURCE_DATE_EPOCH} "{}" +)
