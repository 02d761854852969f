#include "state/workspace.h"

#include <utility>

#include "disk/names.h"
#include "program/values.h"

namespace headlight {

Workspace::Workspace(State initial, const FileReader& read_file, const std::function<void()>& wake,
                     const Pace& pace)
    : state_(std::move(initial)),
      choice_(state_.selection),
      read_file_(read_file),
      wake_(wake),
      computation_(read_file, wake, pace) {
    command_table_.add(
        CommandOf::workspace, verbs(), *this,
        [this](const Verb& verb, const Command& command) { return perform(verb, command), true; });
    look_at_drawn_layer(state_.recipe);
    show_choice();
    request();
    computation_.request_pinned(state_.pinned);
}

// ---- commands

bool Workspace::apply(const Command& command) {
    if (command == Command{}) return true;  // an empty line of a script
    if (command.verb == "open" && !command.args.empty() && is_experiment_name(command.args[0]))
        return apply({"open-experiment", command.args});
    try {
        const CommandTable::Row* row = command_table_.find(command.verb);
        if (row == nullptr || row->of != CommandOf::workspace)
            throw CommandError("There is no command " + in_quotes(command.verb) + ".");
        return row->obey(command);
    } catch (const CommandError& e) {
        refusal_ = {e.what(), true};
        return false;
    }
}

void Workspace::perform(const Verb& verb, const Command& command) {
    const Undo undo = verb.undo;
    const State before = state_, chosen_before = chosen();
    verb.run(*this, command.args);
    refusal_ = Notice{};
    look_at_drawn_layer(state_.recipe);
    if (undo != Undo::itself) choice_.change(before.selection, state_.selection, trace_in_view());
    // The error was fixed or reverted, and no computation will follow that could say so.
    const bool chooses = undo == Undo::each || undo == Undo::gesture || undo == Undo::stroke;
    if (chooses && computation_.shows(state_.recipe) && notice_.is_error) notice_ = Notice{};
    const bool recorded = undo != Undo::none && undo != Undo::itself;
    if (!recorded || same_choices(before, state_)) return;

    std::string label;
    if (undo == Undo::walk) label = "walk";
    if (undo == Undo::gesture) label = command.verb + " " + command.args.front();
    if (undo == Undo::stroke) label = command.verb;
    if (before_group_) label = "group";
    record(chosen_before, label);
    after_change(before);
}

void Workspace::record(const State& before, const std::string& label) {
    if (!sets_up_) history_.record(before, label);
}

void Workspace::after_change(const State& before) {
    swap_results(before);
    if (!(state_.recipe == before.recipe)) {
        is_whole_ = false;
        request();
    }
    if (state_.pinned != before.pinned) computation_.request_pinned(state_.pinned);
    show_choice();  // in the current trace
}

// If the current experiment and the baseline were swapped, their results are too.
void Workspace::swap_results(const State& before) {
    if (state_.recipe == before.recipe || before.pinned != state_.recipe ||
        state_.pinned != before.recipe)
        return;
    computation_.swap();
    if (computation_.shows(state_.recipe)) choice_.arrive(*trace());
}

void Workspace::begin(State next) {
    record(chosen(), before_group_ ? "group" : "");
    panel_ = Panel::nothing;
    notice_ = refusal_ = Notice{};
    go_to(std::move(next));
    is_whole_ = !computation_.shows(state_.recipe);
}

void Workspace::begin_first_look(State next) {
    begin(std::move(next));
    is_first_look_ = std::exchange(is_whole_, false);
    if (!is_first_look_ && trace() && !state_.selection.token) look_at_middle();
}

void Workspace::begin_setup(State next) {
    end_group();
    begin(std::move(next));
    sets_up_ = true;
}

void Workspace::remember_lesson(const std::string& file, int stop) {
    remember(state_.lessons, file, stop);
}

void Workspace::remember_lesson(const std::string& file, const LessonMark& mark) {
    remember(state_.lessons, file, mark);
}

void Workspace::end_gesture() {
    if (!before_group_) history_.break_chain();
}

void Workspace::begin_group() {
    history_.break_chain();
    before_group_ = chosen();
}

void Workspace::end_group() {
    history_.break_chain();
    if (before_group_ && state_.recipe.image != before_group_->recipe.image &&
        state_.recipe.weights != before_group_->recipe.weights)
        with_own_model_ = state_.recipe;
    before_group_.reset();
}

void Workspace::take_back_group(const std::string& why) {
    if (before_group_ && !same_choices(*before_group_, chosen())) undo();
    end_group();
    if (why.empty()) return;
    warn(why);
    notice_outlives_run_ = computation_.busy();
}

void Workspace::show_caption(ExampleCaption caption) {
    caption_ = std::move(caption);
    caption_of_ = state_.recipe;
}

const ExampleCaption* Workspace::caption() const {
    const Recipe &now = state_.recipe, &then = caption_of_;
    const bool same = now.image == then.image && now.weights == then.weights &&
                      now.scene.has_value() == then.scene.has_value() &&
                      now.tokens.index() == then.tokens.index();
    return caption_ && same ? &*caption_ : nullptr;
}

void Workspace::dismiss_notice() {
    // Not `(a ? b : c) = {}`: GCC 12 fills the string with zero bytes there.
    Notice& shown = refusal_.text.empty() ? notice_ : refusal_;
    shown = Notice{};
}

void Workspace::warn(std::string text) {
    notice_ = {std::move(text), true};
    refusal_ = {};
}

void Workspace::tell(std::string text) {
    notice_ = {std::move(text), false};
    refusal_ = {};
}

void Workspace::go_to(State next) {
    const State before = std::exchange(state_, std::move(next));
    named_layer_.reset();
    look_at_drawn_layer(state_.recipe);
    state_.recent = before.recent;  // lists of files, not choices
    state_.recent_models = before.recent_models;
    state_.recent_tokens = before.recent_tokens;
    state_.lessons = before.lessons;
    playback_.rest();
    choice_ = Choice(state_.selection);
    swap_results(before);
    if (computation_.shows(state_.recipe)) choice_.arrive(*trace());
    if (!(state_.recipe == before.recipe)) request();
    computation_.request_pinned(state_.pinned);
    show_choice();
}

State Workspace::chosen() const {
    State state = state_;
    state.selection = choice_.selection();
    return state;
}

const Trace* Workspace::trace_in_view() const {
    const bool before = state_.look.compare == Compare::before && pinned_trace();
    return before ? pinned_trace().get() : trace().get();
}

void Workspace::show_choice() {
    const std::size_t shapes = state_.recipe.scene ? state_.recipe.scene->shapes.size() : 0;
    if (const auto& shape = choice_.selection().shape;
        shape && std::cmp_greater_equal(*shape, shapes))
        choice_.forget_shape();
    const Trace* trace = trace_in_view();
    if (trace != nullptr) playback_.walk(trace->steps());
    state_.selection = trace != nullptr ? choice_.in(*trace) : choice_.selection();
}

// ---- computation

void Workspace::request() {
    notice_outlives_run_ = false;
    computation_.request(state_.recipe, seen());
}

// How much of the next result is needed before it is shown.
Worker::Seen Workspace::seen() const {
    const Look& look = state_.look;
    const Node* node = trace() ? trace()->node(choice_.selection().step) : nullptr;
    const bool of_all_layers = look.all_layers || (look.rollout_shown && state_.recipe.rollout);
    const bool within = node != nullptr && node->place != Place::end && !of_all_layers;
    return within && look.compare != Compare::difference ? Worker::Seen::layer_alone
                                                         : Worker::Seen::all;
}

bool Workspace::update(double seconds) {
    const bool was_playing = playing();
    const bool main_news = take_finished(), pinned_news = take_pinned();
    const bool held_news = take_reference();
    play_on(seconds);
    return was_playing || main_news || pinned_news || held_news;
}

bool Workspace::look_after_model() {
    if (!computation_.finds_model_changed()) return false;
    warn(
        model_name(state_.recipe.weights) +
        " has changed on disk. You still see the old contents; open it again to see the new ones.");
    return true;
}

bool Workspace::take_finished() {
    bool news = false;
    while (const std::optional<Finished> finished = computation_.take()) {
        news = true;
        if (finished->trace) {
            accept(*finished);
        } else if (!finished->canceled) {
            explain(*finished);
        }
    }
    return news;
}

void Workspace::accept(const Finished& finished) {
    if (!has_input(state_.recipe)) return;  // an undo removed the input before the result arrived
    const bool other = gives_tokens(trace_recipe().tokens) != gives_tokens(finished.recipe.tokens);
    const bool first = trace() == nullptr || other;
    const bool present = finished.recipe == state_.recipe;
    const std::vector<std::string> warned =
        trace() ? trace()->model->warnings : std::vector<std::string>();
    computation_.accept(finished);
    if (!finished.recipe.scene) remember(state_.recent, finished.recipe.image);
    remember(state_.recent_models, finished.recipe.weights);
    if (const auto* tokens = std::get_if<TokenFile>(&finished.recipe.tokens))
        remember(state_.recent_tokens, tokens->file);
    if (present) choice_.arrive(*trace());
    show_choice();
    if ((first || is_first_look_) && !state_.selection.token && !is_whole_) look_at_middle();
    if (!present) return;
    is_whole_ = is_first_look_ = false;
    if (notice_.is_error && !notice_outlives_run_) notice_ = {};
    if (finished.complete) notice_outlives_run_ = false;
    if (trace()->model->warnings != warned) say_warnings(trace()->model->warnings);
    if (names_layer_of(finished.recipe))
        look_at_nearest(std::exchange(named_layer_, {})->first, finished.recipe, *trace()->model);
}

// Warnings about what the model's reader ignored or assumed.
void Workspace::say_warnings(const std::vector<std::string>& warnings) {
    std::string text;
    for (const std::string& sentence : warnings) text += (text.empty() ? "" : " ") + sentence;
    if (!text.empty()) tell(text);
}

void Workspace::look_at_middle() {
    const Selection before = state_.selection;
    Selection& s = state_.selection;
    const Selection middle = first_selection(trace()->grid.cols, trace()->grid.rows,
                                             static_cast<int>(trace()->layout.prefix()));
    s.token = middle.token;
    s.token_chosen = false;
    s.col = middle.col;
    s.col_axis = middle.col_axis;
    if (state_.recipe.scene) scene_commands().focus_on_twins();
    if (is_cross(*trace())) look_across(s);
    choice_.change(before, s, trace().get());
    show_choice();
}

// A model that is opened while tokens are given, and does not accept them, opens with the previous
// picture. Undoing that returns to the tokens.
bool Workspace::open_on_picture(const Finished& failed) {
    const std::string& file = failed.recipe.weights;
    const bool opened = !trace() || file != trace_recipe().weights;
    if (!failed.tokens_refused || !opened || !state_.on_picture) return false;
    const std::string was{input_name(state_.recipe)};
    const auto correct = [&](State& state) {
        if (state.recipe.weights != file || !gives_tokens(state.recipe.tokens)) return;
        leave_tokens(state, with_model(picture_again(state), file));
    };
    correct(state_);
    history_.amend(correct, state_);
    choice_ = Choice(state_.selection);
    show_choice();
    request();
    tell(model_name(file) + " does not take " + (was == "signal" ? "a signal" : was) +
         ", so the picture is shown again. Ctrl+Z brings back the " + was + ".");
    return true;
}

// Whether the selected layer is still the one that open-model named.
bool Workspace::names_layer_of(const Recipe& recipe) const {
    if (!named_layer_) return false;
    const Recipe& opened = named_layer_->second;
    return recipe.weights == opened.weights && recipe.reading == opened.reading &&
           recipe.layer == opened.layer;
}

// The model has fewer layers than requested, as after loading a session or a change of its file.
bool Workspace::open_at_last_layer(const Finished& failed) {
    const std::shared_ptr<const Model> model = failed.without_layer;
    if (!model || model->layers.empty()) return false;
    const NamedLayer layer = names_layer_of(failed.recipe)
                                 ? std::exchange(named_layer_, {})->first
                                 : NamedLayer::of(*model, failed.recipe.layer);
    look_at_nearest(layer, failed.recipe, *model);
    return true;
}

// Corrects every state that selected that layer, or one that the model lacks.
void Workspace::look_at_nearest(const NamedLayer& layer, const Recipe& asked, const Model& model) {
    const int count = static_cast<int>(model.layers.size()), nearest = layer.nearest_in(model);
    const auto correct = [&, asked = asked](State& state) {
        Recipe& recipe = state.recipe;
        if (recipe.weights == asked.weights && recipe.reading == asked.reading &&
            recipe.model == asked.model && recipe.layers == asked.layers &&
            (recipe.layer == asked.layer || recipe.layer >= count))
            recipe.layer = nearest;
    };
    if (nearest != asked.layer) {
        correct(state_);
        history_.amend(correct, chosen());
        request();
    }
    say_if_missing(layer, model);
}

void Workspace::say_if_missing(const NamedLayer& layer, const Model& model) {
    const NamedLayer nearest = NamedLayer::of(model, layer.nearest_in(model));
    if (nearest == layer) return;
    const int count = static_cast<int>(model.layers.size()) - model.token_transformers();
    tell(model_name(state_.recipe.weights) + " has " + std::to_string(count) +
         (count == 1 ? " layer" : " layers") + ": layer " + nearest.name() +
         " is shown instead of layer " + layer.name() + ".");
}

void Workspace::explain(const Finished& failed) {
    // A newer request will report its own outcome.
    if (!(failed.recipe == computation_.requested())) return;
    if (open_on_picture(failed) || open_at_last_layer(failed)) return;
    computation_.refuse(failed);
    take_back_file(failed);
    const bool image = failed.failed_at == Step::image;
    warn(failed.error + (image && trace() ? " Ctrl+O opens another." : ""));
}

// A file that cannot be used is no choice and is reverted. Everything else (heads that do not
// divide the channels) stays as the user set it.
void Workspace::take_back_file(const Finished& failed) {
    if (failed.failed_at == Step::image && !state_.recipe.scene) take_back(&Recipe::image);
    if (failed.failed_at == Step::qkv) take_back(&Recipe::weights);
    if (failed.failed_at == Step::given) take_back_tokens(failed.recipe.tokens);
}

// A file with invalid numbers is treated as if it had not been opened, and undo forgets it.
void Workspace::take_back_tokens(const TokenSource& bad) {
    const bool shown = trace() && trace_recipe().tokens == bad;
    if (!trace() || shown || !std::holds_alternative<TokenFile>(bad)) return;
    while (state_.recipe.tokens == bad && history_.can_undo()) go_to(history_.undo(chosen()));
    const State present = chosen();
    history_.amend(
        [&](State& state) {
            if (state.recipe.tokens == bad) state = present;
        },
        present);
    notice_outlives_run_ = true;
}

// Restores what was before the file and the model that came with it. Undo forgets both.
void Workspace::take_back(std::string Recipe::*file) {
    const std::string bad = state_.recipe.*file;
    const Recipe& shown = trace_recipe();
    const bool is_image = file == &Recipe::image;
    const bool read_before = !is_image || !shown.scene;  // with a scene it is not read
    if (!trace() || (bad == shown.*file && read_before)) return;
    const auto correct = [&](Recipe& recipe) {
        if (recipe.*file != bad) return;
        if (gives_tokens(shown.tokens)) return void(recipe = shown);
        if (!is_image) {
            recipe = with_input_of(shown, recipe);
            return;
        }
        const bool own_model =
            bad == with_own_model_.image && recipe.weights == with_own_model_.weights;
        recipe.image = shown.image;
        if (!recipe.scene) recipe.scene = shown.scene;
        if (own_model) recipe = with_input_of(shown, recipe);
    };
    correct(state_.recipe);
    history_.amend([&](State& state) { correct(state.recipe); }, chosen());
    computation_.take_back_to(state_.recipe);
    if (computation_.shows(state_.recipe)) return;
    request();  // for other changes since the last trace
    notice_outlives_run_ = true;
}

bool Workspace::take_pinned() {
    const std::optional<std::string> error = computation_.take_pinned(state_.pinned);
    if (!error) return false;
    if (!error->empty()) {
        state_.pinned.reset();
        state_.look.compare = Compare::after;
        warn("The baseline cannot be computed again: " + *error);
    }
    show_choice();
    return true;
}

// Empty if there is no reference, or nothing to compare with it yet.
std::optional<ReferenceQuestion> Workspace::question_of_reference() const {
    if (state_.reference.empty() || !trace() || !complete()) return std::nullopt;
    TraceOrigin origin{trace_recipe().position.kind};
    if (const auto* tokens = std::get_if<TokenFile>(&trace_recipe().tokens)) {
        origin.sample = tokens->sample;
        origin.samples = tokens->array().samples;
    }
    return ReferenceQuestion{state_.reference, reference_reading_, trace(), origin};
}

bool Workspace::awaits_reference() const {
    const auto question = question_of_reference();
    return question && !(held_ && held_->question == *question);
}

bool Workspace::take_reference() {
    const auto question = question_of_reference();
    if (state_.reference.empty()) return std::exchange(held_, nullptr) != nullptr;
    if (!question) return false;
    if (!references_) references_ = make_reference_student(read_file_, wake_);
    references_->ask(*question);
    const auto said = references_->last();
    if (!said || said == held_ || said->question.file != state_.reference) return false;
    held_ = said;
    if (!said->error.empty() && told_of_reading_ != said->question.reading) warn(said->error);
    told_of_reading_ = said->question.reading;
    return true;
}

// ---- playback

void Workspace::play_on(double seconds) {
    if (!playing()) return;
    const State before = chosen();
    const Selection shown = state_.selection;
    if (!playback_.advance(seconds, state_.look, state_.selection.step)) return;
    choice_.change(shown, state_.selection, trace_in_view());
    if (!std::exchange(play_recorded_, true)) record(before, "walk");
}

}  // namespace headlight
