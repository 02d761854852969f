#include "state/card_study.h"

namespace headlight {

const CardFinder kCardTraining{
    .compute =
        [](const CardQuestion& question, const CardFinder::Run& run) {
            CardTrainings all;
            for (std::size_t i = 0; i < all.size(); ++i) {
                all[i] = train_cards(kCardHeads[i], question.seed, kCardSteps, run.stop);
                run.progress = static_cast<float>(i + 1) / static_cast<float>(all.size());
            }
            return all;
        },
    .takes_long = true};

}  // namespace headlight
