"""The `openstack` command, loaded once: `{"words": ["server", "list"], "environment": {…}}` in a line of standard input is answered by
`{"code": 0, "out": "…", "err": "…"}` in one of standard output. To load the command takes longer than nearly all that it does.

Each command is a fork, so that none sees what another left in memory; only which modules it needed is kept, and loaded before the next."""
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
            os._exit(_be(command, out, err, modules))
        _, status = os.waitpid(child, 0)
        for name in json.loads(_text(modules) or "[]"):
            # A part that a module put among the modules itself cannot be loaded by name.
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        return {"code": os.waitstatus_to_exitcode(status), "out": _text(out), "err": _text(err)}


def _be(command, out, err, modules):
    """What `openstack` does in a process of its own, and its exit status."""
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
