// These commands run the service or work on its database. They need most of the server, so each loads its
// code when it runs.
import { accountRoles } from '@kindred/contracts/roles';
import { Command, Option } from 'commander';

/** The commands handle accounts, backup and checks, on the machine that has the data. */
export function operatorCommands(): Command[] {
  const admin = new Command('admin').description('Accounts, from the machine that has the database');
  admin
    .command('add-user')
    .description('Add an active account; asks for the password. Changes nothing if the e-mail has an account')
    .requiredOption('--email <address>')
    .addOption(new Option('--role <role>').choices(accountRoles).default('researcher'))
    .option('--username <name>', 'default: the part of the e-mail before the @')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (options) => (await import('./admin.js')).addUserAction(options));
  admin
    .command('export-audit')
    .description('Write the audit log as JSON Lines, oldest first, also what left the database for files')
    .option('--since <moment>', 'from this moment on (ISO 8601)')
    .option('--until <moment>', 'before this moment (ISO 8601)')
    .option('-o, --output <file>', 'default: standard output; the file must not exist yet')
    .action(async (options) => (await import('./export-audit.js')).exportAuditAction(options));
  return [
    admin,
    new Command('backup')
      .description(
        'Write everything that cannot be made again into one file, while the service may run; or prove such a file',
      )
      .option('-o, --output <file>', 'the backup; it must not exist yet')
      .addOption(
        new Option(
          '--verify <file>',
          'restore a backup into a scratch folder (in TMPDIR), compare all checksums, and note it for the page of maintenance',
        ).conflicts('output'),
      )
      .action(async (options) => (await import('./backup.js')).backupAction(options)),
    new Command('restore')
      .description(
        'Read a backup into an empty SVC_DATA_DIR (or an empty database), and bring it to this version',
      )
      .argument('<file>', 'what kindred backup wrote')
      .option('--keep-schema', 'leave the schema as it is in the backup, for the version before')
      .action(async (file, options) => (await import('./backup.js')).restore(file, options)),
    new Command('doctor')
      .description(
        'Check settings, secrets of all processes, database, broker, store, disk, clock, kernels, models and banks, and say what to do',
      )
      .action(async () => (await import('./doctor/doctor.js')).printFindings()),
    new Command('selftest')
      .description(
        'Prove this installation in 10 to 20 seconds: kernels, models, database, an annotation, page',
      )
      .action(async () => (await import('./selftest/selftest.js')).printSelftest()),
  ];
}

/** The commands start the processes of the service. */
export function roleCommands(): Command[] {
  const port = () => new Option('--port <number>', 'port of the API (SVC_PORT)');
  return [
    new Command('start')
      .description(
        'Everything on embedded defaults; the first start loads the starter reference (what npm start runs)',
      )
      .option('--demo', 'annotate examples/queries.fasta, print a table, and end')
      .option('--small', 'load the example set of 4,000 human proteins instead, for a small machine')
      // The script tools/start.mjs passes this option.
      .addOption(new Option('--in-front').hideHelp())
      .addOption(port())
      .action(async (options) => (await import('./start.js')).start(options)),
    new Command('serve')
      .description('API and workers in one supervised process tree')
      .addOption(port())
      .action(async (options) => (await import('./start.js')).start(options)),
    new Command('http')
      .description('The API alone')
      .addOption(port())
      .action(async (options) => (await import('./http-role.js')).runHttp(options)),
    new Command('worker')
      .description('One worker process')
      .option('--queues <names>', 'queues to consume, separated by commas (default: all)')
      .option('--concurrency <number>', 'deliveries of each queue at once (SVC_WORKER_CONCURRENCY)')
      .action(async (options) => (await import('./worker-role.js')).runWorker(options)),
    new Command('upgrade')
      .description(
        'Bring the database to this version; before its schema changes, copy all data and restore the copy on trial',
      )
      .option('-o, --output <file>', 'the copy (default: in the folder backups of SVC_DATA_DIR)')
      .action(async (options) => (await import('./upgrade.js')).runUpgrade(options)),
    new Command('migrate')
      .description('Bring the database to this version, without a copy of the data')
      .action(async () => (await import('./migrate.js')).runMigrate()),
  ];
}
