"""One kernel after every stage of a pipeline, as a page: what --stop-after prints.

Stages are asked of the tool, so that a new one is on the page. `lower` unrolls
registers to thousands of lines, and its page is docs/Walkthrough.md.
"""
import contextlib
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "test" / "ForkServer"))
import fork_server
import elision

HEAD = """# The pipeline {pipeline}, stage by stage

`{kernel}` for {target}: what

```
distaff compile {kernel} --target {target} --pipeline {pipeline} --stop-after=STAGE
```

prints after every stage that is described in [Pipeline.md](../Pipeline.md), and what `distaff explain` says of it; lines that
a stage leaves as they were, and ops that repeat, are elided. Made by utils/generate_docs.py; a test holds it against what the tool prints.
"""
NOT_SHOWN = {"lower", "convert"}


def run(build, root, *arguments):
    with contextlib.chdir(root):
        return fork_server.run([build / "bin" / "distaff", *arguments])


def distaff(build, root, *arguments):
    done = run(build.resolve(), root, *arguments)
    if done.returncode:
        raise SystemExit(f"error: distaff {' '.join(arguments)}: {done.stderr}")
    return done.stdout.rstrip()


def stages(build, root, flags):
    """The stages of the pipeline, in order, as an error lists them."""
    done = run(build.resolve(), root, "compile", *flags, "--stop-after=nowhere")
    return re.search(r"stages are (.*)", done.stderr).group(1).split(", ")


def without_assembler(explanation):
    """Not every machine has one, and each version has its own figures."""
    return re.sub(r", \d+( B)?( declared)? by ptxas", "", explanation)


def page(build, root, kernel, target, pipeline):
    flags = [kernel, "--target", target, "--pipeline", pipeline]
    lines = [HEAD.format(kernel=kernel, target=target, pipeline=pipeline), "## What was chosen", "", "```",
             without_assembler(distaff(build, root, "explain", *flags)), "```"]
    before = None
    for stage in stages(build, root, flags):
        if stage in NOT_SHOWN:
            continue
        after = distaff(build, root, "compile", *flags, f"--stop-after={stage}")
        lines += ["", f"## {stage}", ""]
        if after == before:
            lines.append("As before.")
        else:
            shown = after.splitlines() if before is None else elision.changed(before.splitlines(), after.splitlines())
            lines.append("\n".join(["```mlir", *elision.folded(shown), "```"]))
        before = after
    return "\n".join(lines) + "\n"
