import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { ontologyColumns, parseObo } from '../ontology/index.js';
import {
  readTaxonConstraintsOfObo,
  readTaxonConstraintTable,
  readTaxonUnions,
  type TaxonConstraintKind,
  TaxonConstraints,
} from './index.js';

const examples = new URL('../../../../examples/', import.meta.url);
const unpacked = (path: string | URL) => gunzipSync(readFileSync(path)).toString();
const terms = parseObo(unpacked(new URL('go-basic-2022-07-01.obo.gz', examples)));
const columns = ontologyColumns(terms);
const termOf = new Map(columns.termIds.map((id, term) => [id, term]));
columns.altIds.forEach((id, i) => {
  termOf.set(id, columns.altTerms[i]);
});
const table = readFileSync(new URL('taxon-constraints.obo', examples), 'utf8');
const shipped = readTaxonConstraintsOfObo(table);
const ours = new TaxonConstraints(columns, shipped.constraints, new Map());

/** The lineages give the taxa above those that the taxonomy of the shared data lacks. */
const lineages: Record<string, number[]> = {
  human: [
    9606, 9605, 9604, 9443, 9347, 40674, 32524, 32523, 7776, 7742, 7711, 33511, 33213, 6072, 33208, 33154,
    2759,
  ],
  chicken: [9031, 8782, 32524, 32523, 7776, 7742, 7711, 33511, 33213, 6072, 33208, 33154, 2759],
  archaeon: [2190, 183925, 28890, 2157],
  bacillus: [1423, 1386, 91061, 1239, 1783272, 2],
  cyanobacterium: [1148, 1117, 1798711, 1783272, 2],
  trypanosome: [5691, 5690, 5654, 5653, 33682, 2759],
  greenAlga: [3055, 3041, 33090, 2759],
};
const taxa: Record<string, number> = {
  ...{ ecoli: 83333, yeast: 559292, worm: 6239, dicty: 44689, arabidopsis: 3702, mouse: 10090, fly: 7227 },
  ...{ zebrafish: 7955, rat: 10116, pombe: 284812, candida: 237561, plasmodium: 36329 },
};

describe('the table of taxon constraints that is shipped', () => {
  it('has terms of the shipped ontology by their names, and some 150 lines of rules', () => {
    expect(shipped.rejected).toEqual([]);
    const names = new Map(terms.terms.map(({ id, name }) => [id, name]));
    const stanzas = [...table.matchAll(/^\[Term\]\nid: (\S+)\nname: (.+)\n/gm)];
    expect(stanzas.length).toBeGreaterThan(150);
    for (const [, id, name] of stanzas) expect([id, names.get(id)]).toEqual([id, name]);
  });

  const data = sharedData('data');
  it.skipIf(data === null)('sets aside at least 95 % of what GO does, and nothing that GO allows', () => {
    const parents = new Map(
      unpacked(`${data}/taxonomy/nodes.dmp.gz`)
        .split('\n')
        .map((line) => line.split('\t|\t', 2).map(Number) as [number, number]),
    );
    const above = (taxon: number): number[] => {
      const parent = parents.get(taxon);
      return parent === undefined || parent === taxon ? [taxon] : [taxon, ...above(parent)];
    };
    for (const [name, taxon] of Object.entries(taxa)) {
      lineages[name] = above(taxon);
      expect([name, lineages[name].at(-1)]).toEqual([name, 1]);
    }
    const gos = ['2022-07', '2026-06'].map((release) =>
      constraintsOfGo(`${data}/taxon-constraints`, release),
    );
    for (const go of gos)
      for (const [name, lineage] of Object.entries(lineages))
        expect([name, allowedBut(go.broken(lineage), ours.broken(lineage))]).toEqual([name, []]);

    const windows = `${data}/windows-2018-2020`;
    const sources: Record<string, string[]> = {
      ecoli: termsOfGaf(unpacked(`${data}/ecoli-k12/18.E_coli_MG1655.2020-03-03.gaf.gz`)),
      yeast: termsOfGaf(unpacked(`${windows}/yeast.2018-11-08.gaf.gz`)),
      ...Object.fromEntries(
        ['worm', 'dicty', 'rice'].map((name) => [
          name,
          termsOfGaf(unpacked(`${windows}/${name}.2020-03-03.gaf.gz`)),
        ]),
      ),
    };
    const proteome = unpacked(`${data}/ecoli-k12/UP000000625-E.coli.bact.emapper.annotations.gz`)
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .flatMap((line) => line.split('\t')[5]?.split(',') ?? []);
    // Counts a term as transferable if any protein of another organism has it.
    const transferred = (name: string) =>
      Object.entries(sources).flatMap(([source, rows]) => (source === name ? [] : rows));
    const shares = ['ecoli', 'yeast', 'worm', 'dicty'].map((name) => [
      name,
      shareOf(gos[0], name, transferred(name)),
    ]);
    shares.push(['proteome of E. coli', shareOf(gos[0], 'ecoli', proteome)]);
    for (const [name, share] of shares) expect([name, Number(share) >= 0.95]).toEqual([name, true]);
  });
});

function constraintsOfGo(folder: string, release: string): TaxonConstraints {
  const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');
  const constraints = (['only_in', 'never_in'] satisfies TaxonConstraintKind[]).flatMap(
    (kind) => readTaxonConstraintTable(read(`${kind}_taxon.${release}.tsv`), kind).constraints,
  );
  const unions = readTaxonUnions(read('go-taxon-groupings.obo'));
  const isKnown = ({ taxon }: { taxon: string }) => taxon.startsWith('NCBITaxon:') || unions.has(taxon);
  return new TaxonConstraints(columns, constraints.filter(isKnown), unions);
}

/** Lists the terms that the shipped constraints set aside and GO's do not. */
function allowedBut(go: Int32Array, own: Int32Array): string[] {
  return columns.termIds.filter((_, term) => columns.obsolete[term] === 0 && own[term] >= 0 && go[term] < 0);
}

function termsOfGaf(text: string): string[] {
  const rows = text.split('\n').filter((line) => line !== '' && !line.startsWith('!'));
  return rows
    .map((line) => line.split('\t'))
    .flatMap(([, , , qualifier, term]) => (qualifier.includes('NOT') ? [] : [term]));
}

/** Computes which share of the rows that GO's constraints set aside the shipped constraints set aside, too. */
function shareOf(go: TaxonConstraints, name: string, rows: readonly string[]): number {
  const [theirs, own] = [go.broken(lineages[name]), ours.broken(lineages[name])];
  let [all, found] = [0, 0];
  for (const id of rows) {
    const term = termOf.get(id);
    if (term === undefined || theirs[term] < 0) continue;
    all++;
    if (own[term] >= 0) found++;
  }
  expect([name, all > 0]).toEqual([name, true]);
  return found / all;
}
