import { Command } from 'commander';
import { productVersion } from '../version.js';
import { annotateCommand } from './annotate.js';
import { completionCommand } from './completion.js';
import { diffRunCommand } from './diff-run.js';
import { embedCommand } from './embed.js';
import { enrichCommand } from './enrich.js';
import { evaluateCommand } from './evaluate.js';
import { explainCommand } from './explain.js';
import { exportCommand } from './export.js';
import { holdoutCommand } from './holdout.js';
import { referenceCommand } from './reference.js';
import { mcpCommand } from './mcp.js';
import { operatorCommands, roleCommands } from './operator-commands.js';

/** The commands of the product; those of plugins come from `addPluginCommands`. */
export function commandLine(): Command {
  const program = new Command('kindred')
    .description('Protein function annotation by nearest kin')
    .version(productVersion, '--version', 'print the version')
    // A command may have a --version of its own, as that of a reference.
    .enablePositionalOptions()
    .showHelpAfterError();
  program.addCommand(annotateCommand());
  program.addCommand(exportCommand());
  program.addCommand(explainCommand());
  program.addCommand(enrichCommand());
  program.addCommand(evaluateCommand());
  program.addCommand(referenceCommand());
  program.addCommand(holdoutCommand());
  program.addCommand(diffRunCommand());
  program.addCommand(embedCommand());
  for (const command of operatorCommands()) program.addCommand(command);
  program.addCommand(mcpCommand());
  program.addCommand(completionCommand());
  for (const command of roleCommands()) program.addCommand(command.copyInheritedSettings(program));
  program
    .command('isolated', { hidden: true })
    .description('One batch or job that a worker suspects of ending its process')
    .action(async () => (await import('./isolated.js')).runIsolated());
  return program;
}
