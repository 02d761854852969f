// A target needs a source; this one has the headers that the others read (modules.cmake).
