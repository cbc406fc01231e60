// The little that a live page needs beyond htmx: nothing is added twice, a new connection goes on where the last one
// was, a page that nobody looks at holds none, and a link to a piece of evidence opens it.
"use strict";

// As an EventSource, but closed while the page is hidden: a browser has six connections to a server, for all its pages.
class SeenStream extends EventTarget {
  #url;
  #source;
  #names = new Set();
  #last = "";
  #over = false;

  constructor(url) {
    super();
    this.#url = new URL(url, location.href);
    this.#open();
    document.addEventListener("visibilitychange", this.#look);
  }

  get readyState() {
    return this.#source.readyState;
  }

  addEventListener(name, listener) {
    super.addEventListener(name, listener);
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#pass(name);
  }

  close() {
    this.#over = true;
    this.#source.close();
    document.removeEventListener("visibilitychange", this.#look);
  }

  #look = () => {
    if (document.hidden) this.#source.close();
    else if (this.#source.readyState === EventSource.CLOSED) this.#open();
  };

  #open() {
    if (this.#over) return;
    if (this.#last) this.#url.searchParams.set("after", this.#last);
    this.#source = new EventSource(this.#url);
    this.#source.onopen = (event) => this.onopen?.(event);
    this.#source.onerror = (event) => {
      // Given up for good: htmx makes a new one.
      if (this.#source.readyState === EventSource.CLOSED) this.close();
      this.onerror?.(event);
    };
    this.#names.forEach((name) => this.#pass(name));
  }

  #pass(name) {
    this.#source.addEventListener(name, (event) => {
      this.#last = event.lastEventId || this.#last;
      this.dispatchEvent(new MessageEvent(name, { data: event.data, lastEventId: event.lastEventId }));
    });
  }
}

htmx.createEventSource = (url) => new SeenStream(url);

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
