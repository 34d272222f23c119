"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const make = (tag, name, text) => {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
};

// What a server sent reaches the page as text only, with control characters written out instead of obeyed.
const visible = (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
  (c) => (c <= "\u00ff" ? "\\x" : "\\u") + c.charCodeAt(0).toString(16).padStart(c <= "\u00ff" ? 2 : 4, "0"));

// Breaks JSON over lines without reading its values: 100.0 stays 100.0, a doubled key stays doubled.
const indent = (text) => {
  if (!/^\s*[[{]/.test(text)) return text;
  try { JSON.parse(text); } catch { return text; }
  let depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+|\{\s*\}|\[\s*\]|[[\]{},:]/g, (token) => {
    if (/^\s/.test(token)) return "";
    if (token === "{" || token === "[") { depth += 1; return token + line(); }
    if (token === "}" || token === "]") { depth -= 1; return line() + token; }
    return token === "," ? token + line() : token === ":" ? ": " : token;
  });
};
const message = (text) => {
  const cut = text.indexOf("\n\n");
  return visible(cut < 0 ? text : text.slice(0, cut + 2) + indent(text.slice(cut + 2)));
};

let transcripts = null, explanations = null;
const load = async (name) => {
  const packed = document.getElementById(name)?.textContent;
  if (!packed) return {};
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
};
const transcriptOf = (name) => Object.hasOwn(transcripts, name) ? transcripts[name] : null;
const drawn = (name) => {
  const said = transcriptOf(name);
  const box = make("div", "exchange");
  if (!said) { box.append(make("p", "muted", name + " is not in this bundle")); return box; }
  box.append(make("p", "muted", visible(name + " · " + said.title)));
  const sides = make("div", "sides");
  for (const [label, text] of [["Sent", said.sent], ["Answered", said.got]]) {
    const side = make("div", "side"), pre = make("pre", "", message(text));
    pre.tabIndex = 0;
    side.append(make("h4", "", label), pre);
    sides.append(side);
  }
  box.append(sides);
  return box;
};
const fill = async (details) => {
  if (details.dataset.filled) return;
  details.dataset.filled = "yes";
  transcripts ??= await load("transcripts");
  details.append(...details.dataset.transcripts.split("|").map(drawn));
};
// What a requirement asks, and one answer of the reference and of a mutant: the suite's own words, shown on demand.
const example = (label, shown) => {
  const side = make("div", "side" + (shown.mismatches?.length ? " got" : ""));
  side.append(make("h4", "", label));
  for (const [name, lines] of [["Sent", shown.sent], ["Answered", shown.got]]) {
    if (!lines.length) continue;
    const pre = make("pre", "", lines.map(indent).map(visible).join("\n"));
    pre.tabIndex = 0;
    side.append(make("p", "muted", name), pre);
  }
  for (const problem of shown.mismatches ?? []) side.append(make("p", "why fail", visible(problem)));
  return side;
};
const explain = async (details) => {
  if (details.dataset.filled) return;
  details.dataset.filled = "yes";
  explanations ??= await load("explanations");
  const { asked, judged, right, wrong } = explanations[details.dataset.explanation] ?? { asked: [], judged: [] };
  const box = make("div", "exchange"), list = make("ul");
  for (const [words, test, cases] of asked) {
    const item = make("li", "", words + " ");
    item.append(make("code", "muted", test + (cases > 1 ? ` (${cases} cases)` : "")));
    list.append(item);
  }
  if (judged.length) list.append(make("li", "", "Judged on every message of: " + judged.join(", ")));
  box.append(list.children.length ? list : make("p", "muted", "No test was collected for it, and no message showed it."));
  const sides = make("div", "sides");
  if (right) sides.append(example("Right: the reference", right));
  if (wrong) sides.append(example("Wrong: " + wrong.sentence, wrong));
  if (right || wrong) box.append(sides);
  details.append(box);
};
document.addEventListener("toggle", ({ target }) => {
  if (!target.open) return;
  if (target.dataset.transcripts !== undefined) fill(target);
  if (target.dataset.explanation !== undefined) explain(target);
  for (const pre of all("pre.json:not([data-done])", target)) {
    pre.dataset.done = "yes";
    pre.textContent = /^[[{]/.test(pre.textContent) ? indent(pre.textContent) : message(pre.textContent);
  }
}, true);

const requirements = all("#requirements .req").map((row) => ({
  row, words: `${row.querySelector("summary").textContent} ${row.dataset.words}`.toLowerCase(), outcome: row.dataset.outcome, level: row.dataset.level,
}));
const form = document.querySelector("form.filter");
const chosen = (name) => new Set(all(`input[name=${name}]:checked`, form).map((box) => box.value));
const filter = () => {
  const outcomes = chosen("outcome"), levels = chosen("level");
  const wanted = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { row, words, outcome, level } of requirements) {
    const fits = (!outcomes.size || outcomes.has(outcome)) && (!levels.size || levels.has(level)) && wanted.every((word) => words.includes(word));
    row.hidden = !fits;
    shown += fits;
  }
  for (const box of all("#requirements .section, #requirements .document")) box.hidden = !box.querySelector(".req:not([hidden])");
  if (shown < requirements.length) for (const box of all("#requirements .document")) box.open = true;
  document.getElementById("shown").textContent = shown === requirements.length ? `${shown} requirements` : `${shown} of ${requirements.length} requirements`;
};
const open = () => {
  const name = decodeURIComponent(location.hash.slice(1));
  const target = name && document.getElementById(name);
  if (!target) return;
  if (target.hidden || target.closest("[hidden]")) { form.reset(); filter(); }
  for (let box = target.closest(".document"); box && !box.open;) box.open = true;
  target.scrollIntoView({ block: "start" });
  if (target.tagName !== "DETAILS") return;
  target.open = true;
  target.querySelector("summary").focus({ preventScroll: true });
};
if (form) {
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /INPUT|TEXTAREA/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    document.getElementById("search").focus();
  });
  filter();
}
for (const button of all("[data-pick]")) button.addEventListener("click", () => {
  for (const box of all("input[name=outcome]", form)) box.checked = box.value === button.dataset.pick;
  filter();
  document.getElementById("requirements").scrollIntoView();
});
document.addEventListener("click", async ({ target }) => {
  if (!target.classList.contains("copy")) return;
  const pre = target.previousElementSibling;
  try {
    await navigator.clipboard.writeText(pre.textContent);
    target.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(pre);
    target.textContent = "Selected";
  }
  setTimeout(() => { target.textContent = "Copy"; }, 1500);
});
document.getElementById("find")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  transcripts ??= await load("transcripts");
  document.getElementById("found").replaceChildren(drawn("exchange " + Number(event.target.querySelector("input").value)));
});
for (const box of all("[data-differing]")) box.addEventListener("change", () => {
  for (const point of all("#open-points .point")) point.hidden = box.checked && point.dataset.differs !== "behavior";
  for (const topic of all("#open-points .topic")) topic.hidden = !topic.querySelector(".point:not([hidden])");
});
addEventListener("hashchange", open);
// Printing does not wait: the transcripts of the failures must be at hand by then.
addEventListener("load", () => setTimeout(async () => { transcripts ??= await load("transcripts"); }, 1000));
addEventListener("beforeprint", () => {
  for (const details of all("#failures .req")) details.open = true;
  for (const details of all("#failures .sides + .transcript[data-transcripts]")) { details.open = true; fill(details); }
});
const first = document.querySelector("#failures .req");
if (first && !location.hash) first.open = true;
open();
// The browser's own jump to the fragment, once all is loaded, takes the focus away again.
addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(open)));
