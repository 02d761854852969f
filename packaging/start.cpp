// The program of a package. The loader finds the library whose code fits the processor, and this
// file has no code that depends on one.
int headlight_main(int argc, char** argv);

int main(int argc, char** argv) { return headlight_main(argc, argv); }
