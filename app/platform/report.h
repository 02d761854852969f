#pragma once

#include <filesystem>

#include "platform/application.h"

namespace headlight::platform {

// Writes what is on the screen as JSON: where each named widget is ("names": [x, y, width, height]
// in pixels, and "cells": [row, col, rows, cols] shown by a heatmap) and what it says ("reports").
// The same of the presenter's window ("presenter").
// While the walk plays, the two may be a frame apart.
// Replaces the file as a whole, so that a reader never sees half of one. Throws std::runtime_error.
void write_report(const std::filesystem::path& path, const Application& app);

}  // namespace headlight::platform
