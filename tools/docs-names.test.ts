import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { queueNames } from '@kindred/contracts';
import { operationRows } from '@kindred/contracts/operations';
import { routeRows } from '@kindred/contracts/routes';
import { commandLine } from '@kindred/server/cli/program';
import { addPluginCommands } from '@kindred/server/cli/plugin-commands';
import { repositoryRoot } from '@kindred/testkit';
import { beforeAll, describe, expect, it } from 'vitest';

const root = repositoryRoot();
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
/** The pages that are written by hand. The changelog and the decisions may name what is gone. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/ARCHITECTURE.md',
  ...['tutorial', 'how-to', 'explanation'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${folder}/${name}`),
  ),
];

/** Returns the code of a page: lines of its shell blocks without comments, with continued lines joined, and its inline code. */
function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block);
  const indented = [...text.matchAll(/^ {4}(.*)$/gm)].map(([, line]) => line);
  const shell = [...blocks, indented.join('\n')].flatMap((block) =>
    block.replaceAll(/\\\n/g, ' ').split('\n'),
  );
  const inline = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`]+)`/g)].map(([, code]) =>
    code.replaceAll('\n', ' '),
  );
  return [...shell.map((line) => line.replace(/\s#\s.*$/, '')), ...inline];
}

const variable = /^([:{<$].*|\.\.\.)$/;
/** The parameters that take a name, which an example may use. */
const hasName = /_or_name$|^:reference$/;
/** Says whether a path takes the id of a row of any table, among them references, which have names. */
const takesAnyId = (path: string) => path.startsWith('/dependents/');
/** Says whether a path is a route. `path` lacks the mount, and its variable parts are written as `{id}`, `<id>`, `$ID` or `:id`. */
function isRoute(method: string | null, path: string): boolean {
  const parts = path.split(/[?#]/)[0].split('/');
  return routeRows.some((row) => {
    const known = row.path.split('/');
    return (
      (method === null || method === row.method) &&
      known.length === parts.length &&
      known.every(
        (part, i) =>
          part === parts[i] ||
          (part.startsWith(':') && (variable.test(parts[i]) || hasName.test(part) || takesAnyId(row.path))),
      )
    );
  });
}

/** Returns the calls of the API in a line: `GET /v1/x`, `curl $API/x`, `post x` (the helper of the how-to pages). */
function callsOf(code: string): [method: string | null, path: string][] {
  const named = [...code.matchAll(/\b(GET|POST|PATCH|DELETE) (\/[^\s`"',;]+)/g)].map(
    ([, method, path]) => [method, path.replace(/^\/v1(?=\/)/, '')] as [string, string],
  );
  const posted = [...code.matchAll(/^post ([^\s'"]+)/g)].map(
    ([, path]) => ['POST', `/${path}`] as [string, string],
  );
  const fetched = [...code.matchAll(/(?:\$API(?:\/v1)?|:8000\/v1)(\/[^\s'"`)]+)/g)].map(
    ([, path]) => [null, path] as [null, string],
  );
  const withoutHelpers = fetched.filter(([, path]) => !/^\/\$1/.test(path));
  return [...named, ...posted, ...withoutHelpers];
}

let program: Awaited<ReturnType<typeof commandLine>>;
beforeAll(async () => {
  program = await commandLine();
  await addPluginCommands(program);
});

/** Returns the fault of a call of the command line, or null. */
function faultOfCall(call: string): string | null {
  const words = call.split(/[\s[\]|]+/).filter((word) => word !== '');
  let command = program;
  for (let next = words.shift(); next !== undefined; next = words.shift()) {
    if (next.startsWith('-')) {
      const name = next.split('=')[0];
      const known = ['--help', ...command.options.flatMap(({ short, long }) => [short, long])];
      if (!known.includes(name)) return `${call}: "${command.name()}" does not take ${name}`;
      continue;
    }
    if (command.commands.length === 0 || next.startsWith('<')) continue;
    const found = command.commands.find((each) => each.name() === next);
    if (found === undefined) return `${call}: "${command.name()}" has no command "${next}"`;
    command = found;
  }
  return null;
}

describe.each(pages)('%s', (page) => {
  const text = textOf(page);

  it('calls commands with options that exist', () => {
    const calls = codeOf(text).flatMap((code) => {
      const call = /^(?:[A-Z_]+=\S+ )*(?:\.\/)?kindred (.+)$/.exec(code)?.[1];
      return call === undefined ? [] : [call.split(/ (?:&&|[|>])/)[0]];
    });
    expect(calls.map((call) => faultOfCall(call)).filter((fault) => fault !== null)).toEqual([]);
  });

  it('names routes, operations and queues of the contracts', () => {
    const unknown = codeOf(text)
      .flatMap(callsOf)
      .filter(([method, path]) => !isRoute(method, path));
    expect(unknown).toEqual([]);
    const named = (key: string) =>
      [...text.matchAll(new RegExp(`${key}\\\\?": *\\\\?"([a-z_.]+)`, 'g'))].map(([, name]) => name);
    expect(operationRows.map(({ name }) => name)).toEqual(expect.arrayContaining(named('operation')));
    expect(queueNames).toEqual(expect.arrayContaining(named('queue_name')));
  });

  it('names settings and scripts that exist', () => {
    const known = [...textOf('docs/reference/settings.md').matchAll(/\bSVC_[A-Z0-9_]+/g)].map(
      ([name]) => name,
    );
    // The settings of tests and of an example plugin are left out; `SVC_SMTP_*` means all of a group.
    const settings = [...text.matchAll(/\bSVC_(?!TEST_|PLUGIN_)[A-Z0-9_]+/g)].map(([name]) => name);
    const unknown = settings.filter(
      (name) => !known.some((each) => (name.endsWith('_') ? each.startsWith(name) : each === name)),
    );
    expect(unknown).toEqual([]);
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const run = [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(run));
  });
});

it('finds a command, an option and a route that do not exist', () => {
  expect(faultOfCall('anotate my.fasta')).toMatch('"kindred" has no command "anotate"');
  expect(faultOfCall('reference build --fasta-file x')).toMatch('"build" does not take --fasta-file');
  expect(
    callsOf('curl "$API/proteins/$ID/terms?all=true"').every(([method, path]) => isRoute(method, path)),
  ).toBe(false);
});

describe('the map', () => {
  const map = textOf('docs/ARCHITECTURE.md');
  /** The folders of product code below a room, each of which the map describes in a few words. */
  const parents = [
    'apps/server/src',
    ...['run', 'load', 'evaluate', 'predict', 'work', 'store', 'ground', 'testing'].map(
      (wing) => `apps/server/src/${wing}`,
    ),
    'apps/web/src/features',
    'packages',
    'packages/kernels/src',
    'plugins',
    'docs',
  ];
  it.each(parents)('names every folder of %s', (parent) => {
    const folders = readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(folders.filter((name) => !new RegExp(`(?<![\\w/-])${name}/`).test(map))).toEqual([]);
  });
});
