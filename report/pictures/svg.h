// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace alxsim::report {

struct Place {
    double x = 0;
    double y = 0;
};

/// How a shape looks. Colours as SVG has them: "#0072b2".
struct Stroke {
    std::string colour;
    double width = 1;
    bool dashed = false;
};

enum class Anchor { start, middle, end };

/// An SVG document in the making: shapes in pixels, the origin at the top left. Coordinates are
/// rounded to a tenth of a pixel, so that the same shapes are the same bytes.
class Svg {
public:
    /// `title` is what readers for the blind say of it.
    Svg(double width, double height, const std::string& title);

    void line(const std::vector<Place>& places, const Stroke& stroke);
    void area(const std::vector<Place>& places, const std::string& colour, double opacity);
    void rectangle(Place corner, double width, double height, const std::string& colour);
    void dot(Place centre, double radius, const std::string& colour);
    /// `size` in pixels; y is the base line.
    void text(Place place, const std::string& words, double size, Anchor anchor = Anchor::start,
              const std::string& colour = "#222222");
    /// Ends at the place, and rises towards it by 45 degrees.
    void slanted_text(Place end, const std::string& words, double size);

    /// The whole document.
    std::string document() const;

private:
    std::string text_;
};

} // namespace alxsim::report
