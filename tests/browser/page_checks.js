// SPDX-License-Identifier: Apache-2.0
// What a test asks of a page as it stands in the browser. Each function returns what is wrong, in words.

const isShown = (element) =>
  element.getClientRects().length > 0 &&
  getComputedStyle(element).visibility !== "hidden" &&
  element.closest("details:not([open]) > :not(summary)") === null;
const named = (element) =>
  `${element.tagName.toLowerCase()}${element.id ? "#" + element.id : ""}${element.className ? "." + String(element.className).replaceAll(" ", ".") : ""} "${(element.textContent || "").trim().slice(0, 40)}"`;

/// Canvases with nothing drawn on them: all pixels alike.
function blankCanvases() {
  const isBlank = (canvas) => {
    if (canvas.width === 0 || canvas.height === 0) {
      return true;
    }
    const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    let inked = 0;
    for (const pixel of pixels) {
      inked += pixel !== pixels[0] ? 1 : 0;
    }
    return inked < 500;
  };
  return [...document.querySelectorAll("canvas")]
    .filter(isShown)
    .filter(isBlank)
    .map((canvas) => canvas.getAttribute("aria-label"));
}

/// Charts whose data are not drawn as marks, lines or bars within their area.
function chartsWithoutData() {
  return charts
    .filter((entry) => entry.chart && isShown(entry.canvas))
    .filter(
      ({ chart }) =>
        !chart.data.datasets.some((set) =>
          set.data.some((value) => value !== null && value !== undefined && !Number.isNaN(value.y ?? value)),
        ),
    )
    .map(({ title }) => title);
}

/// What goes beyond the page or the box it is in, unless the box scrolls and says so.
function clipped() {
  const wrong = [];
  if (document.documentElement.scrollWidth > innerWidth) {
    wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
  }
  document.querySelectorAll("body *").forEach((element) => {
    if (!isShown(element) || element.closest("svg")) {
      return;
    }
    const scrolls = element.closest(".scroll, pre");
    const saysSo =
      scrolls && scrolls.tabIndex === 0 && (scrolls.tagName === "PRE" || isShown(scrolls.nextElementSibling));
    if (!saysSo && element.getBoundingClientRect().right > document.documentElement.clientWidth + 1) {
      wrong.push(`beyond the page: ${named(element)}`);
    }
    if (
      element.clientWidth > 0 &&
      element.scrollWidth > element.clientWidth + 1 &&
      !["inline", "contents"].includes(getComputedStyle(element).display)
    ) {
      const overflow = getComputedStyle(element).overflowX;
      if (overflow === "hidden" || overflow === "clip" || ((overflow === "auto" || overflow === "scroll") && !saysSo)) {
        wrong.push(`cut off: ${named(element)}`);
      }
    }
  });
  return wrong;
}

function rgbOf(colour) {
  const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
  return { r, g, b, a };
}
function luminanceOf({ r, g, b }) {
  const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}
function groundOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const colour = rgbOf(getComputedStyle(at).backgroundColor);
    if (colour.a === 1) {
      return colour;
    }
  }
  return { r: 255, g: 255, b: 255 };
}
function contrast(a, b) {
  const [high, low] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

/// Text that stands out from its ground by less than 4.5 (WCAG 2.1, 1.4.3).
function faintText() {
  const wrong = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (
      !walker.currentNode.data.trim() ||
      ["SCRIPT", "NOSCRIPT", "STYLE", "OPTION"].includes(element.tagName) ||
      !isShown(element)
    ) {
      continue;
    }
    const ratio = contrast(rgbOf(getComputedStyle(element).color), groundOf(element));
    if (ratio < 4.5) {
      wrong.add(`${ratio.toFixed(2)}: ${named(element)}`);
    }
  }
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = Chart.defaults.color;
  const ratio = contrast(rgbOf(getComputedStyle(probe).color), groundOf(document.body));
  probe.remove();
  if (ratio < 4.5) {
    wrong.add(`${ratio.toFixed(2)}: the words of charts`);
  }
  return [...wrong];
}

const interactive = "a[href], button, select, summary, input, [tabindex='0']";
/// Numbers each element that a mouse can use, from 0; how many there are.
function numberInteractive() {
  const list = [...document.querySelectorAll(interactive)].filter(isShown);
  list.forEach((element, i) => {
    element.dataset.number = i;
  });
  return list.length;
}
const focusedNumber = () => document.activeElement?.dataset?.number ?? null;
const namesOf = (numbers) => numbers.map((number) => named(document.querySelector(`[data-number='${number}']`)));

function unfoldAll() {
  for (
    let folded = [...document.querySelectorAll("details:not([open])")];
    folded.length > 0;
    folded = [...document.querySelectorAll("details:not([open])")]
  ) {
    folded.forEach((one) => {
      one.open = true;
      one.fill?.();
    });
  }
  drawPending();
  showScrolling();
}
