"""The end of a gateway that runs tests: tasks come in, events go out (hosts.py)."""

import json
import pickle
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import execnet

from tools.runner.events import Event
from tools.runner.executor import Executor, Task
from tools.runner.launch import Launcher
from tools.runner.settings import Settings


def serve(channel: execnet.Channel) -> None:
    """Run tasks until the other end closes the channel."""
    launcher = Launcher()
    with tempfile.TemporaryDirectory(prefix="cepheid-host-") as folder:
        settings = _settings(channel, Path(folder))

        def emit(event: Event) -> None:
            channel.send(json.dumps(event.to_json(), default=repr))

        try:
            for data in channel:
                task: Task = pickle.loads(data)
                Executor(settings, task, emit, launcher).run()
        finally:
            launcher.close()


def _settings(channel: execnet.Channel, folder: Path) -> Settings:
    """Those of the run, at home here: folders and interpreters are this host's own."""
    root = Path(channel.receive() or Path.cwd())
    settings: Settings = pickle.loads(channel.receive())
    implementation = settings.implementation
    if implementation.python == settings.python:
        implementation = replace(implementation, python=sys.executable)
    return replace(
        settings, root=root, folder=folder, implementation=implementation, python=sys.executable
    )
