import { badModel } from '../bad-model.js';
import type { EncoderConfig } from '../weights/config.js';
import { type Piece, unigramCutter } from './unigram.js';
import { readPieces, readVocabulary, type Vocabulary } from './vocabulary.js';

/** A tokenizer that converts residues to token ids, identical to the model's tokenizer in transformers. */
export interface ResidueTokenizer {
  /** The number of special tokens before the residues, and after them. */
  readonly prefixTokens: number;
  readonly suffixTokens: number;
  /** Whether the first token represents the whole sequence, so that pooling can use it. */
  readonly hasClassToken: boolean;
  /** Returns all ids, with special tokens. */
  encode(text: string): number[];
  /** The tasks that the model distinguishes by its first token; the first one is the default. Most models have none. */
  readonly tasks: readonly Task[];
  /** Returns residues as the model's authors encode them: for ProtT5, ProstT5 and ProtBERT, U, Z, O and B become X. */
  canonical(sequence: string): string;
}

/** The tasks of Ankh3: understanding of a sequence, or its completion. */
export const knownTasks = ['NLU', 'S2S'] as const;
export type Task = (typeof knownTasks)[number];

const rare = /[UZOB]/g;

/**
 * @param task null means the model's default
 * @throws ProblemError bad_file, also for a task that the model does not have
 */
export async function readTokenizer(
  folder: string,
  files: readonly string[],
  config: EncoderConfig,
  task: Task | null = null,
): Promise<ResidueTokenizer> {
  const tokenizer = await familyTokenizer(folder, files, { config, task });
  if (task !== null && !tokenizer.tasks.includes(task))
    throw badModel(`it has no token [${task}], which Ankh3 has`);
  return tokenizer;
}

async function familyTokenizer(
  folder: string,
  files: readonly string[],
  { config, task }: { config: EncoderConfig; task: Task | null },
): Promise<ResidueTokenizer> {
  switch (config.family) {
    case 'esm':
      return esmTokenizer(
        checked(await readVocabulary(folder, files, ['vocab.txt', 'tokenizer.json']), config),
      );
    case 'esmc': {
      const known = files.includes('tokenizer.json') || files.includes('vocab.txt');
      return esmcTokenizer(
        checked(
          known ? await readVocabulary(folder, files, ['tokenizer.json', 'vocab.txt']) : esmcVocabulary,
          config,
        ),
      );
    }
    case 'e1':
      return e1Tokenizer(
        checked(
          files.includes('tokenizer.json')
            ? await readVocabulary(folder, files, ['tokenizer.json'])
            : e1Vocabulary,
          config,
        ),
      );
    case 'bert':
      return bertTokenizer(
        checked(await readVocabulary(folder, files, ['vocab.txt', 'tokenizer.json']), config),
      );
    case 't5': {
      const vocabulary = await readVocabulary(folder, files, ['spiece.model', 'tokenizer.json']);
      const usable = checked(vocabulary, config);
      const tasks = knownTasks.filter((one) => usable.has(`[${one}]`));
      return tasks.length === 0
        ? t5Tokenizer(usable, !config.gated)
        : taskTokenizer(usable, await readPieces(folder, files), { tasks, task: task ?? tasks[0] });
    }
  }
}

/** Checks the ids: those of the amino acids and special tokens must have a row in the embedding table. */
function checked(vocabulary: Vocabulary, { vocabulary: rows }: EncoderConfig): Vocabulary {
  return new Map([...vocabulary].filter(([, id]) => id < rows));
}

function required(vocabulary: Vocabulary, token: string): number {
  const id = vocabulary.get(token);
  if (id === undefined) throw badModel(`the tokenizer has no token ${token} that the model knows`);
  return id;
}

/** Makes the tokenizer of ESM. Runs of letters that are not in the vocabulary become one unknown token, as in transformers. */
function esmTokenizer(vocabulary: Vocabulary): ResidueTokenizer {
  const [start, end, unknown] = ['<cls>', '<eos>', '<unk>'].map((token) => required(vocabulary, token));
  return {
    prefixTokens: 1,
    suffixTokens: 1,
    hasClassToken: true,
    tasks: [],
    canonical: (sequence) => sequence,
    encode: (text) => {
      const ids = [start];
      let inRun = false;
      for (const letter of text) {
        const id = vocabulary.get(letter);
        if (id !== undefined || !inRun) ids.push(id ?? unknown);
        inRun = id === undefined;
      }
      ids.push(end);
      return ids;
    },
  };
}

/** The tokens of ESM C in order of their ids, because the weights of December 2024 come without a file of them. */
const esmcVocabulary: Vocabulary = new Map(
  [...['<cls>', '<pad>', '<eos>', '<unk>'], ...'LAGVSERTIDPKQNFYMHWCXBUZO.-|', '<mask>'].map((token, id) => [
    token,
    id,
  ]),
);

/** Makes the tokenizer of ESM C. Each letter that is not in the vocabulary is an unknown token of its own. */
function esmcTokenizer(vocabulary: Vocabulary): ResidueTokenizer {
  const [start, end, unknown] = ['<cls>', '<eos>', '<unk>'].map((token) => required(vocabulary, token));
  return {
    prefixTokens: 1,
    suffixTokens: 1,
    hasClassToken: true,
    tasks: [],
    canonical: (sequence) => sequence,
    encode: (text) => [start, ...Array.from(text, (letter) => vocabulary.get(letter) ?? unknown), end],
  };
}

/** The tokens of E1 in order of their ids. Its tokenizer is published with the authors' program, not with the weights. */
const e1Vocabulary: Vocabulary = new Map(
  [
    ...['<pad>', '<bos>', '<eos>', '<bos_glm>', '<eos_span>', '?', '1', '2'],
    ...'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  ].map((token, id) => [token, id]),
);

/**
 * Makes the tokenizer of E1, with a mark of the start and of the end, and within them one of each end of the chain. E1 has no unknown
 * token, so X is used.
 */
function e1Tokenizer(vocabulary: Vocabulary): ResidueTokenizer {
  const prefix = ['<bos>', '1'].map((token) => required(vocabulary, token));
  const suffix = ['2', '<eos>'].map((token) => required(vocabulary, token));
  const unknown = required(vocabulary, 'X');
  return {
    prefixTokens: prefix.length,
    suffixTokens: suffix.length,
    hasClassToken: true,
    tasks: [],
    canonical: (sequence) => sequence,
    encode: (text) => [
      ...prefix,
      ...Array.from(text, (letter) => vocabulary.get(letter) ?? unknown),
      ...suffix,
    ],
  };
}

function bertTokenizer(vocabulary: Vocabulary): ResidueTokenizer {
  const [start, end, unknown] = ['[CLS]', '[SEP]', '[UNK]'].map((token) => required(vocabulary, token));
  return {
    prefixTokens: 1,
    suffixTokens: 1,
    hasClassToken: true,
    tasks: [],
    canonical: (sequence) => sequence.replace(rare, 'X'),
    encode: (text) => [start, ...Array.from(text, (letter) => vocabulary.get(letter) ?? unknown), end],
  };
}

const wordStart = '\u2581';

/** Makes the tokenizer of T5. Every residue is a word: the token of the letter at the start of a word, otherwise of the letter alone. */
function t5Tokenizer(vocabulary: Vocabulary, replacesRare: boolean): ResidueTokenizer {
  const end = required(vocabulary, '</s>');
  const unknown = required(vocabulary, '<unk>');
  const marker = vocabulary.get(wordStart);
  const direction = vocabulary.get('<AA2fold>');
  const wordOf = (letter: string): number[] => {
    const whole = vocabulary.get(wordStart + letter);
    if (whole !== undefined) return [whole];
    const alone = vocabulary.get(letter) ?? unknown;
    return marker === undefined ? [alone] : [marker, alone];
  };
  const usesWords = [...vocabulary.keys()].some((token) => token.length === 2 && token[0] === wordStart);
  const idsOf = usesWords ? wordOf : (letter: string) => [vocabulary.get(letter) ?? unknown];
  return {
    prefixTokens: direction === undefined ? 0 : 1,
    suffixTokens: 1,
    hasClassToken: direction !== undefined,
    tasks: [],
    canonical: (sequence) => (replacesRare ? sequence.replace(rare, 'X') : sequence),
    encode: (text) => [
      ...(direction === undefined ? [] : [direction]),
      ...Array.from(text, idsOf).flat(),
      end,
    ],
  };
}

/** Makes the tokenizer of Ankh3: a token for the task, then the whole sequence as one word, cut into pieces. */
function taskTokenizer(
  vocabulary: Vocabulary,
  pieces: readonly Piece[],
  { tasks, task }: { tasks: readonly Task[]; task: Task },
): ResidueTokenizer {
  const end = required(vocabulary, '</s>');
  const first = required(vocabulary, `[${task}]`);
  const cut = unigramCutter(pieces, required(vocabulary, '<unk>'));
  const encode = (text: string) => [first, ...cut(wordStart + text), end];
  return {
    // The mark at the start of a word is a token of its own, or belongs to the first residue.
    prefixTokens: encode('A').length - 2,
    suffixTokens: 1,
    hasClassToken: true,
    tasks,
    // Each unknown letter is replaced, because a run of them would become one token together with the mark before it.
    canonical: (sequence) => sequence.replace(/./g, (letter) => (vocabulary.has(letter) ? letter : 'X')),
    encode,
  };
}
