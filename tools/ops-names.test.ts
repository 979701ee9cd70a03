import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { queueNames } from '@kindred/contracts';
import { commandLine } from '@kindred/server/cli/program';
import { settingRows } from '@kindred/server/ground/settings/table';
import { httpArenas } from '@kindred/server/run/supervise/serve';
import { repositoryRoot } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';

const root = repositoryRoot();
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const files = readdirSync(join(root, 'ops'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
const named = (pattern: RegExp, paths = files) =>
  paths.flatMap((path) => [...read(path).matchAll(pattern)].map(([, name]) => name));

describe('what ops/ gives to operators', () => {
  it('names settings, queues and commands that exist', async () => {
    const settings = named(/\b(SVC_[A-Z0-9_]*[A-Z0-9])\b/g);
    expect(new Set(settings).size).toBeGreaterThan(10);
    const known = settingRows.map((row) => row.env);
    expect(settings.filter((name) => !known.includes(name))).toEqual([]);
    const queues = named(/\b(svc\.[a-z.]+[a-z])\b/g);
    expect(queues).toContain('svc.embeddings.batch');
    expect(queueNames).toEqual(expect.arrayContaining(queues));
    const commands = (await commandLine()).commands.map((command) => command.name());
    const started = named(/(?:command|args|CMD):? \["?([a-z]+)"?\]/g);
    expect(started).toEqual(expect.arrayContaining(['http', 'worker', 'migrate']));
    expect(commands).toEqual(expect.arrayContaining(started));
  });

  it('installs the image as the suite of the package does', () => {
    const options = (text: string) =>
      [
        ...(/(?:npm|npm-cli\.js) install --global (-.*?)\S*kindred(?:-\S*)?\.tgz/s
          .exec(text)?.[1]
          .matchAll(/(?:^| )(--(?!prefix)[a-z=-]+)/g) ?? []),
      ].map(([, option]) => option);
    const image = options(read('ops/container/Containerfile'));
    expect(image).toContain('--ignore-scripts');
    expect(image).toEqual(options(read('.ci/suites/package')));
  });

  it('has the version of the product', () => {
    const { version, engines } = JSON.parse(read('package.json'));
    const chart = read('ops/helm/kindred/Chart.yaml');
    expect(/^version: (.+)$/m.exec(chart)?.[1]).toBe(version);
    expect(/^appVersion: (.+)$/m.exec(chart)?.[1]).toBe(version);
    const node = Number(/^ARG NODE_VERSION=(\d+)$/m.exec(read('ops/container/Containerfile'))?.[1]);
    expect(node).toBeGreaterThanOrEqual(Number.parseInt(engines.node.slice(2), 10));
  });

  it('gives API processes as many pools of memory as the supervisor does', () => {
    expect(named(/MALLOC_ARENA_MAX\D+(\d+)/g)).toEqual([httpArenas, httpArenas, httpArenas]);
  });

  it('asks in example.env for each secret that compose.yaml needs', () => {
    const needed = new Set(named(/\$\{([A-Z_]+)(?::[?-][^}]*)?\}/g, ['ops/container/compose.yaml']));
    const given = named(/^([A-Z_]+)=/gm, ['ops/container/example.env']);
    expect([...needed].sort()).toEqual(given.sort());
  });
});
