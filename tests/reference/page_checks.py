"""What any page must grant its readers, asked of a real browser: what axe checks, and a few more."""

from typing import Any

CONTRASTS = """
const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
const light = (colours) => {
  for (const colour of colours) { context.fillStyle = colour; context.fillRect(0, 0, 1, 1); }
  const linear = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((byte) => byte / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const seen = new Map();
for (const one of document.querySelectorAll("main :not(svg, svg *), dialog *:not(svg, svg *)")) {
  const hasWords = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!hasWords || one.disabled || !one.checkVisibility()) continue;
  const grounds = [];
  for (let up = one; up; up = up.parentElement) {
    const style = getComputedStyle(up);
    grounds.unshift(style.backgroundColor);
    if (up.classList.contains("meter")) {
      const [accent, tint] = ["--accent", "--tint"].map((name) => style.getPropertyValue(name));
      grounds.push(`color-mix(in srgb, ${accent} ${tint}, transparent)`);
    }
  }
  const ink = getComputedStyle(one).color;
  const key = [...grounds, ink].join();
  if (seen.has(key)) continue;
  const [low, high] = [light(grounds), light([...grounds, ink])].sort((a, b) => a - b);
  seen.set(key, [(high + 0.05) / (low + 0.05), one.tagName + " " + one.className + " " + one.textContent]);
}
return [...seen.values()].sort((a, b) => a[0] - b[0]);
"""

_FAULTS = """
const all = (selector) => [...document.querySelectorAll(selector)];
const words = (one) => one.outerHTML.slice(0, 90);
const named = (one) => one.textContent.trim() || one.getAttribute("aria-label") || one.getAttribute("alt")
  || (one.labels && one.labels.length) || one.querySelector(":scope > title");
const faults = [];
const find = (what, found) => { for (const one of found) faults.push(`${what}: ${words(one)}`); };
find("no name", all("button, a, input, select, progress, dialog, svg[role=img], [role=region], th").filter(
  (one) => !named(one) && !(one.tagName === "TH" && one.cellIndex === 0)));
const ids = all("[id]").map((one) => one.id);
find("id twice", all("[id]").filter((one) => ids.indexOf(one.id) !== ids.lastIndexOf(one.id)));
find("for nothing", all("label[for], output[for]").filter((one) => !document.getElementById(one.htmlFor)));
find("tabindex above 0", all("[tabindex]").filter((one) => one.tabIndex > 0));
find("scrolls, but not by keys", all(".scroll").filter((one) => one.tabIndex !== 0));
find("cell without scope", all("th:not([scope])"));
find("out of reach", all("button, a[href], input, select, summary").filter(
  (one) => one.checkVisibility() && !one.disabled && one.tabIndex < 0));
if (document.documentElement.lang !== "en") faults.push("no language");
if (!document.title) faults.push("no title");
if (all("h1").length !== 1 || all("main").length !== 1) faults.push("not one h1 and one main");
let level = 1;
for (const heading of all("h1, h2, h3, h4").filter((one) => one.checkVisibility())) {
  const own = Number(heading.tagName[1]);
  if (own > level + 1) faults.push(`heading skips a level: ${words(heading)}`);
  level = own;
}
const wide = document.documentElement.scrollWidth;
if (wide > innerWidth) faults.push(`${wide} pixels wide, of ${innerWidth}`);
return faults;
"""

_ORDER = """
// While a dialog is open, everything else is out of reach.
const reached = [...(document.querySelector("dialog[open]") || document).querySelectorAll(
  "button, a[href], input, select, summary, [tabindex='0']")].filter(
  (one) => one.checkVisibility() && !one.disabled && one.type !== "file");
return reached.map((one) => {
  one.focus({ preventScroll: true });
  const style = getComputedStyle(one);
  const box = one.closest("label") || one;
  const isSeen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  return [document.activeElement === one, isSeen, box.outerHTML.slice(0, 90)];
});
"""


def faults_of(browser: Any) -> list[str]:
    """What is missing of names, labels, levels, scopes and reach; what takes no focus or hides it."""
    faults = browser.execute_script(_FAULTS)
    for is_focused, is_seen, words in browser.execute_script(_ORDER):
        if not is_focused:
            faults.append(f"takes no focus: {words}")
        elif not is_seen:
            faults.append(f"focus is not seen: {words}")
    return faults


def pale_words(browser: Any) -> list[Any]:
    """Words whose contrast to their ground is below 4.5."""
    return [found for found in browser.execute_script(CONTRASTS) if found[0] < 4.5]


def check_everywhere(browser: Any) -> None:
    """Assert all of it on a light and a dark page, on a desk and on a phone."""
    # The focus is shown to whoever uses keys.
    key = {"type": "keyDown", "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
    browser.execute_cdp_cmd("Input.dispatchKeyEvent", key)
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        for width in (1100, 390):
            size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width == 390}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            found = [*faults_of(browser), *pale_words(browser)]
            assert found == [], (scheme, width, found)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
