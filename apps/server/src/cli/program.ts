import { Command } from 'commander';
import { productVersion } from '../ground/version.js';
import { operatorCommands, roleCommands } from './operator-commands.js';

/**
 * Users call these commands, in the order of --help. Each command loads its code only when it is used, which
 * halves the start of every process.
 */
const userCommands: Record<string, () => Promise<Command>> = {
  annotate: async () => (await import('./annotate.js')).annotateCommand(),
  runs: async () => (await import('./runs.js')).runsCommand(),
  export: async () => (await import('./export.js')).exportCommand(),
  cite: async () => (await import('./cite.js')).citeCommand(),
  explain: async () => (await import('./explain.js')).explainCommand(),
  matrix: async () => (await import('./matrix.js')).matrixCommand(),
  enrich: async () => (await import('./enrich.js')).enrichCommand(),
  evaluate: async () => (await import('./evaluate.js')).evaluateCommand(),
  cafa: async () => (await import('./cafa.js')).cafaCommand(),
  reference: async () => (await import('./reference.js')).referenceCommand(),
  holdout: async () => (await import('./holdout.js')).holdoutCommand(),
  'diff-run': async () => (await import('./diff-run.js')).diffRunCommand(),
  others: async () => (await import('./others.js')).othersCommand(),
  'whats-new': async () => (await import('./whats-new.js')).whatsNewCommand(),
  embed: async () => (await import('./embed.js')).embedCommand(),
  mcp: async () => (await import('./mcp.js')).mcpCommand(),
};

/**
 * Builds the commands of the product; those of plugins come from `addPluginCommands`.
 *
 * @param wanted the command that will run; other commands of users are left out.
 * @default all commands, as for --help
 */
export async function commandLine(wanted?: string): Promise<Command> {
  const program = new Command('kindred')
    .description('Protein function annotation by nearest kin')
    .version(productVersion, '--version', 'print the version')
    // A command may have its own --version, as that of a reference.
    .enablePositionalOptions();
  const roles = roleCommands().map((command) => command.copyInheritedSettings(program));
  const others = [...operatorCommands(), ...roles];
  for (const name of wantedUserCommands(wanted, others)) program.addCommand(await userCommands[name]());
  for (const command of others) program.addCommand(command);
  program
    .command('isolated', { hidden: true })
    .description('One batch or job that a worker suspects of ending its process')
    .action(async () => (await import('./isolated.js')).runIsolated());
  return program;
}

function wantedUserCommands(wanted: string | undefined, others: readonly Command[]): string[] {
  const all = Object.keys(userCommands);
  if (wanted === undefined) return all;
  if (all.includes(wanted)) return [wanted];
  const isOther = ['isolated', '--version'].includes(wanted) || others.some((one) => one.name() === wanted);
  return isOther ? [] : all;
}
