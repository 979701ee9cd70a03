"""Checks real files of genes from public packages: Kindred's proteins must be those of gffread (GFF3), of Biopython (GenBank, EMBL,
GenPept) and of Prodigal.

    formats-real.py FOLDER   the folder has jbrowse (the npm package), biopython (its documentation in Debian), and cct (its examples there)
"""

import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import warnings

import checks
import pyrodigal
from Bio import BiopythonWarning, SeqIO
from Bio.Data import CodonTable
from Bio.SeqFeature import AfterPosition, BeforePosition

folder = pathlib.Path(sys.argv[1])
jbrowse = folder / "jbrowse" / "package"
yeast = jbrowse / "sample_data" / "raw"
maker = jbrowse / "tests" / "data" / "maker_dmel_example" / "dpp_contig.maker.output" / "dpp_contig_datastore"
ecoli = folder / "cct" / "usr" / "share" / "doc" / "cct" / "examples" / "sample_projects" / "sample_project_3" / "comparison_genomes"
biopython = folder / "biopython" / "usr" / "share" / "doc" / "python-biopython-doc" / "Tests"
here = pathlib.Path(__file__).parent
warnings.simplefilter("ignore", BiopythonWarning)


def text_of(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="latin-1") as file:
        return file.read()


def ours(*jobs):
    said = subprocess.run(["node", here / "formats-real.mjs"], input=json.dumps(jobs), text=True, capture_output=True, check=True)
    return json.loads(said.stdout)


def gffread(name, features, genome):
    """Returns proteins of gffread by transcript, and Kindred's answer for the same files."""
    paths = [folder / f"{name}.gff3", folder / f"{name}.fna", folder / f"{name}.faa"]
    paths[0].write_text(features)
    paths[1].write_text(genome)
    subprocess.run(["gffread", "-y", paths[2], "-g", paths[1], paths[0]], check=True, capture_output=True)
    (answer,) = ours({"path": str(paths[0]), "genome": str(paths[1])})
    return fasta(paths[2].read_text()), answer


def fasta(text):
    return {record.id: str(record.seq) for record in SeqIO.parse(io.StringIO(text), "fasta")}


def split(path):
    """Divides a file into its GFF3 part and the sequences that follow."""
    features, mark, genome = text_of(path).partition("##FASTA\n")
    assert mark, path
    return features, genome


def sgd_yeast(chromosome, genome, count):
    text = text_of(yeast / "yeast_chr1+2" / "yeast_chr1+2.gff3")
    lines = [line for line in text.splitlines() if line.startswith(("#", f"{chromosome}\t"))]
    wanted, answer = gffread(chromosome, "\n".join(lines) + "\n", genome)
    # gffread translates a pseudogene of the file like a gene; Kindred leaves it out and says so.
    cells = [line.split("\t") for line in lines]
    pseudogenes = {row[8].split(";")[0].removeprefix("ID=") for row in cells if row[2:3] == ["pseudogene"]} & wanted.keys()
    assert {(one["record"], one["reason"]) for one in answer["left_out"]} == {(name, "a pseudogene") for name in pseudogenes}
    assert len(wanted) == count and len(pseudogenes) < 3 and not answer["rejected"]
    assert dict(answer["proteins"]) == {name: residues for name, residues in wanted.items() if name not in pseudogenes}


def sgd_yeast_1():
    sgd_yeast("chrI", text_of(yeast / "yeast_scaffolds" / "chr1.fa.gz"), 121)


def sgd_yeast_2():
    sgd_yeast("chrII", gzip.decompress((yeast / "yeast_scaffolds" / "chr2.fa.gzip").read_bytes()).decode(), 462)


def maker_drosophila():
    (path,) = maker.rglob("contig-dpp-500-500.gff")
    wanted, answer = gffread("maker", *split(path))
    assert len(wanted) == 3 and not answer["left_out"] and not answer["rejected"], answer["left_out"]
    assert dict(answer["proteins"]) == wanted


def wrong_phases():
    """Checks a file whose converter wrote /codon_start as phase. gffread writes proteins with stops inside; Kindred leaves them out
    and says why.
    """
    wanted, answer = gffread("phases", *split(yeast / "yeast_gbk" / "NC_001133.gbk.gff"))
    assert len(wanted) > 90 and all("." in residues for residues in wanted.values())
    assert not answer["proteins"] and len(answer["left_out"]) == len(wanted)
    unsaid = [one for one in answer["left_out"] if "codon_start" not in one["reason"]]
    assert not unsaid, unsaid


def prodigal():
    for name in ("NC_005816.gb.gz", "NC_000932.gb.gz", "SC10H5.embl.gz"):
        (path,) = biopython.rglob(name)
        (record,) = SeqIO.parse(io.StringIO(text_of(path)), "embl" if ".embl" in name else "genbank")
        genes = pyrodigal.GeneFinder(meta=True).find_genes(bytes(record.seq))
        features, residues = io.StringIO(), io.StringIO()
        genes.write_gff(features, "c")
        genes.write_translations(residues, "c", include_stop=False)
        paths = [folder / "prodigal.gff3", folder / "prodigal.fna"]
        paths[0].write_text(features.getvalue())
        paths[1].write_text(f">c\n{record.seq}\n")
        (answer,) = ours({"path": str(paths[0]), "genome": str(paths[1])})
        wanted = fasta(residues.getvalue())
        assert len(wanted) > 5 and not answer["left_out"] and not answer["rejected"], answer["left_out"]
        assert sorted(sequence for _, sequence in answer["proteins"]) == sorted(wanted.values()), name


def contigs():
    """Takes a whole chromosome and short contigs of pyrodigal's own tests: proteins and names must be those that the program writes."""
    data = pathlib.Path(pyrodigal.__file__).parent / "tests" / "data"
    os.environ["SVC_GENE_FINDER_COMMAND"] = str(pathlib.Path(sys.executable).parent / "pyrodigal")
    for name, least, mode in (("GCF_001457455.1_NCTC11397_genomic.fna.gz", 2000, "single"), ("KK037166.fna.gz", 5, "meta")):
        path, residues = folder / name.removesuffix(".gz"), folder / "contigs.faa"
        path.write_text(text_of(data / name))
        program = [os.environ["SVC_GENE_FINDER_COMMAND"], "-i", path, "-a", residues, "-p", mode, "--no-stop-codon", "-o", os.devnull]
        subprocess.run(program, check=True, capture_output=True)
        (answer,) = ours({"contigs": str(path)})
        wanted = {name: sequence.removesuffix("*") for name, sequence in fasta(residues.read_text()).items()}
        assert len(wanted) > least and not answer["rejected"], (name, len(wanted), answer["rejected"][:3])
        assert dict(answer["proteins"]) == wanted, name


def ecoli_stops():
    """Calls the genes of E. coli K-12 (NC_000913.2). Its annotation of 2004 has genes that were given up later, so those whose protein
    ends like one of UniProt's proteome of E. coli K-12 are asked for. A gene is found if a called one ends at the same stop: starts are
    less certain than stops.
    """
    proteome = here.parents[2] / "shared" / "data" / "ecoli-k12" / "UP000000625_83333.fasta.gz"
    assert proteome.exists(), f"{proteome} is absent: the proteome of E. coli tells which annotated genes are still genes"
    ends = {residues[-25:] for residues in fasta(text_of(proteome)).values()}
    (record,) = SeqIO.parse(io.StringIO(text_of(ecoli / "NC_000913.gbk.gz")), "genbank")
    path = folder / "ecoli.fna"
    path.write_text(f">{record.id}\n{record.seq}\n")
    (answer,) = ours({"contigs": str(path)})
    assert not answer["rejected"], answer["rejected"][:3]
    cells = [line.split("\t") for line in answer["gff3"].splitlines() if not line.startswith("#")]
    called = {(int(row[4] if row[6] == "+" else row[3]), row[6]) for row in cells if row[2] == "CDS"}
    genes = [one for one in record.features if one.type == "CDS" and "translation" in one.qualifiers]
    stop = {id(one): (one.location.end, "+") if one.location.strand == 1 else (one.location.start + 1, "-") for one in genes}
    kept = [one for one in genes if one.qualifiers["translation"][0][-25:] in ends]
    shares = [sum(stop[id(one)] in called for one in some) / len(some) for some in (kept, genes)]
    print(f"formats: {shares[0]:.2%} of {len(kept)} stops are found, {shares[1]:.2%} of all {len(genes)} of 2004")
    assert len(kept) > 4000 and shares[0] >= 0.98, shares


def translated(feature, record):
    """Returns residues by Biopython, with the start and the end of a coding sequence; None if the bases are elsewhere, or have no
    codon.
    """
    value = {name: values[0] for name, values in feature.qualifiers.items()}
    if any(part.ref is not None for part in feature.location.parts) or "transl_except" in value:
        return None
    table = int(value.get("transl_table", 1))
    bases = feature.extract(record.seq)[int(value.get("codon_start", 1)) - 1 :]
    residues = str(bases[: len(bases) // 3 * 3].translate(table)).removesuffix("*")
    first = feature.location.parts[0]
    is_open = isinstance(*((first.start, BeforePosition) if first.strand == 1 else (first.end, AfterPosition)))
    starts = CodonTable.unambiguous_dna_by_id[table].start_codons
    is_whole = value.get("codon_start", "1") == "1" and not is_open
    return "M" + residues[1:] if is_whole and str(bases[:3]).upper() in starts else residues


def biopython_genes():
    names = "NC_000932.gb NC_005816.gb NC_001422.gbk arab1.gb cor6_6.gb addgene-plasmid-11664-sequence-180430.gbk extra_keywords.gb"
    names += " AE017046.embl SC10H5.embl U87107.embl"
    paths = [path for name in names.split() for ending in ("", ".gz") for path in biopython.rglob(name + ending)]
    assert len(paths) == len(names.split()), paths
    paths += [yeast / "yeast_gbk" / "NC_001133.gbk", jbrowse / "tests" / "data" / "gstmu_full_record.gb"]
    for path in paths:
        given, by_bases = ours(*({"path": str(path), "translated": flag} for flag in (False, True)))
        records = SeqIO.parse(io.StringIO(text_of(path)), "embl" if ".embl" in path.name else "genbank")
        genes = [(one, record) for record in records for one in record.features if one.type == "CDS"]
        computed = {residues for residues in (translated(*gene) for gene in genes) if residues and "*" not in residues}
        stated = {one.qualifiers["translation"][0].replace(" ", "") for one, _ in genes if "translation" in one.qualifiers}
        assert len(computed) > 0, path
        assert computed <= {residues for _, residues in by_bases["proteins"]}, path
        assert {residues for _, residues in given["proteins"]} == (stated or computed), path
        made = len(given["proteins"]) + given["skipped"] + len(given["left_out"])
        assert made == len(genes), (path, made, len(genes))


def biopython_proteins():
    for name in ("1MRR_A.gp.gz", "protein_refseq.gb", "protein_refseq2.gb.gz"):
        (path,) = biopython.rglob(name)
        (answer,) = ours({"path": str(path)})
        records = SeqIO.parse(io.StringIO(text_of(path)), "genbank")
        assert answer["proteins"] == [[record.id, str(record.seq)] for record in records], name


checks.run("formats", (sgd_yeast_1, sgd_yeast_2, maker_drosophila, wrong_phases, prodigal, contigs, ecoli_stops, biopython_genes, biopython_proteins))
