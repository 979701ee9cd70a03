"""Predicts Gene Ontology terms for a proteome by `kindred annotate`, as a folder of results, or a table of terms."""

__license__ = "MIT"

from shlex import quote

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)

given = [name for name in ("genome", "gff") if name in snakemake.input.keys()]
inputs = " ".join(f"--{name} {quote(snakemake.input[name])}" for name in given)
proteins = quote(snakemake.input.get("proteins", snakemake.input[0]))

if "results" in snakemake.output.keys():
    written = f"--out-dir {quote(snakemake.output.results)}"
elif "terms" in snakemake.output.keys():
    written = f"--output {quote(snakemake.output.terms)}"
else:
    raise ValueError("name an output: results=directory(...) for all files, or terms=... for a table")

shell("kindred annotate --quiet {inputs} {written} {extra} {proteins} {log}")
