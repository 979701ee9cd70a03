// Measures the whole way at the size of Swiss-Prot: load, embed with the offline backend, build the reference bank, predict with
// alignments and features, through the API alone; then at three sizes of references and of queries.
//
//   node benchmarks/scale.bench.mjs FASTA PAIRS.tsv [queries]
//
// FASTA has the bare accession as header; PAIRS.tsv has a header line and the columns accession, go_id, aspect. The pairs name no
// evidence, so all are loaded as IEA. KINDRED_BENCH_DATA is the folder for the service's data (default: a temporary folder, deleted at
// the end).
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { keep } from './figures.mjs';
import { writeGafOfPairs } from './gaf-of-pairs.mjs';
import { follow, processesOf } from './service-processes.mjs';
import { startService } from './service.mjs';

const [fasta, pairs, wantedQueries = '5000'] = process.argv.slice(2);
const number = (n) => Math.round(n).toLocaleString('en');

async function readFasta() {
  const records = [];
  for await (const line of createInterface({ input: createReadStream(fasta) })) {
    if (line.startsWith('>')) records.push({ accession: line.slice(1), sequence: '' });
    else records.at(-1).sequence += line;
  }
  return records;
}

function report(stage, rows, { seconds, peaks }) {
  const shown = Object.entries(peaks).map(([role, peak]) => `${role} ${Math.round(peak)}`);
  console.log(
    `| ${stage} | ${number(rows)} | ${seconds.toFixed(1)} | ${number(rows / seconds)} | ${shown.join(', ')} |`,
  );
}

/** Returns the times of the steps of a job from its own events: the seconds from the first event to the named one. */
async function stepSeconds(api, jobId) {
  const events = await api.json(`/v1/jobs/${jobId}/events?limit=500`);
  const at = (event) => Date.parse(events.find((each) => each.event === event)?.ts ?? Number.NaN);
  return (from, to) => (at(to) - at(from)) / 1000;
}

class ScaleRun {
  constructor(service, watch, folder) {
    this.api = service.api;
    this.watch = watch;
    this.folder = folder;
  }

  job(operation, queue, payload) {
    return this.watch.measure(() => this.api.run('/v1/jobs', { operation, queue_name: queue, payload }));
  }

  async annotations(name, accessions) {
    const path = join(this.folder, `${name}.gaf.gz`);
    const rows = await writeGafOfPairs(path, pairs, { isWanted: (accession) => accessions.has(accession) });
    const [snapshot] = await this.api.json('/v1/annotations/snapshots');
    const loaded = await this.watch.measure(() =>
      this.api.run('/v1/annotations/sets/load-goa', {
        gaf_url: pathToFileURL(path).href,
        ontology_snapshot_id: snapshot.id,
        source_version: name,
      }),
    );
    report(`annotations, ${name}`, rows, loaded);
    const sets = await this.api.json('/v1/annotations/sets');
    return sets.find((set) => set.source_version === name);
  }

  async querySet(records) {
    const form = new FormData();
    form.set('name', `${records.length} queries`);
    form.set(
      'file',
      new Blob([records.map(({ accession, sequence }) => `>Q_${accession}\n${sequence}\n`).join('')]),
      'queries.fasta',
    );
    return this.api.upload('/v1/query-sets', form);
  }

  async predict(label, { config, set, querySet, more = {} }) {
    const predicted = await this.watch.measure(async () => {
      const { id } = await this.api.post('/v1/embeddings/predict', {
        embedding_config_id: config.id,
        annotation_set_id: set.id,
        ontology_snapshot_id: set.ontology_snapshot_id,
        query_set_id: querySet.id,
        ...more,
      });
      return this.finished(id);
    });
    const { job } = predicted.value;
    const seconds = await stepSeconds(this.api, job.id);
    const bank = seconds('predict_go_terms.build_references', 'predict_go_terms.load_references_done');
    report(label, querySet.entry_count, predicted);
    keep('seconds a query', (predicted.seconds - (bank || 0)) / querySet.entry_count, {
      references: job.result.references,
      queries: querySet.entry_count,
      alignments: 'compute_alignments' in more ? 'with' : 'without',
    });
    console.log(
      `    ${number(job.result.references)} references, ${number(job.result.predictions)} predictions; bank ${Number.isNaN(bank) ? 'was there' : `built in ${bank.toFixed(1)} s`}; queries ${(predicted.seconds - (bank || 0)).toFixed(1)} s`,
    );
  }

  async finished(id) {
    for (;;) {
      const job = await this.api.json(`/v1/jobs/${id}`);
      if (job.status === 'SUCCEEDED') return { job };
      if (job.status !== 'QUEUED' && job.status !== 'RUNNING')
        throw new Error(`${job.operation} ${job.status}: ${job.error_message}`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

async function run(service, watch, folder) {
  const scale = new ScaleRun(service, watch, folder);
  const records = await readFasta();
  console.log('| stage | rows | seconds | rows/s | peak MiB of each process |\n|---|---|---|---|---|');
  const inserted = await scale.job('insert_proteins', 'svc.jobs', { fasta_url: pathToFileURL(fasta).href });
  report('proteins', records.length, inserted);
  const sets = [];
  for (const part of [4, 2, 1]) {
    const accessions = new Set(records.filter((_, at) => at % part === 0).map(({ accession }) => accession));
    sets.push(await scale.annotations(part === 1 ? 'all' : `one in ${part}`, accessions));
  }
  const [config] = await service.api.json('/v1/embeddings/configs');
  const embedded = await scale.job('compute_embeddings', 'svc.embeddings', {
    embedding_config_id: config.id,
    sequences_per_job: 2000,
  });
  report('embedding', records.length, embedded);
  const count = Number(wantedQueries);
  const step = Math.floor(records.length / count);
  const chosen = records.filter((_, at) => at % step === 1).slice(0, count);
  const querySets = [];
  for (const part of [4, 2, 1])
    querySets.push(await scale.querySet(chosen.filter((_, at) => at % part === 0)));
  const full = { compute_alignments: true, compute_reranker_features: true };
  for (const set of sets)
    await scale.predict(`prediction, references ${set.source_version}`, {
      config,
      set,
      querySet: querySets[2],
    });
  for (const querySet of querySets)
    await scale.predict('prediction with alignments and features', {
      config,
      set: sets[2],
      querySet,
      more: full,
    });
}

const folder = process.env.KINDRED_BENCH_DATA ?? mkdtempSync(join(tmpdir(), 'kindred-scale-'));
const [dataDir, files] = ['data', 'files'].map((name) => join(folder, name));
mkdirSync(files, { recursive: true });
const service = await startService(dataDir, tmpdir(), { SVC_LOAD_EXAMPLES: 'small' });
try {
  await run(service, follow(processesOf(service.pid, dataDir)), files);
  const { heapUsed } = process.memoryUsage();
  console.log(
    `benchmark itself: ${number(heapUsed / 2 ** 20)} MiB; load of the machine ${readFileSync('/proc/loadavg', 'latin1').trim()}`,
  );
} finally {
  await service.stop();
  if (!process.env.KINDRED_BENCH_DATA) rmSync(folder, { recursive: true, force: true });
}
