// The console works without this script. It asks for the parts of a page that change and puts them in place: an element with
// data-poll="/path" is filled with what that path answers, every data-every milliseconds (2000), until the answer has no such
// element any more. Where somebody may not see it any more, the page is loaded anew.
"use strict";
(() => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  async function poll(part) {
    for (;;) {
      await wait(Number(part.dataset.every) || 2000);
      if (document.hidden) continue;
      let answer;
      try {
        answer = await fetch(part.dataset.poll, { headers: { Accept: "text/html" }, redirect: "error" });
      } catch {
        part.dataset.lost = "yes"; // the console is away for a moment, or for good
        continue;
      }
      if (answer.status >= 500) {
        part.dataset.lost = "yes"; // trouble of the moment
        continue;
      }
      if (!answer.ok) return location.reload(); // to the page that says why: sign in, or not found
      delete part.dataset.lost;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body;
      const next = fresh.querySelector("[data-poll]");
      if (fresh.querySelector("[data-reload]")) return location.reload();
      if (next) part.replaceChildren(...next.childNodes);
      else return part.replaceChildren(...fresh.childNodes);
    }
  }
  document.querySelectorAll("[data-poll]").forEach(poll);
})();
