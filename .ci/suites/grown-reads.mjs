// Checks every GET of the grown world as every role, lists without rows of others, and every export read back.
import { createRequire } from 'node:module';
import { atLeast } from '@kindred/contracts';
import { routeRows } from '@kindred/contracts/routes';
import { exportFormatNames } from '@kindred/contracts/resources/exports';
import { check, expect } from './grown-lib.mjs';

/** The reader of zip files that the server depends on. */
const yauzl = createRequire(new URL('../../apps/server/package.json', import.meta.url))('yauzl');

/** Returns ids for the parameters of a path, by its beginning; the first beginning that fits is used. */
const idsOf = (world, db) => [
  [/^\/jobs\//, world.rows.job[0]],
  [/^\/annotations\/snapshots\//, world.ontology_snapshot_id],
  [/^\/annotations\/sets\//, world.sets.coli],
  [/^\/annotations\/evaluation-sets\//, world.evaluation.evaluation_set_id],
  [/^\/embeddings\/configs\//, world.embedding_config_id],
  [/^\/(embeddings|scoring)\/prediction-sets\//, world.rows.prediction_set[0]],
  [/^\/query-sets\//, world.rows.query_set[0]],
  [/^\/experiment-runs\//, world.rows.experiment_run[0]],
  [/^\/webhooks\//, world.rows.webhook[0]],
  [/^\/dependents\//, world.rows.query_set[0]],
  [/^\/users\//, world.keys.ada.id],
  [/^\/scoring\/configs\//, db.scoring_config],
  [/./, '00000000-0000-4000-8000-000000000000'],
];
/** The queries that a route needs beside its path. */
const queries = {
  '/annotations/snapshots/:id/subgraph': 'go_ids=GO:0005515',
  '/embeddings/prediction-sets/:id/export': 'format=tsv',
  '/annotations/evaluation-sets/:id/results/:rid/compare': (world) =>
    `with=${world.evaluation.evaluation_result_id}`,
  '/scoring/prediction-sets/:id/metrics': (world, db) =>
    `evaluation_set_id=${world.evaluation.evaluation_set_id}&scoring_config_id=${db.scoring_config}`,
  '/scoring/prediction-sets/:id/score.tsv': (_world, db) => `scoring_config_id=${db.scoring_config}`,
  '/scoring/prediction-sets/:id/training-data.tsv': (world) =>
    `evaluation_set_id=${world.evaluation.evaluation_set_id}`,
  '/datasets/:id_or_name/download': 'artifact=manifest',
  '/annotations/snapshots/:id/terms': 'search=binding',
};

function addressOf(path, world, db) {
  const [, id] = idsOf(world, db).find(([pattern]) => pattern.test(path));
  const places = {
    kind: 'query_set',
    rid: world.evaluation.evaluation_result_id,
    go_id: db.go_id,
    accession: path.startsWith('/proteins') ? 'EC00001' : db.accession,
    id_or_name: 'grown',
  };
  const filled = path.replaceAll(/:([a-z_]+)/g, (_match, name) => encodeURIComponent(places[name] ?? id));
  const query = queries[path];
  return query === undefined ? filled : `${filled}?${typeof query === 'function' ? query(world, db) : query}`;
}

const callersOf = ({ keys }) => [
  { name: 'anonymous', role: 'viewer', headers: {} },
  ...[
    ['ada', 'researcher'],
    ['ben', 'researcher'],
    ['cleo', 'operator'],
    ['admin', 'admin'],
  ].map(([name, role]) => ({ name, role, headers: { authorization: `ApiKey ${keys[name].key}` } })),
];

/** The statuses that may refuse a GET that everyone may send. */
const mayRefuse = new Set([404, 409, 422]);
/** The routes of things that this world does not have, such as slims and mail, or that call another service. */
const absent =
  /^\/(annotations\/slims|references|scoring\/rerankers|auth\/magic-link|stack\/pulls|admin\/audit\/export)|rerank|reference\/|mlflow/;

async function matrix(url, world, db) {
  let asked = 0;
  const wrong = [];
  for (const row of routeRows.filter(({ method }) => method === 'GET'))
    for (const { name, role, headers } of callersOf(world)) {
      // This route is skipped, because it calls another service for what is open in other repositories.
      if (row.path === '/stack/pulls') continue;
      const path = addressOf(row.path, world, db);
      const mount = asked % 2 === 0 ? '/v1' : '';
      const response = await fetch(`${url}${mount}${path}`, { headers, redirect: 'manual' });
      const text = await response.text();
      asked++;
      const { status } = response;
      const said = `${name} GET ${mount}${path}: ${status} ${text.slice(0, 200)}`;
      if (status >= 500) wrong.push(said);
      else if (!atLeast(role, row.floor)) {
        if (status !== (role === 'viewer' ? 401 : 403)) wrong.push(said);
      } else if (row.path.startsWith('/webhooks/:id')) {
        if (status !== (['ada', 'admin'].includes(name) ? 200 : 404)) wrong.push(said);
      } else if (status >= 400 && !(absent.test(row.path) && mayRefuse.has(status))) {
        // A 403 is right here, because the rows that depend on a row are for its owner.
        if (!(row.path.startsWith('/dependents/') && name === 'ben' && status === 403)) wrong.push(said);
      }
    }
  expect(wrong.length === 0, `${wrong.length} of ${asked}:\n${wrong.join('\n')}`);
  return `${asked} requests of ${routeRows.filter(({ method }) => method === 'GET').length} routes`;
}

/** Walks all pages of a list, and returns the ids. */
async function idsIn(url, path, headers) {
  const ids = new Set();
  for (let next = `/v1${path}?limit=500`; next !== null; ) {
    const response = await fetch(url + next, { headers });
    if (!response.ok) throw new Error(`${next}: ${response.status} ${await response.text()}`);
    for (const { id } of await response.json()) {
      expect(!ids.has(id), `${path} lists ${id} twice`);
      ids.add(id);
    }
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
  }
  return ids;
}

const lists = {
  '/jobs': { table: 'job', isShown: `not (meta @> '{"ephemeral": true}')` },
  '/query-sets': { table: 'query_set', isShown: 'listed' },
  '/embeddings/prediction-sets': { table: 'prediction_set', isShown: 'listed' },
  '/experiment-runs': { table: 'experiment_run', isShown: 'true' },
};

/** Checks lists: they have everybody's listed rows and all of one's own, and no others. */
async function listed(url, world, db) {
  let rows = 0;
  for (const [path, { table, isShown }] of Object.entries(lists))
    for (const { name, role, headers } of callersOf(world)) {
      const ids = await idsIn(url, path, headers);
      const sees = atLeast(role, 'operator') ? 'true' : `(visibility = 'listed' or owner_user_id = $1)`;
      const found = await db.pool.query(
        `select id from ${table} where ${sees} and ${isShown}${sees === 'true' ? ' and $1::uuid is null' : ''}`,
        [sees === 'true' ? null : (world.keys[name]?.id ?? null)],
      );
      const expected = new Set(found.rows.map(({ id }) => id));
      const foreign = [...ids].filter((id) => !expected.has(id));
      const missing = [...expected].filter((id) => !ids.has(id));
      expect(
        foreign.length === 0,
        `${name} finds ${foreign.length} rows of others in ${path}, such as ${foreign[0]}`,
      );
      expect(
        missing.length === 0,
        `${name} misses ${missing.length} of ${expected.size} rows in ${path}, such as ${missing[0]}`,
      );
      rows += ids.size;
    }
  return `${rows} rows`;
}

/** Counts the rows of each sheet of a workbook, with the head, and those of predicted terms. */
async function sheetRows(bytes) {
  const rows = [];
  const zip = await yauzl.fromBufferPromise(bytes);
  for await (const entry of zip.eachEntry()) {
    if (!/worksheets\/sheet\d+\.xml$/.test(entry.fileName)) continue;
    let text = '';
    for await (const chunk of await zip.openReadStreamPromise(entry)) text += chunk;
    rows.push({ all: text.split('<row').length - 1, predicted: text.split('>predicted<').length - 1 });
  }
  return rows;
}

const dataLines = (text, comment = '!') =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith(comment));

const distinct = (rows, protein, term) =>
  new Set(rows.map((cells) => `${cells[protein]} ${cells[term]}`)).size;

/** Reads the rows of a table as objects by its headings. */
function tableRows(text) {
  const [head, ...lines] = dataLines(text).map((line) => line.split('\t'));
  return lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [head[at], cell])));
}

/**
 * Counts what formats of annotations have: known terms, and of the predicted ones those that are not known. `positive` counts them without
 * NOT, as formats for enrichment do.
 */
function claimsIn(table) {
  const rows = tableRows(table).filter(
    ({ kind, is_known }) => kind === 'known' || (kind === 'predicted' && is_known !== 'yes'),
  );
  const sizeOf = (some) => new Set(some.map(({ protein, go_id }) => `${protein} ${go_id}`)).size;
  return {
    claims: sizeOf(rows),
    positive: sizeOf(rows.filter(({ kind, is_known }) => kind === 'predicted' || is_known === 'yes')),
  };
}

/** Counts nothing of a table of terms with a second value, but refuses a line of another form. */
function checkedPairs(format, text) {
  expect(
    dataLines(text).every((line, at) => at === 0 || /^GO:\d{7}\t[^\t]+$/.test(line)),
    `${format} has a line that is not a term and its gene or name`,
  );
  return {};
}

/** Counts the terms of a file with a line a protein. */
function termsInMap(text, separator) {
  const terms = dataLines(text).flatMap((line) => line.split('\t')[1].split(separator));
  expect(
    terms.every((term) => /^GO:\d{7}$/.test(term)),
    'a map has a value that is not a term',
  );
  return { positive: terms.length };
}

/** Readers that count what a file of each format has, for a comparison with the table. */
const readers = {
  tsv: (text) => ({ pairs: tableRows(text).filter(({ kind }) => kind === 'predicted').length }),
  wide: (text) => ({ proteins: dataLines(text).length - 1 }),
  gaf: (text) => ({
    claims: distinct(
      dataLines(text).map((line) => line.split('\t')),
      1,
      4,
    ),
  }),
  gpad: (text) => ({
    claims: distinct(
      dataLines(text).map((line) => line.split('\t')),
      0,
      3,
    ),
  }),
  gff3: (text) => ({ proteins: dataLines(text, '#').length }),
  jsonl: (text) => {
    const answers = dataLines(text).map((line) => JSON.parse(line));
    return { proteins: answers.length, pairs: answers.reduce((sum, { terms }) => sum + terms.length, 0) };
  },
  // The CAFA format has at most 1,500 terms for a protein.
  cafa: (text) => ({ submitted: dataLines(text).length }),
  topgo: (text) => termsInMap(text, ', '),
  goatools: (text) => termsInMap(text, ';'),
  // These have implied terms, too, which the table does not name.
  term2gene: (text) => checkedPairs('term2gene', text),
  term2name: (text) => checkedPairs('term2name', text),
  turtle: (text) => ({
    proteins: text.match(/ a up:Protein ;$/gm).length,
    positive: text
      .match(/^ {2}up:classifiedWith .*$/gm)
      .reduce((sum, line) => sum + line.match(/obo:GO_/g).length, 0),
  }),
};

async function exported(url, set, db) {
  const { rows } = await db.pool.query(
    `select count(*) filter (where is_nearest)::integer as pairs, count(*)::integer as predictions,
       (select coalesce(sum(least(count, 1500)), 0)::integer from (select count(*) from go_prediction
         where prediction_set_number = (select number from prediction_set where id = $1) and is_nearest group by protein_accession) one) as submitted,
       count(distinct protein_accession)::integer as answered,
       (select count(*)::integer from prediction_set_protein join prediction_set s on s.number = prediction_set_number where s.id = $1) as proteins
     from go_prediction where prediction_set_number = (select number from prediction_set where id = $1)`,
    [set.id],
  );
  const file = (format) =>
    fetch(
      `${url}/v1/embeddings/prediction-sets/${set.id}/export?format=${format}&all=true&contradicted=true`,
    );
  const counts = { ...rows[0], ...claimsIn(await (await file('tsv')).text()) };
  const counted = [];
  for (const format of exportFormatNames) {
    const response = await file(format);
    expect(response.ok, `${format}: ${response.status}`);
    const found = format === 'xlsx' ? await workbook(response) : readers[format](await response.text());
    for (const [name, value] of Object.entries(found)) {
      const right = format === 'gff3' ? [counts.answered, counts.proteins] : [counts[name]];
      expect(
        right.includes(value),
        `${set.operation} ${set.id} as ${format}: ${value} ${name}, not ${right.join(' or ')}`,
      );
      counted.push(value);
    }
  }
  const table = await (await fetch(`${url}/v1/embeddings/prediction-sets/${set.id}/predictions.tsv`)).text();
  expect(
    dataLines(table).length - 1 === counts.predictions,
    `predictions.tsv has ${dataLines(table).length - 1} rows, not ${counts.predictions}`,
  );
  return counted.reduce((sum, value) => sum + value, 0);
}

async function workbook(response) {
  const sheets = await sheetRows(Buffer.from(await response.arrayBuffer()));
  return { proteins: sheets[0].all - 1, pairs: sheets[1].predicted };
}

async function truthFiles(url, { evaluation }, db) {
  const base = `${url}/v1/annotations/evaluation-sets/${evaluation.evaluation_set_id}`;
  const names = { NK: 'ground-truth-NK', LK: 'ground-truth-LK', PK: 'ground-truth-PK', known: 'known-terms' };
  const counted = {};
  for (const [category, name] of Object.entries(names)) {
    const lines = dataLines(await (await fetch(`${base}/${name}.tsv`)).text());
    expect(
      lines.every((line) => /^\S+\tGO:\d{7}$/.test(line)),
      `${name} has a line that is not protein and term`,
    );
    const { rows } = await db.pool.query(
      `select count(*)::integer as count from evaluation_truth
       where category = $1 and evaluation_set_number = (select number from evaluation_set where id = $2)`,
      [category, evaluation.evaluation_set_id],
    );
    expect(lines.length === rows[0].count, `${name} has ${lines.length} lines, not ${rows[0].count}`);
    counted[category] = lines.length;
  }
  return JSON.stringify(counted);
}

export async function checkReads(url, world, db) {
  const one = async (text, values) => (await db.pool.query(text, values)).rows[0];
  const { accession, go_id } = await one(
    `select protein_accession as accession, t.go_id from go_prediction p join go_term t on t.id = p.go_term_id
     where prediction_set_number = (select number from prediction_set where id = $1) and is_nearest order by term_rank, 1 limit 1`,
    [world.rows.prediction_set[0]],
  );
  const { id: scoring_config } = await one('select id from scoring_config order by created_at limit 1');
  await check('every GET as every role', () => matrix(url, world, { accession, go_id, scoring_config }));
  await check('lists have everything that one may see, and nothing else', () => listed(url, world, db));
  await check('every export read back', async () => {
    let values = 0;
    for (const set of world.methods) values += await exported(url, set, db);
    return `${world.methods.length} sets, ${exportFormatNames.length + 1} files each, ${values} rows`;
  });
  await check('ground truth read back', () => truthFiles(url, world, db));
}
