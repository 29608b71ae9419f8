// SPDX-License-Identifier: Apache-2.0
// What is drawn of a report: the report itself, colours, and charts (Chart.js) that several sections use.

const report = JSON.parse(document.getElementById("data").textContent);

// What epoch_seconds is of, as its workload says it.
const intervals = unique(report.points.filter((point) => point.epoch_seconds !== undefined).map((point) => point.interval || "epoch"));
const interval = intervals.length > 1 ? "interval" : intervals[0] || "epoch";
const anInterval = `${/^[aeiou]/.test(interval) ? "an" : "a"} ${interval}`;
const sentence = (words) => words[0].toUpperCase() + words.slice(1);

// Paul Tol's colours for phases, Okabe and Ito's for shares.
const phaseColours = ["#4477aa", "#88ccee", "#44aa99", "#117733", "#999933", "#ddcc77", "#cc6677", "#882255",
                      "#aa4499", "#bb9977", "#777777"];
const shares = [
    {field: "compute_seconds", word: "compute", name: "compute", colour: "#0072b2"},
    {field: "hbm_seconds", word: "hbm", name: "HBM, and rows issued to it", colour: "#56b4e9"},
    {field: "communication_seconds", word: "communication", name: "communication", colour: "#d55e00"},
    {field: "host_seconds", word: "host", name: "host", colour: "#e69f00"},
    {field: "idle_seconds", word: "idle", name: "idle", colour: "#aab0b8"}];

const coresOf = (point) => point.machine.cores;

const epochLine = (label, points, colour, shape) => ({label, borderColor: colour, backgroundColor: colour, borderWidth: 2.5,
    pointStyle: shape, pointRadius: 4.5, pointBorderWidth: 2, data: points.map((point) => ({x: coresOf(point), y: point.epoch_seconds}))});

function band(points, colour) {
    if (points.length === 0 || !points.every((point) => point.epoch_seconds_low !== undefined && point.epoch_seconds_high !== undefined)) {
        return [];
    }
    const edge = (field, more) => ({label: "", pointRadius: 0, pointHitRadius: 0, borderWidth: 0, backgroundColor: colour + "2e",
        data: points.map((point) => ({x: coresOf(point), y: point[field]})), ...more});
    return [edge("epoch_seconds_high", {fill: "+1", label: bandLabel, pointStyle: "rect", borderColor: colour + "2e"}), edge("epoch_seconds_low", {})];
}

function idealLine(points) {
    const base = first(points);
    const at = (point) => ({x: coresOf(point), y: base.epoch_seconds * coresOf(base) / coresOf(point)});
    return {label: "ideal: time x cores constant", borderColor: themed("soft"), borderDash: [6, 5], borderWidth: 1.5,
        pointRadius: 0, pointStyle: "line", data: [at(base), at(last(points))]};
}

function sweetSpot(series, points, ringColour, label) {
    const found = points.find((point) => coresOf(point) === series.sweet_spot?.cores);
    return found === undefined ? [] : [{label, showLine: false, pointStyle: "circle", pointRadius: 11, pointHoverRadius: 12,
        pointBorderWidth: 2.5, borderColor: ringColour, backgroundColor: "transparent", clip: false,
        data: [{x: coresOf(found), y: found.epoch_seconds}]}];
}

// Stacked bars of parts of an interval, in percent. parts: [{name, colour, of: point => seconds}]
function shareChart(labels, points, parts, axisTitle) {
    return {type: "bar", data: {labels, datasets: parts.map((part) => ({label: part.name, backgroundColor: part.colour,
            borderColor: themed("paper"), borderWidth: 1, maxBarThickness: 64,
            data: points.map((point) => 100 * part.of(point) / point.epoch_seconds)}))},
        options: {
            scales: {x: {stacked: true, title: title(axisTitle), grid: {display: false}},
                y: {stacked: true, min: 0, max: 100, title: title(`share of the ${interval}`), ticks: {stepSize: 25, callback: (value) => value + " %"}}},
            plugins: {legend: {position: "bottom", labels: {boxWidth: 14, boxHeight: 14}}, tooltip: {callbacks: {
                label: (item) => `${item.dataset.label}: ${percent(item.raw / 100)}, ${seconds(parts[item.datasetIndex].of(points[item.dataIndex]))}`}}}}};
}

function barChart(labels, points, colour, axisTitle) {
    return {type: "bar", data: {labels, datasets: [{label: interval, backgroundColor: colour, maxBarThickness: 64,
            data: points.map((point) => point.epoch_seconds)}]},
        options: {scales: {x: {title: title(axisTitle), grid: {display: false}},
            y: {beginAtZero: true, title: title(`time of ${anInterval}`), ticks: {callback: (value) => seconds(value)}}},
        plugins: {legend: {display: false}, tooltip: {callbacks: {label: (item) => seconds(item.raw)}}}}};
}
