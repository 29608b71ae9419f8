// SPDX-License-Identifier: Apache-2.0
// One series: its words, tables and charts.

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
        ...result("MFU", (point) => percent(point.throughput.mfu), has("throughput")),
        ...result("throughput", (point) => `${count(Number(point.throughput.per_second.toPrecision(3)), point.throughput.unit.replace(/s$/, ""))}/s`, has("throughput")),
        ...result("USD a million", (point) => digits(point.throughput.usd_per_million), points.some((point) => point.throughput?.usd_per_million !== undefined)),
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
