// The same words as in the rows that stand in the page (see _words.py).
const bits = (value) => {
  if (value === 0) return "0";
  if (Math.abs(value) >= 0.1) return value.toFixed(3);
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -3) return value.toFixed(1 - exponent);
  return value.toExponential(1).replace(/e-(\d)$/, "e-0$1");
};
const percent = (ratio) => {
  if (ratio === 0 || ratio === 1) return `${100 * ratio}%`;
  return `${Math.abs(ratio) >= 1e-3 ? (100 * ratio).toFixed(1) : bits(100 * ratio)}%`;
};
const whole = (number) => number.toLocaleString("en");

// One element with its words and children; words are never markup.
function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}
// The same in a figure; every page has one, whose namespace it is.
function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(document.querySelector("svg").namespaceURI, tag), attributes, children);
}
function filled(one, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
    else if (value !== false) one.setAttribute(name, value === true ? "" : value);
  }
  one.append(...children);
  return one;
}
const embedded = (id) => {
  const source = document.getElementById(id);
  return source ? JSON.parse(source.textContent) : null;
};

// A text that a spreadsheet would run as a formula begins with an apostrophe, as in the files of the command line.
const cellText = (value) => {
  let text = String(value ?? "");
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
function saveTable(name, rows) {
  const text = `${rows.map((row) => row.map(cellText).join(",")).join("\n")}\n`;
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  make("a", { href: address, download: `${name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
function offerTable(box, name, rows) {
  const button = make("button", { type: "button", class: "small csv", "aria-label": `Download ${name} as CSV`, onclick: () => saveTable(name, rows()) }, "CSV");
  const caption = box.querySelector("caption");
  if (caption) {
    caption.append(button);
    return;
  }
  const before = box.previousElementSibling;
  const tools = before && before.classList.contains("tools") ? before : make("div", { class: "tools" });
  if (tools !== before) box.before(tools);
  tools.append(button);
}
