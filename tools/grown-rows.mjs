// Writes rows as the jobs of a service do, without their work: copies of the runs that it made, visits and events of long ago, and an
// annotation set with the size of Swiss-Prot.
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@kindred/server/run/embedded/postgres';
import { closeDatabase, openDatabase } from '@kindred/server/store/postgres/connection';

/** Makes a uuid from a name, so that two worlds have the same. */
const uuid = (name) => `md5('grown ' || ${name})::uuid`;

/** Returns the columns that an insert may name. */
async function columnsOf(client, table) {
  const { rows } = await client.query(
    `select quote_ident(attname) as name from pg_attribute where attrelid = $1::regclass and attnum > 0
       and not attisdropped and attgenerated = '' and attidentity = '' order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Copies rows `t` of the table for each row `c` of `copy` that `on` joins; `changes` are columns with another value. */
async function copyRows(client, table, on, changes) {
  const columns = await columnsOf(client, table);
  const unknown = Object.keys(changes).filter((name) => !columns.includes(name));
  if (unknown.length > 0) throw new Error(`${table} has no ${unknown}`);
  const values = columns.map((name) => changes[name] ?? `t.${name}`);
  const { rowCount } = await client.query(
    `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from copy c join ${table} t on ${on}`,
  );
  return rowCount;
}

/**
 * Plans copies of the runs, in turn, over the last two hundred days. One in ten was not to be saved, and half of those have expired. The
 * owners take turns, and one copy in five has none.
 */
async function planCopies(client, runs) {
  await client.query(
    `create temp table copy as
     with base as (
       select p.id, p.number, p.job_id, p.query_set_id, row_number() over (order by p.number) - 1 as place, count(*) over () as bases
       from prediction_set p where p.status = 'complete' and p.query_set_id is not null and p.expires_at is null),
     owner as (select id, row_number() over (order by email) - 1 as place, count(*) over () as owners from user_account where status = 'active')
     select n, base.id as old_set, base.number as old_number, base.job_id as old_job, base.query_set_id as old_queries, null::integer as number,
       ${uuid("'set' || n")} as set_id, ${uuid("'job' || n")} as job_id, ${uuid("'queries' || n")} as queries_id,
       case when n % 5 = 0 then null else owner.id end as owner_id, date_trunc('second', now()) - n * interval '200 days' / $1 as made,
       case when n % 10 <> 0 then null when n % 20 = 0 then now() - interval '1 day' else now() + interval '10 years' end as expires,
       case when n % 4 = 0 then 'listed' else 'link' end as visibility
     from generate_series(1, $1) n join base on base.place = n % base.bases join owner on owner.place = n % owner.owners`,
    [runs],
  );
  await client.query(
    'create index on copy (old_number); create index on copy (old_queries); create index on copy (old_job); analyze copy',
  );
}

async function copyRuns(client, runs) {
  await planCopies(client, runs);
  const later = 'c.made + (t.finished_at - t.created_at)';
  const hidden = { owner_user_id: 'c.owner_id', visibility: 'c.visibility' };
  const listed = { ...hidden, expires_at: 'c.expires', listed: 'c.expires is null', created_at: 'c.made' };
  const named = `jsonb_build_object('query_set_id', c.queries_id)`;
  await copyRows(client, 'job', 't.id = c.old_job', {
    ...hidden,
    id: 'c.job_id',
    meta: `t.meta || case when c.expires is null then '{}' else '{"ephemeral": true}'::jsonb end`,
    payload: `t.payload || case when t.payload ? 'query_set_id' then ${named} else '{}' end`,
    result: `t.result || jsonb_build_object('prediction_set_id', c.set_id)`,
    waits_for_job_id: 'null',
    created_at: 'c.made',
    started_at: 'c.made + (t.started_at - t.created_at)',
    finished_at: later,
    dispatched_at: 'c.made + (t.dispatched_at - t.created_at)',
    published_at: 'c.made',
  });
  await copyRows(client, 'job_event', 't.job_id = c.old_job', { job_id: 'c.job_id', ts: 'c.made' });
  await copyRows(client, 'job_batch', 't.parent_job_id = c.old_job', {
    parent_job_id: 'c.job_id',
    stored_at: 'c.made',
  });
  await copyRows(client, 'query_set', 't.id = c.old_queries', {
    ...listed,
    id: 'c.queries_id',
    name: `t.name || ' ' || c.n`,
  });
  await copyRows(client, 'query_set_entry', 't.query_set_id = c.old_queries', {
    query_set_id: 'c.queries_id',
  });
  await copyRows(client, 'prediction_set', 't.id = c.old_set', {
    ...listed,
    id: 'c.set_id',
    job_id: 'c.job_id',
    query_set_id: 'c.queries_id',
  });
  await client.query('update copy set number = p.number from prediction_set p where p.id = copy.set_id');
  const of = { prediction_set_number: 'c.number' };
  let predictions = 0;
  for (const table of ['prediction_set_protein', 'go_prediction', 'go_prediction_pair_features'])
    predictions += await copyRows(client, table, 't.prediction_set_number = c.old_number', of);
  return { predictions };
}

/** Adds jobs that failed or were cancelled, and deliveries and visits of the last ninety days, of which both are kept for thirty. */
async function addTraces(client, runs) {
  await client.query(`drop table copy; create temp table copy as
    select n, ${uuid("'ended' || n")} as job_id, b.id as old_job, date_trunc('second', now()) - n * interval '200 days' / ${runs} as made
    from generate_series(1, ${Math.ceil(runs / 5)}) n
    join (select id, row_number() over (order by id) - 1 as place, count(*) over () as bases from job where status in ('FAILED', 'CANCELLED')) b
      on b.place = n % b.bases`);
  const when = { created_at: 'c.made', started_at: 'c.made', finished_at: 'c.made' };
  await copyRows(client, 'job', 't.id = c.old_job', {
    ...when,
    id: 'c.job_id',
    waits_for_job_id: 'null',
    parent_job_id: 'null',
  });
  await copyRows(client, 'job_event', 't.job_id = c.old_job', { job_id: 'c.job_id', ts: 'c.made' });
  // The ids of visits rise with time, so those of the service itself are written again after the old ones.
  await client.query('create temp table visit as select * from visitor_event; delete from visitor_event');
  await client.query(`insert into visitor_event (occurred_at, visitor_hash)
    select now() - n * interval '90 days' / ${10 * runs}, substr(md5((n % 500)::text), 1, 16) from generate_series(${10 * runs}, 1, -1) n`);
  await client.query(
    'insert into visitor_event (occurred_at, visitor_hash) select occurred_at, visitor_hash from visit order by id',
  );
  await client.query(`insert into webhook_delivery (webhook_id, event, state, attempts, next_attempt_at, created_at, ended_at)
    select w.id, 'job.succeeded', 'failed', 3, null, now() - n * interval '90 days' / ${runs}, now() - n * interval '90 days' / ${runs}
    from generate_series(1, ${runs}) n join (select id, row_number() over (order by id) - 1 as place, count(*) over () as hooks from webhook) w
      on w.place = n % w.hooks`);
}

const mostSetsOfOneProtein = 17;

/**
 * Adds proteins with sequences of their own, and one to seventeen annotations each: 8.8 for a protein, as in Swiss-Prot 2014_01. They
 * have no vectors, so a run finds its sources among the proteins of the example, which are in the set, too. The run is compared with all
 * of them.
 */
async function addLargeSet(client, proteins) {
  await client.query(
    `insert into sequence (sequence, sequence_md5, length)
     select s, md5(s), length(s) from generate_series(1, $1) n,
       lateral (select 'M' || translate(md5('grown ' || n) || md5('other ' || n), '0123456789abcdef', 'ACDEFGHIKLMNPQRS') as s) one`,
    [proteins],
  );
  await client.query(
    `insert into protein (accession, canonical_accession, reviewed, protein_name, organism, taxonomy_id, length, sequence_id)
     select a, a, true, 'Protein ' || n, 'Mus musculus', 10090, 65, s.id from generate_series(1, $1) n,
       lateral (select 'SP' || lpad(n::text, 6, '0') as a, 'M' || translate(md5('grown ' || n) || md5('other ' || n), '0123456789abcdef',
         'ACDEFGHIKLMNPQRS') as text) one join sequence s on s.sequence_md5 = md5(one.text)`,
    [proteins],
  );
  const { rows } = await client.query(
    `insert into annotation_set (source, source_version, ontology_snapshot_id, state)
     select source, 'as large as Swiss-Prot', ontology_snapshot_id, 'complete' from annotation_set order by created_at limit 1 returning id, number`,
  );
  const [{ id, number }] = rows;
  await client.query(
    `create table protein_go_annotation_s${number} partition of protein_go_annotation for values in (${number})`,
  );
  await client.query(`insert into protein_go_annotation select ${number}, protein_id, go_term_id, qualifier, evidence_code, assigned_by, db_reference,
      with_from, annotation_date
    from protein_go_annotation where annotation_set_number = (select number from annotation_set order by created_at limit 1)`);
  await client.query(
    `with term as (select array_agg(id order by go_id) as ids from (select id, go_id from go_term
       where not is_obsolete and ontology_snapshot_id = (select ontology_snapshot_id from annotation_set where number = ${number})
       order by go_id limit 22000) t)
     insert into protein_go_annotation (annotation_set_number, protein_id, go_term_id, evidence_code, qualifier, assigned_by, db_reference, annotation_date)
     select ${number}, p.id, term.ids[1 + (abs(hashint8(p.id * 17::bigint + k)) % 22000 * (abs(hashint8(p.id + k)) % 100)::bigint / 100)::integer],
       (array['IEA', 'IEA', 'IEA', 'ISS', 'IDA'])[1 + k % 5], 'enables', 'UniProt', 'GO_REF:0000002', '20140115'
     from protein p cross join term cross join lateral generate_series(1, 1 + (p.id * 7919::bigint % ${mostSetsOfOneProtein})::integer) k where p.accession like 'SP______'`,
  );
  const { rows: counted } = await client.query(
    `update annotation_set set annotation_count = c.annotations, protein_count = c.proteins, newest_annotation_date = '2014-01-15',
       statistics = jsonb_build_object('by_aspect', c.aspects, 'by_evidence_code', c.codes, 'negated', 0, 'terms', c.terms)
     from (select count(*) as annotations, count(distinct protein_id) as proteins, count(distinct go_term_id) as terms,
       jsonb_build_object('P', count(*) filter (where t.aspect = 'P'), 'F', count(*) filter (where t.aspect = 'F'), 'C', count(*) filter (where t.aspect = 'C')) as aspects,
       jsonb_build_object('IEA', count(*) filter (where evidence_code = 'IEA')) as codes
       from protein_go_annotation_s${number} a join go_term t on t.id = a.go_term_id) c
     where number = ${number} returning annotation_count::integer as annotations, protein_count::integer as proteins`,
  );
  return { large: { id, ...counted[0] } };
}

/** Fills the database of a service that is not running. @returns facts for the checks */
export async function growRows(dataDir, { runs, proteins }) {
  const server = await startEmbeddedPostgres(join(dataDir, 'postgres'));
  const db = openDatabase(server.url, 1);
  try {
    const client = await db.pool.connect();
    try {
      await client.query('set synchronous_commit = off');
      const copied = await copyRuns(client, runs);
      await addTraces(client, runs);
      const large = await addLargeSet(client, proteins);
      await client.query('vacuum analyze');
      const { rows } = await client.query(
        'select pg_database_size(current_database())::bigint as bytes, (select count(*)::integer from job) as jobs',
      );
      return { ...copied, ...large, database_bytes: Number(rows[0].bytes), jobs: rows[0].jobs };
    } finally {
      client.release();
    }
  } finally {
    await closeDatabase(db);
    await server.stop();
  }
}
