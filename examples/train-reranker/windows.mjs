// Writes two temporal holdouts of real proteomes for chain.mjs, as GAF files: what was known, and what was known later. Window `train` is
// yeast from 2018 to 2020, window `eval` E. coli from 2020 to 2022; in both, the experimental annotations of both organisms are the
// sources.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

const experimental = new Set('EXP IDA IPI IMP IGI IEP HTP HDA HMP HGI HEP IC TAS'.split(' '));
/** The evidence codes of the annotations of 2018, because the other side of the window must not have more. */
const early = new Set('EXP IDA IPI IMP IGI IEP'.split(' '));

const unpacked = (path) => gunzipSync(readFileSync(path)).toString('utf8');

function gafRows(path, codes) {
  return unpacked(path)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('!') && codes.has(line.split('\t')[6]));
}

/** Reads NCBI's gene2go of November 2018 as GAF rows. A line of that file is a term with all its genes. */
function yeast2018(folder) {
  const accessionOf = new Map(
    readFileSync(join(folder, 'entrez_to_uniprot.tsv'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => {
        const [gene, , accession] = line.split('\t');
        return [gene, accession];
      }),
  );
  const aspectOf = { biological_process: 'P', molecular_function: 'F', cellular_component: 'C' };
  const rows = [];
  for (const line of unpacked(join(folder, 'GO_annotations-559292-direct-expev.2018-11-08.tsv.gz'))
    .trimEnd()
    .split('\n')
    .slice(1)) {
    const [goId, , domain, , , , genes] = line.split('\t');
    for (const gene of genes.split('|')) {
      const accession = accessionOf.get(gene);
      if (accession === undefined) continue;
      const cells = [
        'UniProtKB',
        accession,
        gene,
        '',
        goId,
        'PMID:0',
        'EXP',
        '',
        aspectOf[domain],
        '',
        '',
        'protein',
      ];
      rows.push([...cells, 'taxon:559292', '20181108', 'SGD', '', ''].join('\t'));
    }
  }
  return rows;
}

/**
 * Writes the four files and returns their addresses.
 * @returns {Record<'train' | 'eval', { old: string, later: string }>}
 */
export function writeWindows(data, folder) {
  const ecoli2020 = gafRows(data('ecoli-k12', '18.E_coli_MG1655.2020-03-03.gaf.gz'), experimental);
  const ecoli2022 = gafRows(data('ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz'), experimental);
  const yeast = data('yeast', '71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz');
  const write = (name, rows) => {
    const path = join(folder, `${name}.gaf.gz`);
    writeFileSync(path, gzipSync(`!gaf-version: 2.1\n${rows.flat().join('\n')}\n`));
    return pathToFileURL(path).href;
  };
  return {
    train: {
      old: write('yeast-2018', [yeast2018(data('yeast')), ecoli2020]),
      later: write('yeast-2020', [gafRows(yeast, early), ecoli2020]),
    },
    eval: {
      old: write('ecoli-2020', [ecoli2020, gafRows(yeast, experimental)]),
      later: write('ecoli-2022', [ecoli2022, gafRows(yeast, experimental)]),
    },
  };
}
