import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { repositoryRoot } from '@kindred/testkit';
import { networkFile, shippedNetwork } from '@kindred/testkit/shipped-network';
import { describe, expect, it } from 'vitest';
import { OntologyGraph, parseObo } from '../ontology/index.js';
import { aspectsAsRead, rootTerms } from '../vocabulary/index.js';
import { networkRefusal } from './refusal.js';
import { networkTermsHead, NetworkTerms } from './terms.js';

const line = (...cells: string[]) => cells.join('\t');
/** Kinase activity (2) is catalytic activity (1); signalling (0) and nucleus (3) are above nothing here. */
const small = new NetworkTerms(
  [
    networkTermsHead,
    line('GO:0000001', 'P', '4.00', '', 'signaling'),
    line('GO:0000002', 'F', '1.00', '', 'catalytic activity'),
    line('GO:0000003', 'F', '5.00', '1', 'kinase activity'),
    line('GO:0000004', 'C', '2.00', '', 'nucleus'),
    line('GO:0000005', 'F', '9.00', '1', 'rare activity'),
  ].join('\n'),
);
const shown = (probabilities: number[]) =>
  small
    .answer(Float32Array.from(probabilities))
    .map(({ goId, score, impliedBy }) => [Number(goId.slice(3)), Number(score.toFixed(2)), impliedBy]);

describe('terms of the network', () => {
  it('gives what is above a term at least its score, and names the term that implies it', () => {
    expect(shown([0, 0.1, 0.7, 0, 0])).toEqual([
      [3, 0.7, null],
      [2, 0.7, 'GO:0000003'],
    ]);
  });

  it('puts the most informative first, each aspect together, and ends at a score of 0.2', () => {
    expect(shown([0.9, 0.1, 0.7, 0.2, 0.5]).map(([id]) => id)).toEqual([5, 3, 2, 1, 4]);
    expect(shown([0.19, 0.19, 0.19, 0.19, 0.19])).toEqual([]);
  });

  it('refuses another table, and parents that are not there', () => {
    expect(() => new NetworkTerms('go_id\tname\n')).toThrow(/first line of the terms/);
    const broken = [networkTermsHead, line('GO:0000001', 'P', '4.00', '7', 'x')].join('\n');
    expect(() => new NetworkTerms(broken)).toThrow(/not a place/);
    const circle = [line('GO:0000001', 'P', '4', '1', 'x'), line('GO:0000002', 'P', '4', '0', 'y')];
    expect(() => new NetworkTerms([networkTermsHead, ...circle].join('\n'))).toThrow(/circle/);
  });
});

describe('models/network/terms.tsv', () => {
  const terms = new NetworkTerms(networkFile('terms.tsv').toString());
  const obo = readFileSync(join(repositoryRoot(), 'examples/go-basic-2022-07-01.obo.gz'));
  const graph = OntologyGraph.fromDocument(parseObo(gunzipSync(obo).toString()));

  it('has the terms of the vocabulary in their order, with their information', () => {
    const { data } = JSON.parse(networkFile('provenance.json').toString());
    const vocabulary = networkFile('vocabulary.tsv').toString().trimEnd().split('\n');
    expect(
      terms.all.map(({ goId, aspect, bits }) => [goId, aspect, bits]),
      'run node training/network/terms.mjs',
    ).toEqual(
      vocabulary.map((row) => {
        const [goId, aspect, count] = row.split('\t');
        return [goId, aspect, Number((-Math.log2(Number(count) / data.representatives)).toFixed(2))];
      }),
    );
  });

  it('reaches from each term all that the ontology has above it', () => {
    for (let term = 0; term < terms.all.length; term += 1) {
      const above = [...graph.parentsOf(graph.liveIndexOf(terms.all[term].goId))]
        .map((parent) => graph.termIds[parent])
        .filter((id) => !rootTerms.has(id));
      expect([...terms.parentsOf(term)].map((parent) => terms.all[parent].goId).sort()).toEqual(above.sort());
    }
  });

  it('gives real answers that are consistent', () => {
    const { cases, terms: ids } = shippedNetwork();
    const { probabilities } = cases.find(({ sequence }) => sequence.length > 200) ?? cases[0];
    const all = Float32Array.from(ids, (id) => probabilities[id] ?? 0);
    const answer = terms.answer(all);
    expect(answer.length).toBeGreaterThan(0);
    const scoreOf = new Map(answer.map(({ goId, score }) => [goId, score]));
    for (const { goId, score } of answer)
      for (const above of graph.ancestorsOf([graph.liveIndexOf(goId)]))
        if (!rootTerms.has(graph.termIds[above]))
          expect(scoreOf.get(graph.termIds[above]) ?? 0).toBeGreaterThanOrEqual(score);
    const order = answer.map(({ aspect }) => aspectsAsRead.indexOf(aspect));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });
});

it('is not asked about what is no protein, or too short for it', () => {
  const protein = 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ';
  expect(networkRefusal(protein, 30)).toBeNull();
  expect(networkRefusal(protein.slice(0, 29), 30)).toBe('short_for_network');
  expect(networkRefusal('MKT', 30)).toBe('too_short');
  expect(networkRefusal('ATGGCGTACGTTAGCATCGATCGATCGGCTAGCTAGCATCGATCA', 30)).toBe('looks_like_dna');
});
