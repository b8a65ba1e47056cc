"""What a pass refuses is as it was, to the letter, also what stands beside it and would
have been rewritten: every module of a file of errors, with a legal function in front.

    python3 unchanged.py ERRORS.mlir LEGAL.mlir PASS
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "ForkServer"))
import fork_server

errors, legal, flag = sys.argv[1:]


def run(path, *flags):
    done = fork_server.run(["distaff-opt", path, *flags])
    return done.returncode, done.stdout, done.stderr


def together(refused):
    """One module of both texts: aliases that are equal once, another's names made its own."""
    lines, aliases = [], {}
    for line in (pathlib.Path(legal).read_text() + refused).splitlines():
        alias = re.match(r"([#!]\w+) *=", line)
        if alias and aliases.setdefault(alias.group(1), line) == line:
            if line in lines:
                continue
        elif alias:
            sys.exit(f"two aliases {alias.group(1)}")
        lines.append(line)
    return "\n".join(lines) + "\n"


path, count = pathlib.Path.cwd() / "refused.mlir", 0
for chunk in pathlib.Path(errors).read_text().split("// -----\n"):
    chunk = re.sub(r" *//.*", "", chunk)
    for text in (chunk, together(chunk)):
        path.write_text(text)
        status, before, said = run(path)
        assert status == 0, said
        status, _, said = run(path, flag, "--mlir-print-ir-after-failure", "--mlir-print-ir-module-scope", "--mlir-disable-threading")
        assert status == 1, (said, text)
        after = said[said.index("// -----// IR Dump After"):].split("\n", 1)[1]
        assert after.split() == before.split(), (said, text)
        count += 1
path.unlink()
print(count, "modules unchanged")
