"""Reads what formats-write.mjs wrote with programs that others wrote; a warning is a failure."""

import contextlib
import io
import json
import logging
import os
import pathlib
import sys
import warnings

folder = pathlib.Path(sys.argv[1])
schema = json.loads(pathlib.Path(sys.argv[2]).read_text())
pairs = {
    ("P12345", "GO:0005515"),
    ("P12345", "GO:0008150"),
    ("P12345", "GO:0032991"),
    ("my;gene_1_x=%", "GO:0003674"),
}


def goatools_gaf():
    from goatools.anno.gaf_reader import GafReader

    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        rows = GafReader(str(folder / "x.gaf")).associations
    assert {(row.DB_ID, row.GO_ID) for row in rows} == pairs, rows
    assert "WARNING" not in said.getvalue() and "ERROR" not in said.getvalue(), said.getvalue()
    assert {row.Evidence_Code for row in rows} == {"IEA"}


def biopython_gaf():
    from Bio.UniProt import GOA

    with open(folder / "x.gaf") as file:
        rows = list(GOA.gafiterator(file))
    assert {(row["DB_Object_ID"], row["GO_ID"]) for row in rows} == pairs, rows
    assert [row["Gene_Product_Form_ID"] for row in rows] == ["UniProtKB:P12345-2"] * 3 + [""], rows


def gffutils_proteins():
    import gffutils

    db = gffutils.create_db(str(folder / "x.gff3"), ":memory:")
    found = {feature.attributes["ID"][0]: feature for feature in db.all_features()}
    assert set(found) == {"P12345-2", "my;gene,1|x=%", "empty"}, set(found)
    assert found["P12345-2"].attributes["Ontology_term"] == ["GO:0005515", "GO:0008150", "GO:0032991"]
    assert found["P12345-2"].score == "0.9" and found["empty"].score == "."


def gffutils_genome():
    import gffutils

    db = gffutils.create_db(str(folder / "decorated.gff3"), ":memory:", merge_strategy="create_unique")
    added = {feature.attributes["Name"][0]: feature for feature in db.features_of_type("polypeptide")}
    assert set(added) == {"P12345-2", "my;gene,1|x=%"}, set(added)
    first = added["P12345-2"]
    assert (first.start, first.end, first.strand) == (100, 900, "+")
    assert first.attributes["Derives_from"] == ["cds-P12345-2"]
    assert first.attributes["Ontology_term"] == ["GO:0005515", "GO:0008150"]
    kept = [line for line in open(folder / "decorated.gff3") if "\tKindred\t" not in line]
    assert kept == list(open(folder / "genome.gff3"))


def json_lines():
    import jsonschema

    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    lines = [json.loads(line) for line in open(folder / "x.jsonl")]
    for line in lines:
        validator.validate(line)
    assert [len(line["terms"]) for line in lines] == [3, 1, 0]
    broken = {**lines[0], "terms": [{}]}
    assert not validator.is_valid(broken)


class Refusing(logging.Handler):
    """Readers that log a fault instead of raising it."""

    def emit(self, record):
        raise AssertionError(record.getMessage())


logging.getLogger().addHandler(Refusing(logging.WARNING))
passed = failed = 0
for check in (goatools_gaf, biopython_gaf, gffutils_proteins, gffutils_genome, json_lines):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ResourceWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            check()
        passed += 1
        print(f"formats: {check.__name__} passed")
    except Exception as error:
        failed += 1
        text = f"FAILED: formats, {check.__name__}: {type(error).__name__}: {error}"
        print(text)
        if "KINDRED_FAILURES" in os.environ:
            with open(os.environ["KINDRED_FAILURES"], "a") as file:
                file.write(text + "\n")
with open(os.environ["KINDRED_COUNTS"], "a") as file:
    file.write(f"{passed} {failed} 0\n")
