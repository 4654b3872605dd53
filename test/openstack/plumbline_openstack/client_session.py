"""Loads the `openstack` command once and runs many commands, because loading takes longer than most commands. Reads lines such as
`{"words": ["server", "list"], "environment": {…}}` from standard input and writes lines such as `{"code": 0, "out": "…", "err": "…"}`.

Each command runs in a fork, so it does not see the memory of others. Modules that a command imported are loaded before the next one."""
import contextlib
import importlib
import json
import os
import sys
import tempfile

from openstackclient import shell


def serve():
    for line in sys.stdin:
        print(json.dumps(_run(json.loads(line))), flush=True)


def _run(command):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as modules:
        child = os.fork()
        if child == 0:
            os._exit(_run_in_child(command, out, err, modules))
        _, status = os.waitpid(child, 0)
        for name in json.loads(_text(modules) or "[]"):
            # A module that another module added to sys.modules may not be importable by name.
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        return {"code": os.waitstatus_to_exitcode(status), "out": _text(out), "err": _text(err)}


def _run_in_child(command, out, err, modules):
    """Runs `openstack` in this process and returns its exit status."""
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (out.fileno(), 1), (err.fileno(), 2)):
        os.dup2(source, target)
    os.environ.update(command["environment"])
    loaded = set(sys.modules)
    try:
        code = shell.main(command["words"]) or 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    modules.write(json.dumps(sorted(set(sys.modules) - loaded)).encode())
    for stream in (modules, sys.stdout, sys.stderr):
        stream.flush()
    return code


def _text(file):
    file.seek(0)
    return file.read().decode()


if __name__ == "__main__":
    serve()
