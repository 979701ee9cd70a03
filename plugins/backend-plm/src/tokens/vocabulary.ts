import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import protobuf from 'protobufjs/minimal.js';
import { badModel } from '../bad-model.js';
import { readBounded } from '../weights/read-bounded.js';
import type { Piece } from './unigram.js';

/** The id of each token. */
export type Vocabulary = ReadonlyMap<string, number>;

const maxBytes = 20_000_000;

/**
 * Reads the vocabulary of a model folder from the first of the given files that exists, with added tokens (added_tokens.json,
 * tokenizer_config.json, tokenizer.json).
 * @throws ProblemError bad_file
 */
export async function readVocabulary(
  folder: string,
  files: readonly string[],
  wanted: readonly ('vocab.txt' | 'spiece.model' | 'tokenizer.json')[],
): Promise<Vocabulary> {
  const source = wanted.find((name) => files.includes(name));
  if (source === undefined) throw badModel(`there is no tokenizer: expected ${wanted.join(' or ')}`);
  const path = join(folder, source);
  const vocabulary =
    source === 'vocab.txt'
      ? fromLines(await readBounded(path, maxBytes))
      : source === 'spiece.model'
        ? new Map(piecesOf(await readModel(path)).map(([text], id) => [text, id]))
        : fromTokenizerJson(await readJson(path));
  for (const name of ['added_tokens.json', 'tokenizer_config.json'] as const) {
    if (files.includes(name)) add(vocabulary, name, await readJson(join(folder, name)));
  }
  return vocabulary;
}

function fromLines(text: string): Map<string, number> {
  const lines = text.split('\n').map((line) => line.trim());
  return new Map(lines.flatMap((token, id) => (token === '' ? [] : [[token, id]])));
}

/**
 * Reads the pieces of a Unigram tokenizer with their scores, in order of their ids.
 * @throws ProblemError bad_file
 */
export async function readPieces(folder: string, files: readonly string[]): Promise<Piece[]> {
  if (files.includes('spiece.model')) return piecesOf(await readModel(join(folder, 'spiece.model')));
  const parsed = await readJson(join(folder, 'tokenizer.json'));
  const { model } = (parsed ?? {}) as { model?: { vocab?: unknown } };
  const rows: unknown[] = Array.isArray(model?.vocab) ? model.vocab : [];
  return rows.map((row) => {
    const [text, score] = Array.isArray(row) ? (row as unknown[]) : [];
    if (typeof text !== 'string' || typeof score !== 'number')
      throw badModel('tokenizer.json has pieces without a text and a score');
    return [text, score] as const;
  });
}

async function readModel(path: string): Promise<Uint8Array> {
  if ((await stat(path)).size > maxBytes)
    throw badModel('spiece.model is larger than a SentencePiece model can be');
  return readFile(path);
}

/** Reads the pieces of a SentencePiece model, which are its field 1; field 1 of a piece is its text, and field 2 its score. */
function piecesOf(bytes: Uint8Array): Piece[] {
  const pieces: Piece[] = [];
  try {
    const reader = protobuf.Reader.create(bytes);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === ((1 << 3) | 2)) pieces.push(pieceOf(reader));
      else reader.skipType(tag & 7);
    }
  } catch {
    throw badModel('spiece.model is not a SentencePiece model');
  }
  if (pieces.length === 0) throw badModel('spiece.model has no pieces');
  return pieces;
}

function pieceOf(reader: protobuf.Reader): Piece {
  const end = reader.uint32() + reader.pos;
  if (end > reader.len) throw new RangeError('a piece ends behind the file');
  let text = '';
  let score = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === ((1 << 3) | 2)) text = reader.string();
    else if (tag === ((2 << 3) | 5)) score = reader.float();
    else reader.skipType(tag & 7);
  }
  return [text, score];
}

async function readJson(path: string): Promise<unknown> {
  const text = await readBounded(path, maxBytes);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badModel(`${path.split('/').at(-1)} is not JSON`);
  }
}

/** Reads `model.vocab`, which is a list of [token, score] (Unigram) or an object from token to id. */
function fromTokenizerJson(parsed: unknown): Map<string, number> {
  const { model, added_tokens } = (parsed ?? {}) as {
    model?: { vocab?: unknown };
    added_tokens?: { content?: unknown; id?: unknown }[];
  };
  const vocabulary = new Map<string, number>();
  if (Array.isArray(model?.vocab)) {
    model.vocab.forEach((row: unknown, id) => {
      if (Array.isArray(row) && typeof row[0] === 'string') vocabulary.set(row[0], id);
    });
  } else addIds(vocabulary, model?.vocab);
  if (Array.isArray(added_tokens)) {
    for (const { content, id } of added_tokens) {
      if (typeof content === 'string' && isId(id)) vocabulary.set(content, id);
    }
  }
  if (vocabulary.size === 0) throw badModel('tokenizer.json has no vocabulary');
  return vocabulary;
}

function add(
  vocabulary: Map<string, number>,
  name: 'added_tokens.json' | 'tokenizer_config.json',
  parsed: unknown,
): void {
  if (name === 'added_tokens.json') return addIds(vocabulary, parsed);
  const { added_tokens_decoder } = (parsed ?? {}) as { added_tokens_decoder?: Record<string, unknown> };
  for (const [id, token] of Object.entries(added_tokens_decoder ?? {})) {
    const content = (token as { content?: unknown } | null)?.content;
    if (typeof content === 'string' && isId(Number(id))) vocabulary.set(content, Number(id));
  }
}

function addIds(vocabulary: Map<string, number>, ids: unknown): void {
  if (typeof ids !== 'object' || ids === null) return;
  for (const [token, id] of Object.entries(ids)) if (isId(id)) vocabulary.set(token, id);
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
