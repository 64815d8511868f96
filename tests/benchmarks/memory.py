"""One call in a separate process, which reports its peak memory: `python -m tests.benchmarks.memory CALL`.

CALL is JSON: `{"data": …, "metrics": …, …}`, the arguments of `evaluate`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import sqlmetrics


def peak_memory() -> int:
    """The peak memory of this process in bytes, without that of its parent."""
    (kibibytes,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    return int(kibibytes) * 1024


def in_a_process(call: dict[str, Any]) -> dict[str, Any]:
    """The answer, the seconds and the peak memory of a call."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.memory", json.dumps(call)],
        cwd=Path(__file__).parent.parent.parent,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    """Make the call and print its cost."""
    call = json.loads(sys.argv[1])
    data = call.pop("data")
    metrics = call.pop("metrics")
    start = time.perf_counter()
    frame = sqlmetrics.evaluate(data, metrics, **call)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "peak_memory": peak_memory(), "answer": frame.to_dict("records")[0]}))


if __name__ == "__main__":
    main()
