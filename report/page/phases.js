// SPDX-License-Identifier: Apache-2.0
// Phases and resources: each has one colour on every page, whatever else a report holds.

const shares = [
  { field: "compute_seconds", word: "compute", name: "compute", colour: colours.resources.compute },
  { field: "hbm_seconds", word: "hbm", name: "HBM", colour: colours.resources.hbm },
  {
    field: "communication_seconds",
    word: "communication",
    name: "communication",
    colour: colours.resources.communication,
  },
  { field: "host_seconds", word: "host", name: "host", colour: colours.resources.host },
  { field: "waiting_seconds", word: "waiting", name: "waiting for others", colour: colours.resources.waiting },
  { field: "idle_seconds", word: "idle", name: "idle", colour: colours.resources.idle },
];

// The same with row issue, which is no bandwidth, apart from the rest of HBM.
const shareParts = shares.flatMap((share) =>
  share.word === "hbm"
    ? [
        {
          word: "row issue",
          name: "row issue",
          colour: colours.resources["row issue"],
          of: (point) => point.row_issue_seconds || 0,
        },
        { ...share, of: (point) => (point.hbm_seconds || 0) - (point.row_issue_seconds || 0) },
      ]
    : [{ ...share, of: (point) => point[share.field] || 0 }],
);

// In the glossary's order, which is that of the program; then what it does not know, by name.
const phaseParts = (() => {
  const known = Object.keys(colours.phases);
  const names = unique(report.points.flatMap((point) => Object.keys(point.phases || {}))).sort((a, b) =>
    a < b ? -1 : 1,
  );
  const ordered = [...known.filter((name) => names.includes(name)), ...names.filter((name) => !known.includes(name))];
  const parts = [];
  ordered.forEach((name) =>
    parts.push({
      name,
      colour: colourOf(
        name,
        parts.map((part) => part.colour),
      ),
      of: (point) => point.phases[name] || 0,
    }),
  );
  return parts;
})();
const phaseColour = (name) => phaseParts.find((part) => part.name === name)?.colour || "#777777";

const swatch = (colour) => element("span", { class: "swatch", style: `background: ${colour}` });

// Colour, name and one line of meaning of every phase and resource that the report has.
function coloursSection() {
  const spent = (part) => report.points.some((point) => point.epoch_seconds !== undefined && part.of(point) > 0);
  const line = (section, word) => (part) => [
    element("dt", {}, swatch(part.colour), part.name),
    element("dd", {}, glossary.get(section)?.get(word(part)) || "a phase of the study\u2019s own program."),
  ];
  const list = (title, parts, section, word) =>
    parts.length === 0
      ? null
      : element(
          "div",
          {},
          element("h3", {}, title),
          element("dl", { class: "colours" }, parts.flatMap(line(section, word))),
        );
  const phases = phaseParts.filter(spent);
  return phases.length === 0
    ? null
    : element(
        "section",
        { id: "colours" },
        element("h2", {}, "What the colours mean"),
        element(
          "p",
          { class: "note" },
          `The time of ${anInterval} is split twice along its critical path: by phase, what was being done, and by resource, what it waited for. Each split adds up to the whole.`,
        ),
        list("Phases", phases, "Phases", (part) => part.name),
        list("Resources", shareParts.filter(spent), "Shares", (part) => part.word),
      );
}
