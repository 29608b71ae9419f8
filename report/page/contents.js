// SPDX-License-Identifier: Apache-2.0
// Contents that stay in view, sections that fold, and anchors that open what they name.

const anchors = new Map();
// One for each name; names that come to the same get a number.
function anchorOf(name) {
  if (!anchors.has(name)) {
    const plain =
      "series-" +
      (name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "") || "x");
    const taken = [...anchors.values()];
    anchors.set(name, taken.includes(plain) ? `${plain}-${taken.length}` : plain);
  }
  return anchors.get(name);
}

// A section under a heading, folded unless `open`; `beside` stands next to the heading.
function foldedSection({ id, heading, beside = [], open, printed, make }) {
  const made = folded(element("span", {}), make, {
    id,
    class: `fold${printed ? " printed" : ""}`,
    ...(open ? { open: "" } : {}),
  });
  made.querySelector("summary").replaceChildren(element("h2", {}, heading), ...beside.filter(Boolean));
  return made;
}

function contents(sections) {
  const links = sections.map(({ id, title, inner }) =>
    element("li", inner ? { class: "inner" } : {}, element("a", { href: `#${id}` }, title)),
  );
  const list = element("details", { class: "contents" }, element("summary", {}, "Contents"), element("ul", {}, links));
  const wide = matchMedia("(min-width: 1100px)");
  const fit = () => {
    list.open = wide.matches;
  };
  fit();
  wide.addEventListener("change", fit);
  list.addEventListener("click", ({ target }) => {
    if (target.tagName === "A" && !wide.matches) {
      list.open = false;
    }
  });
  return element("nav", { "aria-label": "Contents" }, list);
}

// Opens what the address names, and goes there.
function goToAnchor() {
  const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (!target) {
    return;
  }
  if (target.tagName === "DETAILS") {
    target.open = true;
    target.fill?.();
    drawPending();
  }
  target.scrollIntoView();
}

// Marks in the contents what is being read.
function followReading() {
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const places = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const mark = () => {
    const above = places.filter((place) => place.getBoundingClientRect().top < 120);
    const current = above.length > 0 ? last(above).id : first(places)?.id;
    links.forEach((link, id) => {
      if (id === current) {
        link.setAttribute("aria-current", "true");
      } else {
        link.removeAttribute("aria-current");
      }
    });
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}
