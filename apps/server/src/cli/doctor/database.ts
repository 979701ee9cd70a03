import { join } from 'node:path';
import { composeBroker, composeDatabase } from '../../run/compose.js';
import { readPostmaster } from '../../run/embedded/postmaster.js';
import type { Settings } from '../../run/env.js';
import { taxonConstraintsInForce } from '../../store/ontology/taxon-constraints.repository.js';
import { databaseFacts } from '../../store/maintenance/database-facts.repository.js';
import { schemaFault } from '../../store/migrations/migrate.js';
import { closeDatabase, type Database } from '../../store/postgres/db.js';
import { embeddedFolder } from '../../run/supervise/serve.js';
import { createLog } from '../../telemetry/log.js';
import { type Check, fault, type Finding, gibibytes, ok, warning } from './finding.js';
import { checkProcesses } from './processes.js';
import { checkRegisteredModels } from './registered-models.js';

/** Tokens and leases tolerate this much; S3 refuses signatures that are 15 minutes off. */
const clockWarnSeconds = 5;

export const checkDatabaseAndBroker: Check = async (settings) => {
  if (settings.dbUrl !== null) return examineDatabase(settings);
  const postmaster = await readPostmaster(join(embeddedFolder(settings), 'data'));
  if (postmaster === null)
    return [ok('database', 'embedded; it does not run now and starts with the service')];
  if (postmaster.status !== 'ready')
    return [
      warning(
        'database',
        `embedded; process ${postmaster.pid} says "${postmaster.status}"`,
        'Wait half a minute; kindred serve ends one that hangs.',
      ),
    ];
  // The check only attaches, because starting the server would wait for whatever hangs.
  const { startEmbeddedPostgres } = await import('../../run/embedded/postgres.js');
  const { url } = await startEmbeddedPostgres(embeddedFolder(settings));
  return examineDatabase({ ...settings, dbUrl: url });
};

async function examineDatabase(settings: Settings): Promise<Finding[]> {
  const db = composeDatabase({ ...settings, dbConnections: 2 });
  try {
    const facts = await databaseFacts(db).catch((error: Error) => error);
    if (facts instanceof Error)
      return [fault('database', `not reachable: ${facts.message}`, 'Start it, or correct SVC_DB_URL.')];
    const findings = [ok('database', `PostgreSQL ${facts.serverVersion}, ${gibibytes(facts.sizeBytes)} GiB`)];
    const wrong = await schemaFault(db);
    findings.push(
      wrong === null
        ? ok('schema', 'that of this version')
        : fault('schema', wrong, 'Then start the service again.'),
    );
    const used = facts.connections / facts.maxConnections;
    if (used > 0.8)
      findings.push(
        warning(
          'database',
          `${facts.connections} of ${facts.maxConnections} connections are in use`,
          'Raise max_connections, or lower SVC_DB_CONNECTIONS.',
        ),
      );
    const clock = `${Math.abs(facts.clockAheadSeconds).toFixed(1)} s between this machine's clock and the database's`;
    findings.push(
      Math.abs(facts.clockAheadSeconds) > clockWarnSeconds
        ? warning('clock', clock, 'Synchronise both with NTP.')
        : ok('clock', clock),
    );
    if (wrong === null)
      findings.push(
        ...(await checkProcesses(settings, db)),
        await checkBroker(settings, db),
        await checkConstraints(db),
        ...(await checkRegisteredModels(settings, db)),
      );
    return findings;
  } finally {
    await closeDatabase(db);
  }
}

async function checkConstraints(db: Database): Promise<Finding> {
  const release = await taxonConstraintsInForce(db);
  return release === null
    ? warning(
        'taxon constraints',
        'not checked: none are loaded, or no taxonomy',
        'Run the operations load_taxonomy and load_taxon_constraints; predictions made from then on are checked.',
      )
    : ok('taxon constraints', `terms are checked by ${release}`);
}

async function checkBroker(settings: Settings, db: Database): Promise<Finding> {
  const broker = composeBroker(settings, db, createLog('silent', 'doctor'));
  const name = broker.kind === 'rabbitmq' ? 'RabbitMQ' : 'queues in the database';
  try {
    await broker.check();
    const dead = await broker.depth('svc.dead-letter');
    if (dead === 0) return ok('broker', `${name}: takes messages`);
    return warning(
      'broker',
      `${name}: ${dead} dead letters`,
      'GET /v1/admin/dlq shows them; replay or purge them (docs/how-to/operate.md).',
    );
  } catch (error) {
    return fault('broker', (error as Error).message, 'Start it, or correct SVC_AMQP_URL.');
  } finally {
    await broker.close();
  }
}
