import { Argument, Command } from 'commander';
import { allCommands, type ShownCommand, shownCommand } from './command-tree.js';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function completionCommand(): Command {
  const command = new Command('completion')
    .description('Print the completion of commands and options for a shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(shells))
    .addHelpText(
      'after',
      '\nbash: source <(kindred completion bash)\nzsh:  source <(kindred completion zsh)\nfish: kindred completion fish | source',
    );
  command.action((shell: Shell) => {
    process.stdout.write(completionScript(shownCommand(command.parent ?? command), shell));
  });
  return command;
}

/** What may follow a command: its own commands, its options, and the values of an option or of the first argument. */
export function completionScript(program: ShownCommand, shell: Shell): string {
  const name = program.path[0];
  return shell === 'fish' ? fishScript(program, name) : wordScript(program, { name, shell });
}

const longName = (option: { long?: string; short?: string }): string => option.long ?? option.short ?? '';

function wordsOf(command: ShownCommand): string[] {
  const values = command.arguments.flatMap((argument) => argument.argChoices ?? []);
  return [
    ...command.commands.map((one) => one.path.at(-1) as string),
    ...values,
    ...command.options.map(longName),
  ];
}

/** The words after each command, as cases of a shell: of a path of commands, and of an option with its own values. */
function wordScript(program: ShownCommand, { name, shell }: { name: string; shell: 'bash' | 'zsh' }): string {
  const commands = allCommands(program);
  const paths = commands.map((one) => quoted(one.path.join(' '))).join('|');
  const words = commands.map(
    (one) => `    ${quoted(one.path.join(' '))}) words=${quoted(wordsOf(one).join(' '))} ;;`,
  );
  const values = commands.flatMap((one) =>
    one.options.flatMap((option) => {
      const given = option.argChoices?.join(' ');
      if (!option.required && !option.optional) return [];
      // An option that takes another value completes files.
      const line = given === undefined ? 'files=yes' : `words=${quoted(given)}`;
      const flags = [option.short, option.long].filter((flag) => flag !== undefined);
      return [`    ${flags.map((flag) => quoted(`${one.path.join(' ')} ${flag}`)).join('|')}) ${line} ;;`];
    }),
  );
  const begin = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
  return `${begin}_${name}_complete() {
  local current=\${COMP_WORDS[COMP_CWORD]} path=${quoted(name)} words='' files='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$path \${COMP_WORDS[at]}" in
    ${paths}) path="$path \${COMP_WORDS[at]}" ;;
    esac
  done
  case $path in
${words.join('\n')}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
  esac
  COMPREPLY=()
  [ -n "$files" ] || COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name}_complete ${name}
`;
}

function fishScript(program: ShownCommand, name: string): string {
  const lines = allCommands(program).flatMap((command) => {
    const below = command.path.slice(1);
    const next = command.commands.map((one) => one.path.at(-1) as string);
    const inside = below.map((word) => `__fish_seen_subcommand_from ${word}`);
    const outside = next.length === 0 ? [] : [`not __fish_seen_subcommand_from ${next.join(' ')}`];
    const condition = [...inside, ...outside].join('; and ');
    const when = condition === '' ? '' : ` -n ${quoted(condition)}`;
    const values = command.arguments.flatMap((argument) => argument.argChoices ?? []);
    return [
      ...command.commands.map(
        (one) => `complete -c ${name} -f${when} -a ${one.path.at(-1)} -d ${quoted(one.description)}`,
      ),
      ...(values.length === 0 ? [] : [`complete -c ${name} -f${when} -a ${quoted(values.join(' '))}`]),
      ...command.options.map((option) => {
        const flags = [
          ...(option.long === undefined ? [] : [`-l ${option.long.slice(2)}`]),
          ...(option.short === undefined ? [] : [`-s ${option.short.slice(1)}`]),
          ...(option.required ? ['-r'] : []),
          ...(option.argChoices === undefined ? [] : [`-f -a ${quoted(option.argChoices.join(' '))}`]),
        ];
        return `complete -c ${name}${when} ${flags.join(' ')} -d ${quoted(option.description)}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
