// Reads the data, draws the sections that it has, and draws pictures again when the width or the colours change.

const ORDER = ["simulation", "candidates", "study", "comparison", "score", "summary", "step", "pipeline", "memory", "traffic", "operators", "derivation", "assumed", "source"];

/// The parts that a notebook shows, from the attribute `data-parts` of the page; empty for all.
const chosenParts = (document.documentElement.dataset.parts || "").split(" ").filter(Boolean);

function drawPage() {
  const root = document.getElementById("page");
  if (chosenParts.length === 0) header(root);
  const made = sections.filter(s => s.when() && (chosenParts.length === 0 || chosenParts.includes(s.id)))
    .sort((a, b) => ORDER.indexOf(a.id) - ORDER.indexOf(b.id));
  if (made.length > 1) root.append(el("nav", { "aria-label": "Parts of the page" }, made.map(s => el("a", { href: "#" + s.id }, s.title))));
  for (const part of made) {
    const host = el("section", { id: part.id, "aria-labelledby": part.id + "-title" }, el("h2", { id: part.id + "-title" }, part.title));
    root.append(host);
    drawPart(part, host);
  }
}

/// A part that cannot be drawn leaves the others readable.
function drawPart(part, host) {
  try {
    part.draw(host);
  } catch (error) {
    host.append(el("p", { class: "bad" }, `This part cannot be drawn (${error.message}).`));
    console.error(error);
  }
}

function redraw() {
  for (const draw of pictures) draw();
  reachWideTables();
}

/// Tables that are too wide get headings of several lines; in a narrow window they become lists of their rows. Those that
/// are still too wide scroll sideways in their box, which the keyboard reaches.
function reachWideTables() {
  const narrow = window.matchMedia("(max-width: 640px)").matches && !window.matchMedia("print").matches;
  for (const box of document.querySelectorAll(".wide")) {
    const inner = box.firstElementChild, wide = () => box.scrollWidth > box.clientWidth + 1;
    inner.classList.remove("tight", "list");
    inner.classList.toggle("tight", wide());
    inner.classList.toggle("list", narrow && wide());
    const scrolls = wide();
    for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", "table that scrolls sideways"]]) scrolls ? box.setAttribute(name, value) : box.removeAttribute(name);
  }
}

/// In the frame of a notebook an address such as "#memory" is one of the notebook, which a click must not open.
function followInFrame(event) {
  const link = event.target.closest && event.target.closest("a[href^='#']");
  if (!link) return;
  event.preventDefault();
  const target = document.getElementById(link.getAttribute("href").slice(1));
  if (!target) return;
  target.scrollIntoView();
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

async function main() {
  try {
    await readData();
  } catch (error) {
    document.getElementById("page").append(el("p", { class: "bad" }, `This browser cannot read the data of the page (${error.message}). With scripts turned off it shows the answer as text.`));
    return;
  }
  drawPage();
  if (location.protocol === "about:") document.addEventListener("click", followInFrame);
  reachWideTables();
  document.getElementById("page").addEventListener("toggle", () => requestAnimationFrame(reachWideTables), true);
  let waiting = 0;
  window.addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(redraw); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("beforeprint", redraw);
  window.matchMedia("print").addEventListener("change", redraw);
  if (location.hash) { const target = document.getElementById(decodeURIComponent(location.hash.slice(1))); if (target) target.scrollIntoView(); }
  document.body.dataset.ready = "yes";
}

main();
