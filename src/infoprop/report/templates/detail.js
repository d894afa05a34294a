// What is known of one feature, in a dialog: Esc closes it, and the focus goes back to where it was opened.
function openFeature(view, number, opener) {
  const { data, pinned, hidden } = view;
  const name = data.names[number];
  const facts = [["rank", `${whole(number + 1)} of ${whole(data.names.length)}`], ["bits", bits(data.bits[number])]];
  if (data.lows && data.lows[number] !== null) facts.push(["95% interval", `${bits(data.lows[number])} to ${bits(data.highs[number])}`]);
  facts.push(["share", percent(data.total > 0 ? data.bits[number] / data.total : 0)]);
  if (data.chances) facts.push(["chance alone reaches", `${bits(data.floors[number])} bits`], ["p (shuffled labels)", bits(data.chances[number])]);
  if (data.rates) facts.push(["q-value", data.rates[number] === null ? "to be kept" : bits(data.rates[number])]);
  if (data.chosen) facts.push(["chosen", data.chosen[number] ? "yes" : "no"]);
  if (data.strongest) facts.push(["mostly for", data.labels[data.strongest[number]]]);
  const fell = sizes ? sizes.fellAt(name) : null;
  if (fell) facts.push(["elimination", fell]);
  const most = Math.max(...(data.classes || []).map((credits) => credits[number]), 0);
  const classes = view.classes.map((label, place) => {
    const value = data.classes[place][number];
    const bar = make("i");
    bar.style.width = `${most > 0 ? (100 * value) / most : 0}%`;
    return make("li", {}, make("span", { class: "name" }, label), make("span", { class: "bar" }, bar), make("span", { class: "n" }, bits(value)));
  });
  const dialog = make("dialog", { class: "detail", "aria-label": name });
  const act = (set) => () => {
    if (set.has(number)) set.delete(number);
    else set.add(number);
    dialog.close();
    view.changed();
  };
  const shape = Array.from(document.querySelectorAll("#shapes figure")).find((figure) => figure.querySelector(".name").textContent === name);
  dialog.append(
    make("h3", { class: "name" }, name),
    make("dl", { class: "run" }, ...facts.map(([word, value]) => make("div", {}, make("dt", {}, word), make("dd", {}, value)))),
    ...(classes.length ? [make("p", { class: "note" }, "Bits through each class"), make("ul", { class: "classes" }, ...classes)] : []),
    ...showValues(name, data.strongest ? data.strongest[number] : null),
    ...(shape ? [make("p", { class: "note" }, "What its values become"), shape.cloneNode(true)] : []),
    make(
      "p",
      { class: "controls" },
      make("button", { type: "button", class: "small", onclick: act(pinned) }, pinned.has(number) ? "unpin" : "pin to the top"),
      make("button", { type: "button", class: "small", onclick: act(hidden) }, "hide"),
      make("button", { type: "button", class: "small", onclick: () => dialog.close() }, "close"),
    ),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (opener && opener.isConnected) opener.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}
