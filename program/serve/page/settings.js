// SPDX-License-Identifier: Apache-2.0
// What is set: the controls, and the values that they stand for, by JSON pointer.
"use strict";

const Settings = (() => {
  const steps = 200;
  const coresPointer = "/sweep/~1machine~1cores";

  let controls; // as the program tells them
  let changed; // called after each change; argument: whether the controls themselves depend on it
  const structure = {}; // pointer -> value: chip, cores
  const values = {}; // pointer -> value: sliders
  const options = {}; // name of a choice -> option
  const free = {}; // pointer -> value: what was typed
  let fields = []; // {pointers, owns, box, problem}
  const parts = { structure, values, options, free };
  let good = { structure: {}, values: {}, options: {}, free: {} }; // what gave the curve that is shown

  // ---- numbers for people

  // "gather row" of gather_row_s: its values have units of their own.
  const nameOf = (slider) => slider.key.replace(/_(s|hz|bytes)$/, "").replaceAll("_", " ");

  function quantity(value, unit) {
    if (typeof value === "boolean") {
      return value ? "yes" : "no";
    }
    if (unit === "s") {
      return seconds(value);
    }
    if (/^(B|bytes?)(\/s.*)?$/i.test(unit)) {
      return bytes(value) + unit.replace(/^(B|bytes?)/i, "");
    }
    const [size, letter] = [
      [1e12, "T"],
      [1e9, "G"],
      [1e6, "M"],
    ].find(([least]) => Math.abs(value) >= least) || [1, ""];
    return `${digits(value / size, 4)}${letter && " " + letter}${unit && unit !== "1" ? (letter ? "" : " ") + unit : ""}`;
  }

  // ---- one control

  // `owns`: what it sets, [part, key] of each; `pointers`: by which messages name it.
  function control(pointers, owns, ...inside) {
    const problem = element("p", { class: "problem", role: "alert", hidden: "" });
    const box = element("div", { class: "control" }, ...inside, problem);
    box.classList.toggle("row", inside.length === 2 && inside[1].tagName === "SELECT");
    const field = { pointers, owns, box, problem };
    fields.push(field);
    ["input", "change"].forEach((kind) => box.addEventListener(kind, () => mark(field, ""), true));
    return box;
  }

  let made = 0;
  const newId = () => `control-${++made}`;

  function selectControl(words, pointers, owns, choices, chosen, act) {
    const id = newId();
    const list = element(
      "select",
      { id },
      choices.map(([value, text, title]) => element("option", { value, ...(title ? { title } : {}) }, text)),
    );
    list.value = chosen;
    list.addEventListener("change", () => act(list.value));
    return control(pointers, owns, element("label", { for: id }, element("span", {}, words)), list);
  }

  // Values along the slider: by ratio where the ends are far apart.
  function scaleOf({ low, high, value }) {
    const byRatio = low > 0 && high / low >= 4;
    const at = (place) => (byRatio ? low * (high / low) ** (place / steps) : low + ((high - low) * place) / steps);
    const placeOf = (number) =>
      Math.round(steps * (byRatio ? Math.log(number / low) / Math.log(high / low) : (number - low) / (high - low)));
    const whole = [low, high, value].every(Number.isInteger);
    const shown = (place) =>
      place <= 0 ? low : place >= steps ? high : whole ? Math.round(at(place)) : Number(at(place).toPrecision(4));
    return { at: shown, placeOf: (number) => Math.min(steps, Math.max(0, placeOf(number))) };
  }

  function sliderControl(slider) {
    const id = newId();
    const { pointer, value, low, high, unit } = slider;
    const scale = scaleOf(slider);
    const home = scale.placeOf(value);
    const range = element("input", {
      type: "range",
      id,
      min: 0,
      max: steps,
      step: 1,
      "data-pointer": pointer,
      title: `${slider.kind}: ${slider.source}`,
    });
    const output = element("output", { for: id });
    const back = element(
      "button",
      { type: "button", class: "small", "aria-label": `Reset ${slider.key}`, title: "as in the study" },
      "\u21ba",
    );
    const box = control(
      [pointer],
      [["values", pointer]],
      element("label", { for: id }, element("span", {}, nameOf(slider)), output),
      element("div", { class: "range" }, range, back),
      element(
        "div",
        { class: "ends", "aria-hidden": "true" },
        element("span", {}, quantity(low, unit)),
        element("span", {}, slider.uncertain ? "" : "what if"),
        element("span", {}, quantity(high, unit)),
      ),
    );
    const show = () => {
      const number = values[pointer] ?? value;
      output.textContent = quantity(number, unit);
      range.setAttribute("aria-valuetext", quantity(number, unit));
      box.classList.toggle("changed", pointer in values);
      back.hidden = !(pointer in values);
    };
    range.value = scale.placeOf(values[pointer] ?? value);
    range.addEventListener("input", () => {
      const place = Number(range.value);
      if (place === home) {
        delete values[pointer];
      } else {
        values[pointer] = scale.at(place);
      }
      show();
      changed(false);
    });
    back.addEventListener("click", () => {
      delete values[pointer];
      range.value = home;
      show();
      range.focus();
      changed(false);
    });
    show();
    return box;
  }

  function flagControl(slider) {
    const id = newId();
    const box = element("input", {
      type: "checkbox",
      id,
      "data-pointer": slider.pointer,
      title: `${slider.kind}: ${slider.source}`,
    });
    box.checked = values[slider.pointer] ?? slider.value;
    box.addEventListener("change", () => {
      if (box.checked === slider.value) {
        delete values[slider.pointer];
      } else {
        values[slider.pointer] = box.checked;
      }
      changed(false);
    });
    return control(
      [slider.pointer],
      [["values", slider.pointer]],
      element("label", { for: id }, element("span", {}, nameOf(slider)), box),
    );
  }

  const numberControl = (slider) => (typeof slider.value === "boolean" ? flagControl(slider) : sliderControl(slider));

  // ---- groups of controls

  function coresControl() {
    const id = newId();
    const text = element("input", {
      type: "text",
      id,
      inputmode: "numeric",
      spellcheck: "false",
      "data-pointer": coresPointer,
    });
    text.value = (structure[coresPointer] ?? controls.cores).join(", ");
    text.addEventListener("change", () => {
      const words = text.value.split(/[\s,;]+/).filter(Boolean);
      const wrong = words.filter((word) => !/^[1-9]\d*$/.test(word));
      if (words.length === 0 || wrong.length > 0) {
        const found = `Found ${wrong.map((word) => `\u201c${word}\u201d`).join(", ")}; allowed`;
        mark(
          field,
          `${words.length === 0 ? "Empty" : found}: whole numbers from 1 on, a point each, such as 32, 64, 128.`,
        );
        return;
      }
      structure[coresPointer] = words.map(Number);
      changed(true);
    });
    const box = control(
      [coresPointer, "/sweep", "/machine/cores"],
      [["structure", coresPointer]],
      element("label", { for: id }, element("span", {}, "TensorCores, a point each")),
      text,
    );
    const field = last(fields);
    return box;
  }

  function jobGroup() {
    const series =
      controls.curves.length > 1
        ? selectControl(
            "curve",
            ["/series"],
            [["series", ""]],
            controls.curves.map((name) => [name, name]),
            controls.chosen,
            (name) => {
              clear();
              changed(true, name);
            },
          )
        : null;
    const chip = selectControl(
      "chip",
      ["/machine/chip"],
      [["structure", "/machine/chip"]],
      controls.chips.map((name) => [name, name]),
      controls.chip,
      (name) => {
        Object.keys(values).forEach((pointer) => delete values[pointer]); // of the other chip
        structure["/machine/chip"] = name;
        changed(true);
      },
    );
    // Values of the chip before go with it.
    last(fields).ownsNow = () =>
      Object.keys(good.values)
        .filter((pointer) => !(pointer in values))
        .map((pointer) => ["values", pointer]);
    return element(
      "fieldset",
      {},
      element("legend", {}, "Job and machine"),
      series,
      chip,
      controls.cores ? coresControl() : null,
    );
  }

  function choicesGroup() {
    if (controls.selectors.length === 0) {
      return null;
    }
    return element(
      "fieldset",
      {},
      element("legend", {}, "Choices"),
      controls.selectors.map((selector) => {
        const pointers = selector.options.flatMap((option) => Object.keys(option.set));
        const name = selector.name.replaceAll("_", " ");
        const beginnings = [`${selector.name} `, `${name} `, `row ${name} `];
        const short = (words) => words.slice(beginnings.find((one) => words.startsWith(one))?.length ?? 0);
        const choices = selector.options.map((option, i) => [
          i,
          i === 0 ? selector.words : short(option.words),
          option.effect,
        ]);
        const kept = selector.options.findIndex((option) => option.words === options[selector.name]?.words);
        if (kept < 0) {
          delete options[selector.name];
        }
        return selectControl(
          name,
          [...new Set(pointers)],
          [["options", selector.name]],
          choices,
          Math.max(kept, 0),
          (place) => {
            if (Number(place) === 0) {
              delete options[selector.name];
            } else {
              options[selector.name] = selector.options[place];
            }
            changed(false);
          },
        );
      }),
      controls.cores && controls.cores.length > 1
        ? element("p", { class: "note" }, "Slices can be chosen with one core count alone.")
        : null,
    );
  }

  const shownSliders = 6;
  const ofTheNetwork = ["ici_link_bw_oneway", "ici_hop_latency_s", "collective_launch_s"];

  function numbersGroup() {
    const network = ofTheNetwork.flatMap((key) => controls.sliders.filter((slider) => slider.key === key));
    const matters = [
      ...network,
      ...controls.sliders.filter((slider) => (slider.swing || 1) > 1.001 && !network.includes(slider)),
    ].slice(0, shownSliders);
    const others = controls.sliders.filter((slider) => !matters.includes(slider));
    const whatIfs = others.filter((slider) => !slider.uncertain);
    const rest = others.filter((slider) => slider.uncertain);
    const fold = (words, sliders) =>
      sliders.length === 0
        ? null
        : element("details", {}, element("summary", {}, `${words} (${sliders.length})`), sliders.map(numberControl));
    return element(
      "fieldset",
      {},
      element("legend", {}, "Numbers of the machine"),
      element(
        "p",
        { class: "note" },
        `The network's first, then uncertain ones by how much they matter at ${controls.at}; a slider's ends are the band, or a quarter to four times of a known value.`,
      ),
      matters.map(numberControl),
      fold("Known values, a quarter to four times", whatIfs),
      fold("Other uncertain values", rest),
      controls.band_only.length === 0
        ? null
        : element(
            "p",
            { class: "note" },
            `In the band alone, because no study sets them: ${controls.band_only.join(", ")}.`,
          ),
    );
  }

  // Chooses what says the same of `pointer`; false if no choice does.
  function choose(pointer, value) {
    const says = (option) => same(option.set, { [pointer]: value });
    const selector = controls.selectors.find((one) => one.options.some(says));
    if (!selector) {
      return false;
    }
    const place = selector.options.findIndex(says);
    if (place === 0) {
      delete options[selector.name];
    } else {
      options[selector.name] = selector.options[place];
    }
    const list = fields.find((field) => field.owns.some((own) => same(own, ["options", selector.name])));
    list.box.querySelector("select").value = place;
    mark(list, "");
    return true;
  }

  // What --set takes.
  function freeGroup() {
    const id = newId();
    const text = element("input", { type: "text", id, spellcheck: "false", placeholder: "/seed=2" });
    const list = element("ul", { class: "note" });
    const show = () =>
      list.replaceChildren(
        ...Object.entries(free).map(([pointer, value]) => {
          const remove = element(
            "button",
            { type: "button", class: "small", "aria-label": `Remove ${pointer}` },
            "\u00d7",
          );
          remove.addEventListener("click", () => {
            delete free[pointer];
            show();
            changed(false);
          });
          return element("li", {}, `${pointer} = ${shown(value)} `, remove);
        }),
      );
    const set = () => {
      const [, pointer, value] = text.value.trim().match(/^(\/[^=]*)=(.*)$/s) || [];
      if (!pointer) {
        mark(field, `Found \u201c${text.value.trim()}\u201d; allowed: a place and a value, /json/pointer=value.`);
        return;
      }
      let read = value;
      try {
        read = JSON.parse(value);
      } catch {
        // words
      }
      if (choose(pointer, read)) {
        delete free[pointer];
      } else {
        free[pointer] = read;
      }
      text.value = "";
      show();
      changed(false);
    };
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        set();
      }
    });
    const button = element("button", { type: "button" }, "Set");
    button.addEventListener("click", set);
    const box = control(
      [],
      [],
      element("label", { for: id }, element("span", {}, "any value of the study, as --set takes it")),
      text,
      button,
    );
    const field = last(fields);
    field.pointersNow = () => Object.keys(free);
    field.ownsNow = () => Object.keys(free).map((pointer) => ["free", pointer]);
    field.restored = (taken) => {
      text.value = Object.entries(taken)
        .map(([pointer, value]) => `${pointer}=${shown(value)}`)
        .join(" ");
      show();
    };
    show();
    return element("fieldset", {}, element("legend", {}, "Anything else"), box, list);
  }

  // ---- wrong entries: marked where they stand, while all else goes on with what was there before

  function mark({ box, problem }, text) {
    problem.textContent = text;
    problem.hidden = text === "";
    box.querySelectorAll("input, select").forEach((input) => input.setAttribute("aria-invalid", text !== ""));
  }

  const snapshot = () => Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, { ...part }]));
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  function put(part, key, value) {
    if (value === undefined) {
      delete part[key];
    } else {
      part[key] = value;
    }
  }

  // What these settings have that gave no curve yet, [part, key] of each.
  const untried = (state) =>
    Object.keys(parts).flatMap((name) =>
      unique([...Object.keys(state[name]), ...Object.keys(good[name])])
        .filter((key) => !same(state[name][key], good[name][key]))
        .map((key) => [name, key]),
    );

  // "Found \u2026; allowed: \u2026" without the file and the place, which is the field's.
  function plain(message) {
    const from = message.indexOf(": /");
    const told = (from < 0 ? message : message.slice(from + 2))
      .replace(/^\/\S*: /, "")
      .replace(/^\S+\.jsonc?: /, "")
      .replace(/ \(in point '.*'\)$/, "");
    return told[0].toUpperCase() + told.slice(1);
  }

  // The field among those that own one of the keys, which the message names best.
  function fieldOf(message, keys) {
    const owns = (field) =>
      [...field.owns, ...(field.ownsNow?.() || [])].some((one) => keys.some((key) => same(one, key)));
    const named = (field) =>
      Math.max(
        0,
        ...[...field.pointers, ...(field.pointersNow?.() || [])]
          .filter(
            (pointer) =>
              message.includes(pointer.replaceAll("~1", "/").replace("/sweep//", "/")) || message.includes(pointer),
          )
          .map((pointer) => pointer.length),
      );
    const byItself = (field) => Number(field.owns.some((one) => keys.some((key) => same(one, key))));
    return fields.filter(owns).sort((x, y) => named(y) - named(x) || byItself(y) - byItself(x))[0];
  }

  // `state` gave a curve.
  const accept = (state) => {
    good = state;
  };

  // `state` was refused: what is new in it, at the field that the message names, is taken back, and the field marked.
  // False if nothing is new, so that no entry is to blame.
  function reject(state, message) {
    const fresh = untried(state);
    if (fresh.length === 0) {
      return false;
    }
    const field = fieldOf(message, fresh);
    const own = field ? [...field.owns, ...(field.ownsNow?.() || [])] : fresh;
    const taken = fresh.filter((key) => own.some((one) => same(one, key)));
    taken.forEach(([name, key]) => {
      if (same(parts[name][key], state[name][key])) {
        put(parts[name], key, good[name][key]);
      }
    });
    if (field) {
      field.restored?.(Object.fromEntries(taken.map(([name, key]) => [key, state[name][key]])));
      mark(
        field,
        `${plain(message)} The curve keeps what was set before.`.replace(/([^.]) The curve/, "$1. The curve"),
      );
    }
    return field !== undefined;
  }

  // Another curve of the study could not be shown.
  function rejectSeries(message) {
    Object.entries(parts).forEach(([name, part]) => {
      Object.keys(part).forEach((key) => delete part[key]);
      Object.assign(part, good[name]);
    });
    const field = fieldOf(message, [["series", ""]]);
    if (field) {
      mark(field, plain(message));
    }
  }

  // ---- what others see

  function clear() {
    [structure, values, options, free].forEach((part) => Object.keys(part).forEach((key) => delete part[key]));
  }

  function show(told, act) {
    controls = told;
    changed = act;
    fields = [];
    const focused = document.activeElement?.dataset?.pointer;
    document
      .getElementById("controls")
      .replaceChildren(...[jobGroup(), numbersGroup(), choicesGroup(), freeGroup()].filter(Boolean));
    if (focused) {
      document.querySelector(`[data-pointer="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  // pointer -> value, as the program takes them.
  function current() {
    const chosen = Object.values(options);
    return Object.assign(
      {},
      structure,
      chosen.length > 0 ? controls.pinned : {},
      ...chosen.map((option) => option.set),
      values,
      free,
    );
  }

  function inWords() {
    const ends = Object.entries({ ...values, ...free }).map(
      ([pointer, value]) => `${last(pointer.split("/")).replaceAll("_", " ")} ${quantityAt(pointer, value)}`,
    );
    const machine = structure["/machine/chip"] ? [structure["/machine/chip"]] : [];
    return (
      [...machine, ...Object.values(options).map((option) => option.words), ...ends].join(", ") || "as in the study"
    );
  }

  function quantityAt(pointer, value) {
    const slider = controls.sliders.find((one) => one.pointer === pointer);
    return slider && typeof value === "number" ? quantity(value, slider.unit) : shown(value);
  }

  return {
    show,
    clear,
    current,
    inWords,
    snapshot,
    accept,
    reject,
    rejectSeries,
    allTried: () => untried(snapshot()).length === 0,
    structural: () => ({ ...structure }),
  };
})();
