// SPDX-License-Identifier: Apache-2.0
// Turns the report in this page into headings, charts and tables.

// Where the best of a search is the least or the most that was tried, better ones may lie beyond.
function edgeHints(search, pointers) {
  const best = search.candidates[search.best];
  if (search.kind !== "grid") {
    return [];
  }
  return pointers.flatMap((pointer) => {
    const tried = unique(search.candidates.map(({ values }) => values[pointer]))
      .filter(isValue)
      .sort((a, b) => a - b);
    const which =
      tried.length < 3
        ? ""
        : best.values[pointer] === first(tried)
          ? "least"
          : best.values[pointer] === last(tried)
            ? "most"
            : "";
    return which
      ? [
          `The best ${shortPointer(pointer)}, ${digits(best.values[pointer])}, is the ${which} that was tried: better ones may lie beyond.`,
        ]
      : [];
  });
}

/// The candidates of a search, as a map if two parameters were varied over a grid.
function searchSection() {
  const search = report.search;
  if (!search) {
    return null;
  }
  const figureOf = (candidate) => candidate[search.maximize];
  const reached = search.candidates.map(figureOf).filter((value) => typeof value === "number");
  const best = search.candidates[search.best];
  const pointers = Object.keys(best.values);
  const words = `${search.candidates.length} candidates, chosen by ${metricWords(search.maximize)} on validation rows, never on test rows. Best: ${pointers.map((pointer) => `${shortPointer(pointer)} ${digits(best.values[pointer])}`).join(", ")} (${digits(figureOf(best))}).`;
  const section = element(
    "section",
    { id: "search" },
    element("h2", {}, "Search"),
    element("p", { class: "soft" }, words),
    ...edgeHints(search, pointers).map((hint) => element("p", { class: "note" }, hint)),
  );
  if (search.kind === "grid" && pointers.length === 2) {
    const [across, down] = pointers.map((pointer) =>
      unique(search.candidates.map((candidate) => candidate.values[pointer])),
    );
    const at = (x, y) =>
      search.candidates.find(({ values }) => values[pointers[0]] === x && values[pointers[1]] === y)?.[search.maximize];
    const axis = (pointer) => ({ title: shortPointer(pointer) });
    section.append(
      heatTable({
        caption: `${sentence(metricWords(search.maximize))} of each candidate; a star marks the best.`,
        across: axis(pointers[0]),
        down: axis(pointers[1]),
        columns: across,
        rows: down,
        at,
        scale: heatScale(reached),
        words: digits,
        best: figureOf(best),
      }),
    );
  }
  const ranked = [...search.candidates].sort((a, b) => (figureOf(b) ?? -Infinity) - (figureOf(a) ?? -Infinity));
  const knowsInterval = ranked.some(({ kept_interval: kept }) => isValue(kept));
  const shown = (value) => (typeof value === "number" ? digits(value, 4) : String(value ?? "none"));
  const columns = [
    { title: metricWords(search.maximize), cell: (candidate) => shown(figureOf(candidate)) },
    ...pointers.map((pointer) => ({ title: shortPointer(pointer), cell: ({ values }) => shown(values[pointer]) })),
    ...(knowsInterval ? [{ title: interval, cell: ({ kept_interval: kept }) => shown(kept) }] : []),
  ];
  const few = 5;
  section.append(table("The best candidates.", columns, ranked.slice(0, few)));
  if (ranked.length > few) {
    section.append(folded("All candidates, the best first", () => table("", columns, ranked)));
  }
  return section;
}

// By how much each matters: the most that it changes any point by itself, from its low to its high value.
function swings() {
  const found = new Map();
  report.points.forEach((point) =>
    (point.uncertainty?.ranking || []).forEach((input) =>
      [`${point.machine.chip} ${input.name}`, input.name].forEach((key) =>
        found.set(key, Math.max(found.get(key) || 1, input.swing)),
      ),
    ),
  );
  return found;
}

function assumptions() {
  const list = report.assumptions || [];
  if (list.length === 0) {
    return null;
  }
  const found = swings();
  const swing = (entry) => (entry.chip ? found.get(`${entry.chip} ${entry.name}`) : found.get(entry.name)) || 1;
  const sorted = list
    .map((entry, i) => ({ ...entry, swing: swing(entry), i }))
    .sort((a, b) => b.swing - a.swing || a.i - b.i);
  const matter = sorted.filter((entry) => entry.swing > 1);
  const chips = unique(list.map((entry) => entry.chip)).length > 1;
  const top = unique(matter.map((entry) => entry.name))
    .slice(0, 5)
    .map((name) => `${name} (${times(matter.find((entry) => entry.name === name).swing)})`);
  const note =
    `${digits(list.length)} numbers that cannot be known for sure, on which the results rest.` +
    (top.length > 0 ? ` By how much each changes ${anInterval} by itself, over its range: ${top.join(", ")}.` : "");
  return element(
    "section",
    { id: "assumptions" },
    element("h2", {}, "Assumptions"),
    element("p", { class: "note" }, note),
    folded("All assumptions, what matters most first", () =>
      table(
        `Changes: the longest ${interval} over the shortest, from low to high, at the point where it matters most; empty where it is not among what matters most.`,
        [
          { title: "what", text: true, wrap: true, cell: (entry) => entry.name },
          ...(chips ? [{ title: "chip", text: true, cell: (entry) => entry.chip }] : []),
          { title: "changes", cell: (entry) => (entry.swing > 1 ? times(entry.swing) : "") },
          {
            title: "value",
            wrap: true,
            cell: (entry) =>
              element(
                "span",
                {},
                inUnit(entry.value, entry.unit),
                entry.low === undefined
                  ? null
                  : element(
                      "span",
                      { class: "below" },
                      `${inUnit(entry.low, entry.unit)} \u2013 ${inUnit(entry.high, entry.unit)}`,
                    ),
              ),
          },
          { title: "kind", text: true, cell: (entry) => entry.kind },
          { title: "source", text: true, wrap: true, long: true, cell: (entry) => entry.source },
        ],
        sorted,
      ),
    ),
  );
}

function validation() {
  return report.validation.length === 0
    ? null
    : element(
        "section",
        { id: "validation" },
        element("h2", {}, "Validation"),
        table(
          "Known figures against simulated ones. A calibrated figure was used to set the model, so it confirms nothing.",
          [
            { title: "figure", text: true, wrap: true, cell: (entry) => entry.name },
            { title: "reference", cell: (entry) => digits(entry.reference, 4) },
            { title: "simulated", cell: (entry) => digits(entry.simulated, 4) },
            { title: "unit", text: true, cell: (entry) => entry.unit },
            { title: "error", cell: (entry) => percent(entry.error) },
            { title: "tolerance", cell: (entry) => percent(entry.tolerance) },
            { title: "", cell: (entry) => (Math.abs(entry.error) <= entry.tolerance ? "\u2713" : "\u2717") },
            { title: "kind", text: true, cell: (entry) => entry.kind },
            { title: "source", text: true, wrap: true, cell: (entry) => entry.source },
          ],
          report.validation,
        ),
      );
}

function study() {
  return element(
    "section",
    { id: "study" },
    element("h2", {}, "The study"),
    folded("The study as it ran, as JSON", () =>
      element("pre", { tabindex: "0" }, JSON.stringify(report.study, null, 4)),
    ),
  );
}

// [section, its title in the contents, whether it stands below another]
function build() {
  const views = report.series.map(view);
  report.leftOut = leftOutOf(views);
  const open = views.length <= 2;
  const footer = element(
    "footer",
    {},
    `alxsim ${report.tool.version} (${report.tool.commit}); ran ${seconds(report.host.wall_seconds)} on ${count(report.host.threads, "thread")}. ` +
      "Times are simulated. Units are SI: 1 GB is 10\u2079 bytes.",
  );
  const sections = [
    [answerSection(views), "Answer"],
    [claims(), "Claims"],
    [coloursSection(), "Colours"],
    [seriesTable(views), "All series"],
    ...views.map((shownSeries, i) => [
      seriesSection(shownSeries, open || i === 0, views.length === 1),
      shownSeries.series.name,
      views.length > 1,
    ]),
    [criticalPathSection(views), "Critical path"],
    [searchSection(), "Search"],
    [assumptions(), "Assumptions"],
    [validation(), "Validation"],
    [glossarySection(), "Glossary"],
    [study(), "Study"],
  ].filter(([section]) => section);
  document.body.prepend(contents(sections.map(([section, words, inner]) => ({ id: section.id, title: words, inner }))));
  show(...sections.map(([section]) => section), footer);
  followReading();
  goToAnchor();
  addEventListener("hashchange", goToAnchor);
}

build();
