// SPDX-License-Identifier: Apache-2.0
// What all pages share: numbers in words, elements, tables, charts and their axes. Text only ever
// enters a page as text nodes.
"use strict";

// Okabe and Ito's colours: told apart by colour-blind people. Series differ by the shape of their
// points too.
const seriesColours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a7fd0", "#8c8c8c"];
const seriesShapes = ["circle", "rect", "triangle", "rectRot", "rectRounded", "crossRot", "star", "cross"];

// ---- words and numbers

function digits(value, n = 3) {
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e12)) {
    return String(Number(value.toPrecision(n)).toExponential());
  }
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(n)));
}
function seconds(value) {
  if (value === 0) {
    return "0 s";
  }
  const [size, unit] = [
    [1, "s"],
    [1e-3, "ms"],
    [1e-6, "\u00b5s"],
    [0, "ns"],
  ].find(([least]) => Math.abs(value) >= least * 0.9995);
  return digits(value / (size || 1e-9)) + " " + unit;
}
const percent = (value) =>
  value > 0 && value < 0.0005
    ? "< 0.1 %"
    : (100 * value).toFixed(value !== 0 && Math.abs(value) < 0.0995 ? 1 : 0) + " %";
function bytes(value) {
  const [size, unit] = [
    [1e15, "PB"],
    [1e12, "TB"],
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "kB"],
  ].find(([least]) => value >= least * 0.9995) || [1, "B"];
  return digits(value / size) + " " + unit;
}
// In the unit that is read best, where it is one of seconds or bytes.
function inUnit(value, unit = "") {
  if (typeof value !== "number") {
    return `${shown(value)} ${unit}`.trim();
  }
  return unit === "s"
    ? seconds(value)
    : unit === "B"
      ? bytes(value)
      : unit === "B/s"
        ? `${bytes(value)}/s`
        : `${digits(value, 4)} ${unit}`.trim();
}
const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));
// Arrows and percent signs keep to their numbers.
const typeset = (text) =>
  String(text)
    .replace(/ (\S+) -> /g, "\u00a0$1\u00a0\u2192\u00a0")
    .replaceAll(" -> ", "\u00a0\u2192\u00a0")
    .replace(/(\d)%/g, "$1\u00a0%");
const count = (value, what) => `${digits(value)} ${what}${value === 1 ? "" : "s"}`;
const withArticle = (word) => `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
const unnamedInterval = "epoch"; // of reports and results from before they said of what their times are
const first = (list) => list[0];
const last = (list) => list[list.length - 1];
const unique = (list) => [...new Set(list)];
function groupBy(list, key) {
  const groups = new Map();
  list.forEach((one) => {
    const name = key(one);
    if (!groups.has(name)) {
      groups.set(name, []);
    }
    groups.get(name).push(one);
  });
  return groups;
}

// ---- elements

// In running text, no line ends between a number and its unit.
const withUnits = (text) => text.replace(/(\d) (%|s|ms|\u00b5s|ns|[kMGTP]?B|USD|cores?)(?![\w/])/g, "$1\u00a0$2");

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  Object.entries(attributes || {}).forEach(([key, value]) => made.setAttribute(key, value));
  const kept = children.flat().filter((child) => child !== null && child !== undefined);
  made.append(...(name === "p" ? kept.map((child) => (typeof child === "string" ? withUnits(child) : child)) : kept));
  return made;
}

function button(words, what, action) {
  const made = element("button", { type: "button", title: what, "aria-label": what }, words);
  made.addEventListener("click", action);
  return made;
}

// choices: [value, words] pairs
function select(label, choices, action) {
  const made = element(
    "select",
    { "aria-label": label },
    choices.map(([value, words]) => element("option", { value }, words)),
  );
  made.addEventListener("change", () => action(made.value));
  return made;
}

// Folded; what is inside is made when it is opened for the first time.
function folded(summary, make, attributes = {}) {
  const made = element("details", attributes, element("summary", {}, summary));
  const fill = () => {
    if (made.open && !made.filled) {
      made.filled = true;
      made.append(...[make()].flat().filter(Boolean));
    }
  };
  made.addEventListener("toggle", () => {
    fill();
    drawPending();
    showScrolling();
  });
  made.fill = fill;
  fill();
  return made;
}

// ---- the glossary (docs/glossary.md, whole)

// section -> word -> what it means
function readGlossary(markdown) {
  const sections = new Map();
  let words;
  markdown.split("\n").forEach((line) => {
    const [, heading] = line.match(/^## (.+)$/) || [];
    const [, word, meaning] = line.match(/^- \*\*(.+?)\*\*: (.+)$/) || [];
    if (heading) {
      sections.set(heading, (words = new Map()));
    }
    if (word) {
      words.set(word, meaning.replaceAll("`", ""));
    }
  });
  return sections;
}

const glossary = readGlossary(document.getElementById("glossary").textContent);
const meaningOf = (word) => [...glossary.values()].find((words) => words.has(word))?.get(word);

function definitions(words) {
  return element(
    "dl",
    {},
    [...words].flatMap(([word, meaning]) => [element("dt", {}, word), element("dd", {}, meaning)]),
  );
}

// Lines of one section for the words that are shown.
function legend(section, shownWords) {
  return definitions(
    shownWords.filter((word) => glossary.get(section).has(word)).map((word) => [word, glossary.get(section).get(word)]),
  );
}

function glossarySection() {
  return element(
    "section",
    { id: "glossary-of-words" },
    element("h2", {}, "What the words mean"),
    [...glossary].map(([name, words]) => folded(name, () => definitions(words))),
  );
}

// ---- tables and figures

const rowsAtOnce = 100;

// columns: [{title, text (left-aligned), wrap, cell: row => text or node}]
function table(caption, columns, rows, classOf = () => "") {
  const kind = (column) => ({
    class: (column.text ? "text " : "") + (column.wrap ? "wrap " : "") + (column.long ? "long" : ""),
  });
  const body = element("tbody", {});
  const box = scrolling(
    caption,
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          columns.map((column) =>
            element(
              "th",
              { scope: "col", ...kind(column), ...(meaningOf(column.title) ? { title: meaningOf(column.title) } : {}) },
              column.title,
            ),
          ),
        ),
      ),
      body,
    ),
  );
  const whole = element("div", { class: "table" }, caption ? element("p", { class: "caption" }, caption) : null, box);
  let shownRows = 0;
  const more = button("", "Show more rows", () => grow());
  more.className = "more";
  const grow = () => {
    body.append(
      ...rows.slice(shownRows, shownRows + rowsAtOnce).map((row) =>
        element(
          "tr",
          { class: classOf(row) },
          columns.map((column) => element("td", kind(column), column.cell(row) ?? "")),
        ),
      ),
    );
    shownRows = Math.min(rows.length, shownRows + rowsAtOnce);
    more.textContent = `${shownRows} of ${digits(rows.length)} rows: show more`;
    more.hidden = shownRows === rows.length;
    showScrolling();
  };
  grow();
  if (rows.length > rowsAtOnce) {
    whole.append(more);
  }
  return whole;
}

// A box that scrolls sideways where its table is wider; `words` name it to those who cannot see it.
function scrolling(words, inner) {
  const box = element("div", { class: "scroll" }, inner);
  box.words = words;
  return [box, element("p", { class: "hint" }, "The table goes on to the right \u2192")];
}

// Boxes whose table is wider than they are can be reached by keyboard, and say that there is more.
function showScrolling() {
  document.querySelectorAll(".scroll").forEach((box) => {
    const wider = box.scrollWidth > box.clientWidth + 1;
    box.classList.toggle("wider", wider);
    if (wider) {
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", `${box.words || "Table"} (scrolls sideways)`);
    } else {
      ["tabindex", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
    }
  });
}

const charts = []; // {title, canvas, config: () => Chart.js configuration, chart}

// `controls`: what chooses what is drawn; they call redraw() of the figure.
function figure(title, note, config, wide = false, controls = []) {
  const canvas = element("canvas", { role: "img", "aria-label": `${title}. ${note} The numbers are in the tables.` });
  const entry = { title, canvas, config };
  charts.push(entry);
  const made = element(
    "figure",
    { class: wide ? "wide" : "" },
    element(
      "div",
      { class: "head" },
      element("h3", {}, title),
      element(
        "div",
        { class: "controls" },
        controls,
        button("PNG", `Save the chart \u201c${title}\u201d as PNG`, () => savePng(entry)),
      ),
    ),
    element("p", { class: "note" }, note),
    element("div", { class: "canvas" }, canvas),
  );
  made.redraw = () => drawChart(entry);
  made.entry = entry;
  return made;
}

function save(name, blob) {
  const link = element("a", {
    href: URL.createObjectURL(blob),
    download: name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, ""),
  });
  link.download += { "image/png": ".png", "image/svg+xml": ".svg" }[blob.type];
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Drawn anew at three times the size, on the page's ground, with its title above.
function savePng(entry) {
  const [width, height, scale, head] = [960, 520, 3, 40];
  const drawn = element("canvas", { width, height });
  const config = entry.config();
  const chart = new Chart(drawn, {
    ...config,
    options: { ...config.options, responsive: false, devicePixelRatio: scale },
  });
  const whole = element("canvas", { width: width * scale, height: (height + head) * scale });
  const context = whole.getContext("2d");
  context.fillStyle = themed("paper");
  context.fillRect(0, 0, whole.width, whole.height);
  context.fillStyle = themed("ink");
  context.font = `600 ${17 * scale}px ${Chart.defaults.font.family}`;
  context.fillText(entry.title, 12 * scale, 27 * scale);
  context.drawImage(drawn, 0, head * scale);
  chart.destroy();
  whole.toBlob((blob) => save(entry.title, blob), "image/png");
}

const themed = (name) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();

function drawChart(entry) {
  entry.chart?.destroy();
  entry.chart = new Chart(entry.canvas, entry.config());
  entry.drawn?.(entry.chart);
}

// What is folded away is drawn once it is seen.
const isSeen = (canvas) => canvas.isConnected && canvas.closest("details:not([open])") === null;
const drawPending = () => charts.filter((entry) => !entry.chart && isSeen(entry.canvas)).forEach(drawChart);

function drawCharts() {
  Chart.defaults.color = themed("soft");
  Chart.defaults.borderColor = themed("grid");
  Chart.defaults.font = { family: getComputedStyle(document.body).fontFamily, size: 12.5 };
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  charts.forEach((entry) => {
    entry.chart?.destroy();
    entry.chart = undefined;
  });
  drawPending();
}

// ---- axes and data of charts

const title = (text) => ({ display: true, text });
const bandLabel = "low to high";
const pointLegend = { usePointStyle: true, boxWidth: 8, boxHeight: 8, padding: 16 };

function coresAxis(cores) {
  return {
    type: "logarithmic",
    title: title("TensorCores"),
    min: Math.min(...cores) / 1.2,
    max: Math.max(...cores) * 1.2,
    afterBuildTicks: (axis) => {
      axis.ticks = cores.map((value) => ({ value }));
    },
    ticks: { callback: (value) => value, autoSkip: true, maxRotation: 0 },
  };
}

function logAxis(low, high, words, tick) {
  const marks =
    Math.log10(high / low) > 2.5 ? [1] : Math.log10(high / low) > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    marks.forEach((mark) => ticks.push(mark * 10 ** power));
  }
  return {
    type: "logarithmic",
    title: title(words),
    min: low,
    max: high,
    afterBuildTicks: (axis) => {
      axis.ticks = ticks.filter((value) => value >= low && value <= high).map((value) => ({ value }));
    },
    ticks: { callback: (value) => tick(value) },
  };
}

function secondsAxis(values, what) {
  const [low, high] = [Math.min(...values) / 1.25, Math.max(...values) * 1.25];
  return logAxis(low, high, `time of ${what}`, seconds);
}

// A line chart on two logarithmic axes. The band's edges have no label, and stay out of legend and tooltip.
function timeChart(datasets, cores, what) {
  const times = datasets.flatMap((set) => set.data.map((datum) => datum.y));
  return {
    type: "line",
    data: { datasets },
    options: {
      scales: { x: coresAxis(cores), y: secondsAxis(times, what) },
      plugins: {
        legend: { position: "bottom", labels: { ...pointLegend, filter: (item) => item.text !== "" } },
        tooltip: {
          filter: (item) => !["", bandLabel].includes(item.dataset.label),
          callbacks: {
            title: (items) => (items.length > 0 ? count(items[0].parsed.x, "core") : ""),
            label: (item) => `${item.dataset.label}: ${seconds(item.parsed.y)}`,
          },
        },
      },
      interaction: { mode: "nearest", axis: "x", intersect: false },
    },
  };
}

// ---- the page

// Puts the sections in and draws; again when colours change or the page is printed.
function show(...sections) {
  document.getElementById("page").append(...sections.filter(Boolean));
  drawCharts();
  showScrolling();
  addEventListener("resize", showScrolling);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
  let opened = [];
  const inPrint = (printing) => {
    document.documentElement.classList.toggle("printing", printing);
    opened
      .filter(() => !printing)
      .forEach((fold) => {
        fold.open = false;
      });
    opened = printing ? [...document.querySelectorAll("details.printed:not([open])")] : [];
    opened.forEach((fold) => {
      fold.open = true;
      fold.fill?.();
    });
    drawCharts();
  };
  addEventListener("beforeprint", () => inPrint(true));
  addEventListener("afterprint", () => inPrint(false));
}

// Of sentences that differ in numbers alone, the first of each and the rest.
function alike(list, wordsOf = (one) => one) {
  const groups = [...groupBy(list, (one) => wordsOf(one).replace(/\d[\d.,]*/g, "#")).values()];
  return { first: groups.map(first), rest: groups.flatMap((same) => same.slice(1)) };
}

// How much of their time rests on what is assumed: that of the point of which most does.
function assumedSentences(points) {
  const told = points.filter((point) => point.assumed !== undefined);
  if (told.length === 0) {
    return [];
  }
  const most = told.reduce((worst, point) => (point.assumed.share > worst.assumed.share ? point : worst));
  const words = most.assumed.words;
  const alike = told.every((point) => point.assumed.words === words);
  return [alike ? `${words[0].toUpperCase()}${words.slice(1)}.` : `Up to ${words}.`];
}

// What points do without, which stands before all figures; those that leave out different shares do not compare.
function leftOutSentences(points) {
  if (points.every((point) => point.left_out === undefined)) {
    return [];
  }
  const differ = new Set(points.map((point) => point.left_out?.share || 0)).size > 1;
  const sentence = (point) =>
    (differ ? `On ${count(coresOf(point), "core")}: ` : "") + (point.left_out?.words || "nothing is left out") + ".";
  return [
    ...new Set(points.map(sentence)),
    ...(differ
      ? ["These points do not do the same work: neither their times nor speed-ups nor a sweet spot compare them."]
      : []),
  ];
}
