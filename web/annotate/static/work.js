"use strict";
// Keys for who works with them; all of it can be done without.
const sheet = document.getElementById("sheet");
const groups = [...sheet.querySelectorAll("fieldset.choice")];
const writing = (element) => element.matches("textarea, input:not([type=radio])");
const chosen = (group) => group.querySelector(":checked");
const reach = (group) => {
  const input = chosen(group) || group.querySelector("input");
  input.focus({ preventScroll: true });
  group.scrollIntoView({ block: "nearest" });
};
const current = () => groups.findIndex((group) => group.contains(document.activeElement));

function count() {
  const left = groups.filter((group) => !chosen(group)).length;
  for (const group of groups) group.classList.toggle("done", !!chosen(group));
  const told = document.getElementById("left");
  if (told) told.textContent = left ? `${left} left` : "all answered";
}

function choose(number) {
  let at = current();
  if (at < 0) at = Math.max(0, groups.findIndex((group) => !chosen(group)));
  const group = groups[at];
  const input = group && group.querySelectorAll("input")[number - 1];
  if (!input) return false;
  input.checked = true;
  count();
  const next = groups.slice(at + 1).find((other) => !chosen(other));
  if (next) reach(next);
  else if (groups.length > 1) sheet.querySelector("button.main").focus();
  else input.focus();
  return true;
}

function move(by) {
  const at = current();
  const to = at < 0 ? 0 : at + by;
  if (groups[to]) reach(groups[to]);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.ctrlKey) {
    sheet.requestSubmit();
  } else if (event.ctrlKey || event.altKey || event.metaKey || writing(event.target)) {
    return;
  } else if (/^[1-9]$/.test(event.key)) {
    if (!choose(Number(event.key))) return;
  } else if (groups.length > 1 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    move(event.key === "ArrowDown" ? 1 : -1);
  } else {
    return;
  }
  event.preventDefault();
});
sheet.addEventListener("change", count);

// An answer is sent once, however often one clicks.
sheet.addEventListener("submit", () => {
  setTimeout(() => sheet.querySelectorAll("button").forEach((button) => { button.disabled = true; }));
});
window.addEventListener("pageshow", () => {
  sheet.querySelectorAll("button").forEach((button) => { button.disabled = false; });
});

count();
