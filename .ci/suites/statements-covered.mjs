// The statements of the specification that a test elsewhere checks, because they cannot be seen from outside a service, or only after a
// long time. A test that is renamed or removed is an error here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The tests by file of `apps/server/src`: the statement of the specification, and the name of the test, or its beginning. */
const tests = {
  'http/routes/jobs/routes.db.test.ts': {
    'the row is committed, then its UUID is published': 'creates the row, then publishes its id',
    'a payload is stored verbatim': 'stores ids in lower case, and nothing that the caller did not send',
    'jobs of a day are limited by the quota': 'never lets more jobs through than the quota of the day',
    'DELETE only while a job does not run': 'is not cancelled when finished, not deleted while running',
    'the cursor created_at': 'walks all rows by Link, also those of one microsecond, and by created_at',
    'events by cursor': 'link from the newest to the first, none lost or doubled, also at one moment',
  },
  'work/worker/jobs.db.test.ts': {
    'RUNNING to QUEUED by retry-later':
      'RUNNING -> QUEUED on retry-later, with a delay that doubles, and its event',
    'cancel of a finished job': 'refuses a finished job, and leaves a cancelled one as it is',
  },
  'work/worker/batches.db.test.ts': {
    'batch messages carry a payload without a job row': 'carry an operation, the parent and their number',
    'a batch of a cancelled job is stopped':
      'of a cancelled parent are stopped, store nothing more, and fill no dead letters',
  },
  'work/worker/cancel-coordination.db.test.ts': {
    'a cancelled coordinator leaves nothing': 'leaves nothing behind when %s is cancelled after %s',
  },
  'load/insert-proteins.db.test.ts': {
    'isoforms apart, equal sequences shared': 'keeps isoforms apart and shares equal sequences',
  },
  'load/fetch-uniprot-metadata.db.test.ts': {
    'metadata by canonical accession':
      'stores what UniProt knows, shared by isoforms, and fills names that are missing',
  },
  'load/load-ontology-snapshot.db.test.ts': {
    'idempotent per obo_version': 'changes nothing the second time',
    'two loads at once': 'lets two jobs with the same release write it once',
  },
  'load/load-annotations.db.test.ts': {
    'annotations are stored verbatim':
      'keeps every text, NOT rows and equal rows, and explains each row that it leaves',
  },
  'load/load-quickgo-annotations.db.test.ts': { 'ECO to GO codes': 'maps ECO ids where a row has no code' },
  'load/interproscan/run-interproscan-batch.db.test.ts': {
    'resume from stored job ids': 'goes on with the chunks that are not scanned yet',
  },
  'evaluate/generate-evaluation-set.db.test.ts': {
    'one set for a pair': 'makes one set per pair, also when two jobs come at once',
  },
  'evaluate/run-cafa-evaluation.computing.db.test.ts': {
    'PK leaves old terms out': 'a known term is neither rewarded nor punished, in PK alone',
  },
  'ground/plugins/discover.test.ts': {
    'plugins are found again on every call': 'sees what is installed, replaced and removed while it runs',
  },
  'http/plugins/visits.db.test.ts': {
    'a row for each GET of a page':
      'writes one row for each GET of a page or of data that is there, and for nothing else',
  },
  'accounts/limits.db.test.ts': {
    'a salt for each day': 'agrees between processes, keeps one salt, and none of yesterday',
  },
  'http/routes/mail/routes.db.test.ts': {
    'magic link': 'arrives by mail, logs in once, and is recorded',
    'password reset': 'sets a new password once, ends sessions, other links and the wait for failures',
  },
  'http/routes/rerankers/routes.db.test.ts': {
    'both imports give the same row': 'gives the same row by upload and by reference',
  },
  'http/routes/audit/routes.db.test.ts': {
    'the audit log is append-only': 'has no update, delete or truncate',
  },
  'http/routes/stack/routes.db.test.ts': {
    'open pull requests are cached':
      'gathers those of all repositories, the last changed first, and keeps them',
  },
  'http/routes/maintenance/routes.db.test.ts': {
    'vectors that no protein refers to':
      'counts and deletes vectors without a protein, then sequences without any use',
  },
  'telemetry/tracing.test.ts': {
    'traceparent on messages':
      'carries the trace of a request, read in several pieces, into what its handler sends',
    SVC_OTEL_SAMPLE_RATIO: 'at ratio 0 records no new trace, but every trace that a caller records',
  },
  'cli/admin.db.test.ts': {
    'an existing e-mail is a no-op':
      'kindred admin add-user changes nothing for an e-mail that has an account, and succeeds',
  },
};

/** @returns the number of statements @throws Error that names a missing test */
export function coveredElsewhere(root) {
  let count = 0;
  for (const [file, statements] of Object.entries(tests)) {
    const text = readFileSync(join(root, 'apps/server/src', file), 'utf8');
    for (const [says, name] of Object.entries(statements)) {
      if (!text.includes(name)) throw new Error(`${says}: ${file} has no test "${name}"`);
      count++;
    }
  }
  return count;
}
