#include "platform/web/suspender.h"

#include <emscripten/em_macros.h>

#include <cstddef>
#include <map>
#include <memory>

// suspend.js
extern "C" {
int headlight_can_suspend();
void headlight_start(void (*function)(void*), void* key, void* stack_end);
void headlight_suspend(void* key);
void headlight_resume(void* key);

// Called by suspend.js.
EMSCRIPTEN_KEEPALIVE void headlight_call(void (*function)(void*), void* key) { function(key); }
}

namespace headlight::app {

namespace {

// The browser keeps only a part of each suspended function's stack. The other part is in memory,
// and each key has its own.
class PageSuspender : public Suspender {
  public:
    void start(void (*function)(void*), void* key) override {
        std::unique_ptr<Unit[]>& stack = stacks_[key];
        if (!stack) stack = std::make_unique_for_overwrite<Unit[]>(kUnits);
        headlight_start(function, key, stack.get() + kUnits);
    }
    void suspend(void* key) override { headlight_suspend(key); }
    void resume(void* key) override { headlight_resume(key); }

  private:
    struct alignas(16) Unit {
        std::byte bytes[16];
    };
    static constexpr std::size_t kUnits =
        (std::size_t{2} << 20U) / sizeof(Unit);  // as threads have

    std::map<void*, std::unique_ptr<Unit[]>> stacks_;
};

}  // namespace

Suspender* page_suspender() {
    static PageSuspender suspender;
    return headlight_can_suspend() != 0 ? &suspender : nullptr;
}

}  // namespace headlight::app
