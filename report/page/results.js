// SPDX-License-Identifier: Apache-2.0
// What runs found beside their metrics, by the names that their workload gives it.

// [name, value] of numbers, words and flags, those of inner objects as "solution sum"; lists stand in report.json alone.
function flatResults(results, before = "") {
  return Object.entries(results || {}).flatMap(([name, value]) => {
    const words = `${before}${name.replaceAll("_", " ")}`;
    return Array.isArray(value)
      ? []
      : typeof value === "object" && value !== null
        ? flatResults(value, `${words} `)
        : [[words, value]];
  });
}

function resultsTable({ fitting, label }) {
  const found = new Map(fitting.map((point) => [point, new Map(flatResults(point.results))]));
  const names = unique([...found.values()].flatMap((results) => [...results.keys()]));
  const cell = (value) =>
    typeof value === "number" ? digits(value, 6) : value === undefined || value === null ? "" : String(value);
  return names.length === 0
    ? null
    : folded("Results", () =>
        table(
          `What the runs found.${fitting.length > mostColumns ? ` ${mostColumns} points of ${fitting.length}.` : ""}`,
          [
            { title: "", text: true, cell: (name) => name },
            ...thinned(fitting, mostColumns).map((point) => ({
              title: label(point),
              cell: (name) => cell(found.get(point).get(name)),
            })),
          ],
          names,
        ),
      );
}
