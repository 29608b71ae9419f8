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
    if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e12)) { return String(Number(value.toPrecision(n)).toExponential()); }
    return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(n)));
}
function seconds(value) {
    if (value === 0) { return "0 s"; }
    const [size, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [0, "ns"]].find(([least]) => Math.abs(value) >= least * 0.9995);
    return digits(value / (size || 1e-9)) + " " + unit;
}
const percent = (value) => (100 * value).toFixed(Math.abs(value) < 0.0995 ? 1 : 0) + " %";
function bytes(value) {
    const [size, unit] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find(([least]) => value >= least * 0.9995) || [1, "B"];
    return digits(value / size) + " " + unit;
}
const gigabytes = (value) => digits(value / 1e9) + " GB";
const shown = (value) => typeof value === "string" ? value : JSON.stringify(value);
const count = (value, what) => `${digits(value)} ${what}${value === 1 ? "" : "s"}`;
const first = (list) => list[0];
const last = (list) => list[list.length - 1];
const unique = (list) => [...new Set(list)];

// ---- elements

function element(name, attributes, ...children) {
    const made = document.createElement(name);
    Object.entries(attributes || {}).forEach(([key, value]) => made.setAttribute(key, value));
    made.append(...children.flat().filter((child) => child !== null && child !== undefined));
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
        if (heading) { sections.set(heading, words = new Map()); }
        if (word) { words.set(word, meaning.replaceAll("`", "")); }
    });
    return sections;
}

const glossary = readGlossary(document.getElementById("glossary").textContent);
const meaningOf = (word) => [...glossary.values()].find((words) => words.has(word))?.get(word);

function definitions(words) {
    return element("dl", {}, [...words].flatMap(([word, meaning]) => [element("dt", {}, word), element("dd", {}, meaning)]));
}

// Lines of one section for the words that are shown.
function legend(section, shownWords) {
    return definitions(shownWords.filter((word) => glossary.get(section).has(word)).map((word) => [word, glossary.get(section).get(word)]));
}

function glossarySection() {
    return element("section", {id: "glossary-of-words"}, element("h2", {}, "What the words mean"),
        [...glossary].map(([name, words]) => element("details", {}, element("summary", {}, name), definitions(words))));
}

// ---- tables and figures

// columns: [{title, text (left-aligned), wrap, cell: row => text or node}]
function table(caption, columns, rows, classOf = () => "") {
    const kind = (column) => ({class: (column.text ? "text " : "") + (column.wrap ? "wrap" : "")});
    return element("div", {class: "scroll"}, element("table", {}, element("caption", {}, caption),
        element("thead", {}, element("tr", {}, columns.map((column) =>
            element("th", {scope: "col", ...kind(column), ...(meaningOf(column.title) ? {title: meaningOf(column.title)} : {})}, column.title)))),
        element("tbody", {}, rows.map((row) => element("tr", {class: classOf(row)},
            columns.map((column) => element("td", kind(column), column.cell(row) ?? "")))))));
}

const charts = []; // {canvas, config: () => Chart.js configuration, chart}

function figure(title, note, config, wide = false) {
    const canvas = element("canvas", {role: "img", "aria-label": `${title}. ${note} The numbers are in the tables.`});
    charts.push({canvas, config});
    return element("figure", {class: wide ? "wide" : ""}, element("h3", {}, title), element("p", {class: "note"}, note),
        element("div", {class: "canvas"}, canvas));
}

const themed = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

function drawCharts() {
    Chart.defaults.color = themed("soft");
    Chart.defaults.borderColor = themed("grid");
    Chart.defaults.font = {family: getComputedStyle(document.body).fontFamily, size: 12.5};
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    charts.forEach((entry) => {
        entry.chart?.destroy();
        entry.chart = new Chart(entry.canvas, entry.config());
    });
}

// ---- axes and data of charts

const title = (text) => ({display: true, text});
const bandLabel = "low to high";
const pointLegend = {usePointStyle: true, boxWidth: 8, boxHeight: 8, padding: 16};

function coresAxis(cores) {
    return {type: "logarithmic", title: title("TensorCores"), min: Math.min(...cores) / 1.2, max: Math.max(...cores) * 1.2,
        afterBuildTicks: (axis) => { axis.ticks = cores.map((value) => ({value})); },
        ticks: {callback: (value) => value, autoSkip: true, maxRotation: 0}};
}

function secondsAxis(values, what) {
    const [low, high] = [Math.min(...values) / 1.25, Math.max(...values) * 1.25];
    const marks = Math.log10(high / low) > 2.5 ? [1] : Math.log10(high / low) > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
        marks.forEach((mark) => ticks.push(mark * 10 ** power));
    }
    return {type: "logarithmic", title: title(`time of ${what}`), min: low, max: high,
        afterBuildTicks: (axis) => { axis.ticks = ticks.filter((value) => value >= low && value <= high).map((value) => ({value})); },
        ticks: {callback: (value) => seconds(value)}};
}

// A line chart on two logarithmic axes. The band's edges have no label, and stay out of legend and tooltip.
function timeChart(datasets, cores, what = "an epoch") {
    const times = datasets.flatMap((set) => set.data.map((datum) => datum.y));
    return {type: "line", data: {datasets}, options: {
        scales: {x: coresAxis(cores), y: secondsAxis(times, what)},
        plugins: {
            legend: {position: "bottom", labels: {...pointLegend, filter: (item) => item.text !== ""}},
            tooltip: {filter: (item) => !["", bandLabel].includes(item.dataset.label), callbacks: {
                title: (items) => items.length > 0 ? count(items[0].parsed.x, "core") : "",
                label: (item) => `${item.dataset.label}: ${seconds(item.parsed.y)}`}}},
        interaction: {mode: "nearest", axis: "x", intersect: false}}};
}

// ---- the page

// Puts the sections in and draws; again when colours change or the page is printed.
function show(...sections) {
    document.getElementById("page").append(...sections.filter(Boolean));
    drawCharts();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
    ["beforeprint", "afterprint"].forEach((event) => addEventListener(event, () => {
        document.documentElement.classList.toggle("printing", event === "beforeprint");
        drawCharts();
    }));
}
