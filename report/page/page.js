// SPDX-License-Identifier: Apache-2.0
// Turns the report in this page into headings, charts (Chart.js) and tables.

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

// ---- one series, seen once

const phaseNames = unique(report.points.flatMap((point) => Object.keys(point.phases || {})));
const phaseParts = phaseNames.map((name, i) => ({name, colour: phaseColours[i % phaseColours.length], of: (point) => point.phases[name] || 0}));
const shareParts = shares.map((share) => ({...share, of: (point) => point[share.field]}));

function view(series, i) {
    const points = series.points.map((index) => ({...report.points[index], index}));
    const byCores = series.sweet_spot !== undefined;
    points.sort((a, b) => byCores ? coresOf(a) - coresOf(b) : 0);
    const fitting = points.filter((point) => point.epoch_seconds !== undefined);
    const swept = unique(points.flatMap((point) => Object.keys(point.sweep)));
    const varying = swept.filter((key) => unique(points.map((point) => shown(point.sweep[key] ?? null))).length > 1);
    const onlyCores = varying.every((key) => key === "/machine/cores");
    const label = (point) => onlyCores ? String(coresOf(point)) : varying.map((key) => shown(point.sweep[key] ?? null)).join(", ");
    return {series, points, fitting, byCores, label, colour: seriesColours[i % 8], shape: seriesShapes[i % 8],
        labels: fitting.map(label), axisTitle: onlyCores ? "TensorCores" : varying.map((key) => key.split("/").pop()).join(", ")};
}

function summary({series, fitting, points}) {
    if (fitting.length === 0) { return "No point of this series has a result."; }
    const fastest = report.points[series.fastest];
    const text = [`Fastest: ${seconds(fastest.epoch_seconds)} ${anInterval} on ${count(coresOf(fastest), "core")}.`];
    const spot = series.sweet_spot;
    if (spot) {
        text.push(`Sweet spot: ${count(spot.cores, "core")}` + ({low: ", where the range begins: the first step already gains less than half of the ideal.",
            high: ", where the range ends: every step gains at least half of the ideal."}[spot.at_edge] || ": the next step gains less than half of the ideal."));
    }
    if (series.cheapest !== undefined) {
        const cheapest = report.points[series.cheapest];
        text.push(`Cheapest: ${digits(cheapest.cost_usd)} USD ${anInterval} on ${count(coresOf(cheapest), "core")}.`);
    }
    const unfit = points.filter((point) => !point.fits && point.error === undefined);
    if (unfit.length > 0) {
        text.push(`Does not fit: ${unfit.map((point) => coresOf(point)).join(", ")} cores.`);
    }
    return text.join(" ");
}

function fitTerms(fit) {
    const terms = [[fit.a_over_n, `${digits(fit.a_over_n)} s / N`], [fit.constant, seconds(fit.constant)],
        [fit.log || 0, `${seconds(fit.log || 0)} x log2(N)`], [fit.per_core, `${seconds(fit.per_core)} x N`]];
    return terms.filter(([value]) => value > 0).map(([, words]) => words).join(" + ") || "0 s";
}

function fitText(fit) {
    const quality = fit.spare_points === 0 ? "through all points, so that its quality says nothing"
        : `r\u00b2 = ${fit.r2.toFixed(4)}` + (fit.largest_residual === undefined ? "" : `, worst point off by ${percent(fit.largest_residual)}`);
    return `T(N) = ${fitTerms(fit)}, ${quality}.`;
}

// The fit of the whole curve, and those of its parts where torus axes wrap alike.
function fitNote({fit, regimes = []}) {
    if (fit === undefined) { return null; }
    const axes = (wrap) => wrap.every((wraps) => !wraps) ? "no axis wraps" : wrap.every(Boolean) ? "all axes wrap"
        : `only ${wrap.map((wraps, i) => wraps ? "xyz"[i] : null).filter(Boolean).join(" and ")} wraps`;
    const range = (cores) => cores.length === 1 ? count(cores[0], "core") : `${cores[0]} to ${count(last(cores), "core")}`;
    const parts = regimes.length < 2 ? [] : regimes.map((regime) => ` Where ${axes(regime.wrap)}, ${range(regime.cores)}: `
        + (regime.fit ? fitText(regime.fit) : "too few points for a fit."));
    return element("p", {class: "note"}, `Least-squares fit over N cores: ${fitText(fit)}${parts.join("")}`);
}

function fitTable({fit}) {
    if (fit?.by_phase === undefined) { return null; }
    const rows = Object.entries(fit.by_phase).filter(([, part]) => part.a_over_n + part.constant + part.per_core + (part.log || 0) > 0);
    const term = (title, key, words) => fit[key] === undefined ? [] : [{title, cell: ([, part]) => part[key] > 0 ? words(part[key]) : ""}];
    return element("details", {}, element("summary", {}, "What each term of the fit is made of"),
        table(`The same terms fitted to each phase; errors relative to the ${interval}.`, [
            {title: "phase", text: true, cell: ([phase]) => phase},
            ...term("shrinks: a, a/N", "a_over_n", (value) => `${digits(value)} s`), ...term("stays", "constant", seconds),
            ...term("grows with log2(N)", "log", seconds), ...term("grows with N", "per_core", seconds),
            {title: "off by at most", cell: ([, part]) => percent(part.largest_residual)}], rows));
}

function fidelityText({fidelity, confidence}) {
    return confidence === undefined ? fidelity
        : `${fidelity}, \u00b1 ${percent(confidence.relative_width / 2)} (${confidence.simulated_steps} of ${confidence.steps} steps)`;
}

function pointsTable(shownSeries) {
    const {series, points, label, axisTitle, byCores} = shownSeries;
    const has = (field) => points.some((point) => point[field] !== undefined && point[field] !== null);
    const gains = Object.fromEntries((series.sweet_spot?.gains || []).map((gain) => [gain.to, gain.gain]));
    const isSweet = (point) => byCores && coresOf(point) === series.sweet_spot.cores && point.epoch_seconds !== undefined;
    const tags = (point) => [isSweet(point) ? "sweet spot" : null, point.index === series.fastest ? "fastest" : null,
        point.index === series.cheapest ? "cheapest" : null].filter(Boolean).map((text) => element("span", {class: "tag"}, text));
    const result = (title, words, when = true) => when ? [{title, cell: (point) => point.epoch_seconds === undefined ? "" : words(point)}] : [];
    const state = (point) => point.error !== undefined ? `failed: ${point.error}` : !point.fits ? "does not fit" : seconds(point.epoch_seconds);
    const range = (point) => point.epoch_seconds_low === undefined ? "" : `${seconds(point.epoch_seconds_low)} \u2013 ${seconds(point.epoch_seconds_high)}`;
    const caption = "Points." + (byCores ? " Gain: what the step from the row above brought of its ideal; 1 is perfect, below 0.5 it no longer pays." : "")
        + (points.some((point) => metricsOf(point).length > 0) ? ` Metrics: after the last ${interval}.` : "");
    return table(caption, [
        {title: axisTitle || "point", text: true, cell: (point) => element("span", {}, label(point), ...tags(point))},
        {title: "slice", cell: (point) => sliceWords(point.machine)},
        {title: interval, cell: state},
        ...result("low \u2013 high", range, has("epoch_seconds_low")),
        ...result("gain", (point) => gains[coresOf(point)]?.toFixed(2), byCores),
        ...result("speed-up", (point) => point.speedup.toFixed(2), has("speedup")),
        ...result("efficiency", (point) => percent(point.efficiency), has("efficiency")),
        ...metricColumns(points),
        {title: "memory a core", cell: (point) => point.memory ? `${bytes(point.memory.bytes_per_core)} of ${gigabytes(point.memory.capacity_bytes)}` : ""},
        ...result("cost, USD", (point) => digits(point.cost_usd), has("cost_usd")),
        ...result("energy, J", (point) => digits(point.energy_joules), has("energy_joules")),
        ...result("fidelity", fidelityText)],
    points, (point) => isSweet(point) ? "sweet" : point.epoch_seconds === undefined ? "unfit" : "");
}

function partsTable({fitting, label}) {
    const rows = [...phaseParts, null, ...shareParts].map((part) => part || {name: "", of: () => null});
    const cell = (point) => (part) => part.of(point) === null ? "" : `${seconds(part.of(point))} (${percent(part.of(point) / point.epoch_seconds)})`;
    return element("details", {}, element("summary", {}, "Phases and resources as numbers"),
        table(`Time on the critical path of ${anInterval}, and its share. Phases add up to the ${interval}, and so do resources.`, [
            {title: "", text: true, cell: (part) => part.name},
            ...fitting.map((point) => ({title: label(point), cell: cell(point)}))], rows));
}

function partsLegend({fitting}) {
    const phases = phaseNames.filter((name) => fitting.some((point) => point.phases[name] > 0));
    return element("details", {}, element("summary", {}, "What the phases and resources are"),
        legend("Phases", phases), legend("Shares", shares.map((share) => share.word)));
}

// All points in a sentence; what each of them says is in the details.
function networkNote({fitting, label, axisTitle}) {
    const told = fitting.filter((point) => point.network !== undefined);
    if (told.length === 0) { return null; }
    const on = told.filter((point) => point.network.statement.startsWith("On "));
    const most = percent(Math.max(...told.map((point) => point.network.share)));
    const latencies = on.map((point) => point.network.latency_share).filter((share) => share !== undefined);
    const [low, high] = [percent(Math.min(...latencies)), percent(Math.max(...latencies))];
    const latency = latencies.length === 0 ? "" : ` Of their time, ${low === high ? low : `${low} to ${high}`} is launch and hops, which no faster link shortens.`;
    const where = on.length === told.length ? "at every point" : `at ${on.length} of ${told.length} points (${axisTitle} ${on.map(label).join("; ")})`;
    const text = told.length === 1 ? told[0].network.statement
        : on.length === 0 ? `Off the critical path at every point: collectives take at most ${most} of ${anInterval}.`
        : `On the critical path ${where}: collectives take up to ${most} of ${anInterval}.${latency}`;
    return element("p", {class: "note"}, element("b", {}, "Network. "), text);
}

function memoryDetails({fitting, label, axisTitle}) {
    const told = fitting.filter((point) => point.hbm !== undefined);
    if (told.length === 0) { return null; }
    const gather = ({point}) => point.hbm.row_gather;
    return element("details", {}, element("summary", {}, "Memory as numbers"),
        table(`HBM of a chip: what a long stream gets of its peak, and what a row of ${told[0].hbm.row_gather.row_bytes} bytes takes in a gather: to issue, and in the banks, all over a table or the same row again and again (clamped ids).`, [
            {title: axisTitle || "point", text: true, cell: ({point}) => label(point)},
            {title: "channels", cell: ({point}) => digits(point.hbm.channels)},
            {title: "reads", cell: ({point}) => percent(point.hbm.read_share_of_peak)},
            {title: "copies", cell: ({point}) => percent(point.hbm.copy_share_of_peak)},
            {title: "row: issue", cell: (entry) => seconds(gather(entry).issue_seconds)},
            {title: "banks", cell: (entry) => seconds(gather(entry).uniform_bank_seconds)},
            {title: "clamped", cell: (entry) => seconds(gather(entry).clamped_bank_seconds)},
            {title: "address, from the highest bits", text: true, cell: ({point}) => `${point.hbm.address_mapping}, ${bytes(point.hbm.channel_interleave_bytes)} to a channel`}], told.map((point) => ({point}))));
}

// Uncertain inputs at the largest point: each by itself, the others at their central values.
function uncertaintyTable({fitting, label, byCores}) {
    const point = last(fitting.filter((candidate) => (candidate.uncertainty?.ranking || []).length > 0));
    if (point === undefined) { return null; }
    const value = (number, unit) => typeof number === "number" ? `${digits(number)} ${unit}` : String(number);
    return element("details", {}, element("summary", {}, "What the band rests on"),
        table(`On ${byCores ? count(coresOf(point), "core") : label(point)}: ${percent(point.uncertainty.share)} of ${point.uncertainty.draws} joint draws of all uncertain inputs lie in the band. Below, each input by itself, the one that matters most first.`, [
            {title: "unknown", text: true, cell: ({name}) => name},
            {title: "low", cell: (row) => value(row.low, row.unit)}, {title: "central", cell: (row) => value(row.central, row.unit)},
            {title: "high", cell: (row) => value(row.high, row.unit)}, {title: `${interval} at low`, cell: (row) => seconds(row.seconds_at_low)},
            {title: `${interval} at high`, cell: (row) => seconds(row.seconds_at_high)},
            {title: "longest / shortest", cell: (row) => row.swing.toFixed(2)}], point.uncertainty.ranking));
}

function networkDetails({fitting, label, axisTitle}) {
    const told = fitting.filter((point) => point.network !== undefined);
    if (told.length === 0) { return null; }
    const rowsOf = (list) => told.flatMap((point) => list(point).map((entry) => ({...entry, point})));
    const name = {title: axisTitle || "point", text: true, cell: ({point}) => label(point)};
    const [axes, schedules] = [rowsOf((point) => point.ici.axes || []), rowsOf((point) => point.schedules || [])];
    return element("details", {}, element("summary", {}, "Network and collectives as numbers"),
        table(`Of a mean ${interval}. Network: the share of collectives on the critical path.`, [name,
            {title: "network", cell: ({point}) => percent(point.network.share)},
            {title: "on links", cell: ({point}) => bytes(point.ici.bytes)},
            {title: "links busy", cell: ({point}) => percent(point.ici.utilisation)},
            ...(axes.length === 0 ? [] : [{title: "hops a message", cell: ({point}) => point.ici.hops_per_message === undefined ? "" : digits(point.ici.hops_per_message)}]),
            {title: "", text: true, wrap: true, cell: ({point}) => point.network.statement}], told.map((point) => ({point}))),
        axes.length === 0 ? null : table(`Links by axis and direction, in a mean ${interval}; busiest: the link that was busy longest, by the chip where it starts.`, [name,
            {title: "axis", text: true, cell: (use) => use.direction + use.axis},
            {title: "links", cell: (use) => use.links},
            {title: "bytes", cell: (use) => bytes(use.bytes)},
            {title: "busy", cell: (use) => percent(use.utilisation)},
            {title: "busiest", text: true, cell: (use) => use.busiest ? `chip ${use.busiest.chip}` : ""},
            {title: "its bytes", cell: (use) => use.busiest ? bytes(use.busiest.bytes) : ""},
            {title: "its busy time", cell: (use) => use.busiest ? seconds(use.busiest.busy_seconds) : ""}], axes),
        schedules.length === 0 ? null : table(`Collectives and the schedule picked for each, by itself on the network. Times: in ${anInterval}. Latency: of the time, launch and hops, which no faster link shortens.`, [name,
            {title: "phase", text: true, cell: (entry) => entry.phase},
            {title: "collective", text: true, cell: (entry) => [entry.op, entry.kind.replaceAll("_", "-")].filter(Boolean).join(": ")},
            {title: "bytes", cell: (entry) => bytes(entry.bytes)},
            {title: "times", cell: (entry) => digits(entry.times)},
            {title: "time", cell: (entry) => seconds(entry.seconds)},
            {title: "latency", cell: (entry) => percent(entry.latency_seconds / entry.seconds)},
            {title: "bound", cell: (entry) => seconds(entry.bound_seconds)},
            {title: "schedule", text: true, wrap: true, cell: (entry) => entry.schedule}], schedules));
}

// What collectives carry, at the largest point.
function trafficTable({fitting, label, byCores}) {
    const point = last(fitting.filter((candidate) => (candidate.traffic || []).length > 0));
    if (point === undefined) { return null; }
    const messages = point.traffic.some((entry) => entry.message_bytes !== undefined);
    return element("details", {}, element("summary", {}, "What collectives carry"),
        table(`On ${byCores ? count(coresOf(point), "core") : label(point)}, in ${anInterval}. Payload: a core's buffer, every time added up`
            + (messages ? "; where messages differ in size, what a core sends in the mean, and what all cores send together." : "."), [
            {title: "phase", text: true, cell: (entry) => entry.phase},
            {title: "collective", text: true, cell: (entry) => `${entry.op}: ${entry.kind.replaceAll("_", "-")}`},
            {title: "times", cell: (entry) => digits(entry.times)},
            {title: "payload a core", cell: (entry) => bytes(entry.payload_bytes)},
            ...(messages ? [{title: "all messages", cell: (entry) => entry.message_bytes === undefined ? "" : bytes(entry.message_bytes)}] : []),
            {title: "time of the phase", cell: (entry) => seconds(point.phases[entry.phase] || 0)},
            {title: `its share of the ${interval}`, cell: (entry) => percent((point.phases[entry.phase] || 0) / point.epoch_seconds)}], point.traffic));
}

const skewRows = (fitting) => fitting.flatMap((point) => (point.skew || []).map((entry) => ({...entry, point})));

// The most uneven of all in a sentence; all of them are in the details.
function skewNote({fitting, label, byCores}) {
    const rows = skewRows(fitting);
    if (rows.length === 0) { return null; }
    const worst = rows.reduce((a, b) => b.most_over_mean > a.most_over_mean ? b : a);
    return element("p", {class: "note"}, element("b", {}, "Skew. "),
        `Most uneven from core to core: ${worst.unit} of \u201c${worst.of}\u201d (${worst.phase}) on ${byCores ? count(coresOf(worst.point), "core") : label(worst.point)}: core ${worst.straggler} has ${worst.most_over_mean.toFixed(2)} times the mean.`);
}

function skewTable({fitting, label, axisTitle}) {
    const rows = skewRows(fitting);
    return rows.length === 0 ? null : element("details", {}, element("summary", {}, "What differs from core to core"),
        table(`Over ${anInterval}. Straggler: the core that has most.`, [
            {title: axisTitle || "point", text: true, cell: ({point}) => label(point)},
            {title: "phase", text: true, cell: (entry) => entry.phase},
            {title: "of", text: true, cell: (entry) => entry.of},
            {title: "unit", text: true, cell: (entry) => entry.unit},
            {title: "least", cell: (entry) => digits(entry.least)},
            {title: "mean", cell: (entry) => digits(entry.mean)},
            {title: "most", cell: (entry) => digits(entry.most)},
            {title: "most / mean", cell: (entry) => entry.most_over_mean.toFixed(2)},
            {title: "straggler", cell: (entry) => `core ${entry.straggler}`}], rows));
}

function countersTable({fitting, label, axisTitle}) {
    const rows = fitting.flatMap((point) => (point.device_counters || []).map((entry) => ({...entry, point})));
    const value = (entry, key) => ({seconds, bytes}[entry.unit] || digits)(entry[key]);
    return rows.length === 0 ? null : element("details", {}, element("summary", {}, "What each device did"),
        table(`In a mean ${interval}, over devices or chips.`, [
            {title: axisTitle || "point", text: true, cell: ({point}) => label(point)},
            {title: "counter", text: true, cell: (entry) => entry.name.replaceAll("_", " ")},
            ...["least", "mean", "most"].map((key) => ({title: key, cell: (entry) => value(entry, key)})),
            {title: "most on", cell: (entry) => entry.least === entry.most ? "all alike" : `${entry.per} ${entry.most_at}`}], rows));
}

function stubbornTable({series, fitting}) {
    const phases = series.phases_that_do_not_shrink || [];
    if (phases.length === 0) { return null; }
    const spot = series.sweet_spot.cores;
    const from = spot === coresOf(last(fitting)) ? coresOf(first(fitting)) : spot;
    const to = coresOf(last(fitting));
    return table(`What bends the curve: phases that do not shrink from ${from} to ${to} cores.`, [
        {title: "phase", text: true, cell: (change) => change.phase},
        {title: `at ${from} cores`, cell: (change) => seconds(change.seconds_first)},
        {title: `at ${to} cores`, cell: (change) => seconds(change.seconds_last)},
        {title: `share of the last ${interval}`, cell: (change) => percent(change.share_of_last)}], phases);
}

function timeFigure({series, fitting, byCores, labels, colour, shape, axisTitle}) {
    if (fitting.length < 2) { return null; }
    if (!byCores) {
        return figure(`${sentence(interval)} time`, `Simulated time of one ${interval}.`, () => barChart(labels, fitting, colour, axisTitle), true);
    }
    return figure(`${sentence(interval)} time against cores`, "Both axes logarithmic. The ring marks the sweet spot, the dashed line perfect scaling from the smallest point.",
        () => timeChart([...sweetSpot(series, fitting, themed("ink"), "sweet spot"), epochLine(interval, fitting, colour, shape),
            idealLine(fitting), ...band(fitting, colour)], fitting.map(coresOf), anInterval), true);
}

// Why a slice is assumed: none is listed with so many cores, or the study asks for it.
function sliceMark(machine) {
    return !machine.slice_assumed ? "" : machine.slice_asked ? " \u2020" : " *";
}

function sliceWords(machine) {
    return (machine.slices ? `${machine.slices} of ` : "") + machine.slice + sliceMark(machine);
}

function sliceNotes(points) {
    const notes = {
        " *": "* assumed: no listed slice has so many cores, so a part of the next larger one is used, without wrap-around links.",
        " \u2020": "\u2020 assumed: the study asks for this slice, which the vendor does not list with these wrap-around links. Where the study does not say which axes wrap, the chip's preset does."};
    const marks = new Set(points.map((point) => sliceMark(point.machine)));
    return Object.keys(notes).filter((mark) => marks.has(mark)).map((mark) => element("p", {class: "note"}, notes[mark]));
}

function pointNotes(points) {
    return [...new Set(points.flatMap((point) => point.notes || []))].map((note) => element("p", {class: "note"}, `Note: ${note}.`));
}

function seriesSection(shownSeries) {
    const {series, fitting, labels, axisTitle} = shownSeries;
    const section = element("section", {}, element("h2", {}, series.name), element("p", {}, summary(shownSeries)));
    const grid = element("div", {class: "charts"}, timeFigure(shownSeries));
    if (fitting.length > 0) {
        grid.append(figure("Where the time goes: phases", `Share of each phase on the critical path of ${anInterval}.`,
            () => shareChart(labels, fitting, phaseParts.filter((part) => fitting.some((point) => part.of(point) > 0)), axisTitle)),
        figure("Where the time goes: resources", "What the critical path waited for.", () => shareChart(labels, fitting, shareParts, axisTitle)));
    }
    // The numbers do not depend on the core count, so one point speaks for all; the last has most to tell.
    const learned = last(fitting.filter((point) => (point.quality || []).length > 1));
    grid.append(...(learned ? metricFigures(learned) : []));
    section.append(grid, pointsTable(shownSeries));
    section.append(...sliceNotes(shownSeries.points), ...pointNotes(shownSeries.points));
    section.append(...[networkNote(shownSeries), skewNote(shownSeries), stubbornTable(shownSeries), fitNote(series), fitTable(series),
        fitting.length > 0 ? partsLegend(shownSeries) : null,
        fitting.length > 0 ? partsTable(shownSeries) : null, uncertaintyTable(shownSeries), networkDetails(shownSeries), trafficTable(shownSeries),
        skewTable(shownSeries), countersTable(shownSeries), memoryDetails(shownSeries), learned ? metricTable(learned) : null].filter(Boolean));
    return section;
}

// ---- the page

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
