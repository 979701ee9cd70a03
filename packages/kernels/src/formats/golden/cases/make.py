"""Makes the files own-*.gff3 and own.fna, and proteins.tsv, which has the output of gffread (0.12.7, `gffread -y`) for every GFF3 file
here.

    python3 make.py
"""

import glob
import subprocess
import sys
import tempfile

COMPLEMENT = str.maketrans("ACGTN", "TGCAN")


def fasta(path):
    name, parts, found = None, [], {}
    for line in open(path):
        if line.startswith(">"):
            name = line[1:].split()[0]
            found[name] = ""
        elif line.strip():
            found[name] += line.strip()
    return found


bases = fasta("genome.fna")["chr1"]
bases2 = fasta("genome2.fna")["chr2"]
exons = [(101, 200), (261, 340), (401, 493)]

shared = [(101, 199), (260, 340), (401, 493)]


def mirrored(pairs):
    return [(len(bases) + 1 - end, len(bases) + 1 - start) for start, end in reversed(pairs)]


def phases(pairs, strand):
    """Returns the phases of the pairs in the order of the file."""
    order = pairs if strand == "+" else list(reversed(pairs))
    found, seen = {}, 0
    for start, end in order:
        found[start] = (3 - seen % 3) % 3
        seen += end - start + 1
    return [found[start] for start, _ in pairs]


def lines(sequence, strand, pairs, attributes, transcript=None):
    out = []
    if transcript:
        out.append([sequence, "t", "mRNA", pairs[0][0], pairs[-1][1], ".", strand, ".", transcript])
    for at, ((start, end), phase) in enumerate(zip(pairs, phases(pairs, strand))):
        text = attributes(at) if callable(attributes) else attributes
        out.append([sequence, "t", "CDS", start, end, ".", strand, phase, text])
    return "".join("\t".join(map(str, cells)) + "\n" for cells in out)


def transcripts(sequence, strand, *names):
    pairs = [(101, 493)] if strand == "+" else mirrored([(101, 493)])
    return "".join(lines(sequence, strand, pairs, "", f"ID={name}").splitlines()[0] + "\n" for name in names)


forward, backward = ("chr1", "+", exons), ("rev1", "-", mirrored(exons))
files = {
    # The next cases have IDs of lines.
    "own-ids-flybase": lines(*forward, lambda at: f"ID=CDS_FBgn1:{at + 1}_737;Name=x-cds;Parent=FBtr1", "ID=FBtr1;Name=x"),
    "own-ids-ensembl": lines(*backward, lambda at: f"ID=CDS:P1:{at + 1};Parent=transcript:T1", "ID=transcript:T1"),
    "own-ids-geta": lines(*backward, lambda at: f"ID=gene1.t01.CDS{at + 1};Parent=gene1.t01;", "ID=gene1.t01;"),
    "own-ids-shared": lines(*forward, "ID=cds-1;Parent=m1", "ID=m1"),
    "own-ids-shuffled": "".join(
        line + "\n"
        for line in reversed(lines(*forward, lambda at: f"ID=g.t1.cds.{at}x;Parent=g.t1", "ID=g.t1").splitlines())
    ),
    # The next cases have several parents.
    "own-parents-three": transcripts("chr2", "+", "t1", "t2", "t3")
    + lines("chr2", "+", shared, lambda at: "Parent=t1,t2,t3" if at != 1 else "Parent=t1,t3"),
    "own-parents-backward": transcripts("rev2", "-", "u1", "u2")
    + lines("rev2", "-", mirrored(shared), lambda at: "ID=c;Parent=u1,u2" if at != 1 else "ID=c;Parent=u1"),
    "own-parents-ids": transcripts("chr2", "+", "v1", "v2")
    + lines("chr2", "+", shared, lambda at: f"ID=x{at};Parent=v1,v2" if at != 1 else f"ID=x{at};Parent=v2"),
}
genome = {"chr1": bases, "rev1": bases[::-1].translate(COMPLEMENT)}
genome |= {"chr2": bases2, "rev2": bases2[::-1].translate(COMPLEMENT)}
with open("own.fna", "w") as out:
    for name, text in genome.items():
        out.write(f">{name}\n{text}\n")
for name, text in files.items():
    with open(f"{name}.gff3", "w") as out:
        out.write("##gff-version 3\n" + text)

genome_of = {"01": "genome.fna", "02": "genome2.fna", "07": "genome7.fna", "ow": "own.fna"}
with open("proteins.tsv", "w") as out:
    for path in sorted(glob.glob("*.gff*")):
        if path[:2] not in genome_of:
            continue
        with tempfile.TemporaryDirectory() as folder:
            fna = f"{folder}/genome.fna"
            open(fna, "w").write(open(genome_of[path[:2]]).read())
            made = f"{folder}/proteins.faa"
            subprocess.run(["gffread", "-y", made, "-g", fna, path], check=True, stderr=sys.stderr)
            for name, residues in fasta(made).items():
                out.write(f"{path}\t{genome_of[path[:2]]}\t{name}\t{residues}\n")
