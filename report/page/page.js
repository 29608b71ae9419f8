// SPDX-License-Identifier: Apache-2.0
// Turns the report in this page into headings, charts and tables.

function header(views) {
    const machines = report.points.map((point) => point.machine);
    const fitting = views.flatMap((shownSeries) => shownSeries.fitting);
    const cores = machines.map((machine) => machine.cores);
    const facts = [];
    const fact = (value, ...words) => facts.push(element("div", {class: "fact"}, element("b", {}, value), ...words.filter(Boolean).map((word) => element("span", {}, word))));
    if (cores.length > 0) {
        fact(unique(machines.map((machine) => machine.chip)).join(", "), Math.min(...cores) === Math.max(...cores)
            ? count(cores[0], "TensorCore") : `${digits(Math.min(...cores))} to ${digits(Math.max(...cores))} TensorCores`);
    }
    if (fitting.length > 0) {
        const fastest = fitting.reduce((a, b) => b.epoch_seconds < a.epoch_seconds ? b : a);
        fact(seconds(fastest.epoch_seconds), `fastest ${interval}, on ${count(coresOf(fastest), "core")}`, views.length > 1 ? fastest.series : null);
    }
    const spots = views.filter((shownSeries) => shownSeries.byCores).map(({series}) => series.sweet_spot.cores);
    if (spots.length > 0) {
        const [low, high] = [Math.min(...spots), Math.max(...spots)];
        fact(low === high ? digits(low) : `${digits(low)} to ${digits(high)}`, "cores at the sweet spot", low === high ? null : "depending on the series");
    }
    const metric = metricFact(fitting);
    if (metric) { fact(...metric); }
    if (report.hypotheses.length > 0) {
        const undecided = report.hypotheses.filter((claim) => claim.verdict === "undecided").length;
        fact(`${report.hypotheses.filter((claim) => claim.holds === true).length} of ${report.hypotheses.length}`, "claims held" + (undecided > 0 ? `, ${undecided} undecided` : ""));
    }
    const data = report.dataset || {};
    const sizes = ["rows", "columns", "links"].filter((key) => typeof data[key] === "number").map((key) => `${digits(data[key])} ${key}`).join(", ");
    return element("header", {}, element("p", {class: "eyebrow"}, "alxsim report"), element("h1", {}, report.study.study),
        element("p", {class: "soft"}, [data.name, sizes].filter(Boolean).join(": ")), element("div", {class: "facts"}, facts));
}

function overview(views) {
    const curves = views.filter((shownSeries) => shownSeries.byCores);
    if (curves.length < 2) { return null; }
    const cores = unique(curves.flatMap(({fitting}) => fitting.map(coresOf))).sort((a, b) => a - b);
    return element("div", {class: "charts"}, figure(`All series: ${interval} time against cores`, "Both axes logarithmic; rings mark sweet spots.", () => timeChart([
        ...curves.map(({series, fitting, colour, shape}) => epochLine(series.name, fitting, colour, shape)),
        ...curves.flatMap(({series, fitting, colour}) => sweetSpot(series, fitting, colour, ""))], cores, anInterval), true));
}

/// The candidates of a search, as a map if two parameters were varied over a grid.
function searchSection() {
    const search = report.search;
    if (!search) { return null; }
    const figureOf = (candidate) => candidate[search.maximize];
    const reached = search.candidates.map(figureOf).filter((value) => typeof value === "number");
    const [low, high] = [Math.min(...reached), Math.max(...reached)];
    const best = search.candidates[search.best];
    const pointers = Object.keys(best.values);
    const short = (pointer) => pointer.split("/").pop();
    const cell = (candidate) => {
        const value = candidate ? figureOf(candidate) : undefined;
        const share = typeof value === "number" && high > low ? (value - low) / (high - low) : 0;
        return element("td", {style: `background: rgba(0, 114, 178, ${(0.55 * share).toFixed(3)})`},
            candidate === best ? element("b", {}, `${digits(value)} \u2605`) : typeof value === "number" ? digits(value) : "\u2013");
    };
    const words = `${search.candidates.length} candidates, chosen by ${metricWords(search.maximize)} on validation rows, never on test rows. Best: ${pointers.map((pointer) => `${short(pointer)} ${digits(best.values[pointer])}`).join(", ")} (${digits(figureOf(best))}).`;
    const section = element("section", {}, element("h2", {}, "Search"), element("p", {class: "soft"}, words));
    if (search.kind === "grid" && pointers.length === 2) {
        const [across, down] = pointers.map((pointer) => unique(search.candidates.map((candidate) => candidate.values[pointer])));
        const at = (x, y) => search.candidates.find(({values}) => values[pointers[0]] === x && values[pointers[1]] === y);
        section.append(element("table", {class: "heat"},
            element("tr", {}, element("th", {}, `${short(pointers[1])} \\ ${short(pointers[0])}`), ...across.map((x) => element("th", {}, digits(x)))),
            ...down.map((y) => element("tr", {}, element("th", {}, digits(y)), ...across.map((x) => cell(at(x, y)))))));
    } else {
        section.append(table("Best first.", [
            ...pointers.map((pointer) => ({title: short(pointer), cell: ({values}) => digits(values[pointer])})),
            {title: metricWords(search.maximize), cell: (candidate) => digits(figureOf(candidate))}],
            [...search.candidates].sort((a, b) => (figureOf(b) ?? -1) - (figureOf(a) ?? -1))));
    }
    return section;
}

function claims() {
    const signs = {held: "\u2713 ", refuted: "\u2717 "};
    const words = (claim) => {
        const verdict = claim.verdict || {true: "held", false: "refuted", null: "nothing to judge"}[String(claim.holds)];
        const share = claim.share === undefined ? "" : ` (true in ${percent(claim.share)} of draws)`;
        return [signs[verdict] ? verdict : "", (signs[verdict] || "") + verdict + share];
    };
    return report.hypotheses.length === 0 ? null : element("section", {}, element("h2", {}, "Claims"), element("div", {class: "claims"},
        report.hypotheses.map((claim) => {
            const [kind, verdict] = words(claim);
            return element("div", {class: "claim " + kind}, element("span", {class: "verdict"}, verdict), element("b", {}, claim.name),
                element("p", {}, claim.claim === "linear_then_flat" ? `${sentence(interval)} time falls nearly linearly up to a sweet spot, then flattens.` : claim.claim), claim.figures.why ? element("p", {class: "soft"}, claim.figures.why) : null);
        })));
}

function assumptions() {
    const list = report.assumptions || [];
    const columns = [["chip", "chip"], ["name", "what"], ["value", "value"], ["low", "low"], ["high", "high"], ["unit", "unit"], ["kind", "kind"], ["source", "source"]];
    const used = columns.filter(([key]) => list.some((entry) => entry[key] !== undefined));
    return list.length === 0 ? null : element("section", {}, element("h2", {}, "Assumptions"),
        table("Numbers that cannot be known for sure, on which the results rest.", used.map(([key, title]) => ({title,
            text: !["value", "low", "high"].includes(key), wrap: key === "source",
            cell: (entry) => typeof entry[key] === "number" ? digits(entry[key], 4) : entry[key] === undefined ? "" : shown(entry[key])})), list));
}

function validation() {
    return report.validation.length === 0 ? null : element("section", {}, element("h2", {}, "Validation"),
        table("Known figures against simulated ones. A calibrated figure was used to set the model, so it confirms nothing.", [
            {title: "figure", text: true, wrap: true, cell: (entry) => entry.name},
            {title: "reference", cell: (entry) => digits(entry.reference, 4)},
            {title: "simulated", cell: (entry) => digits(entry.simulated, 4)},
            {title: "unit", text: true, cell: (entry) => entry.unit},
            {title: "error", cell: (entry) => percent(entry.error)},
            {title: "tolerance", cell: (entry) => percent(entry.tolerance)},
            {title: "", cell: (entry) => Math.abs(entry.error) <= entry.tolerance ? "\u2713" : "\u2717"},
            {title: "kind", text: true, cell: (entry) => entry.kind},
            {title: "source", text: true, wrap: true, cell: (entry) => entry.source}], report.validation));
}

function build() {
    const views = report.series.map(view);
    const study = element("details", {}, element("summary", {}, "The study as it ran"), element("pre", {}, JSON.stringify(report.study, null, 4)));
    const footer = element("footer", {}, `alxsim ${report.tool.version} (${report.tool.commit}); ran ${seconds(report.host.wall_seconds)} on ${count(report.host.threads, "thread")}. ` +
        "Times are simulated. Units are SI: 1 GB is 10\u2079 bytes.");
    show(header(views), overview(views), claims(), searchSection(), ...views.map(seriesSection), assumptions(), validation(), glossarySection(), study, footer);
}

build();
