"""How full the sheets of a printed page are, read from the PDF that Chromium writes."""

import base64
import re
import zlib
from typing import Any

import numpy as np

A4 = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True}
_TOKEN = re.compile(rb"\((?:\\.|[^\\()])*\)|<[^>]*>|\[|\]|[^\s\[\]<(]+")


def filled_shares(browser: Any) -> list[float]:
    """How far down each sheet has letters, as a share of its height, if the page that is open is printed."""
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", A4)["data"])
    objects = dict(re.findall(rb"(?ms)^(\d+) 0 obj\b(.*?)\bendobj", pdf))
    shares = []
    for page in objects.values():
        if re.search(rb"/Type\s*/Page\b", page):
            height = float(re.search(rb"/MediaBox\s*\[\S+ \S+ \S+ (\S+?)\]", page)[1])
            content = objects[re.search(rb"/Contents (\d+) 0 R", page)[1]]
            shares.append(1.0 - min(_baselines(_unpacked(content)), default=height) / height)
    return shares


def _unpacked(content: bytes) -> bytes:
    start = content.index(b"stream") + len(b"stream")
    return zlib.decompressobj().decompress(content[start:].lstrip(b"\r\n"))


def _baselines(content: bytes) -> list[float]:
    """Where letters stand, from below: `cm` moves the plane, `q` keeps it, `Q` takes it back, `Tm` writes."""
    plane, kept, numbers, found = np.eye(3), [], [], []
    for token in _TOKEN.findall(content):
        if re.fullmatch(rb"[-+.\d]+", token):
            numbers.append(float(token))
            continue
        if token == b"q":
            kept.append(plane)
        elif token == b"Q":
            plane = kept.pop()
        elif token in (b"cm", b"Tm"):
            a, b, c, d, e, f = numbers[-6:]
            moved = np.array([[a, b, 0.0], [c, d, 0.0], [e, f, 1.0]]) @ plane
            if token == b"cm":
                plane = moved
            else:
                found.append(float(moved[2, 1]))
        numbers = []
    return found
