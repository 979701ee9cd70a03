import { Command, Option } from 'commander';
import { productVersion } from '../version.js';
import { adminCommand } from './admin.js';
import { annotateCommand } from './annotate.js';
import { backupCommand, restoreCommand } from './backup.js';
import { doctorCommand } from './doctor.js';
import { enrichCommand } from './enrich.js';
import { evaluateCommand } from './evaluate.js';
import { explainCommand } from './explain.js';
import { exportCommand } from './export.js';
import { referenceCommand } from './reference.js';
import { mcpCommand } from './mcp.js';
import { selftestCommand } from './selftest/selftest.js';

/** The commands of the product; those of plugins come from `addPluginCommands`. */
export function commandLine(): Command {
  const program = new Command('kindred')
    .description('Protein function annotation by nearest kin')
    .version(productVersion, '--version', 'print the version')
    .showHelpAfterError();
  program.addCommand(annotateCommand());
  program.addCommand(exportCommand());
  program.addCommand(explainCommand());
  program.addCommand(enrichCommand());
  program.addCommand(evaluateCommand());
  program.addCommand(referenceCommand());
  program.addCommand(adminCommand());
  program.addCommand(backupCommand());
  program.addCommand(restoreCommand());
  program.addCommand(doctorCommand());
  program.addCommand(selftestCommand());
  program.addCommand(mcpCommand());

  const port = () => new Option('--port <number>', 'port of the API (SVC_PORT)');
  program
    .command('start')
    .description(
      'Everything on embedded defaults, with the example set on the first start (what npm start runs)',
    )
    .option('--demo', 'annotate examples/queries.fasta, print a table, and end')
    .addOption(port())
    .action(async (options) => (await import('./start.js')).start(options));
  program
    .command('serve')
    .description('API and workers in one supervised process tree')
    .addOption(port())
    .action(async (options) => (await import('./start.js')).start(options));
  program
    .command('http')
    .description('The API alone')
    .addOption(port())
    .action(async (options) => (await import('./roles.js')).runHttp(options));
  program
    .command('worker')
    .description('One worker process')
    .option('--queues <names>', 'queues to consume, separated by commas (default: all)')
    .option('--concurrency <number>', 'deliveries of each queue at once (SVC_WORKER_CONCURRENCY)')
    .action(async (options) => (await import('./roles.js')).runWorker(options));
  program
    .command('isolated', { hidden: true })
    .description('One batch or job that a worker suspects of ending its process')
    .action(async () => (await import('./isolated.js')).runIsolated());
  program
    .command('migrate')
    .description('Bring the database to this version')
    .action(async () => (await import('./roles.js')).runMigrate());
  return program;
}
