// SPDX-License-Identifier: Apache-2.0
// What became of the study's claims, in sentences: a share of the draws is a share of what is possible.

const verdictOf = (claim) =>
  claim.verdict || { true: "held", false: "refuted", null: "nothing to judge" }[String(claim.holds)];

// "undecided: true in 54 % of what is possible"; without draws the verdict alone.
function verdictWords(claim) {
  const verdict = verdictOf(claim);
  const still = claim.not_flat_yet_share > 0 ? `, still falling in ${percent(claim.not_flat_yet_share)}` : "";
  return claim.share === undefined
    ? verdict
    : `${verdict}: true in ${percent(claim.share)} of what is possible${verdict === "not flat yet" ? still : ""}`;
}

const drawsWords = (list) => {
  const draws = unique(list.map((claim) => claim.draws).filter((number) => number > 1));
  return draws.length === 0
    ? ""
    : ` What is possible: ${draws.map((one) => digits(one)).join(" and ")} draws of all uncertain inputs.`;
};

const mostClaims = 6; // told one by one

// Of the answer: what became of each, or how many came to what.
function claimsAnswer() {
  const all = report.hypotheses;
  if (all.length === 0) {
    return null;
  }
  const counts = [...groupBy(all, verdictOf)].map(([verdict, same]) => `${digits(same.length)} ${verdict}`);
  const link = (words) => element("a", { href: "#claims" }, words);
  return element(
    "div",
    { class: "verdicts" },
    all.length > mostClaims
      ? element("p", {}, "Of the study\u2019s ", link(`${digits(all.length)} claims`), `: ${counts.join(", ")}.`)
      : element(
          "ul",
          {},
          all.map((claim) => element("li", {}, link(claim.name), ` \u2013 ${withUnits(verdictWords(claim))}.`)),
        ),
  );
}

function claims() {
  const signs = { held: "\u2713 ", refuted: "\u2717 " };
  return report.hypotheses.length === 0
    ? null
    : element(
        "section",
        { id: "claims" },
        element("h2", {}, "Claims"),
        element(
          "p",
          { class: "note" },
          `A claim is held if it is true in 95 % of what is possible, refuted if in 5 % at most.${drawsWords(report.hypotheses)}`,
        ),
        element(
          "div",
          { class: "claims" },
          report.hypotheses.map((claim) => {
            const verdict = verdictOf(claim);
            return element(
              "div",
              { class: `claim ${signs[verdict] ? verdict : ""}` },
              element("span", { class: "verdict" }, (signs[verdict] || "") + verdictWords(claim)),
              element("b", {}, claim.name),
              element(
                "p",
                {},
                claim.claim === "linear_then_flat"
                  ? `${sentence(interval)} time falls nearly linearly up to a sweet spot, then flattens.`
                  : claim.claim,
              ),
              claim.figures.why ? element("p", { class: "soft" }, typeset(claim.figures.why)) : null,
            );
          }),
        ),
      );
}
