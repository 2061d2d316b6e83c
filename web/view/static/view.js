// Keys, facts lit up where they are told and drawn, proofs step by step.
// All of it can be done without: links and forms do the same.
"use strict";

const numbers = (text) => (text || "").split(" ").filter(Boolean);

// A key does what the element that names it does.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, [contenteditable]")) return;
  if (event.key === "/") {
    const field = document.querySelector("[type=search]");
    if (field) { event.preventDefault(); field.focus(); field.select(); }
    return;
  }
  const arrow = event.key.startsWith("Arrow");
  if (arrow && event.target.closest(".wide")) return;
  const scope = document.querySelector("article.current") || document;
  const element = [...scope.querySelectorAll("[data-key]"), ...document.querySelectorAll("[data-key]")]
    .find((one) => one.dataset.key === event.key && one.getClientRects().length);
  if (!element) return;
  event.preventDefault();
  element.click();
});

// What states a fact, the line that draws it and the words that say it are lit together.
const rowOf = (element) => element.closest("article") || document;
function light(scope, facts) {
  for (const one of scope.querySelectorAll("[data-fact]"))
    one.classList.toggle("lit", facts.includes(one.dataset.fact));
  for (const one of scope.querySelectorAll("[data-facts]"))
    one.classList.toggle("lit", numbers(one.dataset.facts).some((fact) => facts.includes(fact)));
}
const factsOf = (element) => {
  const one = element.closest && element.closest("[data-fact], .says");
  return one && (one.dataset.fact ? [one.dataset.fact] : numbers(one.dataset.facts));
};
let kept = null;
for (const kind of ["pointerover", "focusin"])
  document.addEventListener(kind, (event) => {
    // What has the focus stays lit when the pointer is elsewhere, be it by scrolling.
    const one = factsOf(event.target) ? event.target : document.activeElement;
    const facts = factsOf(one);
    if (facts) { light(document, []); light(rowOf(one), facts); } else if (!kept) light(document, []);
  });
document.addEventListener("click", (event) => {
  const facts = factsOf(event.target);
  if (!facts && !kept) return;
  kept = facts;
  light(document, []);
  if (facts) light(rowOf(event.target), facts);
});

// The proof: facts that a step uses, and what it concludes.
function turn(proof, step) {
  const scope = rowOf(proof);
  const steps = [...proof.querySelectorAll(".steps li")];
  const now = Math.max(0, Math.min(step, steps.length));
  proof.dataset.step = now;
  steps.forEach((one, n) => {
    one.classList.toggle("now", n + 1 === now);
    if (n + 1 === now) one.setAttribute("aria-current", "step"); else one.removeAttribute("aria-current");
  });
  const used = now ? numbers(steps[now - 1].dataset.uses).concat(steps[now - 1].dataset.gives) : [];
  const graph = scope.querySelector("svg.graph");
  if (graph) graph.classList.toggle("stepping", now > 0);
  for (const one of scope.querySelectorAll("[data-fact]"))
    one.classList.toggle("now", used.includes(one.dataset.fact));
  for (const one of scope.querySelectorAll("[data-concluded]"))
    one.classList.toggle("shown", Number(one.dataset.concluded) <= now);
  for (const one of scope.querySelectorAll("[data-facts]"))
    one.classList.toggle("now", numbers(one.dataset.facts).some((fact) => used.includes(fact)));
  const says = proof.querySelector("[data-says=step]");
  if (says) says.textContent = `${now} of ${steps.length}`;
}
for (const proof of document.querySelectorAll(".proof")) {
  turn(proof, Number(proof.dataset.step));
  proof.addEventListener("click", (event) => {
    const button = event.target.closest("[data-turn]");
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    turn(proof, Number(proof.dataset.step) + Number(button.dataset.turn));
  });
}

// What is wider than the window says that it can be scrolled.
const hint = () => {
  for (const box of document.querySelectorAll(".wide"))
    box.classList.toggle("cut", box.scrollWidth > box.clientWidth + 1);
};
addEventListener("resize", hint);
addEventListener("hashchange", hint);
hint();

// In a file that was sent around: one row at a time.
const articles = [...document.querySelectorAll("article[data-row]")];
if (articles.length) {
  const table = document.querySelector("#table"), field = document.querySelector("#narrow");
  const show = () => {
    const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const current = wanted && (wanted.closest("article[data-row]"));
    for (const one of articles) {
      one.hidden = one !== current;
      one.classList.toggle("current", one === current);
    }
    table.hidden = Boolean(current);
    if (current && wanted === current) { window.scrollTo(0, 0); current.focus(); }
    else if (current) wanted.scrollIntoView({block: "center"});
  };
  addEventListener("hashchange", show);
  show();
  if (field) field.addEventListener("input", () => {
    for (const row of table.querySelectorAll("tbody tr"))
      row.hidden = !row.textContent.toLowerCase().includes(field.value.toLowerCase());
  });
  for (const head of table.querySelectorAll("table.rows th")) {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const turn = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
      const text = (row) => row.cells[head.cellIndex].textContent.trim();
      const rows = [...head.closest("table").tBodies[0].rows];
      rows.sort((one, two) => turn * text(one).localeCompare(text(two), "en", {numeric: true}));
      head.closest("table").tBodies[0].append(...rows);
    });
  }
}
