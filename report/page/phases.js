// SPDX-License-Identifier: Apache-2.0
// Phases and resources: each has one colour on every page, whatever else a report holds.

// Paul Tol's muted colours for ALX; transformers by what a layer does, lighter forward, darker backward.
const phaseColours = {
    "dispatch": "#9aa1ab", "infeed": "#999933", "gather.ids": "#88ccee", "gather.rows": "#3b7dbd", "gather.combine": "#332288",
    "statistics": "#44aa99", "solve": "#ddcc77", "scatter.copy": "#cc6677", "scatter": "#882255", "gramian": "#aa4499",
    "forward.embedding": "#c9c94f", "forward.layers": "#c3c8cf", "forward.attention": "#9ccbea", "forward.mlp": "#9bd8c6", "forward.head": "#e9c3de",
    "forward.tensor": "#f2b48a", "forward.row": "#f2b48a", "forward.column": "#ecd08a", "forward.data": "#cdb79c",
    "recompute.attention": "#5fa8d8", "recompute.mlp": "#56b89c", "recompute.tensor": "#e08a4f", "recompute.row": "#e08a4f", "recompute.column": "#dcb23f",
    "backward.embedding": "#8a8a1f", "backward.layers": "#8d949e", "backward.attention": "#2671b2", "backward.mlp": "#117a5f", "backward.head": "#b0468e",
    "backward.tensor": "#b8500f", "backward.row": "#b8500f", "backward.column": "#a37a00", "backward.data": "#7d6547",
    "gradients.data": "#6b3d1e", "optimizer": "#4b2a86"};
// Of phases that an op graph of one's own names.
const furtherColours = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bb7744", "#667788", "#77aadd", "#99aa33", "#dd88aa", "#446655"];

const shares = [
    {field: "compute_seconds", word: "compute", name: "compute", colour: "#0072b2"},
    {field: "hbm_seconds", word: "hbm", name: "HBM and row issue", colour: "#56b4e9"},
    {field: "communication_seconds", word: "communication", name: "communication", colour: "#d55e00"},
    {field: "host_seconds", word: "host", name: "host", colour: "#e69f00"},
    {field: "idle_seconds", word: "idle", name: "idle", colour: "#aab0b8"}];
const shareParts = shares.map((share) => ({...share, of: (point) => point[share.field]}));

// By its name alone, unless another phase of the report has that colour already.
function colourOf(name, taken) {
    if (phaseColours[name]) { return phaseColours[name]; }
    const n = furtherColours.length;
    const start = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7) % n;
    const order = furtherColours.map((_, i) => furtherColours[(start + i) % n]);
    return order.find((colour) => !taken.includes(colour)) || order[0];
}

// In the glossary's order, which is that of the program; then what it does not know, by name.
const phaseParts = (() => {
    const known = Object.keys(phaseColours);
    const names = unique(report.points.flatMap((point) => Object.keys(point.phases || {}))).sort((a, b) => a < b ? -1 : 1);
    const ordered = [...known.filter((name) => names.includes(name)), ...names.filter((name) => !known.includes(name))];
    const parts = [];
    ordered.forEach((name) => parts.push({name, colour: colourOf(name, parts.map((part) => part.colour)), of: (point) => point.phases[name] || 0}));
    return parts;
})();
const phaseColour = (name) => phaseParts.find((part) => part.name === name)?.colour || "#777777";

const swatch = (colour) => element("span", {class: "swatch", style: `background: ${colour}`});

// Colour, name and one line of meaning of every phase and resource that the report has.
function coloursSection() {
    const spent = (part) => report.points.some((point) => point.epoch_seconds !== undefined && part.of(point) > 0);
    const line = (section, word) => (part) => [element("dt", {}, swatch(part.colour), part.name),
        element("dd", {}, glossary.get(section)?.get(word(part)) || "a phase of the study\u2019s own program.")];
    const list = (title, parts, section, word) => parts.length === 0 ? null
        : element("div", {}, element("h3", {}, title), element("dl", {class: "colours"}, parts.flatMap(line(section, word))));
    const phases = phaseParts.filter(spent);
    return phases.length === 0 ? null : element("section", {id: "colours"}, element("h2", {}, "What the colours mean"),
        element("p", {class: "note"}, `The time of ${anInterval} is split twice along its critical path: by phase, what was being done, and by resource, what it waited for. Each split adds up to the whole.`),
        list("Phases", phases, "Phases", (part) => part.name), list("Resources", shareParts.filter(spent), "Shares", (part) => part.word));
}
