import {
  type AgreementCurve,
  fitAgreement,
  FunctionAgreement,
  type KnownFunctions,
} from '@kindred/kernels/merging';
import { type EmbeddingBank, type OpenEmbedding, openedEmbeddings } from '../merged-search.js';
import { type OpenBank, openedBank } from '../open-bank.js';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import type { SearchedBank } from '../reference-bank.js';

export interface AgreementInput {
  bank: SearchedBank;
  metric: 'cosine' | 'l2';
  embeddings: readonly EmbeddingBank[];
  known: KnownFunctions;
}

export interface AgreementOutput {
  /** Each embedding has one curve. */
  curves: AgreementCurve[];
  /** This number of proteins was compared with others. */
  proteins: number;
}

/** This number of proteins of the reference is compared with others, which gives some 30,000 pairs. */
const comparedProteins = 500;
/** Each protein is compared with this many of its nearest proteins, and with this many others. */
const partners = 50;
/** If nothing can be compared, distances alone decide by this curve. */
const nothingKnown: AgreementCurve = { distance: [0], agreement: [0] };

/** Measures how far proteins of the reference agree in function, by their distance in each embedding. */
async function agreement(input: AgreementInput, control: TaskControl): Promise<AgreementOutput> {
  const bank = await openedBank(input.bank);
  const opened = await openedEmbeddings(input.bank.arrays.sequenceIds, input.embeddings);
  const { start } = input.known.rows;
  const informed = bank.allSequences.filter((sequence) => {
    const reference = bank.firstReference[sequence];
    return start[reference + 1] > start[reference];
  });
  const sample = {
    queries: evenly(informed, comparedProteins),
    others: evenly(informed, partners),
    informed,
  };
  const curves: AgreementCurve[] = [];
  for (const embedding of opened) curves.push(await curveOf({ embedding, bank, sample }, input, control));
  return { curves, proteins: sample.queries.length };
}

/** Takes some of the sequences, spread evenly over their order. */
function evenly(sequences: Int32Array, most: number): Int32Array {
  const count = Math.min(most, sequences.length);
  return Int32Array.from({ length: count }, (_, i) => sequences[Math.floor((i * sequences.length) / count)]);
}

interface Subject {
  embedding: OpenEmbedding;
  bank: OpenBank;
  sample: { queries: Int32Array; others: Int32Array; informed: Int32Array };
}

async function curveOf(
  { embedding: { search, distances, numberOf, sequenceOf }, bank, sample }: Subject,
  { known, metric }: AgreementInput,
  control: TaskControl,
): Promise<AgreementCurve> {
  if (sample.queries.length === 0) return nothingKnown;
  const here = (sequences: Int32Array) => sequences.map((sequence) => numberOf[sequence]);
  const queries = here(sample.queries);
  const vectors = Array.from(queries, (number) => distances.vectorsOf(number));
  const { lists } = await search.search(
    {
      vectors: joined(vectors),
      query: Int32Array.from(
        vectors.flatMap((_, q) => Array.from({ length: distances.rowsOf(queries[q]) }, () => q)),
      ),
      count: queries.length,
      sequence: queries,
    },
    {
      metric,
      k: partners,
      subsets: [here(sample.informed), here(sample.others)],
      isAborted: () => control.aborted(),
    },
  );
  const compare = new FunctionAgreement(known);
  const points = { distance: [] as number[], agreement: [] as number[] };
  const referenceOf = (number: number) => bank.firstReference[sequenceOf[number]];
  queries.forEach((query, q) => {
    compare.enter(referenceOf(query));
    for (const { neighbours, distances: measured, k } of lists)
      for (let at = q * k; at < (q + 1) * k && neighbours[at] >= 0; at++) {
        const value = compare.with(referenceOf(neighbours[at]));
        if (Number.isNaN(value)) continue;
        points.distance.push(measured[at]);
        points.agreement.push(value);
      }
  });
  if (points.distance.length === 0) return nothingKnown;
  return fitAgreement({
    distance: Float64Array.from(points.distance),
    agreement: Float64Array.from(points.agreement),
  });
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const agreementTask = task(import.meta.url, agreement);
