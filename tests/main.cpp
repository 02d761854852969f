#include <gtest/gtest.h>

#include "kernels/parallel.h"

namespace headlight {

namespace {

ThreadPool* pool_of_main = nullptr;

}  // namespace

ThreadPool* test_pool();
ThreadPool* test_pool() { return pool_of_main; }

}  // namespace headlight

int main(int count, char** arguments) {
    testing::InitGoogleTest(&count, arguments);
    headlight::ThreadPool pool;
    headlight::use_pool(headlight::pool_of_main = &pool);
    return RUN_ALL_TESTS();
}
