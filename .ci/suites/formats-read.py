"""Reads the files of formats-write.mjs with programs that others wrote. A warning is a failure."""

import contextlib
import gzip
import hashlib
import importlib.metadata
import importlib.util
import io
import json
import logging
import pathlib
import subprocess
import sys
import types
import warnings

import checks

folder = pathlib.Path(sys.argv[1])
schema = json.loads(pathlib.Path(sys.argv[2]).read_text())
pairs = {
    ("P12345", "GO:0005515"),
    ("P12345", "GO:0008150"),
    ("P12345", "GO:0032991"),
    ("my_x3Bgene_x2C1_x7Cx_x3D_x25", "GO:0003674"),
}


def goatools_gaf():
    from goatools.anno.gaf_reader import GafReader

    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        rows = GafReader(str(folder / "x.gaf")).associations
    assert {(row.DB_ID, row.GO_ID) for row in rows} == pairs, rows
    assert "WARNING" not in said.getvalue() and "ERROR" not in said.getvalue(), said.getvalue()
    assert {row.Evidence_Code for row in rows} == {"IEA"}


def goatools_associations():
    from goatools.anno.idtogos_reader import IdToGosReader
    from goatools.obo_parser import GODag

    # A study of enrichment gives the reader its ontology, too; without one, it warns that it cannot tell aspects.
    ontology = folder / "go-basic.obo"
    ontology.write_bytes(gzip.decompress(pathlib.Path("examples/go-basic-2022-07-01.obo.gz").read_bytes()))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        found = IdToGosReader(str(folder / "x.goatools"), godag=GODag(str(ontology))).get_id2gos()
    of_isoform = {"GO:0005515", "GO:0008150", "GO:0032991"}
    assert found == {"P12345-2": of_isoform, "my;gene,1|x=%": {"GO:0003674"}}, found
    assert "WARNING" not in said.getvalue() and "ERROR" not in said.getvalue(), said.getvalue()


def biopython_gaf():
    from Bio.UniProt import GOA

    with open(folder / "x.gaf") as file:
        rows = list(GOA.gafiterator(file))
    assert {(row["DB_Object_ID"], row["GO_ID"]) for row in rows} == pairs, rows
    assert [row["Gene_Product_Form_ID"] for row in rows] == ["UniProtKB:P12345-2"] * 3 + [""], rows


def ontobio_parsers():
    # The package is loaded in parts, because it uses the network when it is imported; its parsers need no more than the code of IEA.
    place = importlib.util.find_spec("ontobio").submodule_search_locations
    sys.modules["ontobio"] = package = types.ModuleType("ontobio")
    package.__path__, package.__version__ = list(place), importlib.metadata.version("ontobio")
    from ontobio import ecomap

    ecomap.get_ecomap_str = lambda url: "ECO:0000501\tIEA\tDefault\n" if "derived" in url else "IEA\tDefault\tECO:0000501\n"
    from ontobio.io.gafparser import GafParser
    from ontobio.io.gpadparser import GpadParser

    for parser, name in ((GafParser(), "x.gaf"), (GpadParser(), "x.gpad")):
        with open(folder / name) as file:
            rows = list(parser.parse(file, skipheader=True))
        said = [message for message in parser.report.messages if message["level"] != "INFO"]
        assert not said, said
        # The suffix is removed, because GPAD names the isoform itself.
        found = {(row.subject.id.identity.removesuffix("-2"), str(row.object.id)) for row in rows}
        assert found == pairs, found
        assert {str(row.evidence.type) for row in rows} == {"ECO:0000501"}


def ro_crate():
    from rocrate.rocrate import ROCrate

    crate = ROCrate(folder / "crate")
    assert crate.root_dataset["license"].id == "https://creativecommons.org/licenses/by/4.0/"
    files = {entity.id: entity for entity in crate.get_entities() if entity.type == "File"}
    assert set(files) == {"terms.gaf", "report.html"}, set(files)
    digest = hashlib.sha256((folder / "crate" / "report.html").read_bytes()).hexdigest()
    assert files["report.html"]["identifier"] == f"sha256:{digest}"
    run = crate.dereference("#run")
    assert {entity.id for entity in run["result"]} == set(files)
    assert {entity["name"] for entity in run["object"]} == {"my proteome.faa", "Ontology"}
    assert run["instrument"]["name"] == "Kindred"
    # Checks that every file that the crate names is there.
    graph = json.loads((folder / "crate" / "ro-crate-metadata.json").read_text())["@graph"]
    ids = {entity["@id"] for entity in graph}
    named = {value["@id"] for entity in graph for entry in entity.values() for value in (entry if isinstance(entry, list) else [entry]) if isinstance(value, dict)}
    assert named - ids <= {"https://w3id.org/ro/crate/1.1"}, named - ids


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
    coding = list(db.features_of_type("CDS"))
    assert [feature.start for feature in coding] == [100, 500, 1000], coding
    for feature in coding[:2]:
        assert feature.attributes["Ontology_term"] == ["GO:0005515", "GO:0008150"]
        assert feature.attributes["Dbxref"] == ["UniProtKB:P12345"]
        assert feature.attributes["product"] == ["Kinase; a, b & c = 100%"], feature.attributes["product"]
        assert feature.attributes["Note"] == [
            "mine",
            "Predicted molecular function: binding, tight (probability 0.9)",
            "Predicted biological process: process (probability 0.5)",
        ], feature.attributes["Note"]
    assert coding[2].attributes["product"] == ["a protein"]
    before, after = list(open(folder / "genome.gff3")), list(open(folder / "decorated.gff3"))
    assert len(before) == len(after)
    assert all(new.startswith(old.rstrip("\n")) for old, new in zip(before, after))
    assert before[-3:] == after[-3:] and before[:2] == after[:2]


def gffread_genome():
    said = subprocess.run(["gffread", "-E", "-F", str(folder / "decorated.gff3"), "-o", "-"], capture_output=True, text=True, check=True)
    assert "arning" not in said.stderr and "rror" not in said.stderr, said.stderr
    assert "Ontology_term=GO:0005515,GO:0008150" in said.stdout, said.stdout


def rdflib_turtle():
    from rdflib import Graph, URIRef

    graph = Graph().parse(str(folder / "x.turtle"), format="turtle")
    rows = graph.query(
        """PREFIX oban: <http://purl.org/oban/> PREFIX obo: <http://purl.obolibrary.org/obo/> PREFIX up: <http://purl.uniprot.org/core/>
        PREFIX dcterms: <http://purl.org/dc/terms/> PREFIX kindred: <urn:x-kindred:terms#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
        SELECT ?name ?term ?label ?predicate ?score ?probability WHERE {
          ?association oban:association_has_subject ?protein ; oban:association_has_object ?term ; oban:association_has_predicate ?predicate ;
            obo:RO_0002558 obo:ECO_0000501 ; kindred:kind "predicted" ; kindred:score ?score .
          ?protein dcterms:identifier ?name ; up:classifiedWith ?term . ?term rdfs:label ?label .
          OPTIONAL { ?association kindred:probability ?probability } }"""
    )
    found = {(str(row.name), str(row.term).rsplit("/", 1)[1], str(row.label)): row for row in rows}
    of_isoform = {("P12345-2", f"GO_{number}", f"=name of GO:{number}") for number in ("0005515", "0008150", "0032991")}
    assert set(found) == of_isoform | {("my;gene,1|x=%", "GO_0003674", "=name of GO:0003674")}, set(found)
    binding = found["P12345-2", "GO_0005515", "=name of GO:0005515"]
    assert float(binding.probability) == 0.9 and float(binding.score) == 0.123457, binding
    assert binding.predicate == URIRef("http://purl.obolibrary.org/obo/RO_0002327"), binding
    source = URIRef("http://www.w3.org/ns/prov#wasDerivedFrom"), URIRef("http://purl.uniprot.org/uniprot/P0A7B8")
    assert len(list(graph.triples((None, *source)))) == 1
    said = list(graph.objects(None, URIRef("urn:x-kindred:terms#noAnswer")))
    assert [str(one) for one in said] == ["too_short"], said


def rdflib_escapes():
    """Reads every character that a text may have: formats-write.mjs writes them as the names of terms."""
    from rdflib import Graph, URIRef

    graph = Graph().parse(str(folder / "escapes.ttl"), format="turtle")
    labels = URIRef("http://www.w3.org/2000/01/rdf-schema#label")
    for number, code in enumerate([*range(0x250), 0x2028, 0xFEFF, 0xFFFF, 0x1F9EC]):
        (label,) = graph.objects(URIRef(f"http://purl.obolibrary.org/obo/GO_{number:07d}"), labels)
        assert str(label) == f"a{chr(code)}b", (hex(code), label)


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


def openpyxl_workbook():
    import openpyxl

    book = openpyxl.load_workbook(folder / "x.xlsx")
    assert book.sheetnames == ["proteins", "terms", "provenance"], book.sheetnames
    terms = list(book["terms"].iter_rows())
    header = [cell.value for cell in terms[0]]
    assert terms[0][0].font.bold and book["terms"].freeze_panes == "A2"
    lines = [{name: cell for name, cell in zip(header, row)} for row in terms[1:]]
    assert [row["kind"].value for row in lines] == ["predicted"] * 4 + ["no_answer"], lines
    found = lines[:4]
    assert [(row["protein"].value, row["go_id"].value) for row in found] == [
        ("P12345-2", "GO:0005515"),
        ("P12345-2", "GO:0008150"),
        ("P12345-2", "GO:0032991"),
        ("my;gene,1|x=%", "GO:0003674"),
    ]
    # Texts that begin like a formula must stay texts, and numbers must be numbers.
    assert all(row["go_name"].value.startswith("=name") and row["go_name"].data_type == "s" for row in found)
    assert all(row["go_name"].quotePrefix for row in found)
    assert (found[0]["probability"].value, found[0]["probability"].data_type) == (0.9, "n")
    assert found[1]["probability"].value is None
    proteins = [[cell.value for cell in row] for row in book["proteins"].iter_rows()]
    assert [row[0] for row in proteins[1:]] == ["P12345-2", "my;gene,1|x=%", "empty"]
    assert ("generated-by", "Kindred") in [tuple(cell.value for cell in row) for row in book["provenance"].iter_rows()]


def parquet_tables():
    import pandas
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(folder / "x.parquet")
    assert table.schema.field("score").type == "float" and table.schema.field("supporters").type == "int32"
    facts = {name.decode(): json.loads(value) for name, value in table.schema.metadata.items()}
    assert ["generated-by", "Kindred"] in facts["provenance"] and "0 to 1" in facts["columns"]["probability"], facts
    rows = table.to_pylist()
    assert [(row["protein"], row["go_id"], row["kind"]) for row in rows] == [
        ("P12345-2", "GO:0005515", "predicted"),
        ("P12345-2", "GO:0008150", "predicted"),
        ("P12345-2", "GO:0032991", "predicted"),
        ("my;gene,1|x=%", "GO:0003674", "predicted"),
        ("empty", None, "no_answer"),
    ], rows
    assert rows[0]["go_name"] == "=name of GO:0005515" and abs(rows[0]["probability"] - 0.9) < 1e-6
    wide = pandas.read_parquet(folder / "x.wide.parquet").set_index("protein")
    assert list(wide.loc["P12345-2", "F_terms"]) == ["GO:0005515"] and list(wide.loc["empty", "F_terms"]) == []
    exploded = wide[["P_terms", "P_probabilities"]].explode(["P_terms", "P_probabilities"])
    assert exploded.loc["P12345-2", "P_terms"] == "GO:0008150" and pandas.isna(exploded.loc["P12345-2", "P_probabilities"])


class Refusing(logging.Handler):
    """A handler for readers that log a fault instead of raising it."""

    def emit(self, record):
        raise AssertionError(record.getMessage())


logging.getLogger().addHandler(Refusing(logging.WARNING))
@contextlib.contextmanager
def warnings_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


checks.run(
    "formats",
    (goatools_gaf, goatools_associations, biopython_gaf, gffutils_proteins, gffutils_genome, gffread_genome, json_lines, rdflib_turtle, rdflib_escapes, openpyxl_workbook, parquet_tables, ontobio_parsers, ro_crate),
    warnings_refused,
)
