// Makes sequences that are no proteins, of those that are.

export const residues = 'ACDEFGHIKLMNPQRSTVWY';
export const pick = (list, random) => list[random.integer(list.length)];

/**
 * Makes a sequence with the same first and last residue and the same pairs of neighbours in another order, by an Euler walk of its pairs.
 */
export function shuffledByPairs(sequence, random) {
  const edges = new Map();
  for (let i = 0; i + 1 < sequence.length; i++) {
    if (!edges.has(sequence[i])) edges.set(sequence[i], []);
    edges.get(sequence[i]).push(sequence[i + 1]);
  }
  const last = sequence.at(-1);
  for (;;) {
    // The walk is valid only if, for every residue except the last one, the path of last edges ends at the last residue.
    const finals = new Map();
    for (const [from, to] of edges) if (from !== last) finals.set(from, random.integer(to.length));
    const reaches = (from) => {
      const seen = new Set();
      for (let at = from; at !== last; at = edges.get(at)[finals.get(at)]) {
        if (seen.has(at)) return false;
        seen.add(at);
      }
      return true;
    };
    if (![...finals.keys()].every(reaches)) continue;
    const order = new Map();
    for (const [from, to] of edges) {
      const final = finals.has(from) ? to[finals.get(from)] : null;
      const others = to.filter((_, i) => i !== finals.get(from));
      for (let i = others.length - 1; i > 0; i--) {
        const j = random.integer(i + 1);
        [others[i], others[j]] = [others[j], others[i]];
      }
      order.set(from, final === null ? others : [...others, final]);
    }
    const next = new Map([...edges.keys()].map((from) => [from, 0]));
    let walk = sequence[0];
    while (walk.length < sequence.length) {
      const at = walk.at(-1);
      const place = next.get(at);
      next.set(at, place + 1);
      walk += order.get(at)[place];
    }
    return walk;
  }
}

const bases = 'TCAG';
const code = 'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG';
const codonsOf = new Map();
[...code].forEach((residue, i) => {
  const codon = bases[i >> 4] + bases[(i >> 2) & 3] + bases[i & 3];
  codonsOf.set(residue, [...(codonsOf.get(residue) ?? []), codon]);
});

/** Returns one of the five reading frames of a gene that are not its own, without stops. */
export function wrongFrame(sequence, random) {
  let dna = [...sequence].map((residue) => pick(codonsOf.get(residue) ?? ['NNN'], random)).join('');
  const frame = 1 + random.integer(5);
  if (frame > 2)
    dna = [...dna]
      .reverse()
      .map((base) => ({ A: 'T', T: 'A', C: 'G', G: 'C' })[base] ?? 'N')
      .join('');
  let protein = '';
  for (let i = frame % 3; i + 3 <= dna.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((j) => bases.indexOf(dna[i + j]));
    const residue = a < 0 || b < 0 || c < 0 ? 'X' : code[a * 16 + b * 4 + c];
    if (residue !== '*') protein += residue;
  }
  return protein;
}

/** Returns the residues in any order. */
export function shuffled(sequence, random) {
  const letters = [...sequence];
  for (let i = letters.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [letters[i], letters[j]] = [letters[j], letters[i]];
  }
  return letters.join('');
}

/** Returns a sequence of this length with every residue equally likely. */
export const drawn = (length, random) => Array.from({ length }, () => pick(residues, random)).join('');
