// Puts a run of 10,000 proteins with half a million predictions straight into the embedded database, and prints its facts as JSON.
//   node .ci/suites/browser-large-run.mjs <data folder of a running service>
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@kindred/server/run/embedded/postgres';
import { closeDatabase, openDatabase } from '@kindred/server/store/postgres/connection';

const proteins = 10_000;
/** The number of terms of a protein that has an answer; nearly all of them belong to the answer. */
const termsOfProtein = 51;
/** The number of different terms in the whole run, which is that of a proteome. */
const differentTerms = 5000;

/** Returns accessions in another order than the places in the file, so that a list in the wrong order is noticed. */
const accessionAt = (position) => `L${String((position * 7919) % proteins).padStart(5, '0')}`;
/** The values of the best terms of proteins that are not known, in turn. */
const probabilities = [0.95, 0.7, 0.3, 0.9];
const certainties = ['strong', 'likely', 'possible', 'strong'];
const hasNoAnswer = (position) => position % 100 === 99;
const isKnown = (position) => position % 10 === 0;

/**
 * Returns the facts that the page of the run must show: how many proteins have which certainty, and its accessions in the order of the
 * file.
 */
function factsOf(id, predictions) {
  const standings = {};
  for (let at = 0; at < proteins; at++) {
    const standing = hasNoAnswer(at) ? 'none' : isKnown(at) ? 'known' : certainties[at % certainties.length];
    standings[standing] = (standings[standing] ?? 0) + 1;
  }
  return {
    id,
    proteins,
    predictions,
    standings,
    accessions: Array.from({ length: proteins }, (_, at) => accessionAt(at)),
  };
}

/** Stores the run as its job would have, in some seconds. `dataDir` belongs to a running service that has its example reference. */
async function fillLargeRun(dataDir) {
  const { url } = await startEmbeddedPostgres(join(dataDir, 'postgres'));
  const db = openDatabase(url, 1);
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    const uploadId = await insertUpload(client);
    const { id, number } = await insertSet(client, uploadId);
    const predictions = await insertPredictions(client, { uploadId, number });
    await client.query('commit');
    await client.query('analyze go_prediction, prediction_set_protein, query_set_entry');
    return factsOf(id, predictions);
  } finally {
    client.release();
    await closeDatabase(db);
  }
}

async function insertUpload(client) {
  const { rows } = await client.query(
    `insert into query_set (name, entry_count) values ('Large run', $1) returning id`,
    [proteins],
  );
  const [{ id }] = rows;
  await client.query(
    `insert into query_set_entry (query_set_id, position, header, accession, sequence_id)
     select $1, n, accession || ' Protein number ' || n || ' OS=Mus musculus', accession,
       (select min(id) from sequence)
     from generate_series(0, $2 - 1) n, lateral (select 'L' || lpad((n * 7919 % $2)::text, 5, '0') as accession) one`,
    [id, proteins],
  );
  return id;
}

async function insertSet(client, uploadId) {
  const answered = proteins - proteins / 100;
  const { rows } = await client.query(
    `insert into prediction_set (embedding_config_id, annotation_set_id, ontology_snapshot_id, query_set_id, limit_per_entry,
       method, prediction_count, protein_count, query_count)
     select (select id from embedding_config order by created_at limit 1), id, ontology_snapshot_id, $1, 5, 'combined', $2, $3, $3
     from annotation_set where state = 'complete' order by created_at limit 1 returning id, number`,
    [uploadId, answered * termsOfProtein, proteins],
  );
  const [set] = rows;
  await client.query(
    `insert into prediction_set_protein (prediction_set_number, protein_accession, sequence_id, term_count, prediction_count,
       no_answer, known_accession, known_by)
     select $1, accession, sequence_id, case when position % 100 = 99 then 0 else $2 end,
       case when position % 100 = 99 then 0 else $2 end,
       case when position % 100 = 99 then 'no_similar_protein' end,
       case when position % 10 = 0 then (select min(accession) from protein) end,
       case when position % 10 = 0 then 'sequence' end
     from query_set_entry where query_set_id = $3`,
    [set.number, termsOfProtein, uploadId],
  );
  return set;
}

/** Inserts the predictions and returns the number of rows. */
async function insertPredictions(client, { uploadId, number }) {
  const { rowCount } = await client.query(
    `with term as (
       select id, row_number() over (order by t.go_id) - 1 as place from (
         select id, go_id from go_term
         where not is_obsolete and ontology_snapshot_id = (select ontology_snapshot_id from prediction_set where number = $1)
         order by go_id limit $4) t),
     source as (select accession, row_number() over (order by accession) - 1 as place from protein),
     counts as (select (select count(*) from term) as terms, (select count(*) from source) as sources)
     insert into go_prediction (prediction_set_number, protein_accession, go_term_id, source_kind, source_id, evidence_code,
       score, term_rank, answer_rank, is_nearest, probability)
     select $1, e.accession, term.id, 'protein', source.accession, (array['IDA', 'IEA', 'IPI', 'ISS'])[1 + r % 4],
       (1 - r / 60.0)::real, r + 1, r + 1, true, ($5::float8[])[1 + e.position % 4] * (1 - r / 60.0)
     from query_set_entry e cross join counts cross join generate_series(0, $2 - 1) r
     join term on term.place = (e.position * 131 + r * 17) % counts.terms
     join source on source.place = (e.position + r) % counts.sources
     where e.query_set_id = $3 and e.position % 100 <> 99
     order by e.accession`,
    [number, termsOfProtein, uploadId, differentTerms, probabilities],
  );
  return rowCount;
}

const [dataDir] = process.argv.slice(2);
if (dataDir === undefined) {
  console.error('usage: browser-large-run.mjs <data folder of a running service>');
  process.exit(64);
}
console.log(JSON.stringify(await fillLargeRun(dataDir)));
