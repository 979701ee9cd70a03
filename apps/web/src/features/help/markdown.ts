import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';

/** A text inside a block of a document. */
export type Inline =
  | string
  | { kind: 'code'; text: string }
  | { kind: 'strong'; content: Inline[] }
  | { kind: 'emphasis'; content: Inline[] }
  | { kind: 'image'; source: string; words: string }
  | { kind: 'link'; to: string; content: Inline[] };

export type Block =
  | { kind: 'heading'; level: number; id: string; content: Inline[] }
  | { kind: 'paragraph'; content: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'list'; isOrdered: boolean; items: Block[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] };

/** Reads the blocks of a document. HTML, such as comments, is left out. */
export function parseMarkdown(text: string): Block[] {
  return blocksOf(lexer(text));
}

function blocksOf(tokens: readonly Token[]): Block[] {
  return (tokens as MarkedToken[]).flatMap((token): Block[] => {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others are parts of a line, or are left out
    switch (token.type) {
      case 'heading': {
        const content = inlinesOf(token.tokens);
        return [{ kind: 'heading', level: token.depth, id: anchorOf(wordsOf(content)), content }];
      }
      case 'paragraph':
        return [{ kind: 'paragraph', content: inlinesOf(token.tokens) }];
      // This block is the only paragraph of an item.
      case 'text':
        return [{ kind: 'paragraph', content: inlinesOf(token.tokens ?? [token]) }];
      case 'code':
        return [{ kind: 'code', text: token.text }];
      case 'list':
        return [
          {
            kind: 'list',
            isOrdered: token.ordered,
            items: token.items.map((item) => blocksOf(item.tokens)),
          },
        ];
      case 'table': {
        const cells = (row: readonly Tokens.TableCell[]) => row.map((cell) => inlinesOf(cell.tokens));
        return [{ kind: 'table', head: cells(token.header), rows: token.rows.map(cells) }];
      }
      case 'blockquote':
        return blocksOf(token.tokens);
      default:
        return [];
    }
  });
}

function inlinesOf(tokens: readonly Token[]): Inline[] {
  const parts: Inline[] = [];
  const add = (part: Inline): void => {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else parts.push(part);
  };
  for (const token of tokens as MarkedToken[]) {
    if (token.type === 'codespan') add({ kind: 'code', text: token.text });
    else if (token.type === 'strong') add({ kind: 'strong', content: inlinesOf(token.tokens) });
    else if (token.type === 'em') add({ kind: 'emphasis', content: inlinesOf(token.tokens) });
    else if (token.type === 'link') add({ kind: 'link', to: token.href, content: inlinesOf(token.tokens) });
    else if (token.type === 'image')
      add({ kind: 'image', source: token.href, words: token.text.replaceAll('\n', ' ') });
    else if (token.type === 'text' || token.type === 'escape') add(token.text.replaceAll('\n', ' '));
    else if (token.type !== 'html') add(token.raw.replaceAll('\n', ' '));
  }
  return parts;
}

/** Returns the anchor of a heading, as GitHub makes it. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** Returns the words of a text without its marks. */
export function wordsOf(content: readonly Inline[]): string {
  return content
    .map((part) =>
      typeof part === 'string'
        ? part
        : part.kind === 'code'
          ? part.text
          : part.kind === 'image'
            ? part.words
            : wordsOf(part.content),
    )
    .join('');
}
