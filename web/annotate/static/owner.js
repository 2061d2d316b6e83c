"use strict";
// The figures follow the work; what one is about to change stays put.
const shown = document.getElementById("progress");
setInterval(async () => {
  if (document.hidden || shown.querySelector("details[open]") || shown.contains(document.activeElement)) return;
  try {
    const answer = await fetch("/owner/progress" + location.search);
    if (answer.ok) shown.innerHTML = await answer.text();
  } catch {
    // The server is away for a moment; the next look may find it.
  }
}, 5000);
