"""Makes goatools.json: enrichment of three lists and slim mapping on E. coli by goatools 1.6.7 with SciPy 1.17.1.

python make_golden.py GAF OBO SLIM > goatools.json
Over is_a alone, which is what goatools follows by default. Annotations with NOT or ND are left out, alternative ids mapped.
"""

import contextlib
import gzip
import json
import os
import sys
import tempfile

from goatools.goea.go_enrichment_ns import GOEnrichmentStudyNS
from goatools.mapslim import mapslim
from goatools.obo_parser import GODag

gaf, obo, slim = sys.argv[1:]


def unpacked(path):
    text = (gzip.open if path.endswith(".gz") else open)(path, "rt").read()
    file = tempfile.NamedTemporaryFile("w", suffix=".obo", delete=False)
    file.write(text)
    file.close()
    return file.name


with contextlib.redirect_stdout(sys.stderr):
    dag = GODag(unpacked(obo), prt=sys.stderr)
    slim_dag = GODag(unpacked(slim), prt=sys.stderr)
    for term in [term for term in slim_dag if term not in dag]:
        del slim_dag[term]
    spaces = {"P": "BP", "F": "MF", "C": "CC"}
    associations = {"BP": {}, "MF": {}, "CC": {}}
    direct = {}
    for line in gzip.open(gaf, "rt"):
        if line.startswith("!"):
            continue
        cells = line.rstrip("\n").split("\t")
        if cells[0] != "UniProtKB" or "NOT" in cells[3].split("|") or cells[6] == "ND" or cells[4] not in dag:
            continue
        term = dag[cells[4]]
        if term.is_obsolete:
            continue
        associations[spaces[cells[8]]].setdefault(cells[1], set()).add(term.id)
        direct.setdefault(cells[1], set()).add(term.id)
    population = sorted(direct)
    lists = {
        "every 20th": population[::20],
        "plasma membrane": [one for one in population if "GO:0005886" in direct[one]],
        "DNA binding, first 100": [one for one in population if "GO:0003677" in direct[one]][:100],
    }
    study = GOEnrichmentStudyNS(population, associations, dag, propagate_counts=True, alpha=0.05, methods=["fdr_bh"])
    enriched = {}
    for name, members in lists.items():
        rows = study.run_study(members, prt=None)
        rows.sort(key=lambda row: (row.p_uncorrected, row.GO))
        kept = rows[:120] + rows[120::40]
        enriched[name] = [
            [row.GO, row.study_count, row.pop_count, float(row.p_uncorrected), float(row.p_fdr_bh)] for row in kept
        ]
    terms = sorted({term for terms in direct.values() for term in terms})
    mapped = {}
    for term in terms:
        ours, everything = mapslim(term, dag, slim_dag)
        mapped[term] = [sorted(ours), sorted(everything)]
    # One entry for each answer keeps the file small.
    chosen = terms[::7]
    mapped = {term: mapped[term] for term in chosen}
    sizes = [len(population), {name: len(members) for name, members in lists.items()}]
json.dump({"sizes": sizes, "enriched": enriched, "slim": mapped}, sys.stdout, separators=(",", ":"))
sys.stdout.write("\n")
