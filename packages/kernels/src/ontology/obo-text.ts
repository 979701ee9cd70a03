/**
 * The characters that the escapes of OBO 1.2 and 1.4 stand for. This file reads the small grammar of OBO values: escapes, quotes,
 * trailing modifiers and comments.
 */

const escapes: Record<string, string> = { n: '\n', t: '\t', W: ' ' };

/** Resolves the escapes `\n`, `\t` and `\W`; for any other character `\x` becomes `x`. */
export function unescapeObo(text: string): string {
  return text.includes('\\') ? text.replaceAll(/\\(.)/gs, (_, char: string) => escapes[char] ?? char) : text;
}

/** Returns the value without an unescaped ` ! comment` and without a trailing `{key="value"}` block; it is still escaped. */
export function withoutTrailer(text: string): string {
  const value = withoutComment(text);
  if (!value.endsWith('}')) return value;
  const block = findUnquoted(value, '{');
  // A name may end with a brace, but a modifier block follows white space and has key=value.
  if (block <= 0 || value[block - 1] !== ' ' || !/^\{\s*[^\s=]+\s*=/.test(value.slice(block))) return value;
  return value.slice(0, block).trimEnd();
}

function withoutComment(text: string): string {
  const comment = findUnquoted(text, '!');
  return (comment < 0 ? text : text.slice(0, comment)).trimEnd();
}

/** Names the modifiers `gci_relation` and `gci_filler` after the value; null if the value has neither. */
export function contextOf(text: string): string | null {
  const trailer = withoutComment(text).slice(withoutTrailer(text).length).trimStart();
  if (!trailer.startsWith('{') || !/[{,]\s*gci_(?:relation|filler)\s*=/.test(trailer)) return null;
  return /[{,]\s*gci_filler\s*=\s*"?([^",}\s]+)/.exec(trailer)?.[1] ?? 'another term';
}

/** Returns the text between the first two quotes, unescaped; null if they are missing. */
export function quotedText(value: string): string | null {
  if (value[0] !== '"') return null;
  for (let i = 1; i < value.length; i++) {
    if (value[i] === '\\') i++;
    else if (value[i] === '"') return unescapeObo(value.slice(1, i));
  }
  return null;
}

/** Returns the position of an unescaped `mark` outside quotes, or -1. A `!` counts only after white space. */
function findUnquoted(text: string, mark: string): number {
  if (!text.includes(mark)) return -1;
  let inQuotes = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === '"') inQuotes = !inQuotes;
    else if (
      char === mark &&
      !inQuotes &&
      (mark !== '!' || i === 0 || text[i - 1] === ' ' || text[i - 1] === '\t')
    )
      return i;
  }
  // A single quotation mark, as in 5" end, does not open a quoted text.
  return inQuotes ? text.indexOf(` ${mark}`) + (text.includes(` ${mark}`) ? 1 : 0) : -1;
}
