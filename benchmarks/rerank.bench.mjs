// What rerank.tsv costs: reading the features of a set from the database, beside walking the trees over them.
//
//   node benchmarks/rerank.bench.mjs [--proteins 600] [--terms 50] [--trees 500]
//
// Times are processor seconds, of this process and of the database's, so that a busy machine changes little. Linux only.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { categoryFeatures, featureNames } from '@kindred/kernels/features';
import { categoryEncoder, featureMatrix, parseLightgbmModel, predictWith } from '@kindred/kernels/reranker';
import { createWasmTreeWalker } from '@kindred/native';
import { startEmbeddedPostgres } from '@kindred/server/embedded/postgres';
import { migrate } from '@kindred/server/store/migrations/migrate';
import { closeDatabase, openDatabase } from '@kindred/server/store/postgres/connection';
import { featurePages } from '@kindred/server/store/predictions/prediction-features.repository';

const argument = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const size = {
  proteins: argument('proteins', 600),
  terms: argument('terms', 50),
  trees: argument('trees', 500),
};

/** A set with random features of every pair; gives its number. */
async function fill(db) {
  const query = async (text, values) => (await db.pool.query(text, values)).rows;
  const [snapshot] = await query(
    `insert into ontology_snapshot (obo_version, obo_url, obo_sha256, term_counts, relationship_count, alt_id_count)
     values ('bench', 'bench', repeat('0', 64), '{}', 0, 0) returning id`,
  );
  await query(
    `insert into go_term (ontology_snapshot_id, go_id, name, aspect)
     select $1, 'GO:' || lpad(n::text, 7, '0'), 'term ' || n, (array['P','F','C'])[1 + n % 3] from generate_series(1, $2::int) n`,
    [snapshot.id, size.terms],
  );
  const [{ id: sequence }] = await query(
    "insert into sequence (sequence, sequence_md5, length) values ('MK', md5('MK'), 2) returning id",
  );
  const [{ number }] = await query(
    'insert into prediction_set (ontology_snapshot_id, limit_per_entry) values ($1, 5) returning number',
    [snapshot.id],
  );
  await query(
    `insert into prediction_set_protein (prediction_set_number, protein_accession, sequence_id, term_count, prediction_count, min_distance)
     select $1::int, 'Q' || lpad(n::text, 6, '0'), $2::bigint, $3::int, $3::int, 0 from generate_series(1, $4::int) n`,
    [number, sequence, size.terms, size.proteins],
  );
  const fixed = {
    prediction_set_number: String(number),
    protein_accession: "'Q' || lpad(n::text, 6, '0')",
    go_term_id: 't.id',
    source_kind: "'protein'",
    source_id: "'P00001'",
    term_rank: '1',
    is_nearest: 'true',
    qualifier: "'enables'",
    evidence_code: "'IDA'",
  };
  const filled = { float4: 'random()', int4: '(random() * 100)::int', bool: 'random() < 0.5' };
  for (const table of ['go_prediction', 'go_prediction_pair_features']) {
    const columns = await query(
      `select column_name as name, udt_name as type from information_schema.columns where table_name = $1 and is_generated = 'NEVER'`,
      [table],
    );
    const chosen = columns
      .map(({ name, type }) => [
        name,
        fixed[name] ?? (featureNames.includes(name) || name === 'score' ? filled[type] : undefined),
      ])
      .filter(([, value]) => value !== undefined);
    await query(
      `insert into ${table} (${chosen.map(([name]) => name)}) select ${chosen.map(([, value]) => value)}
       from generate_series(1, ${size.proteins}) n cross join go_term t`,
    );
  }
  await query('analyze');
  return number;
}

/** Trees of 31 leaves, balanced, over all numeric features. */
function modelText() {
  const infos = featureNames.map((name) => (categoryFeatures.includes(name) ? '0:1' : '[0:1]'));
  const lists = featureNames
    .filter((name) => categoryFeatures.includes(name))
    .map(() => ['IDA', 'enables', 'bpo', 'mfo', 'cco']);
  const numeric = featureNames.flatMap((name, at) => (categoryFeatures.includes(name) ? [] : [at]));
  const head = ['tree', 'version=v4', 'num_class=1', 'num_tree_per_iteration=1', 'label_index=0'];
  const about = [`max_feature_idx=${featureNames.length - 1}`, 'objective=binary sigmoid:1'];
  const named = [`feature_names=${featureNames.join(' ')}`, `feature_infos=${infos.join(' ')}`];
  const inner = Array.from({ length: 30 }, (_, node) => node);
  const child = (at) => (at < 30 ? at : -(at - 30) - 1);
  const trees = Array.from({ length: size.trees }, (_, tree) => [
    `Tree=${tree}`,
    'num_leaves=31',
    'num_cat=0',
    `split_feature=${inner.map((node) => numeric[(tree * 7 + node * 3) % numeric.length]).join(' ')}`,
    `threshold=${inner.map((node) => ((tree + node * 5) % 10) / 10 + 0.05).join(' ')}`,
    `decision_type=${inner.map(() => 10).join(' ')}`,
    `left_child=${inner.map((node) => child(2 * node + 1)).join(' ')}`,
    `right_child=${inner.map((node) => child(2 * node + 2)).join(' ')}`,
    `leaf_value=${Array.from({ length: 31 }, (_, leaf) => (leaf - 15) / 1000).join(' ')}`,
    '',
  ]);
  return [
    ...head,
    ...about,
    ...named,
    `tree_sizes=${trees.map(() => 1).join(' ')}`,
    '',
    ...trees.flat(),
    'end of trees',
    '',
    `pandas_categorical:${JSON.stringify(lists)}`,
    '',
  ].join('\n');
}

/** Seconds of user and system time of a process of this machine. */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function measured(db, work) {
  const { rows } = await db.pool.query('select pg_backend_pid() as pid');
  const before = { own: process.cpuUsage(), database: processorSeconds(rows[0].pid) };
  const value = await work();
  const { user, system } = process.cpuUsage(before.own);
  return { value, own: (user + system) / 1e6, database: processorSeconds(rows[0].pid) - before.database };
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-rerank-'));
const server = await startEmbeddedPostgres(folder, { durability: 'none' });
const db = openDatabase(server.url, 1);
try {
  await migrate(db);
  const number = await fill(db);
  const model = parseLightgbmModel(modelText());
  const walker = createWasmTreeWalker(model);
  const encode = categoryEncoder(
    model,
    Object.fromEntries(categoryFeatures.map((name) => [name, ['IDA', 'enables', 'bpo', 'mfo', 'cco']])),
  );
  const read = async () => {
    const pages = [];
    for await (const page of featurePages(db, number)) pages.push(page);
    return pages;
  };
  await read();
  const reading = await measured(db, read);
  const rows = reading.value.reduce((total, page) => total + page.rowCount, 0);
  const walking = await measured(db, async () => {
    for (const page of reading.value)
      predictWith(
        walker,
        model,
        featureMatrix(model, encode, page, { start: 0, endExclusive: page.rowCount }),
        {},
      );
  });
  const whole = reading.own + reading.database;
  console.log(`${rows} pairs, ${featureNames.length} features, ${size.trees} trees of 31 leaves`);
  console.log(
    `  reading features: ${reading.database.toFixed(2)} s in the database, ${reading.own.toFixed(2)} s here`,
  );
  console.log(`  walking trees:    ${walking.own.toFixed(2)} s here`);
  console.log(`  ratio of reading to walking ${(whole / walking.own).toFixed(1)}`);
} finally {
  await closeDatabase(db);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
