"""Draw the pictures of pages in the guide: `python docs/screenshots.py`, with Chromium and Selenium.

Each command runs on the wine data of scikit-learn, and the demonstration on its own; what is seen first
of its report becomes a small PNG.
"""

import base64
import io
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from sklearn.datasets import load_wine

STATIC = Path(__file__).resolve().parent / "_static"
SIZE = (1100, 1000)
COMMANDS = {
    "credit": ["--validation=5"],
    "select": ["--method=backward", "-kauto", "--validation=5"],
    "compare": ["--methods=credit,backward,angle,anova-f,all-features", "-k2,4,6", "--folds=5"],
    "shape": ["--validation=5"],
    "classify": ["--validation=5"],
}


def main() -> None:
    """Run the commands, open what they write, and keep what is seen."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        load_wine(as_frame=True).frame.to_csv(folder / "wine.csv", index=False)
        window = _browser(folder)
        for command, words in COMMANDS.items():
            report = f"--report={command}.html"
            _run(folder, [command, "wine.csv", "--target=target", *words, report, "--quiet"])
            window.get((folder / f"{command}.html").as_uri())
            _keep(window, command)
        _run(folder, ["demo", "--report=report.html", "--quiet"])
        window.get((folder / "report.html").as_uri())
        # The first picture of the guide shows the flow whole.
        _resize(window, SIZE[0], 1310)
        _keep(window, "report")
        _resize(window, *SIZE)
        _serve(window, folder)
        window.quit()


def _run(folder: Path, words: list[str]) -> None:
    subprocess.run(
        [sys.executable, "-m", "infoprop", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )


def _browser(folder: Path) -> Any:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    for flag in (*flags, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    window = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    _resize(window, *SIZE)
    return window


def _resize(window: Any, width: int, height: int) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def _serve(window: Any, folder: Path) -> None:
    """The page of `infoprop serve`, with a run that is done and one that goes on."""
    words = [sys.executable, "-m", "infoprop", "serve", "--no-browser", f"--folder={folder / 'runs'}"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    window.get(server.stdout.readline().split()[-1])
    window.find_element("id", "file").send_keys(str(folder / "wine.csv"))
    script = (
        "const set = (id, value) => { const one = document.getElementById(id); one.value = value;"
        "one.dispatchEvent(new Event('change')) };"
        "set('command', arguments[0]); set('method', arguments[1]); set('size', '');"
        "document.getElementById('start').click()"
    )
    _wait(window, "return !document.getElementById('ask').hidden")
    window.execute_script(script, "credit", "backward")
    _wait(window, "return document.querySelector('[data-status=done]')")
    window.execute_script(script, "select", "genetic")
    _wait(window, "return document.querySelector('figure.live svg') && document.querySelector('progress')")
    window.execute_script("document.getElementById('checked').scrollIntoView()")
    _keep(window, "serve")
    window.execute_script("document.querySelector('[data-key=stop]')?.click()")
    _wait(window, "return !document.querySelector('[data-status=running]')")
    server.terminate()
    server.wait()


def _wait(window: Any, script: str) -> None:
    for _ in range(600):
        if window.execute_script(script):
            return
        time.sleep(0.1)
    raise TimeoutError(script)


def _keep(window: Any, name: str) -> None:
    """What is seen now, in few colours."""
    shot = window.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    image = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    image.quantize(64).save(STATIC / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
