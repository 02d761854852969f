// A target needs a source; this one holds the precompiled headers (modules.cmake).
