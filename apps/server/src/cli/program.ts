import { Command } from 'commander';
import { productVersion } from '../ground/version.js';
import { operatorCommands, roleCommands } from './operator-commands.js';

/** A command that users call: the sentence of the program's help, and its code, which is loaded only where the command is called. */
interface UserCommand {
  description: string;
  make: () => Promise<Command>;
}

/** Users call these commands, in the order of the help. */
const userCommands: Record<string, UserCommand> = {
  annotate: {
    description: 'Annotate the proteins of a file with GO terms',
    make: async () => (await import('./annotate.js')).annotateCommand(),
  },
  runs: {
    description: 'What was annotated: list, show, remove',
    make: async () => (await import('./runs.js')).runsCommand(),
  },
  export: {
    description:
      'Write a prediction set as GAF, GPAD, GFF3, tables, a workbook, Parquet, JSON Lines, a submission, or for a test of enrichment',
    make: async () => (await import('./export.js')).exportCommand(),
  },
  cite: {
    description: 'Say how to cite a run: a paragraph for the methods, and BibTeX',
    make: async () => (await import('./cite.js')).citeCommand(),
  },
  explain: {
    description:
      'Say what a term of a protein rests on: its own annotations, sources and their papers, the model',
    make: async () => (await import('./explain.js')).explainCommand(),
  },
  matrix: {
    description:
      'Put the proteomes of several runs side by side: how many proteins of each have each term, and which terms differ',
    make: async () => (await import('./matrix.js')).matrixCommand(),
  },
  enrich: {
    description:
      'Find terms that a list of proteins has more or less often than its population: of files, or of a set of a service',
    make: async () => (await import('./enrich.js')).enrichCommand(),
  },
  evaluate: {
    description: 'Score prediction files against a ground truth (CAFA evaluation); needs no running service',
    make: async () => (await import('./evaluate.js')).evaluateCommand(),
  },
  cafa: {
    description: 'Predict as the benchmarks CAFA and LAFA call a method: files in, a submission out',
    make: async () => (await import('./cafa.js')).cafaCommand(),
  },
  reference: {
    description: 'What annotations are made with: build, choose, remove',
    make: async () => (await import('./reference.js')).referenceCommand(),
  },
  holdout: {
    description:
      'What proteins gained between two references, predicted from the first one: table with floors and intervals',
    make: async () => (await import('./holdout.js')).holdoutCommand(),
  },
  'diff-run': {
    description: 'Annotate the proteins of a run again with another reference, and say what changed',
    make: async () => (await import('./diff-run.js')).diffRunCommand(),
  },
  others: {
    description: 'Put the terms of other programs beside those of a run: who says what, as one table',
    make: async () => (await import('./others.js')).othersCommand(),
  },
  'whats-new': {
    description: 'List what is known of the proteins of a run by annotations since a day, the newest first',
    make: async () => (await import('./whats-new.js')).whatsNewCommand(),
  },
  embed: {
    description:
      'Compute the vectors of the proteins of a reference with a model; run it again to follow the job or to continue',
    make: async () => (await import('./embed.js')).embedCommand(),
  },
  mcp: {
    description: 'Serve assistants by the Model Context Protocol on standard input and output',
    make: async () => (await import('./mcp.js')).mcpCommand(),
  },
};

/**
 * Builds the commands of the product; those of plugins come from `addPluginCommands`.
 *
 * @param isCalled says whether a command of users will run or show its help. Of the others, only the name and the description are there,
 * because the code of each takes longer to load than the rest of the program.
 * @default all commands are whole, as for the manual page
 */
export async function commandLine(isCalled: (name: string) => boolean = () => true): Promise<Command> {
  const program = new Command('kindred')
    .description('Protein function annotation by nearest kin')
    .version(productVersion, '--version', 'print the version')
    // Arguments and options of a command are in its own help.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    // A command may have its own --version, as that of a reference.
    .enablePositionalOptions();
  for (const [name, { description, make }] of Object.entries(userCommands))
    program.addCommand((isCalled(name) ? await make() : new Command(name)).description(description));
  for (const command of operatorCommands()) program.addCommand(command);
  for (const command of roleCommands()) program.addCommand(command.copyInheritedSettings(program));
  program
    .command('isolated', { hidden: true })
    .description('One batch or job that a worker suspects of ending its process')
    .action(async () => (await import('./isolated.js')).runIsolated());
  return program;
}

/** Finds the command that a line calls; `help export` shows the help of `export`. */
export function calledCommand(words: readonly string[]): string | undefined {
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  return first === 'help' ? second : first;
}
