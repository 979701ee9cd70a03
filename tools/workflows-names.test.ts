import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { annotateCommand } from '@kindred/server/cli/annotate';
import { repositoryRoot } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';

const root = join(repositoryRoot(), 'workflows');
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const read = (path: string) => readFileSync(path, 'utf8');
const version = JSON.parse(read(join(root, '../package.json'))).version as string;

describe('workflows', () => {
  it.each([
    ['snakemake/annotate/environment.yaml', /kindred =(\S+)/],
    ['nextflow/modules/kindred/annotate/environment.yml', /kindred=(\S+)/],
    ['nextflow/nextflow.config', /version += '(.*)'/],
    ['galaxy/kindred_annotate.xml', /name="Kindred" version="([\d.]+)\+galaxy/],
    ['galaxy/kindred_annotate.xml', /<requirement type="package" version="(.*)">kindred/],
    ['galaxy/kindred_annotate.xml', /note = \{Version (.*)\}/],
    ['bioconda/kindred/meta.yaml', /set version = "(.*)"/],
  ])('%s has the version of the product', (path, pattern) => {
    expect(pattern.exec(read(join(root, path)))?.[1]).toBe(version);
  });

  it('name options of kindred annotate that exist', () => {
    const known = annotateCommand().options.map((option) => option.long);
    const commands = files
      .filter((path) => /(annotate\/main\.nf|wrapper\.py|\.xml)$/.test(path))
      .flatMap((path) => [...read(path).matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([name]) => name));
    const ours = [...new Set(commands)].filter(
      (name) => !['--version', '--proteins', '--name'].includes(name),
    );
    expect(ours).toContain('--out-dir');
    expect(known).toEqual(expect.arrayContaining(ours));
  });
});
