"""A server as a process of its own, and waiting for other processes."""

import json
import signal
import subprocess
import sys
import time
from urllib.request import Request, urlopen


class Server:
    """`infoprop serve` on a folder: started, asked, killed."""

    def __init__(self, folder):
        self.folder = folder
        words = ["serve", "--no-browser", f"--folder={folder}"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "infoprop", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.address = self.process.stdout.readline().split()[-1]
        self.root, _, self.token = self.address.partition("/?token=")

    def post(self, path, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = Request(self.root + path, data, {"x-infoprop-token": self.token})
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def runs(self):
        """What the first event says."""
        request = Request(f"{self.root}/events", headers={"cookie": f"infoprop-token={self.token}"})
        with urlopen(request, timeout=60) as answer:
            return json.loads(answer.readline().removeprefix(b"data: "))

    def interrupt(self):
        """End the server as Ctrl-C does: its exit code, and what it complained of."""
        self.process.send_signal(signal.SIGINT)
        _, complaints = self.process.communicate(timeout=60)
        return self.process.returncode, complaints

    def kill(self):
        """End the server at once, as a power cut would."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def until(is_true, seconds=180.0):
    """Wait for what another process does in its own time."""
    end = time.monotonic() + seconds
    while not (found := is_true()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)
    return found
