import { catalogue } from '@kindred/backend-plm/models/catalogue';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { loadSettings } from '../env.js';

/** `kindred models`: language models of this machine, without the service. */
export function modelsCommand(): Command {
  const models = new Command('models').description('Protein language models: list, fetch, add, check');
  models.command('list').description('Models that are known or installed').action(list);
  models
    .command('pull')
    .description('Download a model from the hub (SVC_MODEL_HUB_URL); goes on where a broken one stopped')
    .argument('<id>', 'id of the list, or owner/name of a repository')
    .option('--revision <name>', 'branch, tag or commit', 'main')
    .action(pull);
  models
    .command('add')
    .description('Copy a model from a folder, without a network')
    .argument('<folder>', 'config.json, tokenizer and safetensors files, or model.onnx')
    .option('--name <name>', 'name of the model (default: that of the folder)')
    .action(add);
  models
    .command('check')
    .description('Compare the files with those that were added, and run the self-check')
    .argument('<id>')
    .option('--int8', 'with int8 weights, compared with float32')
    .action(check);
  return models;
}

async function list(): Promise<void> {
  const { modelsDir, modelDevice } = loadSettings();
  const { createBackend, int8Ending } = await import('@kindred/backend-plm/backend');
  const installed = await createBackend({ modelsDir, modelDevice }).models();
  const names = new Set(installed.map((model) => model.model_name));
  const known = new Set(catalogue.map(({ id }) => id));
  const rows = [
    ['id', 'installed', 'dimension', 'layers', 'parameters', 'licence', 'citation'],
    ...catalogue.map((entry) => [
      entry.id,
      names.has(entry.id) ? 'yes' : 'no',
      String(entry.dimension),
      String(entry.layers),
      entry.parameters,
      entry.licence,
      entry.citation,
    ]),
    ...installed
      .filter(({ model_name }) => !known.has(model_name) && !model_name.endsWith(int8Ending))
      .map(({ model_name, dimension }) => [model_name, 'yes', String(dimension), '', '', '', '']),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd()}\n`,
    );
  process.stderr.write(`Models folder: ${modelsDir}\n`);
}

async function pull(id: string, { revision }: { revision: string }): Promise<void> {
  const { modelsDir, modelHubUrl: hubUrl } = loadSettings();
  const { pullModel } = await import('@kindred/backend-plm/models/install');
  const bar = new SingleBar({
    format: '{file} {bar} {value}/{total} bytes',
    stream: process.stderr,
    clearOnComplete: true,
  });
  let shown = '';
  const progress = (file: string, bytes: number, sizeBytes: number) => {
    if (!process.stderr.isTTY) return;
    if (file !== shown) bar.start(sizeBytes, bytes, { file });
    shown = file;
    bar.update(bytes);
  };
  try {
    const name = await pullModel({ modelsDir, hubUrl, id, revision }, { progress });
    bar.stop();
    process.stdout.write(`${name} is installed in ${modelsDir}. Next: kindred models check ${name}\n`);
  } finally {
    bar.stop();
  }
}

async function add(folder: string, { name }: { name?: string }): Promise<void> {
  const { modelsDir } = loadSettings();
  const { addModel } = await import('@kindred/backend-plm/models/install');
  const added = await addModel(modelsDir, folder, name);
  process.stdout.write(`${added} is installed in ${modelsDir}. Next: kindred models check ${added}\n`);
}

async function check(id: string, { int8 = false }: { int8?: boolean }): Promise<void> {
  const { modelsDir, modelDevice: device } = loadSettings();
  const { checkInstalled } = await import('@kindred/backend-plm/models/check-installed');
  const { verified, report } = await checkInstalled(modelsDir, id, { int8, device });
  const lines = [
    verified > 0 ? `files: ${verified} as they were added` : 'files: not compared (added by hand)',
    `dimension: ${report.dimension}`,
    'alone equals in company: yes, to the last bit',
    report.knownCosine === null
      ? 'known sequence: its vector was stored now'
      : `known sequence: cosine ${report.knownCosine.toFixed(6)} to the stored vector`,
    ...(report.int8 === null
      ? []
      : [
          `int8: cosine to float32 ${report.int8.cosine.toFixed(5)}, overlap of the five nearest ${report.int8.overlap.toFixed(3)}, a scale for each ${report.int8.shared}`,
        ]),
  ];
  process.stdout.write(`${id} passed its check\n${lines.map((line) => `  ${line}\n`).join('')}`);
}
