import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Client, type Input } from '@kindred/client';
import { sharedData } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningExample, startService } from './testing/service.js';

const ecoli = sharedData('data', 'ecoli-k12');

const program = fileURLToPath(new URL('../apps/server/dist/main.js', import.meta.url));
const shared = (...parts: string[]) => join(dirname(ecoli as string), ...parts);
const files = () => ({
  obo: shared('ontology', 'go-2022-07-01.obo.gz'),
  ecoli: shared('ecoli-k12', 'UP000000625_83333.fasta.gz'),
  yeast: shared('yeast', 'yeast_swissprot_2025-10-27.fasta.gz'),
  ecoli2020: shared('ecoli-k12', '18.E_coli_MG1655.2020-03-03.gaf.gz'),
  ecoli2022: shared('ecoli-k12', '18.E_coli_MG1655.2022-11-12.gaf.gz'),
  yeast2020: shared('yeast', '71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz'),
});
const textOf = (path: string) => gunzipSync(readFileSync(path)).toString('utf8');

interface Part {
  kind: string;
  name: string;
  counts: Record<string, number>;
}

describe.skipIf(ecoli === null)('references of E. coli and yeast by one command each', () => {
  let service: RunningExample;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(() => service?.stop());

  const kindred = (...args: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const env = { PATH: process.env.PATH, SVC_DATA_DIR: join(service.folder, 'data') };
      execFile(process.execPath, [program, ...args], { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${args.join(' ')}: ${stdout}${stderr}`)),
      );
    });
  const client = () =>
    new Client({
      baseUrl: service.access[1],
      headers: { authorization: `ApiKey ${service.access[3]}` },
    });
  const text = async (path: string): Promise<string> => {
    const reply = await fetch(`${service.access[1]}${path}`, {
      headers: { authorization: `ApiKey ${service.access[3]}` },
    });
    return reply.text();
  };
  const api = async <T>(path: string): Promise<T> => JSON.parse(await text(path)) as T;
  const shown = async (reference: string) =>
    JSON.parse(await kindred('reference', 'show', reference, '--json')) as {
      annotation_set_id: string;
      ontology_snapshot_id: string;
      content_sha256: string;
      vectors: { embedding_config_id: string }[];
      parts: Part[];
    };
  const negatedOf = async ({ annotation_set_id }: { annotation_set_id: string }) =>
    (await api<{ statistics: { negated: number } }>(`/v1/annotations/sets/${annotation_set_id}`)).statistics
      .negated;

  it('have the counts of the documented chain', async () => {
    const { obo, ecoli: first, yeast, ecoli2020, yeast2020 } = files();
    const sources = ['--obo', obo, '--fasta', first, yeast, '--gaf', ecoli2020, yeast2020];
    await kindred('reference', 'build', '-q', '--name', 'both', '--version', '2020', ...sources);
    const both = await shown('both@2020');
    const counts = (kind: string) =>
      both.parts.filter((part) => part.kind === kind).map((part) => part.counts);
    const [{ term_counts: terms, ...snapshot }] =
      await api<{ term_counts: Record<string, number>; relationship_count: number; alt_id_count: number }[]>(
        '/v1/annotations/snapshots',
      );
    expect([terms.P + terms.F + terms.C, terms.obsolete]).toEqual([43_558, 3_910]);
    expect([snapshot.relationship_count, snapshot.alt_id_count]).toEqual([85_713, 3_450]);
    expect(counts('proteins').map(({ retrieved_records }) => retrieved_records)).toEqual([4_401, 6_156]);
    expect(counts('annotations').map(({ rows }) => rows)).toEqual([59_085, 126_835]);
    expect(await negatedOf(both)).toBe(14 + 37);
  });

  it('are updated: vectors of new sequences alone, and changes as the files have them', async () => {
    const { obo, ecoli: fasta, ecoli2020, ecoli2022 } = files();
    const build = ['--obo', obo, '--fasta', fasta, '--gaf', ecoli2020];
    await kindred('reference', 'build', '-q', '--name', 'ecoli', '--version', '2020', ...build);
    const added = join(service.folder, 'added.fasta');
    writeFileSync(
      added,
      ['MKWVTF', 'MKWVTG', 'MKWVTF'].map((text, i) => `>N${i} OX=83333\n${text.repeat(20)}\n`).join(''),
    );
    const newer = ['--fasta', fasta, added, '--gaf', ecoli2022, '--version', '2022', '-q'];
    const said = await kindred('reference', 'update', 'ecoli', ...newer);
    expect(said).toContain('computed     vectors of 2 new sequences\n');
    expect(said).toMatch(/proteins +3 gained, 0 lost, 0 with another sequence/);
    const latest = await shown('ecoli');
    expect(latest.parts.find(({ kind }) => kind === 'annotations')?.counts.rows).toBe(62_038);
    expect(await negatedOf(latest)).toBe(15);
    expect(await negatedOf(await shown('ecoli@2020'))).toBe(14);
    expect(await kindred('reference', 'update', 'ecoli', ...newer)).toContain('nothing changed');

    const diff = await api<{ annotations: object[]; terms: object }>(
      '/v1/references/ecoli@2020/diff?to=ecoli',
    );
    expect(diff.annotations).toEqual(changesOf(ecoli2020, ecoli2022));
    expect(diff.terms).toEqual({ added: 0, obsolete: 0, replaced: 0 });
  });

  it('are a temporal holdout with floors and intervals', async () => {
    const json = join(service.folder, 'holdout.json');
    const choices = ['-q', '--resamples', '50', '--json', json];
    const table = await kindred('holdout', 'ecoli@2020', 'ecoli@2022', ...choices);
    const found = JSON.parse(readFileSync(json, 'utf8'));
    expect(found.statistics.delta_proteins).toBe(781);
    const rows = table.split('\n').filter((line) => /^(NK|LK|PK) +(BPO|MFO|CCO)/.test(line));
    expect(rows).toHaveLength(9);
    for (const row of rows) expect(row.match(/0\.\d{3} \(0\.\d{3}-0\.\d{3}\)/g)?.length ?? 0, row).toBe(3);
    const figure = (method: string) => found.results[method].result.results.PK.BPO.fmax;
    expect(figure('combined')).toBeGreaterThan(figure('naive'));
    expect(figure('combined')).toBeGreaterThan(figure('sequence_similarity'));
    await namesHashes(found);
  });

  /** Checks that every trace of a holdout names the references. */
  async function namesHashes(found: {
    evaluation_set_id: string;
    references: object;
    results: { combined: { prediction_set_id: string; result: { id: string; reference: object } } };
  }): Promise<void> {
    const [older, newer] = await Promise.all(['ecoli@2020', 'ecoli@2022'].map(shown));
    const mark = ({ content_sha256 }: { content_sha256: string }) =>
      expect.objectContaining({ content_sha256 });
    expect(found.references).toEqual({ from: mark(older), to: mark(newer) });
    const { prediction_set_id, result } = found.results.combined;
    expect(result.reference).toEqual(mark(older));
    const set = `/v1/annotations/evaluation-sets/${found.evaluation_set_id}`;
    expect(await api(set)).toMatchObject({ old_reference: mark(older), new_reference: mark(newer) });
    const predicted = `/v1/embeddings/prediction-sets/${prediction_set_id}`;
    for (const [path, references] of [
      [`${predicted}/predictions.tsv`, [older]],
      [`${predicted}/predictions-cafa.tsv`, [older]],
      [`${predicted}/export?format=tsv`, [older]],
      [`${predicted}/export?format=gaf`, [older]],
      [`${predicted}/export?format=xlsx`, [older]],
      [`${set}/results/${result.id}/metrics.tsv`, [older]],
      [`${set}/results/${result.id}/artifacts.zip`, [older]],
      [`${set}/ground-truth-NK.tsv`, [older, newer]],
      [`${set}/known-terms.tsv`, [older, newer]],
      [`${set}/delta-proteins.fasta`, [older, newer]],
    ] as const) {
      const reply = await fetch(`${service.access[1]}${path}`, {
        headers: { authorization: `ApiKey ${service.access[3]}` },
      });
      await reply.arrayBuffer();
      const [name, whole] = [
        reply.headers.get('content-disposition'),
        reply.headers.get('kindred-reference'),
      ];
      for (const { content_sha256 } of references) {
        expect(name, path).toContain(`_${content_sha256.slice(0, 12)}`);
        expect(whole, path).toContain(content_sha256);
      }
    }
  }

  it('predict from experimental rows without another load, for as many targets from as many proteins', async () => {
    const { annotation_set_id, ontology_snapshot_id, vectors } = await shown('both');
    const [set] = await api<{ id: string }[]>('/v1/annotations/evaluation-sets');
    const fasta = await text(`/v1/annotations/evaluation-sets/${set.id}/delta-proteins.fasta`);
    const targets = [...fasta.matchAll(/^>(\S+)/gm)].map(([, accession]) => accession);
    const body = {
      annotation_set_id,
      ontology_snapshot_id,
      embedding_config_id: vectors[0].embedding_config_id,
      query_accessions: targets,
      evidence: ['experimental'],
    } as Input<'POST', '/embeddings/predict'>['body'];
    for (const more of [{}, { compute_alignments: true, compute_reranker_features: true }]) {
      const { id } = await client().post('/embeddings/predict', { body: { ...body, ...more } });
      const result = (await client().finish(id)).result as Record<string, unknown>;
      expect([targets.length, result.queries, result.references]).toEqual([781, 781, 8_685]);
      const { statistics } = await api<{ statistics: { proteins_with_predictions: number } }>(
        `/v1/embeddings/prediction-sets/${result.prediction_set_id}`,
      );
      expect(statistics.proteins_with_predictions).toBe(781);
    }
  });

  it('give a run again with the newer one, and what changed', async () => {
    const records = textOf(files().ecoli).slice(1).split('\n>').slice(100, 120);
    const queries = join(service.folder, 'queries.fasta');
    writeFileSync(
      queries,
      records.map((record, i) => `>Q${i}\n${record.split('\n').slice(1).join('\n')}\n`).join(''),
    );
    await kindred('annotate', queries, '-q', '--reference', 'ecoli@2020', '--evidence', 'experimental');
    const newest = async () =>
      (await api<{ id: string; parameters: object }[]>('/v1/embeddings/prediction-sets?limit=1'))[0];
    const before = await newest();
    const said = await kindred('diff-run', before.id, '--reference', 'ecoli', '-q', '--min-change', '0');
    const after = await newest();
    expect(after.id).not.toBe(before.id);
    expect(after.parameters).toMatchObject({ evidence: ['experimental'] });
    const scores = async (id: string) => {
      const tsv = await text(`/v1/embeddings/prediction-sets/${id}/export?format=tsv`);
      const [header, ...lines] = tsv
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
      const cell = (line: string[], name: string) => line[header.indexOf(name)];
      const found = new Map<string, string>();
      for (const line of lines) {
        const isKnown = cell(line, 'is_known') === 'yes';
        if (cell(line, 'kind') === 'no_answer' || (cell(line, 'kind') === 'known' && !isKnown)) continue;
        const key = `${cell(line, 'protein')} ${cell(line, 'go_id')}`;
        if (found.get(key) !== 'known') found.set(key, isKnown ? 'known' : cell(line, 'score'));
      }
      return found;
    };
    const [old, fresh] = [await scores(before.id), await scores(after.id)];
    const changeOf = (from: string | undefined, to: string | undefined) => {
      if (from === undefined) return 'gained';
      if (to === undefined) return 'lost';
      return to === 'known' ? 'now_known' : from === 'known' ? 'no_longer_known' : 'changed';
    };
    const expected = [...new Set([...old.keys(), ...fresh.keys()])]
      .filter((key) => old.get(key) !== fresh.get(key))
      .map((key) => `${key} ${changeOf(old.get(key), fresh.get(key))}`);
    const [, ...lines] = said
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(lines.map(([protein, change, goId]) => `${protein} ${goId} ${change}`).sort()).toEqual(
      expected.sort(),
    );
    expect(expected.length).toBeGreaterThan(10);
  });

  /** Counts gained and lost rows by aspect and evidence code, from the GAF files alone. */
  function changesOf(before: string, after: string) {
    const { terms, alternatives } = termsOf(textOf(files().obo));
    const proteins = new Set(
      [...textOf(files().ecoli).matchAll(/^>\w+\|(\w+)\|/gm)].map(([, accession]) => accession),
    );
    const rowsOf = (path: string) =>
      new Set(
        textOf(path)
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('!'))
          .map((line) => line.split('\t'))
          .map((line) => [
            line[1],
            alternatives.get(line[4]) ?? line[4],
            line[6],
            String(line[3].includes('NOT')),
          ])
          .filter(([accession, goId]) => proteins.has(accession) && terms.has(goId))
          .map((key) => key.join(' ')),
      );
    const [old, fresh] = [rowsOf(before), rowsOf(after)];
    const cells = new Map<string, { gained: number; lost: number }>();
    const count = (key: string, field: 'gained' | 'lost') => {
      const [, goId, code] = key.split(' ');
      const cell = `${terms.get(goId)} ${code}`;
      const at = cells.get(cell) ?? { gained: 0, lost: 0 };
      at[field]++;
      cells.set(cell, at);
    };
    for (const key of fresh) if (!old.has(key)) count(key, 'gained');
    for (const key of old) if (!fresh.has(key)) count(key, 'lost');
    const order = ['P', 'F', 'C'];
    return [...cells]
      .map(([cell, change]) => ({ aspect: cell[0], evidence_code: cell.slice(2), ...change }))
      .sort(
        (a, b) =>
          order.indexOf(a.aspect) - order.indexOf(b.aspect) || (a.evidence_code < b.evidence_code ? -1 : 1),
      );
  }

  /** Returns the aspect of each live term, and the term of each alternative id. */
  function termsOf(obo: string) {
    const terms = new Map<string, string>();
    const alternatives = new Map<string, string>();
    const letter: Record<string, string> = {
      biological_process: 'P',
      molecular_function: 'F',
      cellular_component: 'C',
    };
    for (const stanza of obo.split('[Term]\n').slice(1)) {
      if (stanza.includes('\nis_obsolete: true')) continue;
      const id = /^id: (\S+)/.exec(stanza)?.[1] as string;
      terms.set(id, letter[/\nnamespace: (\w+)/.exec(stanza)?.[1] as string]);
      for (const [, other] of stanza.matchAll(/\nalt_id: (\S+)/g)) alternatives.set(other, id);
    }
    return { terms, alternatives };
  }
});
