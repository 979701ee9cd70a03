/** A part of a coding sequence, counted from 1, with both ends included. */
export interface CodingPart {
  start: number;
  end: number;
  strand: 1 | -1;
}

export interface FeatureLocation {
  /** The parts in the order of translation. */
  parts: CodingPart[];
  /** Whether the feature begins inside the sequence, not before it. */
  hasStart: boolean;
}

interface Part extends CodingPart {
  /** Whether an end is open: `<` at the left end, `>` at the right. */
  opens: boolean;
  closes: boolean;
}

/**
 * Reads a location of the INSDC feature table: `12..45`, `complement(join(<1..5,9..>20))`, `order(...)`. The result is null for a
 * location that names another sequence, is between two bases, or is malformed.
 */
export function parseLocation(text: string): FeatureLocation | null {
  const parts = partsOf(text.replaceAll(/\s/g, ''), 0);
  if (parts === null || parts.length === 0) return null;
  const [first] = parts;
  return {
    parts: parts.map(({ start, end, strand }) => ({ start, end, strand })),
    hasStart: first.strand === 1 ? !first.opens : !first.closes,
  };
}

/**
 * The maximum depth of operators within operators; INSDC needs two. Without a bound, a text of operators alone would cost its length
 * squared.
 */
const maxDepth = 8;

function partsOf(text: string, depth: number): Part[] | null {
  if (depth > maxDepth) return null;
  const operator = /^(complement|join|order)\((.*)\)$/.exec(text);
  if (operator === null) return rangeOf(text);
  const [, name, inner] = operator;
  const lists = topLevel(inner).map((piece) => partsOf(piece, depth + 1));
  if (lists.includes(null)) return null;
  const parts = (lists as Part[][]).flat();
  if (name !== 'complement') return parts;
  return parts.reverse().map((part) => ({ ...part, strand: part.strand === 1 ? -1 : 1 }));
}

function rangeOf(text: string): Part[] | null {
  const match = /^(<?)(\d{1,12})(?:\.\.(>?)(\d{1,12}))?$/.exec(text);
  if (match === null) return null;
  const start = Number(match[2]);
  const end = match[4] === undefined ? start : Number(match[4]);
  return [{ start, end, strand: 1, opens: match[1] === '<', closes: match[3] === '>' }];
}

/** Splits at commas outside of parentheses. */
function topLevel(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (text[i] === ',' && depth === 0) {
      pieces.push(text.slice(from, i));
      from = i + 1;
    }
  }
  return [...pieces, text.slice(from)];
}
