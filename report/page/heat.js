// SPDX-License-Identifier: Apache-2.0
// Two swept axes at once: a map of cells, each with its figure; further axes are small multiples.

const mostMaps = 12;
const mostCells = 40; // of an axis

// From pale to deep blue, which colour-blind people see as well; 0 <= share <= 1.
function heatColour(share) {
  const stops = [
    [243, 248, 252],
    [158, 202, 225],
    [66, 132, 190],
    [8, 48, 107],
  ];
  const at = Math.min(share, 0.9999) * (stops.length - 1);
  const [a, b] = [stops[Math.floor(at)], stops[Math.floor(at) + 1]];
  return a.map((value, i) => Math.round(value + (b[i] - value) * (at % 1)));
}

function luminance(rgb) {
  const [r, g, b] = rgb
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
// Black or white, whichever stands out more.
const inkOn = (rgb) => (1.05 / (luminance(rgb) + 0.05) >= (luminance(rgb) + 0.05) / 0.05 ? "#ffffff" : "#000000");

// share of a value between the least and the most, on a logarithmic scale where it spans much
function heatScale(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const log = low > 0 && high / low > 4 ? Math.log : (value) => value;
  return (value) => (high > low ? (log(value) - log(low)) / (log(high) - log(low)) : 0);
}

// cells: at(x, y) => value or null; `rows` and `columns` are lists of values of the axes
function heatTable({ caption, across, down, columns, rows, at, scale, words, best }, beside = null) {
  const cell = (value) => {
    if (!isValue(value)) {
      return element("td", { class: "none" }, "\u2013");
    }
    const rgb = heatColour(scale(value));
    return element(
      "td",
      { style: `background: rgb(${rgb}); color: ${inkOn(rgb)}` },
      value === best ? element("b", {}, `${words(value)} \u2605`) : words(value),
    );
  };
  return element(
    "div",
    { class: "table" },
    element("div", { class: "head" }, element("p", { class: "caption" }, caption), beside),
    scrolling(
      caption,
      element(
        "table",
        { class: "heat" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            element("th", { scope: "col" }, `${down.title} \\ ${across.title}`),
            ...columns.map((x) => element("th", { scope: "col" }, valueWords(x))),
          ),
        ),
        element(
          "tbody",
          {},
          rows.map((y) =>
            element("tr", {}, element("th", { scope: "row" }, valueWords(y)), ...columns.map((x) => cell(at(x, y)))),
          ),
        ),
      ),
    ),
  );
}

// The same as a picture.
function heatSvg({ caption, across, down, columns, rows, at, scale, words }) {
  const [w, h, left, top] = [92, 30, 120, 74];
  const make = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.textContent = text || "";
    return made;
  };
  const svg = make("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width: left + w * columns.length + 12,
    height: top + h * rows.length + 12,
    "font-family": "sans-serif",
    "font-size": 13,
  });
  const text = (x, y, words_, more = {}) => svg.append(make("text", { x, y, fill: "#1b2230", ...more }, words_));
  svg.append(make("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
  text(12, 24, caption, { "font-weight": 600, "font-size": 15 });
  text(12, top - 10, `${down.title} \\ ${across.title}`, { fill: "#555f6e" });
  columns.forEach((x, i) => text(left + w * (i + 0.5), top - 10, valueWords(x), { "text-anchor": "middle" }));
  rows.forEach((y, j) => {
    text(left - 10, top + h * (j + 0.65), valueWords(y), { "text-anchor": "end" });
    columns.forEach((x, i) => {
      const value = at(x, y);
      const rgb = isValue(value) ? heatColour(scale(value)) : [238, 238, 238];
      svg.append(make("rect", { x: left + w * i, y: top + h * j, width: w - 1, height: h - 1, fill: `rgb(${rgb})` }));
      text(left + w * (i + 0.5), top + h * (j + 0.65), isValue(value) ? words(value) : "\u2013", {
        "text-anchor": "middle",
        fill: isValue(value) ? inkOn(rgb) : "#333333",
      });
    });
  });
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

// Maps of the first two axes, one for each combination of the others.
function heatMaps(shownSeries, quantity) {
  const {
    fitting,
    axes: [across, down, ...rest],
  } = shownSeries;
  const combined = (point) => rest.map((axis) => `${axis.title} ${valueWords(axis.of(point))}`).join(", ");
  const scale = heatScale(fitting.map(quantity.of).filter(isValue));
  const maps = [...groupBy(fitting, combined)].map(([name, points]) => {
    const cells = groupBy(
      points.filter((point) => isValue(quantity.of(point))),
      (point) => `${shown(across.of(point))} ${shown(down.of(point))}`,
    );
    const at = (x, y) => {
      const values = cells.get(`${shown(x)} ${shown(y)}`)?.map(quantity.of);
      return values && values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    return {
      caption: `${sentence(quantity.name)}${name ? `, ${name}` : ""}`,
      across,
      down,
      columns: thinned(across.values, mostCells),
      rows: thinned(down.values, mostCells),
      at,
      scale,
      words: quantity.words,
    };
  });
  const drawn = (map) =>
    heatTable(
      map,
      button("SVG", `Save the map \u201c${map.caption}\u201d as SVG`, () => save(map.caption, heatSvg(map))),
    );
  return [
    element("div", { class: maps.length > 1 ? "maps" : "" }, maps.slice(0, mostMaps).map(drawn)),
    maps.length > mostMaps
      ? folded(`${maps.length - mostMaps} further maps`, () =>
          element("div", { class: "maps" }, maps.slice(mostMaps).map(drawn)),
        )
      : null,
  ];
}

function heatSection(shownSeries) {
  if (shownSeries.axes.length < 2) {
    return null;
  }
  const quantities = quantitiesOf(shownSeries.fitting);
  const place = element("div", {});
  const draw = (id) => {
    place.replaceChildren(
      ...heatMaps(
        shownSeries,
        quantities.find((one) => one.id === id),
      ).filter(Boolean),
    );
    showScrolling();
  };
  draw(first(quantities).id);
  const thin = shownSeries.axes.slice(0, 2).some((axis) => axis.values.length > mostCells)
    ? ` Of an axis, ${mostCells} values are shown.`
    : "";
  return element(
    "div",
    { class: "block" },
    element(
      "div",
      { class: "head" },
      element("h3", {}, `${sentence(shownSeries.axes[0].title)} and ${shownSeries.axes[1].title} together`),
      element(
        "div",
        { class: "controls" },
        select(
          "What the maps show",
          quantities.map(({ id, name }) => [id, name]),
          draw,
        ),
      ),
    ),
    element("p", { class: "note" }, `The deeper the colour, the higher the value.${thin}`),
    place,
  );
}
