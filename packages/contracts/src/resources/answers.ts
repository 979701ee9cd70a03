import {
  answerColumn,
  type AnswerColumnName,
  type AnswerColumnsIn,
  answerColumnsIn,
  type AnswerReplyName,
  answerReplyName,
  knownBases,
  type OverviewValue,
  type PredictedValue,
} from '@kindred/kernels/answer';
import { certainties } from '@kindred/kernels/combined/vocabulary';
import { nameCautions } from '@kindred/kernels/naming';
import { emptyReasons } from '@kindred/kernels/vocabulary';
import { z } from 'zod';
import { booleanQuery, wholeNumber } from '../fields.js';
import { noAnswerSentences } from '../no-answer.js';
import { sequenceOnlySentence } from '../sequence-only.js';
import { routesOf } from '../route.js';
import { aspects } from '../vocabulary.js';
import { predictionProteinParams, predictionSetParams } from './prediction-sets.js';
import { slimFields } from './slims.js';

const distantRelative = z.object({
  accession: z.string(),
  e_value: z.number().meta({
    description: 'Above 0.001 and at most 0.1: such a similarity is found by chance in as many searches',
  }),
});

/** Says why a query has no answer, and names the nearest protein that was too distant to predict from. */
export function noAnswerSentence(
  reason: (typeof emptyReasons)[number],
  distant: z.infer<typeof distantRelative> | null,
): string {
  return withDistant(noAnswerSentences[reason], distant);
}

/** Says that the terms come from the sequence alone, and how often such terms were right. */
export function sequenceOnlyAnswer(distant: z.infer<typeof distantRelative> | null): string {
  return withDistant(sequenceOnlySentence, distant);
}

function withDistant(sentence: string, distant: z.infer<typeof distantRelative> | null): string {
  if (distant === null) return sentence;
  return `${sentence} The nearest is distant: ${distant.accession} (E-value ${Number(distant.e_value.toPrecision(1))}).`;
}

/** The ways in which a query is recognised as a protein of the reference. */
export const knownBy = ['accession', 'sequence', 'alignment'] as const;

const all = booleanQuery.optional().meta({
  description: 'Also the terms below the end of the answer and contradicted ones. Default false',
});
export const answerQuery = z.strictObject({ all });

/** The note on an obsolete term; absent if the term is a live one of the newest ontology. */
const obsolete = z
  .object({
    obo_version: z.string(),
    replaced_by: z.array(z.string()),
    consider: z.array(z.string()).meta({ description: 'Terms that may fit instead' }),
  })
  .optional()
  .meta({
    description:
      'In the newest ontology that is loaded the term is obsolete, or merged into the term that replaces it; absent otherwise',
  });
const crossReferenceFields = {
  ec_numbers: replyField('ec_numbers', false)[1] as z.ZodType<string | null>,
  rhea_reactions: replyField('rhea_reactions', false)[1] as z.ZodType<string | null>,
};
const knownTerm = z.object({
  go_id: z.string(),
  name: z.string(),
  aspect: z.enum(aspects),
  is_negated: z
    .boolean()
    .meta({ description: 'The annotations say that the protein does not have the term' }),
  basis: z.enum(knownBases).meta({ description: 'Of the strongest annotation' }),
  annotations: z
    .array(
      z.object({
        qualifier: z.string().nullable(),
        evidence_code: z.string(),
        db_reference: z.string().nullable(),
        with_from: z.string().nullable(),
        assigned_by: z.string().nullable(),
        annotation_date: z.string().nullable(),
      }),
    )
    .meta({ description: 'The strongest first' }),
  ...crossReferenceFields,
  obsolete,
});
/** Makes a field as replies have it. */
function replyField(name: AnswerColumnName, mayLack: boolean): [string, z.ZodType] {
  const { type, values, nullable, meaning, unit } = answerColumn(name);
  const value = type === 'text' ? (values === undefined ? z.string() : z.enum(values)) : typeOf[type];
  const description = unit === null ? meaning : `${meaning} (${unit})`;
  return [answerReplyName(name), (nullable || mayLack ? value.nullable() : value).meta({ description })];
}
const typeOf = { integer: z.int(), number: z.number(), flag: z.boolean() };

type ReplyFields = {
  [Name in AnswerColumnsIn<'reply'> as AnswerReplyName<Name>]: z.ZodType<PredictedValue<Name>>;
};
const replyFields = Object.fromEntries(
  answerColumnsIn('reply').map((name) => replyField(name, false)),
) as ReplyFields;

type OverviewFields = {
  [Name in AnswerColumnsIn<'overview'> as AnswerReplyName<Name>]: z.ZodType<OverviewValue<Name>>;
};
/** The fields of a term in the overview. A known term lacks those of predictions. */
const overviewFields = Object.fromEntries(
  answerColumnsIn('overview').map((name) => {
    const { known, line } = answerColumn(name);
    return replyField(name, known === undefined && line === undefined);
  }),
) as OverviewFields;
const answeredTerm = z.object({ ...replyFields, obsolete });
const nameMeaning =
  'As its header says it, else as the reference that knows it has it; null: neither does. So are gene and organism';
const predictedName = z
  .object({
    name: z.string().meta({ description: 'With its words of caution' }),
    caution: z.enum(nameCautions).meta({
      description:
        'none: the name as the sources have it; putative: they are less similar, or only one has a name; family: they are members of one family',
    }),
    sources: z.array(z.string()).meta({ description: 'Who agrees on the name, the nearest first' }),
    compared: z
      .int()
      .meta({ description: 'Named proteins of the reference that were compared, at most five' }),
    identity: z.number().meta({ description: 'Of the nearest source that agrees, 0 to 1' }),
  })
  .nullable()
  .meta({ description: answerColumn('predicted_name').meaning });
/** The known and the predicted terms of a protein. */
export const proteinAnswer = z.object({
  accession: z.string(),
  protein_name: z.string().nullable().meta({ description: nameMeaning }),
  gene_name: z.string().nullable(),
  organism: z.string().nullable(),
  predicted_name: predictedName,
  reference: z
    .string()
    .nullable()
    .meta({ description: 'Name and version of the reference that the answer is of; null: it has no name' }),
  known: z
    .object({
      accession: z.string(),
      protein_name: z.string().nullable(),
      gene_name: z.string().nullable(),
      organism: z.string().nullable(),
      matched_by: z.enum(knownBy).meta({
        description:
          'accession: the same name and sequence; alignment: the same name, and the alignment says that it is another version, a fragment or an isoform of the protein; sequence: the same sequence under another name',
      }),
      identity: z.number().nullable().meta({
        description: 'Of the alignment, 0 to 1, at least 0.9; null where the sequences are the same',
      }),
      coverage: z
        .number()
        .nullable()
        .meta({ description: 'Aligned share of the shorter sequence, at least 0.8; null as above' }),
      terms: z.array(knownTerm).meta({
        description:
          'Each once, of at most 1,000 annotations; by aspect, functions first; the strongest basis first, then what the protein does before what it binds, then the most specific; terms that say little last',
      }),
      annotation_count: z.int().meta({ description: 'Without those that say that there is no data (ND)' }),
    })
    .nullable()
    .meta({
      description: 'What the reference knows of the protein itself; null: the reference does not have it',
    }),
  is_namesake: z.boolean().nullable().meta({
    description:
      'The query is named like a protein of the reference that has another sequence: the name is ignored, and nothing is known by it. null: not looked for when the set was made',
  }),
  no_answer: z
    .object({
      reason: z.enum(emptyReasons),
      sentence: z.string(),
      distant: distantRelative.nullable().meta({
        description:
          'The nearest protein of the reference where none is similar; null: none is near enough to name',
      }),
    })
    .nullable()
    .meta({ description: 'Why nothing is predicted' }),
  sequence_only: z
    .object({
      sentence: z.string(),
      distant: distantRelative.nullable().meta({ description: 'As of `no_answer`' }),
    })
    .nullable()
    .meta({
      description:
        'No protein of the reference is similar, and the terms come from the sequence alone: what that means, and how often such terms were right; null: they do not',
    }),
  terms: z.array(answeredTerm).meta({
    description: 'In the order of `place`. Lists show a term with `folded_under` beneath that term',
  }),
  contradicted: z
    .array(answeredTerm)
    .meta({ description: 'Terms that would be in the answer if nothing contradicted them' }),
  left_out: z.object({
    terms: z.int(),
    probability_below: z.number(),
    score_below: z.number().meta({ description: 'For terms without a probability' }),
  }),
});
/** The answer for a protein with its place in the set. */
export const answerReply = proteinAnswer.extend({
  header: z.string().nullable().meta({ description: 'The line after ">" of the upload' }),
  previous: z
    .string()
    .nullable()
    .meta({ description: 'The query before this one in the order of the upload, or else by accession' }),
  next: z.string().nullable().meta({ description: 'The query after it' }),
  searched: z
    .object({
      references: z.array(
        z.object({
          name: z.string(),
          protein_count: z.int(),
          organisms: z.array(z.string()).meta({ description: 'Of most of its proteins, at most three' }),
          has_more_organisms: z.boolean(),
        }),
      ),
      others: z
        .array(z.object({ annotation_set_id: z.guid(), name: z.string(), protein_count: z.int() }))
        .meta({ description: 'Other references that are loaded and were not searched, at most ten' }),
    })
    .nullable()
    .meta({ description: 'What was searched for a protein without a prediction; null: it has one' }),
});

/** Writes the sentence about namesakes, for files and the command line. */
export function namesakesText(count: number): string {
  const subject = count === 1 ? '1 protein is' : `${count} proteins are`;
  return `${subject} named like a protein of the reference that has another sequence; such names are ignored.`;
}

/** The maximum number of proteins of one page of an overview. */
export const maxOverviewProteins = 2000;
export const overviewQuery = z.strictObject({
  ...slimFields,
  limit: wholeNumber(z.int().min(1).max(maxOverviewProteins).default(maxOverviewProteins)),
  after: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'The accession `next` of the page before' }),
});
const overviewTerm = z.object(overviewFields);
export const overviewReply = z.object({
  next: z.string().nullable().meta({ description: 'For `after` of the next page; null at the end' }),
  proteins: z.array(
    z.object({
      accession: z.string(),
      position: z.int().nullable().meta({ description: 'In the upload, from 0; null without a query set' }),
      header: z.string().nullable().meta({ description: 'The line after ">" of the upload' }),
      name: z.string().nullable().meta({
        description:
          'Of the protein, else of its gene: as its header says it, else as the reference that knows it has it',
      }),
      organism: z.string().nullable().meta({ description: 'From where its name is' }),
      predicted_name: z
        .string()
        .nullable()
        .meta({ description: answerColumn('predicted_name').meaning }),
      length: z.int().meta({ description: 'Residues' }),
      known_as: z
        .object({ accession: z.string(), name: z.string().nullable(), organism: z.string().nullable() })
        .nullable()
        .meta({ description: 'The protein of the reference that it is: its name, or else its gene' }),
      reference: z.string().nullable().meta({
        description: 'Name and version of the reference that the answer is of; null: it has no name',
      }),
      known_by: z.enum(knownBy).nullable().meta({
        description: 'How the reference knows this very protein; null: it does not',
      }),
      is_namesake: z.boolean().nullable().meta({
        description: 'Named like a protein of the reference that has another sequence; null: not looked for',
      }),
      no_answer: z.enum(emptyReasons).nullable(),
      is_sequence_only: z.boolean().meta({
        description: 'No protein of the reference is similar, and the terms come from the sequence alone',
      }),
      term_count: z
        .int()
        .meta({ description: 'Terms of the answer as they are predicted, whatever slim is asked for' }),
      certainty: z.enum(certainties).nullable().meta({
        description:
          'Of the first of them, whatever slim is asked for; null: there is none, or it is not calibrated',
      }),
      terms: z.array(overviewTerm).meta({
        description:
          'What is known, then what is predicted beyond it, in the order of the answer; of a method without an order at most 30 terms by score',
      }),
    }),
  ),
  terms: z
    .record(
      z.string(),
      z.object({
        name: z.string(),
        aspect: z.enum(aspects),
        is_general: z.boolean().meta({
          description: 'Says little, as `binding` does: it is last in every list',
        }),
      }),
    )
    .meta({ description: 'Names of the terms on this page' }),
  organisms: z
    .record(z.string(), z.string())
    .meta({ description: 'Organisms of the source proteins on this page, by accession' }),
});

export const answerRoutes = routesOf('embeddings', {
  answer: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/proteins/:accession/answer',
    floor: 'viewer',
    summary: 'The answer for one protein: what is known of it first, then predictions, or why there are none',
    params: predictionProteinParams,
    query: answerQuery,
    reply: { 200: answerReply },
  },
  overview: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/overview',
    floor: 'viewer',
    summary: 'The answers for all proteins in short, in pages: for tables, filters and sums',
    params: predictionSetParams,
    query: overviewQuery,
    reply: { 200: overviewReply },
  },
});
