#include "lecture/presenter.h"

#include "lessons_screen/spoken.h"
#include "platform/fonts.h"

namespace headlight::app {

Presenter::Presenter() : ui_(font_paths()) {}

Presenter::Sight Presenter::sight_of(const screens::Presented& presented) {
    const Workspace& work = presented.work;
    const lessons::Reader& reader = presented.reader;
    return {reader.entries(),
            work.panel() == Panel::blank,
            presented.two_monitors,
            &screens::palette_for(work.state().look),
            reader.lesson() == nullptr ? "" : screens::spoken(reader, reader.stop()),
            presented.time,
            presented.elapsed,
            presented.typed,
            reader.page_number(),
            reader.is_away(),
            reader.is_changed(),
            reader.page().asked && reader.answer(*reader.page().asked),
            reader.page().asked && reader.first_wrong(*reader.page().asked),
            presented.now,
            presented.next};
}

bool Presenter::shows(const screens::Presented& presented) const {
    return sight_ == sight_of(presented);
}

Presenter::Heard Presenter::draw(Input& input, Extent size, double seconds,
                                 const screens::Presented& presented) {
    const Gui::Turn turn(gui_);
    Heard heard;
    input.feed([&](const Event& event) {
        if (const auto* key = std::get_if<Pressed>(&event)) heard.keys.push_back(*key);
        return true;
    });
    if (input.waiting()) touch();
    const ui::Rect window{0, 0, static_cast<float>(size.width), static_cast<float>(size.height)};
    const screens::Scales scales = screens::presenter_scales(window.w, window.h);
    // Uses the bright-hall colors if the lecture does.
    Look look = presented.work.state().look;
    look.lecture = true;
    if (ui_.begin(screens::palette_for(look), scales.unit, scales.text)) gui_.fonts_changed();
    gui_.begin_frame(size, seconds);
    ui_.start_frame();
    heard.commands = screens::presenter_view(ui_, presented, memory_, window);
    gui_.end_frame();
    ui_.end();
    if (frames_due_ > 0) --frames_due_;
    sight_ = sight_of(presented);
    pointer_ = ImGui::GetIO().MousePos;
    cursor_ = ImGui::GetMouseCursor();
    return heard;
}

void Presenter::render() {
    const Gui::Turn turn(gui_);
    gui_.render(ui_);
}

Picture Presenter::picture() {
    render();
    return gui_.read();
}

}  // namespace headlight::app
