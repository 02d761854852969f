#include "start/presenter_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlight::app {
namespace {

constexpr Extent kSize{1000, 750};
constexpr double kPresenterFrame = 1.0 / 60;
constexpr double kLate = 0.002;  // seconds after the full second, to be past it
constexpr double kSettling = 0.5;
constexpr double kSeen = 0.25;     // seconds between pictures of the audience's view
constexpr double kPreview = 0.03;  // seconds between checks of the next stop's preview
constexpr int kMostSettlings = 6;

bool has_two(const Seats& seats) { return seats.audience != seats.speaker; }

}  // namespace

PresenterWindow::~PresenterWindow() {
    app_.attend(nullptr);
    if (opened_) close();
}

PresenterWindow::Opened::Opened(const Window& main)
    : window(main, "Headlight — presenter", kSize) {}

bool PresenterWindow::lecturing() const { return app_.work().state().look.lecture; }

// The speaker needs a monitor only for a lesson. Otherwise lecture view fills the monitor of the
// program's window.
std::optional<Seats> PresenterWindow::seats() const {
    if (monitors_.empty()) return std::nullopt;
    const Box window = home_ ? *home_ : main_.place();
    if (app_.reader().lesson() != nullptr)
        if (const auto two = seats_for(monitors_, window)) return two;
    const auto on =
        std::ranges::find_if(monitors_, [&](const Box& monitor) { return is_on(monitor, window); });
    const auto number =
        on == monitors_.end() ? 0 : static_cast<std::size_t>(on - monitors_.begin());
    return Seats{number, number};
}

// Querying monitors is slow, so do it only after a change.
void PresenterWindow::look_at_monitors() {
    const bool changed = Window::take_monitors_changed(), lectures = lecturing(),
               begins = !std::exchange(lectured_, lectures) && lectures;
    if (std::exchange(known_, true) && !changed && !begins) return;
    monitors_ = Window::monitors();
    if (!arranged_) bring_home();
}

// Moves windows from a disconnected monitor to the remaining one.
void PresenterWindow::bring_home() {
    if (opened_ && !is_in_sight(monitors_, opened_->window.place())) opened_->window.spread_on(0);
    if (!is_in_sight(monitors_, main_.place())) main_.spread_on(0);
}

bool PresenterWindow::iterate(const Moment& now) {
    look_at_monitors();
    std::optional<Seats> wanted = lecturing() ? seats() : std::nullopt;
    const bool two = wanted && has_two(*wanted);
    app_.follow_talk(now, two);
    if (two && app_.presentation().is_swapped()) std::swap(wanted->audience, wanted->speaker);
    const bool was_open = opened_ != nullptr;
    if (wanted != arranged_) {
        arrange(wanted);
        begin_settling();
    }
    open_or_close();
    if (was_open != (opened_ != nullptr)) begin_settling();
    settle(now.seconds);
    take_pictures(now.seconds);
    return opened_ && frame_wanted() && draw(now.seconds);
}

// Returns the program's window to its place, if that is still visible. The desktop moves it with a
// delay, so its position cannot be queried yet.
void PresenterWindow::leave_monitor() {
    const std::optional<Box> home = std::exchange(home_, std::nullopt);
    if (!home) return;
    if (!is_in_sight(monitors_, *home)) return main_.spread_on(0);
    main_.put(*home);
    if (home_spread_) main_.spread();
}

void PresenterWindow::arrange(const std::optional<Seats>& wanted) {
    arranged_ = wanted;
    if (!wanted) {
        leave_monitor();
        return bring_home();
    }
    if (!home_) {
        home_ = main_.place();
        home_spread_ = main_.is_spread();
    }
    main_.fill(wanted->audience);
    if (opened_ && has_two(*wanted)) opened_->window.spread_on(wanted->speaker);
}

// Window managers act with a delay, and may have used an outdated monitor layout. So a window that
// is in the wrong place soon after is placed again, unless that had no effect.
void PresenterWindow::settle(double now) {
    if (!arranged_ || settlings_ == 0) return settles_at_.reset();
    if (!settles_at_) settles_at_ = now + kSettling;
    if (now < *settles_at_) return;
    settles_at_ = now + kSettling;
    --settlings_;
    const auto [audience, speaker] = *arranged_;
    const Box main = main_.place(), desk = opened_ ? opened_->window.place() : Box{};
    if (!(main == monitors_[audience]) && main != main_found_) main_.fill(audience);
    if (opened_ && speaker != audience && !is_on(monitors_[speaker], desk) && desk != opened_at_)
        opened_->window.spread_on(speaker);
    main_found_ = main;
    opened_at_ = desk;
}

void PresenterWindow::begin_settling() {
    settlings_ = kMostSettlings;
    main_found_.reset();
    opened_at_.reset();
}

void PresenterWindow::open_or_close() {
    if (opened_ && opened_->window.closing()) app_.obey(command("presenter", "off"));
    const bool wanted = app_.presentation().is_open();
    if (wanted == (opened_ != nullptr)) return;
    if (wanted) {
        try {
            opened_ = std::make_unique<Opened>(main_);
            if (arranged_ && has_two(*arranged_)) opened_->window.spread_on(arranged_->speaker);
        } catch (const WindowError& error) {
            app_.obey(command("presenter", "off"));
            app_.work().warn(error.what());
        }
        main_.use();
    } else {
        close();
    }
    app_.attend(opened_ ? &opened_->presenter : nullptr);
    app_.touch();
}

// Its resources are destroyed in their own context.
void PresenterWindow::close() {
    opened_->window.use();
    opened_.reset();
    main_.use();
}

// The program's own window is captured a few times a second; the next stop once this one is at
// rest.
void PresenterWindow::take_pictures(double now) {
    const lessons::Reader& reader = app_.reader();
    if (!opened_ || reader.lesson() == nullptr) {
        preview_.reset();
        seen_.reset();
        return app_.show_presenter(nullptr, nullptr);
    }
    if (app_.frames_drawn() != frames_seen_ && app_.frames_drawn() > 0 && now - seen_at_ >= kSeen) {
        frames_seen_ = app_.frames_drawn();
        seen_at_ = now;
        seen_ = small_picture(app_.shown());
    }
    const int next = reader.stop_number() + 1;
    const bool last = next >= static_cast<int>(reader.lesson()->stops.size());
    if (!last && !app_.busy()) {
        if (!preview_) preview_ = std::make_unique<Preview>(Window::wake);
        preview_->follow(reader.file(), next, app_.work().state().look, main_.size());
    }
    app_.show_presenter(seen_, last || !preview_ ? nullptr : preview_->picture());
}

bool PresenterWindow::frame_wanted() {
    if (opened_->window.take_happened()) opened_->presenter.touch();
    const Extent size = opened_->window.size();
    if (size.width == 0 || size.height == 0) return false;  // minimized
    return opened_->presenter.frames_due() || opened_->window.input().waiting() ||
           !opened_->presenter.shows(app_.presented());
}

bool PresenterWindow::draw(double now) {
    auto& [window, presenter, last_frame] = *opened_;
    const Extent size = window.size();
    if (now - last_frame < kPresenterFrame) return false;
    window.use();
    const Presenter::Heard heard = presenter.draw(
        window.input(), size, now - std::exchange(last_frame, now), app_.presented());
    presenter.render();
    window.set_cursor(presenter.cursor());
    if (presenter.has_news() || window.take_exposed()) {
        presenter.show();
        window.present();
    }
    main_.use();
    app_.hear_presenter(heard);
    return true;
}

std::optional<double> PresenterWindow::patience(double now) {
    std::optional<double> wait;
    const auto at_most = [&](double seconds) {
        wait = std::min(wait.value_or(seconds), std::max(0.0, seconds));
    };
    if (settles_at_) at_most(*settles_at_ - now);
    if (!opened_) return wait;
    if (frame_wanted()) at_most(opened_->last_frame + kPresenterFrame - now);
    if (preview_ && preview_->busy()) at_most(kPreview);
    if (app_.frames_drawn() != frames_seen_) at_most(seen_at_ + kSeen - now);
    const double elapsed = app_.presentation().elapsed();
    at_most(std::floor(elapsed) + 1 - elapsed + kLate);
    return wait;
}

}  // namespace headlight::app
