// The little that a live page needs beyond htmx: nothing is added twice, a new connection goes on where the last one
// was, and a link to a piece of evidence opens it.
"use strict";

document.addEventListener("htmx:sseBeforeMessage", (event) => {
  const id = /\sid="([^"]+)"/.exec(event.detail.data);
  if (event.target.getAttribute("hx-swap") === "beforeend" && id && document.getElementById(id[1])) event.preventDefault();
});

document.addEventListener("htmx:sseMessage", (event) => {
  const stream = event.target.closest("[sse-connect]");
  const last = event.detail.lastEventId;
  if (stream && last) stream.setAttribute("sse-connect", stream.getAttribute("sse-connect").replace(/after=\d+/, `after=${last}`));
});

function open(hash) {
  const proof = /^#E\d+$/.test(hash) && document.getElementById(hash.slice(1));
  if (proof) proof.querySelector("details").open = true;
}

open(location.hash);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.cited");
  if (link) open(link.hash);
});
