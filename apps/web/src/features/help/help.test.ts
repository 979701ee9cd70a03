import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HelpDocument, documentsOf, searchDocuments, sections, targetOf } from './documents.js';
import { type Block, type Inline, parseMarkdown, wordsOf } from './markdown.js';

const folder = join(import.meta.dirname, '../../../../../docs');
const documents = documentsOf(
  Object.fromEntries(
    Object.keys(sections).flatMap((section) =>
      readdirSync(join(folder, section))
        .filter((name) => name.endsWith('.md'))
        .map((name) => [join(folder, section, name), readFileSync(join(folder, section, name), 'utf8')]),
    ),
  ),
);

const inlinesOf = (block: Block): Inline[] => {
  switch (block.kind) {
    case 'code':
      return [];
    case 'list':
      return block.items.flat().flatMap(inlinesOf);
    case 'table':
      return [...block.head, ...block.rows.flat()].flat();
    case 'heading':
    case 'paragraph':
      return block.content;
  }
};
const linksOf = (content: readonly Inline[]): string[] =>
  content.flatMap((part) =>
    typeof part === 'string' || part.kind === 'code' || part.kind === 'image'
      ? []
      : part.kind === 'link'
        ? [part.to]
        : linksOf(part.content),
  );

describe('Markdown', () => {
  it('has headings with anchors, paragraphs over lines, code of both kinds, lists and tables', () => {
    const text =
      '# A `title`, twice\n\nOne\nline.\n\n```sh\nrun # x\n```\n\n    kept\n\n- a *b*\n  goes on\n- c\n\n1. one\n\n   two\n\n| x | y |\n|---|---|\n| `a\\|b` | **c** |\n';
    expect(parseMarkdown(text)).toEqual([
      {
        kind: 'heading',
        level: 1,
        id: 'a-title-twice',
        content: ['A ', { kind: 'code', text: 'title' }, ', twice'],
      },
      { kind: 'paragraph', content: ['One line.'] },
      { kind: 'code', text: 'run # x' },
      { kind: 'code', text: 'kept' },
      {
        kind: 'list',
        isOrdered: false,
        items: [
          [{ kind: 'paragraph', content: ['a ', { kind: 'emphasis', content: ['b'] }, ' goes on'] }],
          [{ kind: 'paragraph', content: ['c'] }],
        ],
      },
      {
        kind: 'list',
        isOrdered: true,
        items: [
          [
            { kind: 'paragraph', content: ['one'] },
            { kind: 'paragraph', content: ['two'] },
          ],
        ],
      },
      {
        kind: 'table',
        head: [['x'], ['y']],
        rows: [[[{ kind: 'code', text: 'a|b' }], [{ kind: 'strong', content: ['c'] }]]],
      },
    ]);
  });

  it('has pictures with their words', () => {
    const [block] = parseMarkdown('Before ![two\nwords](../images/a.webp)');
    expect(block).toEqual({
      kind: 'paragraph',
      content: ['Before ', { kind: 'image', source: '../images/a.webp', words: 'two words' }],
    });
    expect(block?.kind === 'paragraph' && wordsOf(block.content)).toBe('Before two words');
  });

  it('leaves signs that mark nothing', () => {
    const content = ['2 * 3 * 4, a_b_c and [x]'];
    expect(parseMarkdown('2 * 3 * 4, a_b_c and [x]')).toEqual([{ kind: 'paragraph', content }]);
  });
});

describe('the help of the client', () => {
  it('has every document with its title, in the order of the sections', () => {
    expect(documents.length).toBeGreaterThan(30);
    expect(documents[0]).toMatchObject({ section: 'tutorial' });
    expect(documents.every(({ title }) => title.length > 3)).toBe(true);
  });

  it.each(documents)('reads $section/$name whole, and its links lead to pages that are there', (document) => {
    const blocks = parseMarkdown(document.text);
    const texts = blocks.flatMap(inlinesOf);
    const plain = texts.filter((part) => typeof part === 'string').join('\n');
    // Marks that the parser did not understand would be left in the text.
    expect(plain).not.toMatch(/^#{1,4} |```|\*\*|\]\(|^\s*\|.*\|$/m);
    for (const to of linksOf(texts)) check(to, document);
  });

  it('is searched by all words', () => {
    const found = searchDocuments(documents, 'WEBHOOK secret');
    expect(found.map(({ name }) => name)).toContain('receive-webhooks');
    expect(searchDocuments(documents, 'nothing has thisword')).toEqual([]);
  });
});

function check(to: string, document: HelpDocument): void {
  const target = targetOf(to, document, documents);
  if (target?.kind !== 'page' || target.hash === '') return;
  const other = documents.find(({ section, name }) => section === target.section && name === target.name);
  const anchors = parseMarkdown(other?.text ?? '').flatMap((block) =>
    block.kind === 'heading' ? [block.id] : [],
  );
  expect(anchors).toContain(target.hash);
}

it('gives the words of a text without marks', () => {
  const [line] = parseMarkdown('a **b** `c` [d](e.md)');
  expect(line?.kind === 'paragraph' && wordsOf(line.content)).toBe('a b c d');
});
