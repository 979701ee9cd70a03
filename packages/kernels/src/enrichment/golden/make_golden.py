"""Makes goatools.json: enrichment of three lists and slim mapping on E. coli by goatools 1.6.7 with SciPy 1.17.1 and
statsmodels 0.15.0. goatools has no parent-child test: its graph gives the parents, SciPy the probability, statsmodels the rates.

python make_golden.py GAF OBO SLIM > goatools.json
Terms propagate over is_a alone, which goatools follows by default. Annotations with NOT or ND are left out, alternative ids mapped.
"""

import contextlib
import gzip
import hashlib
import json
import os
import sys
import tempfile

from goatools.goea.go_enrichment_ns import GOEnrichmentStudyNS
from goatools.mapslim import mapslim
from goatools.obo_parser import GODag
from scipy.stats import hypergeom
from statsmodels.stats.multitest import multipletests

gaf, obo, slim = sys.argv[1:]


def unpacked(path):
    text = (gzip.open if path.endswith(".gz") else open)(path, "rt").read()
    file = tempfile.NamedTemporaryFile("w", suffix=".obo", delete=False)
    file.write(text)
    file.close()
    return file.name


def parent_child(dag, having, members):
    """Lists all terms by p value: whether the members that have any parent of a term have the term more often (Grossmann 2007, union)."""
    members = set(members)
    rows = []
    for term, proteins in having.items():
        parents = [having[parent.id] for parent in dag[term].parents if parent.id in having]
        among = set().union(*parents) if dag[term].parents else proteins
        found, drawn = len(proteins & members), len(among & members)
        p = hypergeom.sf(found - 1, len(among), len(proteins), drawn)
        rows.append([term, found, drawn, len(proteins), len(among), float(p)])
    for space in ("biological_process", "molecular_function", "cellular_component"):
        own = [row for row in rows if dag[row[0]].namespace == space]
        for row, rate in zip(own, multipletests([row[-1] for row in own], method="fdr_bh")[1]):
            row.append(float(rate))
    return sorted(rows, key=lambda row: (row[5], row[0]))


def kept(rows):
    """Keeps the smallest p values and some of the others."""
    return rows[:120] + rows[120::40]


with contextlib.redirect_stdout(sys.stderr):
    dag = GODag(unpacked(obo), prt=sys.stderr)
    slim_dag = GODag(unpacked(slim), prt=sys.stderr)
    # An alternative id of the newer slim may be a term of the older ontology: goatools then takes it for another term of the slim.
    for term in [term for term in slim_dag if term not in dag or slim_dag[term].id != term]:
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
        enriched[name] = [
            [row.GO, row.study_count, row.pop_count, float(row.p_uncorrected), float(row.p_fdr_bh)]
            for row in kept(rows)
        ]
    having = {}
    for protein, own in direct.items():
        for term in set().union(*({term} | dag[term].get_all_parents() for term in own)):
            having.setdefault(term, set()).add(protein)
    by_parents = {name: kept(parent_child(dag, having, members)) for name, members in lists.items()}
    terms = sorted({term for terms in direct.values() for term in terms})
    mapped = {}
    for term in terms:
        ours, everything = mapslim(term, dag, slim_dag)
        mapped[term] = [sorted(ours), sorted(everything)]
    text = "".join(f"{term}\t{','.join(ours)}\t{','.join(everything)}\n" for term, (ours, everything) in mapped.items())
    digest = hashlib.sha256(text.encode()).hexdigest()
    # The file shows some entries, and the digest covers all of them, so that the file stays small.
    chosen = terms[::7]
    mapped = {term: mapped[term] for term in chosen}
    sizes = [len(population), {name: len(members) for name, members in lists.items()}]
golden = {"sizes": sizes, "enriched": enriched, "parent_child": by_parents, "slim": mapped, "slim_terms": len(terms), "slim_sha256": digest}
json.dump(golden, sys.stdout, separators=(",", ":"))
sys.stdout.write("\n")
