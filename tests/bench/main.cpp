#include <benchmark/benchmark.h>

#include "kernels/parallel.h"

int main(int count, char** arguments) {
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
    headlight::ThreadPool pool;
    headlight::use_pool(&pool);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
