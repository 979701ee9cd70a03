import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';

const root = repositoryRoot();
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true })
    .map((path) => join('docs', String(path)))
    .filter((path) => path.endsWith('.md')),
];

/** Returns the anchor that common viewers create for a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

function brokenLinks(page: string): string[] {
  const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to);
  return links.filter((to) => {
    if (/^[a-z]+:/.test(to)) return false;
    const [file, anchor] = to.split('#');
    const target = file === '' ? join(root, page) : join(root, dirname(page), file);
    if (!existsSync(target)) return true;
    if (anchor === undefined) return false;
    const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text]) => text);
    return !headings.map(anchorOf).includes(anchor);
  });
}

describe('documentation', () => {
  it.each(pages)('%s links to pages and headings that exist', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });
});
