#pragma once

namespace headlight {

// How a system suspends a function and continues it later, on the same thread.
class Suspender {
  public:
    Suspender() = default;
    virtual ~Suspender() = default;
    Suspender(const Suspender&) = delete;
    Suspender& operator=(const Suspender&) = delete;

    // Returns when the function has ended or suspended itself. Several may be suspended at a time.
    // `key` names this one.
    virtual void start(void (*function)(void* key), void* key) = 0;
    virtual void suspend(void* key) = 0;  // called by the function; returns when it is continued
    virtual void resume(void* key) = 0;   // continues it, at once or when the caller has returned
};

// For tasks that run between frames: lets frames pass in the middle of a slice. Null, as at first:
// each slice runs to its end. A task that is destroyed while its slice is suspended never
// continues.
void suspend_slices(Suspender* suspender);

// Called often during a slice: suspends it until the next let_tasks_work if the time is over.
// parallel_for calls it. Does nothing outside such slices.
void let_frames_pass();

}  // namespace headlight
