// SPDX-License-Identifier: Apache-2.0
#include "report/pictures/svg.h"

#include "base/text/document.h"
#include "base/text/printed.h"

namespace alxsim::report {
namespace {

std::string number(double value)
{
    return printed("%.1f", value == 0 ? 0.0 : value);
}

std::string path(const std::vector<Place>& places)
{
    std::string text;
    for (const Place& place : places) {
        text += (text.empty() ? "" : " ") + number(place.x) + "," + number(place.y);
    }
    return text;
}

const char* name_of(Anchor anchor)
{
    return anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
}

} // namespace

Svg::Svg(double width, double height, const std::string& title)
{
    const std::string size = number(width) + " " + number(height);
    text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" +
            number(width) + "\" height=\"" + number(height) +
            "\" font-family=\"sans-serif\" role=\"img\">\n<title>" + escaped_markup(title) +
            "</title>\n";
    rectangle({0, 0}, width, height, "#ffffff");
}

void Svg::line(const std::vector<Place>& places, const Stroke& stroke)
{
    text_ += "<polyline points=\"" + path(places) + "\" fill=\"none\" stroke=\"" + stroke.colour +
             "\" stroke-width=\"" + number(stroke.width) + "\"" +
             (stroke.dashed ? " stroke-dasharray=\"6,5\"" : "") + "/>\n";
}

void Svg::area(const std::vector<Place>& places, const std::string& colour, double opacity)
{
    text_ += "<polygon points=\"" + path(places) + "\" fill=\"" + colour + "\" fill-opacity=\"" +
             number(opacity) + "\"/>\n";
}

void Svg::rectangle(Place corner, double width, double height, const std::string& colour)
{
    text_ += "<rect x=\"" + number(corner.x) + "\" y=\"" + number(corner.y) + "\" width=\"" +
             number(width) + "\" height=\"" + number(height) + "\" fill=\"" + colour + "\"/>\n";
}

void Svg::dot(Place centre, double radius, const std::string& colour)
{
    text_ += "<circle cx=\"" + number(centre.x) + "\" cy=\"" + number(centre.y) + "\" r=\"" +
             number(radius) + "\" fill=\"" + colour + "\"/>\n";
}

void Svg::text(Place place, const std::string& words, double size, Anchor anchor,
               const std::string& colour)
{
    text_ += "<text x=\"" + number(place.x) + "\" y=\"" + number(place.y) + "\" font-size=\"" +
             number(size) + "\" text-anchor=\"" + name_of(anchor) + "\" fill=\"" + colour + "\">" +
             escaped_markup(words) + "</text>\n";
}

void Svg::slanted_text(Place end, const std::string& words, double size)
{
    const std::string at = number(end.x) + " " + number(end.y);
    text_ += "<text x=\"" + number(end.x) + "\" y=\"" + number(end.y) + "\" font-size=\"" +
             number(size) + "\" text-anchor=\"end\" fill=\"#222222\" transform=\"rotate(-45 " + at +
             ")\">" + escaped_markup(words) + "</text>\n";
}

std::string Svg::document() const
{
    return text_ + "</svg>\n";
}

} // namespace alxsim::report
