import { describe, expect, it } from 'vitest';
import { evidenceText } from './explain.js';

const evidence: Parameters<typeof evidenceText>[0] = {
  accession: 'Q1',
  go_id: 'GO:0003674',
  method: 'combined',
  score: 0.51234567,
  probabilities: [
    {
      ...{ meaning: 'held by the databases', probability: 0.834, low: 0.8, high: 0.87 },
      calibrated_on: 'Swiss-Prot',
    },
  ],
  similar_proteins: 3,
  supporters: 1,
  through: 'GO:0005515',
  sources: [
    {
      accession: 'P00001',
      distance: null,
      identity: 0.5,
      found_by: 'hit of hits.m8',
      log10_e_value: -20.25,
      query_coverage: 0.9,
      source_coverage: 0.8,
      evidence: ['experimental'],
      evidence_code: null,
      is_similar: true,
      annotations: [
        {
          go_id: 'GO:0005515',
          name: 'protein binding',
          evidence_code: 'ISS',
          db_reference: 'PMID:10000001',
          with_from: 'UniProtKB:Q1',
          assigned_by: 'UniProt',
          is_copied: true,
        },
      ],
      is_copied: true,
      votes_by_alignment: 0.25,
      votes_by_distance: 0,
      score_without: 0.25,
    },
  ],
  own_evidence: [],
  own_annotations: [],
  denials: [],
  votes: { weight: 0.5, frequency: 0.01, own_annotations: 0, sources: 0.25 },
  model: {
    weight: 0.5,
    score: 0.75,
    expected: -2,
    features: [
      { name: 'unused', value: 1, added: 0 },
      { name: 'small', value: null, added: 0.1 },
      { name: 'large', value: 3, added: -2.5 },
    ],
  },
  alignment: {
    score: 30,
    query_start: 1,
    query_end: 4,
    source_start: 3,
    source_end: 5,
    query: 'MKTW',
    source: 'MR-W',
  },
  stretch: null,
};

describe('the text of an explanation', () => {
  it('names the facts, the sources with their papers, what the model says by size, and the alignment', () => {
    const [facts, sources, annotations, features, heading, alignment] = evidenceText(evidence).split('\n\n');
    expect(facts.split('\n')).toEqual(
      expect.arrayContaining([
        'score: 0.5123',
        'held by the databases: 83 % (95 % interval 80 % to 87 %)',
        'taken over from: GO:0005515',
        'support: 1 of 3 similar proteins has the term; 1 has it from this very protein',
      ]),
    );
    expect(sources.split('\n')[1]).toBe(
      'P00001\tyes\thit of hits.m8\t0.25\t0.25\t0\t-20.25\t0.5\t0.9\t0.8\t\texperimental',
    );
    expect(annotations.split('\n')[1]).toBe(
      'P00001\t\tGO:0005515\tISS\tPMID:10000001\tUniProt\tUniProtKB:Q1\tyes\tprotein binding',
    );
    expect(features.split('\n')).toEqual(['feature\tvalue\tadded', 'large\t3\t-2.5', 'small\t\t0.1']);
    expect(heading).toBe('alignment: score 30, query 1-4, source 3-5');
    expect(alignment).toBe('query   MKTW\n        |  |\nsource  MR-W\n');
  });

  it('says of a known term that it is not predicted', () => {
    const known = { ...evidence, score: null, votes: null, model: null, alignment: null, sources: [] };
    const { is_copied: _, ...denial } = evidence.sources[0].annotations[0];
    const denied = evidenceText({ ...known, own_annotations: [], denials: [denial] });
    expect(denied).toContain('\nscore: none: the protein is known not to have the term (NOT)');
    expect(denied).toMatch(/^Q1\tNOT\tGO:0005515\t/m);
    expect(evidenceText(known)).toContain('\nscore: none: the protein is known to have the term\n');
  });

  it('leaves out what a method does not have', () => {
    const text = evidenceText({
      ...evidence,
      method: 'knn',
      probabilities: [],
      through: null,
      similar_proteins: null,
      supporters: null,
      votes: null,
      model: null,
      alignment: null,
      sources: [],
    });
    const stretch = { start: 33, end: 64, probability: 0.823, without: 0.1 };
    expect(evidenceText({ ...evidence, method: 'sequence_alone', stretch })).toContain(
      "\nsequence: Residues 33 to 64 speak most for it: without them, the network's own probability is 0.10 instead of 0.82.\n",
    );
    expect(text).toBe(
      'protein: Q1\nterm: GO:0003674\nmethod: knn\nscore: 0.5123\nsupport: No protein has the term\n',
    );
  });
});
