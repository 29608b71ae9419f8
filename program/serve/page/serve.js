// SPDX-License-Identifier: Apache-2.0
// What the page asks the program for, and when: the curve while something is dragged, band and
// what-ifs once it rests, a simulation when it is asked for.
"use strict";

(() => {
  const restMilliseconds = 350;
  const pollMilliseconds = 400;
  const mostOthers = 8; // curves that are drawn together unasked
  const at = (id) => document.getElementById(id);

  let series = "";
  let told; // the controls
  let curve = null; // what is drawn
  let curveKey = ""; // of which settings
  let pins = []; // {name, curve}
  let confirmed = null; // {key, report}
  const others = new Map(); // name of a curve -> it as the study has it; null: there is none

  // ---- requests

  async function ask(what, body) {
    const response = await fetch(
      what,
      body === undefined
        ? {}
        : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) },
    );
    const answer = await response.json();
    if (!response.ok) {
      throw Object.assign(new Error(answer.error), { status: response.status });
    }
    return answer;
  }

  const scenario = () => ({ series, set: Settings.current() });
  const keyOf = (request) => JSON.stringify(request);

  // What a confirmation runs and a study saves.
  function runScenario() {
    const { set } = scenario();
    const more = { "/fidelity": at("fidelity").value };
    if (!at("numerics-label").hidden) {
      more["/numerics"] = at("numerics").checked;
    }
    return { series, set: { ...set, ...more } };
  }

  function problem(text, ended = false) {
    at("problem").textContent = text;
    at("problem").hidden = text === "";
    at("result").classList.toggle("old", ended);
  }

  // What no entry is to blame for. A page whose program has ended says so.
  function failed(error) {
    problem(
      error.status ? error.message : "The program 'alxsim serve' does not answer; it has ended, perhaps.",
      !error.status,
    );
    if (!curve) {
      at("study").textContent = "The study cannot be shown";
    }
  }

  // ---- the curve

  let wanted = false;
  let asking = false;
  let resting;

  function redraw() {
    if (!curve) {
      return;
    }
    const simulated = confirmed && confirmed.key === curveKey ? confirmed.report : null;
    const shownOthers = at("all-series").checked ? [...others].filter(([name, one]) => name !== series && one) : [];
    at("others-note").textContent = Drawing.curves(curve, pins, simulated, shownOthers, told.curves);
    at("points").replaceChildren(Drawing.pointsTable(curve, simulated));
  }

  function drawAnswer(answer, key, words) {
    curve = answer;
    curveKey = key;
    problem("");
    redraw();
    Drawing.phases(curve);
    at("headline").textContent = Drawing.headline(curve, pins);
    at("left-out").replaceChildren(...Drawing.leftOut(curve));
    at("mind").replaceChildren(...Drawing.notes(curve));
    at("minding").hidden = at("mind").children.length === 0;
    at("words").innerHTML = words; // of a Document, which escapes what is in it
    offerPoints();
    at("result").dataset.key = key; // what is shown, for tests
  }

  // One request at a time: what was dragged over meanwhile is left out.
  async function refresh() {
    wanted = true;
    clearTimeout(resting);
    if (asking) {
      return;
    }
    asking = true;
    while (wanted) {
      wanted = false;
      const request = scenario();
      const state = Settings.snapshot();
      try {
        const answer = await ask("curve", { ...request, detail: "quick" });
        Settings.accept(state);
        drawAnswer(answer, keyOf(request), answer.words);
        at("result").dataset.detail = "quick";
      } catch (error) {
        if (error.status === 422 && curve && Settings.reject(state, error.message)) {
          wanted = wanted || !Settings.allTried(); // what else was changed meanwhile
        } else {
          failed(error);
        }
      }
    }
    await readOthers();
    asking = false;
    if (wanted) {
      refresh();
    } else {
      resting = setTimeout(complete, restMilliseconds);
    }
  }

  // The study's other curves, each once, as the study has them.
  async function readOthers() {
    if (!at("all-series").checked) {
      return;
    }
    for (const name of told.curves.filter((one) => one !== series && !others.has(one))) {
      if (wanted) {
        return;
      }
      try {
        others.set(name, await ask("curve", { series: name, set: {}, detail: "quick" }));
      } catch {
        others.set(name, null);
      }
    }
    redraw();
  }

  async function complete() {
    const request = scenario();
    if (at("result").classList.contains("old") || !curve) {
      return;
    }
    try {
      const answer = await ask("curve", { ...request, detail: "full" });
      if (keyOf(request) === keyOf(scenario()) && !asking) {
        drawAnswer(answer, keyOf(request), answer.words);
        at("result").dataset.detail = "full";
      }
    } catch (error) {
      if (error.status === 409) {
        resting = setTimeout(complete, 2 * restMilliseconds); // another page was quicker
      } else {
        failed(error);
      }
    }
  }

  // ---- what can be set

  async function readControls(chosen) {
    const state = Settings.snapshot();
    try {
      told = await ask("study", { series: chosen ?? series, set: Settings.structural() });
    } catch (error) {
      if (error.status === 422 && told && chosen !== undefined && chosen !== series) {
        Settings.rejectSeries(error.message);
      } else if (error.status !== 422 || !told || !Settings.reject(state, error.message)) {
        failed(error);
      }
      return;
    }
    if (chosen !== undefined && chosen !== series) {
      pins = [];
      showPins();
      Settings.accept(Settings.snapshot());
    }
    series = told.chosen;
    at("study").textContent = told.study;
    at("about").textContent =
      "Curves are the analytic model's, at once; band and what-ifs (256 draws of all uncertain inputs) follow when you pause.";
    at("fidelity").value = told.fidelity;
    at("numerics-label").hidden = !told.numerics;
    at("numerics").checked = told.numerics;
    if (at("all-series-label").hidden) {
      at("all-series-label").hidden = told.curves.length < 2;
      at("all-series").checked = told.curves.length > 1 && told.curves.length <= mostOthers;
    }
    Settings.show(told, changed);
    refresh();
  }

  function changed(structural, chosen) {
    if (structural) {
      readControls(chosen);
    } else {
      refresh();
    }
  }

  // ---- pins

  function showPins() {
    at("pins").replaceChildren(
      ...pins.map((pin) => {
        const remove = element(
          "button",
          { type: "button", class: "small", "aria-label": `Remove ${pin.name}` },
          "\u00d7",
        );
        remove.addEventListener("click", () => {
          pins = pins.filter((other) => other !== pin);
          showPins();
          redraw();
        });
        return element("li", {}, remove, element("span", {}, pin.name));
      }),
    );
  }

  at("pin").addEventListener("click", () => {
    if (!curve) {
      return;
    }
    pins.push({ name: Settings.inWords(), curve });
    showPins();
    redraw();
  });

  at("all-series").addEventListener("change", () => {
    redraw();
    refresh();
  });

  at("reset").addEventListener("click", () => {
    Settings.clear();
    readControls();
  });

  // ---- SystemC

  function offerPoints() {
    const list = at("confirm-points");
    const labels = curve.points.map(Drawing.label);
    if (list.dataset.labels === labels.join("|")) {
      return;
    }
    list.dataset.labels = labels.join("|");
    list.replaceChildren(
      element("option", { value: "all" }, "all"),
      ...labels.map((words, i) => element("option", { value: i }, words)),
    );
  }

  function showConfirmation(status, key) {
    const running = status.state === "running";
    at("confirm").disabled = running;
    at("cancel").hidden = !running;
    at("progress").hidden = !running;
    at("progress").value = status.share || 0;
    const took = `${digits(status.seconds)} s`;
    at("confirmation").textContent =
      {
        running: `Simulating ${count(status.points, "point")}: ${percent(status.share)}.`,
        done: `Simulated ${count(status.points, "point")} in ${took}.`,
        cancelled: `Cancelled after ${took}.`,
        failed: `The simulation failed: ${status.problem}`,
      }[status.state] || "";
    at("confirmation").dataset.state = status.state;
    if (status.report) {
      confirmed = { key, report: status.report };
      redraw();
    }
  }

  async function follow(key) {
    for (;;) {
      const status = await ask("confirm");
      showConfirmation(status, key);
      if (status.state !== "running") {
        return;
      }
      await new Promise((done) => setTimeout(done, pollMilliseconds));
    }
  }

  at("confirm").addEventListener("click", async () => {
    const key = keyOf(scenario());
    const chosen = at("confirm-points").value;
    try {
      showConfirmation(
        await ask("confirm", { ...runScenario(), ...(chosen === "all" ? {} : { points: [Number(chosen)] }) }),
        key,
      );
      at("cancel").focus();
      await follow(key);
    } catch (error) {
      at("confirmation").textContent = error.message;
    }
  });

  at("cancel").addEventListener("click", async () => {
    await ask("cancel", {});
    at("confirm").focus();
  });

  // ---- saving

  function download(name, text) {
    const link = element("a", {
      href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
      download: name,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function save(more, act) {
    try {
      const answer = await ask("save", { ...runScenario(), ...more });
      act(answer);
    } catch (error) {
      at("saved").textContent = error.message;
    }
  }

  at("download").addEventListener("click", () =>
    save({}, ({ name, text }) => {
      download(name, text);
      at("saved").textContent = `Downloaded. Run it with: alxsim run ${name} -o out`;
    }),
  );
  at("write").addEventListener("click", () =>
    save({ file: at("file").value.trim() }, ({ name }) => {
      at("saved").textContent = `Written. Run it with: alxsim run ${name} -o out`;
    }),
  );

  at("controls").addEventListener("submit", (event) => event.preventDefault());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    redraw();
    if (curve) {
      Drawing.phases(curve);
    }
  });

  readControls();
})();
