import { defaultModel } from '@kindred/client/reference-builds';
import { ProblemError } from '@kindred/contracts';
import { evidenceSelections } from '@kindred/contracts/resources/references';
import { Command, Option } from 'commander';
import { serviceClient } from './api-client.js';
import { pair } from './option-values.js';
import { writeJson } from './output.js';
import { openProgress } from './progress.js';
import type { BuildOptions, UpdateChoices } from './reference-build.js';
import type { InstallOptions, PackOptions } from './reference-pack.js';
import type { PublishedOptions } from './reference-published.js';
import {
  completeReference,
  describeDependents,
  describeChanges,
  describeReference,
  referenceName,
  referenceTable,
  reliabilityLines,
} from './reference-text.js';
import { sayingWhatGoesOn } from './until-ended.js';
import { addServiceOptions, type ServiceOptions, withService, withStoredData } from './with-service.js';

/**
 * The command `kindred reference` builds, shows, chooses and removes references, which annotations are made
 * with.
 */
export function referenceCommand(): Command {
  const group = new Command('reference');
  const command = (name: string, description: string) =>
    addServiceOptions(group.command(name)).description(description);
  command('list', 'References, newest first').option('--json', 'as the API gives them').action(list);
  command('show', 'One reference with its parts and counts')
    .argument('<reference>', 'name, or name@version')
    .option('--json', 'as the API gives it')
    .action(show);
  command('diff', 'What changed from one reference to another')
    .argument('<from>', 'name, or name@version')
    .argument('<to>', 'name, or name@version')
    .option('--run <id>', 'prediction set: also its proteins whose best answer changes from one to the other')
    .option('-q, --quiet', 'no progress bar')
    .action(diff);
  command('use', 'Annotate with it where nothing is named')
    .argument('<reference>', 'name, or name@version')
    .action(use);
  command(
    'verify',
    'Compare its rows and vectors with the identity that it was built with; exit code 1 where they differ',
  )
    .argument('<reference>', 'name, or name@version')
    .option('-q, --quiet', 'no progress display')
    .action(verify);
  command(
    'test',
    'Ask it for its own proteins without their annotations: how often is each word of certainty right? Stored with the reference',
  )
    .argument('<reference>', 'name, or name@version')
    .option('-q, --quiet', 'no progress display')
    .action(test);
  command('remove', 'Delete a reference and its annotations')
    .argument('<reference>', 'name, or name@version')
    .option('--dependents', 'also the prediction sets that were made with it')
    .action(remove);
  addPackCommands(group, command);
  addBuildCommands(command);
  return group;
}

type AddCommand = (name: string, description: string) => Command;

/** Adds the commands for references from files of this machine. */
function addBuildCommands(command: AddCommand): void {
  const fromFiles: AddCommand = (name, description) =>
    command(name, description)
      .option('--fasta <files...>', 'proteins, plain or gzip')
      .option('--gaf <files...>', 'annotations (GAF or GPAD), plain or gzip')
      .option(
        '--release <part=release>',
        'of a download, repeatable: uniprot=2022_04 (Swiss-Prot), go=2022-11-03, goa=212 (default: the current ones)',
        pair,
      )
      .option(
        '--mirror <source=address>',
        'of a download, repeatable: another address of uniprot_rest, uniprot_files, goa, go_current or go_releases',
        pair,
      )
      .option('--version <version>', 'default: the day')
      .option('--taxonomy <files...>', 'NCBI taxonomy: taxdump.tar.gz, or nodes.dmp and names.dmp')
      .option('--interpro2go <file>', 'mapping of InterPro entries to GO terms');
  fromFiles(
    'build',
    'Build a reference from what UniProt, GOA and GO publish, or from files; the same command again continues, or changes nothing',
  )
    .argument(
      '[proteins...]',
      'swissprot, taxon:<NCBI id> or proteome:<UniProt id> to download; none: the files of --fasta, --gaf and --obo',
    )
    .option('--name <name>', 'what to call it (with files; default of a download: what was chosen)')
    .option('--obo <file>', 'Gene Ontology, plain or gzip')
    .addOption(
      new Option('--evidence <choice>', 'experimental: only rows that rest on experiments or curators')
        .choices(evidenceSelections)
        .default('all'),
    )
    .option(
      '--model <name>',
      'model of the vectors; uniprot-prott5: those that UniProt publishes, downloaded',
      defaultModel,
    )
    .option('--use', 'annotate with it from now on where nothing is named')
    .option('-q, --quiet', 'no progress display')
    .action(build);
  fromFiles(
    'update',
    'Build the next version of a reference from newer files or releases; equal sequences keep their vectors',
  )
    .argument('<name>', 'its name; the version before stays as name@version')
    .argument(
      '[proteins...]',
      'swissprot, taxon:<NCBI id> or proteome:<UniProt id> to download; none: the files',
    )
    .option('--obo <file>', 'Gene Ontology (default: that of the version before)')
    .addOption(
      new Option('--evidence <choice>', 'default: that of the version before').choices(evidenceSelections),
    )
    .option('--model <name>', 'default: the vectors of the version before')
    .option('-q, --quiet', 'no progress display')
    .action(update);
}

/** Adds the commands for references as files that are carried to another machine. */
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

/** The code of builds and packs is loaded where it is used, because it takes longer than a list. */
const builds = async () => ({
  ...(await import('./reference-build.js')),
  ...(await import('./reference-published.js')),
});
const packs = () => import('./reference-pack.js');

async function list(options: ServiceOptions & { json?: boolean }): Promise<void> {
  await withStoredData(options, async (service) => {
    const rows = await serviceClient(service).get('/references', { query: { limit: 500 } });
    if (options.json === true) writeJson(rows);
    else
      process.stdout.write(
        rows.length === 0
          ? 'No reference was built yet. Build one with: kindred reference build\n'
          : referenceTable(rows),
      );
  });
}

async function show(reference: string, options: ServiceOptions & { json?: boolean }): Promise<void> {
  await withStoredData(options, async (service) => {
    const row = await serviceClient(service).get('/references/:reference', { params: { reference } });
    if (options.json === true) writeJson(row);
    else process.stdout.write(describeReference(row));
  });
}

interface DiffOptions extends ServiceOptions {
  run?: string;
  quiet?: boolean;
}

async function diff(reference: string, to: string, options: DiffOptions): Promise<void> {
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const changes = await client.get('/references/:reference/diff', {
      params: { reference },
      query: { to },
    });
    process.stdout.write(describeChanges(changes));
    if (options.run === undefined) return;
    const [older, newer] = [await completeReference(client, reference), await completeReference(client, to)];
    const { answersOfBoth, bestAnswerChanges, describeBestAnswers } = await import('./diff-run.js');
    const both = await answersOfBoth(client, options.run, {
      from: older,
      to: newer,
      quiet: options.quiet === true,
    });
    process.stdout.write(`\n${describeBestAnswers(bestAnswerChanges(both.before, both.after))}`);
  });
}

async function use(reference: string, options: ServiceOptions): Promise<void> {
  await withStoredData(options, async (service) => {
    const row = await serviceClient(service).post('/references/:reference/use', { params: { reference } });
    process.stdout.write(`Annotations are made with ${referenceName(row)} where nothing is named.\n`);
  });
}

const jobGoesOn = 'The job goes on in the service.';

interface Verified {
  is_intact: boolean;
  content_sha256: string;
  found_sha256: string;
  vectors: { expected: number; found: number }[];
}

async function verify(reference: string, options: ServiceOptions & { quiet?: boolean }): Promise<void> {
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const found = await client.get('/references/:reference', { params: { reference } });
    const payload = { reference_id: found.id };
    const body = { operation: 'verify_reference', queue_name: 'svc.jobs', payload };
    const progress = openProgress(options.quiet === true);
    progress.show('verifying', 0, 1);
    const { result } = await sayingWhatGoesOn(jobGoesOn, () => client.run(body)).finally(() =>
      progress.stop(),
    );
    const verified = result as unknown as Verified;
    process.stdout.write(describeVerified(referenceName(found), verified));
    if (!verified.is_intact) process.exitCode = 1;
  });
}

async function test(reference: string, options: ServiceOptions & { quiet?: boolean }): Promise<void> {
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const { id, ...named } = await completeReference(client, reference);
    const name = referenceName(named);
    const body = {
      operation: 'measure_reference',
      queue_name: 'svc.jobs',
      payload: { reference_id: id },
    };
    const progress = openProgress(options.quiet === true);
    await sayingWhatGoesOn(jobGoesOn, () =>
      client.run(body, {
        onUpdate: ({ progress_current: done, progress_total: total }) =>
          progress.show('testing', done, total ?? 1),
      }),
    ).finally(() => progress.stop());
    const tested = await client.get('/references/:reference', { params: { reference: name } });
    process.stdout.write(`Reference ${name}\n${reliabilityLines(tested.reliability).join('\n')}\n`);
  });
}

function describeVerified(name: string, { content_sha256, found_sha256, vectors }: Verified): string {
  const rows =
    found_sha256 === content_sha256
      ? `The rows of ${name} are those that it was built with (SHA-256 ${content_sha256}).\n`
      : `The rows of ${name} have changed: SHA-256 ${found_sha256}, built with ${content_sha256}. Restore a backup, or build it again.\n`;
  const missing = vectors.filter(({ expected, found }) => expected !== found);
  const lines = missing.map(
    ({ expected, found }) =>
      `${found.toLocaleString('en')} of ${expected.toLocaleString('en')} vectors are there. Build the reference again.\n`,
  );
  return rows + lines.join('');
}

async function remove(reference: string, options: ServiceOptions & { dependents?: boolean }): Promise<void> {
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const dependents = options.dependents === true ? 'true' : 'false';
    const query = { dependents } as const;
    const row = { kind: 'reference', id: reference } as const;
    const found = await client.get('/dependents/:kind/:id', { params: row, query });
    process.stderr.write(describeDependents(found));
    const removed = await client.delete('/references/:reference', { params: { reference }, query });
    const sets = removed.prediction_sets_deleted;
    process.stdout.write(
      `Removed ${reference}: ${removed.annotations_deleted.toLocaleString('en')} annotations${sets === 0 ? '' : ` and ${sets} prediction sets`}. Proteins and vectors stay in the catalogue.\n`,
    );
  });
}

async function pack(reference: string, options: ServiceOptions & PackOptions): Promise<void> {
  await withStoredData(options, async (service) => {
    const { packReference } = await packs();
    const { path, sizeBytes } = await packReference(service, reference, options);
    process.stdout.write(`${path}: ${sizeBytes.toLocaleString('en')} bytes\n`);
  });
}

async function install(source: string, options: ServiceOptions & InstallOptions): Promise<void> {
  await withService(options, async (service) => {
    const { installPack } = await packs();
    const { reference, skipped } = await installPack(service, source, options);
    if (skipped) process.stdout.write('It was installed before; nothing changed.\n');
    process.stdout.write(describeReference(reference));
  });
}

async function key(file: string): Promise<void> {
  const { writeSigningKey } = await packs();
  const publicKey = await writeSigningKey(file);
  process.stdout.write(
    `Wrote the private key ${file}. Services that trust its packs: SVC_PACK_TRUSTED_KEYS=${publicKey}\n`,
  );
}

/** The options belong to a build from files, or, if proteins are named, from published files. */
type AnyBuildOptions = Partial<BuildOptions> &
  Pick<BuildOptions, 'evidence' | 'model'> &
  PublishedOptions &
  ServiceOptions;
type AnyUpdateOptions = Partial<BuildOptions> &
  UpdateChoices &
  Pick<PublishedOptions, 'release' | 'mirror'> &
  ServiceOptions;

async function update(name: string, proteins: string[], options: AnyUpdateOptions): Promise<void> {
  const named = withFiles(proteins, options, ['fasta', 'gaf']);
  await withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const { buildFromFiles, buildFromPublished, updateReference } = await builds();
    const { before, after, newVectors } = await updateReference(client, name, options, (choices, next) =>
      named === null
        ? buildFromPublished(service, proteins, { ...options, ...choices }, next)
        : buildFromFiles(service, { ...named, ...choices }, next),
    );
    process.stdout.write(describeReference(after));
    if (after.id === before.id) {
      process.stdout.write('This is what it is made of already; nothing changed.\n');
      return;
    }
    process.stdout.write(`  computed     vectors of ${newVectors.toLocaleString('en')} new sequences\n\n`);
    const changes = await client.get('/references/:reference/diff', {
      params: { reference: referenceName(before) },
      query: { to: referenceName(after) },
    });
    process.stdout.write(describeChanges(changes));
  });
}

async function build(proteins: string[], options: AnyBuildOptions): Promise<void> {
  const named = withFiles(proteins, options, ['fasta', 'gaf', 'obo', 'name']);
  await withService(options, async (service) => {
    const { buildFromFiles, buildFromPublished } = await builds();
    const built =
      named === null
        ? await buildFromPublished(service, proteins, options)
        : await buildFromFiles(service, named);
    process.stdout.write(describeReference(built));
  });
}

/**
 * Gives the options of a build from files; null if proteins are named.
 * @throws ProblemError for a mixture, or if something is missing
 */
function withFiles<Options extends Partial<BuildOptions> & Pick<PublishedOptions, 'release' | 'mirror'>>(
  proteins: readonly string[],
  options: Options,
  needed: readonly (keyof BuildOptions)[],
): (Options & Pick<BuildOptions, 'fasta' | 'gaf' | 'name'>) | null {
  const given = (names: readonly (keyof Options)[]) => names.filter((name) => options[name] !== undefined);
  const ofFiles = given(['fasta', 'gaf', 'obo', 'taxonomy', 'interpro2go']);
  if (proteins.length > 0) {
    if (ofFiles.length === 0) return null;
    throw new ProblemError(
      'malformed_request',
      `Either download ${proteins.join(' ')}, or build from files: leave out --${ofFiles.map(String).join(', --')}, or the proteins.`,
    );
  }
  const missing = needed.filter((name) => options[name] === undefined);
  const useless = given(['release', 'mirror']);
  if (missing.length > 0)
    throw new ProblemError(
      'malformed_request',
      `Name what to download (swissprot, taxon:83333, proteome:UP000000625), or give --${missing.join(', --')}.`,
    );
  if (useless.length > 0)
    throw new ProblemError(
      'malformed_request',
      `--${useless.map(String).join(', --')} goes with a download, not with files.`,
    );
  return options as Options & Pick<BuildOptions, 'fasta' | 'gaf' | 'name'>;
}
