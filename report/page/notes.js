// SPDX-License-Identifier: Apache-2.0
// What is to be kept in mind of the figures, each said once: broken parts, hosts that hold the devices up, notes.

// As the study has them for a point of a series.
function faultsOf(point) {
  const set = (report.study.series || []).find((one) => one.name === point.series)?.set || {};
  const places = [point.sweep, set].map((one) => one?.["/machine/faults"] ?? one?.["/machine"]?.faults);
  return places.find(Array.isArray) ?? report.study.machine?.faults ?? [];
}

// [words, names of series] in the order in which they come.
function told(views, wordsOf) {
  const found = views.flatMap((shownSeries) =>
    unique(wordsOf(shownSeries)).map((words) => [words, shownSeries.series.name]),
  );
  return [...groupBy(found, first)].map(([words, same]) => [words, same.map(last)]);
}

// Where hosts hold devices up, the series in which they do so most speaks for the others.
function hostWords(views) {
  const held = views.map((one) => [one, heldByHosts(one.fitting)]).filter(([, worst]) => worst !== null);
  if (held.length === 0) {
    return [];
  }
  const [[shownSeries, worst]] = held.sort(([, a], [, b]) => infeedShare(b) - infeedShare(a));
  const others = held.length > 1 ? ` They do so in ${digits(held.length - 1)} other series, too.` : "";
  return [[inputWords(worst) + others, [shownSeries.series.name]]];
}

const mostNotes = 5;

function notesList(views) {
  const drawn = views.filter(({ fitting }) => fitting.length > 0);
  const notes = told(drawn, ({ points }) =>
    points.flatMap((point) => point.notes || []).map((note) => `${sentence(note)}.`),
  );
  const assumed = ([words]) => words.startsWith("Assumed");
  const all = [
    ...told(drawn, ({ points }) => points.flatMap((point) => brokenWords(point, faultsOf(point)))),
    ...hostWords(drawn),
    ...notes.filter((one) => !assumed(one)),
    ...notes.filter(assumed),
  ];
  if (all.length === 0) {
    return null;
  }
  const item = ([words, names]) =>
    element(
      "li",
      {},
      withUnits(typeset(words)),
      names.length < drawn.length ? element("span", { class: "soft" }, ` (${names.join(", ")})`) : null,
    );
  const list = (some) => element("ul", {}, some.map(item));
  const { first: kinds, rest } = alike(all, first);
  const more = [...kinds.slice(mostNotes), ...rest];
  return element(
    "div",
    { class: "mind" },
    element("h2", {}, "To keep in mind"),
    list(kinds.slice(0, mostNotes)),
    more.length > 0 ? folded(`${digits(more.length)} more`, () => list(more)) : null,
  );
}
