import { evidenceSelections } from '@kindred/contracts/resources/references';
import { Command, Option } from 'commander';
import { serviceClient } from './api-client.js';
import { buildFromFiles, type BuildOptions } from './reference-build.js';
import {
  type InstallOptions,
  installPack,
  packReference,
  type PackOptions,
  writeSigningKey,
} from './reference-pack.js';
import { describeChanges, describeReference, referenceTable } from './reference-text.js';
import { withService } from './with-service.js';

interface ServiceOptions {
  url?: string;
  apiKey?: string;
}

/** `kindred reference`: build, look at, choose and remove what annotations are made with. */
export function referenceCommand(): Command {
  const group = new Command('reference').description('What annotations are made with: build, choose, remove');
  const command = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .option('--url <address>', 'service to use (default: the one on this machine, started if need be)')
      .option('--api-key <key>', 'credential of that service (or SVC_API_KEY)');
  command('list', 'References, newest first').action(list);
  command('show', 'One reference with its parts and counts')
    .argument('<reference>', 'name, or name@version')
    .option('--json', 'as the API gives it')
    .action(show);
  command('diff', 'What changed from one reference to another')
    .argument('<from>', 'name, or name@version')
    .argument('<to>', 'name, or name@version')
    .action(diff);
  command('use', 'Annotate with it where nothing is named')
    .argument('<reference>', 'name, or name@version')
    .action(use);
  command('remove', 'Delete a reference and its annotations')
    .argument('<reference>', 'name, or name@version')
    .option('--dependents', 'also the prediction sets that were made with it')
    .action(remove);
  addPackCommands(group, command);
  command(
    'build',
    'Build a reference from files of this machine; the same command again continues, or changes nothing',
  )
    .requiredOption('--name <name>', 'what to call it')
    .requiredOption('--fasta <files...>', 'proteins, plain or gzip')
    .requiredOption('--gaf <files...>', 'annotations (GAF or GPAD), plain or gzip')
    .requiredOption('--obo <file>', 'Gene Ontology, plain or gzip')
    .option('--version <version>', 'default: the day')
    .option('--taxonomy <files...>', 'NCBI taxonomy: taxdump.tar.gz, or nodes.dmp and names.dmp')
    .option('--interpro2go <file>', 'mapping of InterPro entries to GO terms')
    .addOption(
      new Option('--evidence <choice>', 'experimental: only rows that rest on experiments or curators')
        .choices(evidenceSelections)
        .default('all'),
    )
    .option('--model <name>', 'model of the vectors', 'kmer-1024')
    .option('--use', 'annotate with it from now on where nothing is named')
    .option('-q, --quiet', 'no progress display')
    .action(build);
  return group;
}

type AddCommand = (name: string, description: string) => Command;

/** References as files that are carried to another machine. */
function addPackCommands(group: Command, command: AddCommand): void {
  command('pack', 'Write a reference with its vectors into one portable file')
    .argument('<reference>', 'name, or name@version')
    .option('-o, --output <file>', 'default: <name>-<version>.kindred')
    .option('--sign <key>', 'sign it with this ed25519 private key (PEM), which stays on this machine')
    .option('-q, --quiet', 'no progress display')
    .action(pack);
  command('install', 'Install a packed reference; predictions are those of the service that packed it')
    .argument('<pack>', 'file, or http(s) address of a host that the service may fetch from')
    .option('--name <name>', 'what to call it (default: as the pack says)')
    .option('--version <version>', 'default: as the pack says')
    .option('--use', 'annotate with it from now on where nothing is named')
    .option('-q, --quiet', 'no progress display')
    .action(install);
  group
    .command('key')
    .description('Make a key to sign packs with; prints the public key for SVC_PACK_TRUSTED_KEYS')
    .argument('<file>', 'where to write the private key')
    .action(key);
}

async function list(options: ServiceOptions): Promise<void> {
  await withService(options, async (service) => {
    const rows = await serviceClient(service).get('/references', { query: { limit: 500 } });
    process.stdout.write(rows.length === 0 ? 'There is no reference yet.\n' : referenceTable(rows));
  });
}

async function show(reference: string, options: ServiceOptions & { json?: boolean }): Promise<void> {
  await withService(options, async (service) => {
    const row = await serviceClient(service).get('/references/:reference', { params: { reference } });
    process.stdout.write(options.json ? `${JSON.stringify(row, null, 1)}\n` : describeReference(row));
  });
}

async function diff(reference: string, to: string, options: ServiceOptions): Promise<void> {
  await withService(options, async (service) => {
    const changes = await serviceClient(service).get('/references/:reference/diff', {
      params: { reference },
      query: { to },
    });
    process.stdout.write(describeChanges(changes));
  });
}

async function use(reference: string, options: ServiceOptions): Promise<void> {
  await withService(options, async (service) => {
    const row = await serviceClient(service).post('/references/:reference/use', { params: { reference } });
    process.stdout.write(`Annotations are made with ${row.name}@${row.version} where nothing is named.\n`);
  });
}

async function remove(reference: string, options: ServiceOptions & { dependents?: boolean }): Promise<void> {
  await withService(options, async (service) => {
    const removed = await serviceClient(service).delete('/references/:reference', {
      params: { reference },
      query: { dependents: options.dependents === true ? 'true' : 'false' },
    });
    const sets = removed.prediction_sets_deleted;
    process.stdout.write(
      `Removed ${reference}: ${removed.annotations_deleted.toLocaleString('en')} annotations${sets === 0 ? '' : ` and ${sets} prediction sets`}. Proteins and vectors stay in the catalogue.\n`,
    );
  });
}

async function pack(reference: string, options: ServiceOptions & PackOptions): Promise<void> {
  await withService(options, async (service) => {
    const { path, sizeBytes } = await packReference(service, reference, options);
    process.stdout.write(`${path}: ${sizeBytes.toLocaleString('en')} bytes\n`);
  });
}

async function install(source: string, options: ServiceOptions & InstallOptions): Promise<void> {
  await withService(options, async (service) => {
    const { reference, skipped } = await installPack(service, source, options);
    if (skipped) process.stdout.write('It was installed before; nothing changed.\n');
    process.stdout.write(describeReference(reference));
  });
}

async function key(file: string): Promise<void> {
  const publicKey = await writeSigningKey(file);
  process.stdout.write(
    `Wrote the private key ${file}. Services that trust its packs: SVC_PACK_TRUSTED_KEYS=${publicKey}\n`,
  );
}

async function build(options: BuildOptions & ServiceOptions): Promise<void> {
  await withService(options, async (service) => {
    process.stdout.write(describeReference(await buildFromFiles(service, options)));
  });
}
