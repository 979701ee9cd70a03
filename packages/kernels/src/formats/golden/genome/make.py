"""Makes the files of this folder with Biopython 1.88: a genome of two sequences with coding sequences of every kind, as GenBank and
EMBL flat files and as FASTA, and the proteins that Biopython translates. The GFF3 file has the same locations. Random numbers have
a seed.
"""

import random
from pathlib import Path

from Bio import SeqIO
from Bio.Data import CodonTable
from Bio.Seq import Seq
from Bio.SeqFeature import AfterPosition, BeforePosition, CompoundLocation, SeqFeature, SimpleLocation
from Bio.SeqRecord import SeqRecord

here = Path(__file__).parent
random.seed(7)
proteins = []


def gene(residues, table, start="ATG"):
    """Makes a random coding sequence without a stop inside."""
    forward = CodonTable.unambiguous_dna_by_id[table].forward_table
    stops = CodonTable.unambiguous_dna_by_id[table].stop_codons
    codons = [codon for codon in forward if codon not in stops]
    return start + "".join(random.choice(codons) for _ in range(residues - 1)) + random.choice(stops)


def filler(length):
    return "".join(random.choice("ACGT") for _ in range(length))


def make(name, taxon, table, plans):
    """Each plan has: accession, strand, cuts, codon_start, partial, translation given, ambiguous."""
    bases, features = filler(30), []
    for accession, strand, introns, codon_start, partial, given, ambiguous in plans:
        coding = gene(random.randint(20, 60), table, "GTG" if table == 11 and accession.endswith("3") else "ATG")
        if codon_start > 1:
            coding = "ACG"[: codon_start - 1] + coding[3:]
        if ambiguous:
            coding = coding[:9] + "NNN" + "RAY" + "GCN" + coding[18:]
        text = coding if strand == 1 else str(Seq(coding).reverse_complement())
        cuts = sorted(random.sample(range(4, len(text) - 4), introns))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
        parts = []
        for piece in pieces:
            start = len(bases)
            bases += piece
            parts.append([start, len(bases)])
            bases += filler(random.randint(5, 90))
        locations = []
        for at, (start, end) in enumerate(parts):
            first = BeforePosition(start) if partial and strand == 1 and at == 0 else start
            last = AfterPosition(end) if partial and strand == -1 and at == len(parts) - 1 else end
            locations.append(SimpleLocation(first, last, strand))
        if strand == -1:
            locations.reverse()
        location = locations[0] if len(locations) == 1 else CompoundLocation(locations)
        features.append((accession, location, codon_start, partial, given, parts, strand))
    record = SeqRecord(Seq(bases), id=name, name=name.split(".")[0], description=f"golden {name}")
    record.annotations.update(molecule_type="DNA", organism="Escherichia golden", data_file_division="BCT")
    record.features.append(
        SeqFeature(
            SimpleLocation(0, len(bases), 1),
            "source",
            qualifiers={"organism": ["Escherichia golden"], "mol_type": ["genomic DNA"], "db_xref": [f"taxon:{taxon}"]},
        )
    )
    gff = [f"{name}\tgolden\tregion\t1\t{len(bases)}\t.\t+\t.\tID={name};Dbxref=taxon:{taxon}"]
    for accession, location, codon_start, partial, given, parts, strand in features:
        coding = location.extract(record.seq)[codon_start - 1 :]
        coding = coding[: len(coding) // 3 * 3]
        whole = not partial and codon_start == 1
        protein = str(coding.translate(table=table)).rstrip("*")
        if whole and str(coding[:3]) in CodonTable.unambiguous_dna_by_id[table].start_codons:
            protein = "M" + protein[1:]
        proteins.append((accession, taxon, f"{accession} protein, a \"golden\" one", protein))
        qualifiers = {
            "locus_tag": [f"L_{accession}"],
            "protein_id": [accession],
            "product": [f"{accession} protein, a \"golden\" one"],
            "codon_start": [codon_start],
            "transl_table": [table],
        }
        if given:
            qualifiers["translation"] = [protein]
        record.features.append(SeqFeature(location, "gene", qualifiers={"locus_tag": [f"L_{accession}"]}))
        record.features.append(SeqFeature(location, "CDS", qualifiers=qualifiers))
        # The phases of GFF3 are the bases to skip to the next codon, part by part in the direction of the strand.
        ordered = parts if strand == 1 else parts[::-1]
        done, rows = 1 - codon_start, {}
        for start, end in ordered:
            rows[start] = -done % 3
            done += end - start
        for start, end in parts:
            sign = "+" if strand == 1 else "-"
            more = (";partial=true;start_range=.,1" if strand == 1 else ";partial=true;end_range=1,.") if partial else ""
            gff.append(
                f"{name}\tgolden\tCDS\t{start + 1}\t{end}\t.\t{sign}\t{rows[start]}\t"
                f"ID=cds-{accession};protein_id={accession};product={accession} protein%2C a \"golden\" one;transl_table={table}{more}"
            )
    return record, gff


records, rows = [], ["##gff-version 3"]
for name, taxon, table, plans in [
    (
        "GOLD01.1",
        511145,
        11,
        [
            ("A1.1", 1, 0, 1, False, True, False),
            ("A2.1", -1, 0, 1, False, False, False),
            ("A3.1", 1, 0, 1, False, False, False),
            ("A4.1", 1, 2, 1, False, False, False),
            ("A5.1", -1, 3, 1, False, False, False),
            ("A6.1", 1, 0, 2, True, False, False),
            ("A7.1", -1, 1, 3, True, False, False),
            ("A8.1", 1, 1, 1, False, False, True),
        ],
    ),
    (
        "GOLD02.1",
        4932,
        3,
        [("B1.1", 1, 1, 1, False, False, False), ("B2.1", -1, 2, 1, False, True, False), ("B3.1", -1, 0, 1, True, False, False)],
    ),
]:
    record, gff = make(name, taxon, table, plans)
    records.append(record)
    rows += gff
SeqIO.write(records, here / "genome.gb", "genbank")
SeqIO.write(records, here / "genome.embl", "embl")
SeqIO.write(records, here / "genome.fasta", "fasta")
(here / "genome.gff3").write_text("\n".join(rows) + "\n")
(here / "proteins.tsv").write_text("".join(f"{a}\t{t}\t{n}\t{p}\n" for a, t, n, p in proteins))
