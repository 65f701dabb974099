// An entry of a list beside a name is put into its box, to be saved with all others; without this script it is saved at once.
"use strict";
document.querySelectorAll("table.names").forEach((table) => table.addEventListener("click", (event) => {
  const entry = event.target.closest("button[data-id]");
  if (!entry) return;
  event.preventDefault();
  const box = entry.closest("td").querySelector("input[list], input[name^='id/']");
  box.value = entry.dataset.id;
  box.removeAttribute("aria-invalid");
  box.focus();
}));

// The form of a mapping works without this script: the button Update sends it. With it, every choice is sent at once, and what the
// first rows become is put in place beside it. Parts of the page that change are marked with data-part; the element with the focus
// is left alone.
(() => {
  const form = document.querySelector("form[data-live]");
  const text = document.querySelector("form[data-text]");
  if (!form) return;
  let sending = false, again = false, edited = false;

  function part(root, name) {
    return [...root.querySelectorAll("[data-part]")].find((e) => e.dataset.part === name);
  }

  async function send() {
    if (sending) { again = true; return; }
    sending = true;
    form.dataset.busy = "yes";
    try {
      do {
        again = false;
        const body = new URLSearchParams(new FormData(form));
        body.set("live", "yes");
        const answer = await fetch(form.action, { method: "POST", body, redirect: "error" });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!answer.ok) { trouble(page); return; }
        show(page);
      } while (again);
    } catch {
      // The console is away for a moment: the button Update sends the form when it is back.
    } finally {
      sending = false;
      delete form.dataset.busy;
    }
  }

  // A choice that cannot be made is told where the verdict is, in the words of the page that refuses it.
  function trouble(page) {
    const box = document.createElement("div");
    box.className = "wrong";
    box.setAttribute("role", "alert");
    for (const e of page.querySelectorAll("main h1, main .lead")) {
      const p = document.createElement("p");
      p.textContent = e.textContent;
      box.append(p);
    }
    part(document, "verdict").prepend(box);
    box.scrollIntoView({ block: "center" });
  }

  function show(page) {
    // Fields come and go with a layout: then the page is loaded anew, as it has been saved.
    const ids = (root) => [...root.querySelectorAll("form[data-live] .field[id]")].map((e) => e.id).join("\n");
    if (ids(page) !== ids(document) && !edited) return location.reload();
    // A choice may bring other things to choose from in other fields. What is open stays open.
    for (const fresh of page.querySelectorAll("form[data-live] .field[id]")) {
      const old = document.getElementById(fresh.id);
      if (!old) continue;
      old.className = fresh.className;
      if (old.contains(document.activeElement)) continue;
      const more = fresh.querySelector("details"), was = old.querySelector("details");
      if (more && was) more.open = was.open;
      old.replaceWith(fresh);
    }
    for (const fresh of page.querySelectorAll("[data-part]")) {
      const old = part(document, fresh.dataset.part);
      if (old && !(edited && fresh.dataset.part === "text")) old.replaceChildren(...fresh.childNodes);
    }
  }

  form.addEventListener("change", send);
  if (text) {
    text.addEventListener("input", () => {
      edited = true;
      // What is being written below would be lost by a choice above: it is taken first.
      for (const e of form.elements) e.disabled = true;
      for (const e of document.querySelectorAll("[data-editing]")) e.textContent = "You are editing the mapping file below. Apply your changes to use this form again.";
    });
  }
})();
