import {
  type Plugin,
  type PluginCommand,
  type PluginCommands,
  type PluginTerminal,
  ProblemError,
} from '@kindred/contracts';
import { SingleBar } from 'cli-progress';
import { Command, Option } from 'commander';
import { loadSettings } from '../run/env.js';
import { installedPlugins } from '../ground/plugins/installed.js';
import { pluginContext } from '../ground/plugins/plugin-settings.js';

/** Adds the commands of the installed plugins. This is slow, because it imports every plugin. */
export async function addPluginCommands(
  program: Command,
  plugins: readonly Plugin[] | Promise<readonly Plugin[]> = installedPlugins(),
): Promise<void> {
  for (const plugin of await plugins) {
    if (plugin.commands === undefined) continue;
    const { name } = plugin.commands;
    if (program.commands.some((command) => command.name() === name))
      throw new ProblemError(
        'conflict',
        `The plugin ${plugin.name} offers the command "${name}", which exists already: uninstall it.`,
      );
    program.addCommand(commandGroup(plugin, plugin.commands));
  }
}

function commandGroup(plugin: Plugin, { name, description, commands }: PluginCommands): Command {
  const group = new Command(name).description(description);
  for (const command of commands) group.addCommand(commandOf(plugin, command));
  return group;
}

function commandOf(plugin: Plugin, wanted: PluginCommand): Command {
  const command = new Command(wanted.name).description(wanted.description);
  for (const { name, description } of wanted.arguments ?? []) command.argument(`<${name}>`, description);
  for (const { flags, description, default: value } of wanted.options ?? []) {
    const option = new Option(flags, description);
    command.addOption(value === undefined ? option : option.default(value));
  }
  return command.action(async () => {
    const values = (wanted.arguments ?? []).map(({ name }, index) => [name, command.args[index]]);
    const given = { ...command.opts<Record<string, string | boolean>>(), ...Object.fromEntries(values) };
    const context = pluginContext(plugin, loadSettings().plugins);
    const terminal = openTerminal();
    try {
      await wanted.run(given, context, terminal);
    } finally {
      terminal.close();
    }
  });
}

function openTerminal(): PluginTerminal & { close(): void } {
  const bar = new SingleBar({
    format: '{step} {bar} {value}/{total}',
    stream: process.stderr,
    clearOnComplete: true,
  });
  let shown: string | null = null;
  return {
    write: (text) => void process.stdout.write(text),
    remark: (text) => void process.stderr.write(text),
    progress(step, done, total) {
      if (!process.stderr.isTTY) return;
      if (step !== shown) bar.start(total, done, { step });
      shown = step;
      bar.update(done);
    },
    close: () => bar.stop(),
  };
}
