import { ProblemError } from '@kindred/contracts';
import { Command, Option } from 'commander';
import { productVersion } from './version.js';
import { whyUnreadable, whyUnwritable } from './sources/file-fault.js';

/** Exit codes differ by cause, so that scripts can distinguish them. */
const exitCodes: Record<string, number> = {
  'service-unavailable': 69,
  'internal-server-error': 70,
  conflict: 75,
  unauthorized: 77,
  forbidden: 77,
};
const usageFault = 64;

async function main(): Promise<void> {
  const program = new Command('kindred')
    .description('Protein function annotation by nearest kin')
    .version(productVersion, '--version', 'print the version')
    .showHelpAfterError();
  const { annotateCommand } = await import('./cli/annotate.js');
  const { enrichCommand } = await import('./cli/enrich.js');
  const { exportCommand } = await import('./cli/export.js');
  const { evaluateCommand } = await import('./cli/evaluate.js');
  const { referenceCommand } = await import('./cli/reference.js');
  const { adminCommand } = await import('./cli/admin.js');
  program.addCommand(annotateCommand());
  program.addCommand(exportCommand());
  program.addCommand(enrichCommand());
  program.addCommand(evaluateCommand());
  program.addCommand(referenceCommand());
  const { backupCommand, restoreCommand } = await import('./cli/backup.js');
  program.addCommand(adminCommand());
  program.addCommand(backupCommand());
  program.addCommand(restoreCommand());
  program.addCommand((await import('./cli/doctor.js')).doctorCommand());
  program.addCommand((await import('./cli/selftest/selftest.js')).selftestCommand());

  const port = () => new Option('--port <number>', 'port of the API (SVC_PORT)');
  program
    .command('start')
    .description(
      'Everything on embedded defaults, with the example set on the first start (what npm start runs)',
    )
    .option('--demo', 'annotate examples/queries.fasta, print a table, and end')
    .addOption(port())
    .action(async (options) => (await import('./cli/start.js')).start(options));
  program
    .command('serve')
    .description('API and workers in one supervised process tree')
    .addOption(port())
    .action(async (options) => (await import('./cli/start.js')).start(options));
  program
    .command('http')
    .description('The API alone')
    .addOption(port())
    .action(async (options) => (await import('./cli/roles.js')).runHttp(options));
  program
    .command('worker')
    .description('One worker process')
    .option('--queues <names>', 'queues to consume, separated by commas (default: all)')
    .option('--concurrency <number>', 'deliveries of each queue at once (SVC_WORKER_CONCURRENCY)')
    .action(async (options) => (await import('./cli/roles.js')).runWorker(options));
  program
    .command('isolated', { hidden: true })
    .description('One batch or job that a worker suspects of ending its process')
    .action(async () => (await import('./cli/isolated.js')).runIsolated());
  program
    .command('migrate')
    .description('Bring the database to this version')
    .action(async () => (await import('./cli/roles.js')).runMigrate());
  const [wanted] = process.argv.slice(2);
  const ours = program.commands.some((command) => command.name() === wanted);
  if (!ours) await (await import('./cli/plugin-commands.js')).addPluginCommands(program);
  await program.parseAsync();
}

// The reader of a pipe may close it early (head): not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
// A closed terminal must not prevent a clean shutdown.
process.stderr.on('error', () => {});

function faultWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { path, syscall } = error as NodeJS.ErrnoException;
  // A fault of the file system that nobody put into words.
  if (path === undefined || syscall === undefined) return error.message;
  const writes = ['mkdir', 'rename', 'write', 'unlink', 'rmdir'].includes(syscall);
  return `${path} cannot be ${writes ? 'written' : 'read'}: ${(writes ? whyUnwritable : whyUnreadable)(error)}.`;
}

main().catch((error: unknown) => {
  const problem = error instanceof ProblemError ? error : null;
  const text = faultWords(error);
  process.stderr.write(`kindred: ${text}\n`);
  if (problem === null && process.env.SVC_LOG_LEVEL === 'debug')
    process.stderr.write(`${(error as Error).stack}\n`);
  // At once: a connection that a failed start leaves open must not keep the process alive.
  process.exit(problem === null ? 1 : (exitCodes[problem.slug] ?? usageFault));
});
