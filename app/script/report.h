#pragma once

#include <filesystem>

#include "application/application.h"

namespace headlight::app {

// Writes a JSON report of the screen: the rectangle of each named widget ("names": [x, y, width,
// height] in pixels, and for a heatmap the visible "cells": [row, col, rows, cols]) and its values
// ("reports"). Includes the presenter's window ("presenter"). During playback the two may be one
// frame apart. Replaces the file atomically. Throws std::runtime_error.
void write_report(const std::filesystem::path& path, const Application& app);

}  // namespace headlight::app
