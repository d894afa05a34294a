// What a figure tells on hovering is told at once, to fingers and to keys as well: arrows go from part to part.
for (const figure of document.querySelectorAll("figure svg[role=img]")) {
  // The curve over sizes has a slider of its own.
  if (!figure.closest(".curve-figure")) offerTips(figure);
}
function offerTips(figure) {
  const words = new Map();
  for (const title of figure.querySelectorAll(":scope :not(svg, text) > title")) {
    words.set(title.parentElement, title.textContent);
  }
  if (!words.size) return;
  // The browser's own tip would be the same words once more, later.
  for (const part of words.keys()) part.querySelector("title").remove();
  const parts = Array.from(words.keys());
  const tip = make("div", { class: "tip", role: "status", hidden: true });
  let at = -1;
  const show = (part) => {
    if (at >= 0) parts[at].classList.remove("told");
    at = parts.indexOf(part);
    tip.hidden = at < 0;
    if (at < 0) return;
    part.classList.add("told");
    tip.textContent = words.get(part);
    const frame = figure.parentElement.getBoundingClientRect();
    const place = part.getBoundingClientRect();
    const left = Math.min((place.left + place.right) / 2 - frame.left, frame.width - tip.offsetWidth);
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${Math.max(0, place.top - frame.top - tip.offsetHeight - 6)}px`;
  };
  const name = figure.querySelector(":scope > title").textContent;
  figure.setAttribute("tabindex", "0");
  figure.setAttribute("role", "application");
  figure.setAttribute("aria-roledescription", "figure");
  figure.setAttribute("aria-label", `${name}. Arrow keys read its ${whole(parts.length)} parts.`);
  figure.parentElement.classList.add("told-figure");
  figure.after(tip);
  const next = { ArrowRight: (k) => k + 1, ArrowDown: (k) => k + 1, ArrowLeft: (k) => k - 1, ArrowUp: (k) => k - 1, Home: () => 0, End: () => parts.length - 1 };
  figure.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(null);
    if (!next[event.key]) return;
    event.preventDefault();
    show(parts[Math.min(Math.max(next[event.key](at), 0), parts.length - 1)]);
  });
  figure.addEventListener("blur", () => show(null));
  figure.addEventListener("pointerover", (event) => show(words.has(event.target) ? event.target : null));
  figure.addEventListener("pointerleave", () => show(null));
}
