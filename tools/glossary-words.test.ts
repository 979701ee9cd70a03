import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { glossary } from '@kindred/contracts/glossary';
import { repositoryRoot, sharedData } from '@kindred/testkit';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = repositoryRoot();
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

/** The words that readers would take for another thing than the word of the glossary means. */
const synonyms: { refused: RegExp; use: string }[] = [
  { refused: /(?<!\w\.)\bdonors?\b(?! = )/i, use: 'Source' },
  { refused: /\b(reference|template) (sets?|databases?|collections?)\b/i, use: 'Reference' },
  { refused: /\bconfidence\b(?! (interval|level))/i, use: 'Certainty' },
  { refused: /\b(supporting|backing) (proteins?|neighbou?rs?)\b|\bbackers?\b/i, use: 'Supporters' },
  { refused: /\b(work|background) (items?|tasks?)\b|\btask queues?\b/i, use: 'Job' },
  { refused: /\b(sub-?jobs?|work chunks?|mini-?batch(es)?)\b/i, use: 'Batch' },
  { refused: /\b(job|worker) locks?\b|\bvisibility timeouts?\b/i, use: 'Lease' },
  { refused: /\b(vector|neighbou?r|embedding) (stores?|caches?)\b/i, use: 'Bank' },
  { refused: /\b(re-?attempts?|retrials?|re-tries)\b/i, use: 'Retry' },
  { refused: /\bneighbors?\b/i, use: 'Neighbour' },
  { refused: /\b(annotation|prediction|query) collections?\b/i, use: 'Annotation set' },
  { refused: /\bontology versions?\b/i, use: 'Ontology snapshot' },
];

/** Returns text without code, whose names are fixed by the API. */
const prose = (text: string) =>
  text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`|\]\([^)]*\)/g, '');

function faultsOf(text: string): string[] {
  return synonyms.flatMap(({ refused, use }) => {
    const found = refused.exec(prose(text));
    return found === null ? [] : [`"${found[0]}" (the glossary has: ${use})`];
  });
}

/** Returns the texts of a source file that people read: those of its elements, and strings with a blank. */
function sentencesOf(path: string): string[] {
  const text = textOf(path);
  if (!synonyms.some(({ refused }) => refused.test(text))) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) || (ts.isStringLiteralLike(node) && /\S \S/.test(node.text)))
      found.push(node.text);
    if (ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const filesBelow = (folder: string, pattern: RegExp) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((path) => join(folder, String(path)))
    .filter(
      (path) => pattern.test(path) && !/\b(node_modules|dist|build|testing|adr)\b|\.test\.tsx?$/.test(path),
    );
const pages = ['README.md', ...filesBelow('docs', /\.md$/)];
const sources = ['packages/contracts/src', 'packages/kernels/src', 'apps/web/src', 'apps/server/src'].flatMap(
  (folder) => filesBelow(folder, /\.tsx?$/),
);

describe('words of the glossary', () => {
  it('are what each refused word stands for', () => {
    expect(Object.keys(glossary)).toEqual(expect.arrayContaining(synonyms.map(({ use }) => use)));
    for (const word of ['Reference', 'Answer', 'Certainty', 'Source', 'Supporters'])
      expect(glossary).toHaveProperty(word);
    for (const word of ['Job', 'Batch', 'Lease', 'Bank', 'Retry']) expect(glossary).toHaveProperty(word);
  });

  it('are used by every page', () => {
    expect(faultsOf('The reference set, with high confidence')).toHaveLength(2);
    expect(faultsOf('The confidence interval of `neighbor_min_distance`')).toEqual([]);
    const faults = pages.flatMap((page) => faultsOf(textOf(page)).map((fault) => `${page}: ${fault}`));
    expect(faults).toEqual([]);
  });

  it('are used by descriptions, messages and the page', () => {
    expect(sources.length).toBeGreaterThan(500);
    const faults = sources.flatMap((path) =>
      sentencesOf(path).flatMap((text) => faultsOf(text).map((fault) => `${path}: ${fault}`)),
    );
    expect(faults).toEqual([]);
  });

  const specification = sharedData('spec', 'interface.md');
  it.skipIf(specification === null)('are those of the specification', () => {
    expect(faultsOf(readFileSync(specification as string, 'utf8'))).toEqual([]);
  });
});
