import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type GafRecord, parseFasta, readGaf } from '../formats/index.js';
import { OntologyGraph, parseObo } from '../ontology/index.js';
import { temporalHoldout } from './holdout.js';
import type { DatedAnnotations, Holdout, ProteinTerms } from './types.js';

const folder = sharedData('data', 'ecoli-k12');
const obo = sharedData('data', 'ontology', 'go-2022-07-01.obo.gz');
const experimental = new Set('EXP IDA IPI IMP IGI IEP HTP HDA HMP HGI HEP IC TAS'.split(' '));

/** Reads the pairs of protein and term from a file. */
const pairsOf = (name: string): Set<string> =>
  new Set(
    readFileSync(join(folder!, 'expected', name), 'utf8')
      .split('\n')
      .slice(1)
      .filter((line) => line !== '')
      .map((line) => line.split('\t').slice(0, 2).join(' ')),
  );

describe.skipIf(!folder || !obo)(
  'E. coli, 2020-03-03 to 2022-11-12, under the ontology of 2022-07-01',
  () => {
    let graph: OntologyGraph;
    let accessions: string[];
    let holdout: Holdout;
    let plain: Holdout;
    beforeAll(async () => {
      graph = OntologyGraph.fromDocument(parseObo(gunzipSync(readFileSync(obo!)).toString()));
      const fasta = gunzipSync(readFileSync(join(folder!, 'UP000000625_83333.fasta.gz')));
      accessions = parseFasta(fasta).map((record) => record.accession);
      const numberOf = new Map(accessions.map((accession, i) => [accession, i]));
      const read = async (date: string): Promise<DatedAnnotations> => {
        const rows: GafRecord[] = [];
        const text = gunzipSync(readFileSync(join(folder!, `18.E_coli_MG1655.${date}.gaf.gz`)));
        for await (const batch of readGaf([text])) rows.push(...batch.records);
        const used = rows.filter(
          (row) => numberOf.has(row.accession) && (row.negated || experimental.has(row.evidenceCode)),
        );
        return {
          protein: Int32Array.from(used, (row) => numberOf.get(row.accession)!),
          term: Int32Array.from(used, (row) => graph.liveIndexOf(row.goId)),
          negated: Uint8Array.from(used, (row) => Number(row.negated)),
        };
      };
      const input = {
        graph,
        proteinCount: accessions.length,
        before: await read('2020-03-03'),
        after: await read('2022-11-12'),
      };
      const binding = new Set(['GO:0005515', 'GO:0005488'].map((id) => graph.indexOf(id)));
      holdout = temporalHoldout({ ...input, uninformative: binding });
      plain = temporalHoldout(input);
    });
    const textOf = ({ protein, term }: ProteinTerms): Set<string> =>
      new Set(Array.from(protein, (p, i) => `${accessions[p]} ${graph.termIds[term[i]]}`));

    it.each(['NK', 'LK', 'PK'] as const)('%s has the expected pairs', (category) => {
      expect(textOf(holdout.truth[category])).toEqual(pairsOf(`truth_${category}.tsv`));
    });

    it('knows what the targets had', () => {
      expect(textOf(holdout.known)).toEqual(pairsOf('known_t0.tsv'));
    });

    it('explains what counting protein binding as a gain changes', () => {
      const { before, after, uninformativeOnly } = holdout.counts;
      expect(uninformativeOnly).toEqual({ NK: 2, LK: 6, PK: 7 });
      expect([before.negations, before.denied, after.negations, after.denied]).toEqual([14, 1, 15, 1]);
      // In 2020, 70 rows have a term that is obsolete in the ontology of 2022 and is not an alternative id of another term.
      expect([before.unknownTerms, after.unknownTerms]).toEqual([70, 0]);
      const aspectsWithGain = (found: Holdout, category: 'NK' | 'LK' | 'PK'): number => {
        const { protein, term } = found.truth[category];
        return new Set(Array.from(protein, (p, i) => `${p} ${graph.aspects[term[i]]}`)).size;
      };
      for (const category of ['NK', 'LK', 'PK'] as const)
        expect(aspectsWithGain(plain, category) - aspectsWithGain(holdout, category)).toBe(
          uninformativeOnly[category],
        );
    });
  },
);
