/** The references that share a sequence: those of sequence s are members[start[s] .. start[s + 1]), in order of rank. */
export interface SequenceGroups {
  /** The start of each sequence in `members`: Int32 [sequences + 1]. */
  start: Int32Array;
  /** The references, sequence by sequence: Int32 [references]. */
  members: Int32Array;
}

/**
 * Groups references by sequence number. A neighbour list has one reference per sequence. This reference represents all members of its
 * group: their annotations are combined, and the source of a term is the first member (lowest rank) that carries it. `sequence` Int32
 * [references] of numbers 0 or more, below `sequences` where that is given; a number without a reference has an empty group. `rank` Int32
 * [references]. Of equal ranks the lower reference comes first. The cost is O(references x log references).
 */
export function groupReferences(sequence: Int32Array, rank: Int32Array, sequences = 0): SequenceGroups {
  const nSequences = sequence.reduce((most, s) => Math.max(most, s + 1), sequences);
  const start = new Int32Array(nSequences + 1);
  for (const s of sequence) start[s + 1]++;
  for (let s = 0; s < nSequences; s++) start[s + 1] += start[s];
  const members = Int32Array.from(sequence.keys()).sort(
    (a, b) => sequence[a] - sequence[b] || rank[a] - rank[b] || a - b,
  );
  return { start, members };
}
