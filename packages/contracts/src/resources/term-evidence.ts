import { answerColumn } from '@kindred/kernels/answer';
import { evidenceGroups, probabilityMeanings } from '@kindred/kernels/combined/vocabulary';
import { z } from 'zod';
import { routesOf } from '../route.js';
import { predictionProteinParams } from './prediction-sets.js';

const termEvidenceParams = predictionProteinParams.extend({ go_id: z.string().regex(/^GO:\d{7}$/) });
const termEvidenceQuery = z.strictObject({
  alignment: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'Accession of a source: adds its alignment with the query' }),
});

/** The maximum number of annotations of a source that are given, because a protein may have one term from many papers. */
export const maxSourceAnnotations = 5;

const annotation = z.object({
  go_id: z.string(),
  name: z.string(),
  evidence_code: z.string(),
  db_reference: z.string().nullable(),
  with_from: z.string().nullable(),
  assigned_by: z.string().nullable(),
});

const annotationsOf = (whose: string) =>
  z
    .array(
      annotation.extend({
        is_copied: z.boolean().meta({
          description:
            'Made by similarity, by a family tree or by a program, with the query protein in With/From',
        }),
      }),
    )
    .meta({
      description: `Annotations of ${whose} with the term or one below it, experimental ones first, at most ${maxSourceAnnotations}`,
    });

const share = z.number().nullable();
const source = z.object({
  accession: z.string(),
  distance: share.meta({ description: 'Between the vectors; null where it was not found by distance' }),
  identity: share.meta({ description: 'Identical columns of the alignment, 0 to 1' }),
  found_by: z.string().nullable().meta({
    description:
      'The file of uploaded hits, with its program, where a hit of it is the alignment that counts, and whether the own search found the protein, too; null: found by the own search alone',
  }),
  log10_e_value: share.meta({ description: 'null where it was not found by alignment' }),
  query_coverage: share.meta({ description: 'Residues of the query within the alignment, 0 to 1' }),
  source_coverage: share,
  evidence: z
    .array(z.enum(evidenceGroups))
    .meta({ description: 'Groups of evidence by which the source has the term' }),
  evidence_code: z.string().nullable(),
  is_similar: z.boolean().nullable().meta({
    description:
      'Whether it is one of the `supporters`: similar by alignment, with an E-value of at most 0.001. null with methods that count sequences',
  }),
  annotations: annotationsOf('the source'),
  is_copied: z.boolean().meta({
    description:
      'Each of its annotations with the term was copied from the query protein, which their With/From names: what it says is what is known of the query, and no further evidence',
  }),
  votes_by_alignment: share.meta({
    description: 'Its part of `votes.sources`; what it changes in the score is in `score_without`',
  }),
  votes_by_distance: share,
  score_without: share.meta({
    description:
      'What the score would be without this source: lower, or higher where it is worse evidence than the others. null with methods without parts, and for sources after the first 20',
  }),
});

/** Makes the schema of a number of the term's row, as the answer has it. */
const count = (column: 'similar_proteins' | 'supporters') =>
  z
    .int()
    .nullable()
    .meta({ description: `${answerColumn(column).meaning}, as in the answer` });

const place = {
  start: z.int().meta({ description: 'First residue of the query, from 1' }),
  end: z.int().meta({ description: 'Last residue of the query' }),
};

export const termEvidenceReply = z.object({
  accession: z.string(),
  go_id: z.string(),
  method: z.string().meta({
    description:
      'combined, known (votes and the model of known proteins of eukaryotes), bare (votes and the model of bare sequences of eukaryotes), untrained (only votes, for other bare sequences), sequence_alone (the sequence network, where no protein is similar: there are no sources), or the method of the prediction set',
  }),
  score: z.number().nullable().meta({
    description: 'null: the term is not predicted, since the protein is known to have it, or not to have it',
  }),
  probabilities: z
    .array(
      z.object({
        meaning: z.enum(probabilityMeanings),
        probability: z.number(),
        low: z.number().nullable(),
        high: z.number().nullable(),
        calibrated_on: z.string().nullable(),
      }),
    )
    .meta({
      description:
        'How often such calls were right, by what right means: the rate of the answer first, then the other one where the reference has curves for both; empty: not calibrated',
    }),
  similar_proteins: count('similar_proteins'),
  supporters: count('supporters'),
  through: z.string().nullable().meta({
    description: 'The term that the parts belong to: the same, or one below it whose score it took over',
  }),
  sources: z.array(source).meta({
    description:
      'Proteins with the term: the largest votes first, then similar proteins before those that are only near by their vectors',
  }),
  own_evidence: z
    .array(z.enum(evidenceGroups))
    .meta({ description: 'Groups of evidence by which the protein itself has the term' }),
  own_annotations: annotationsOf('the protein itself'),
  denials: z.array(annotation).meta({
    description: `Annotations of the protein itself that deny (NOT) the term or one above it, at most ${maxSourceAnnotations}`,
  }),
  votes: z
    .object({
      weight: z
        .number()
        .meta({ description: 'Share of the votes in the score, 0 where they are below 0.01' }),
      frequency: z.number().meta({ description: "Part of the term's frequency among the references" }),
      own_annotations: z.number(),
      sources: z.number().meta({ description: 'Sum of the votes of the sources' }),
    })
    .nullable(),
  model: z
    .object({
      weight: z.number().meta({ description: "Share of the model's score in the score" }),
      score: z.number().meta({ description: '1 / (1 + exp(-(expected + all that is added)))' }),
      expected: z.number().meta({ description: 'Mean over the training data, in log odds' }),
      features: z.array(
        z.object({
          name: z.string(),
          value: z.number().nullable().meta({ description: 'null: missing' }),
          added: z.number().meta({ description: 'Exact Shapley value, in log odds' }),
        }),
      ),
    })
    .nullable(),
  alignment: z
    .object({
      score: z.number(),
      query_start: z.int(),
      query_end: z.int(),
      source_start: z.int(),
      source_end: z.int(),
      query: z.string(),
      source: z.string(),
    })
    .nullable()
    .meta({ description: 'Local, BLOSUM62, a gap of n costs 11 + n; positions from 1' }),
  stretch: z
    .object({
      ...place,
      probability: z.number().meta({ description: "The network's own probability of the term, 0 to 1" }),
      without: z.number().meta({ description: 'The same with the residues of the stretch replaced by X' }),
    })
    .nullable()
    .meta({
      description:
        'With sequence_alone: of up to 32 stretches of the query, the one without which the network finds the term least probable. null: none makes it less probable, the query has fewer than 64 residues, or the term is not among those of the network',
    }),
});

/** The maximum number of sources whose places on the query are given. */
export const maxPlacedSources = 10;
/** From this bit score on, an alignment is hardly chance, however large the reference is. */
export const clearBits = 50;

export const coverageReply = z.object({
  accession: z.string(),
  length: z.int().meta({ description: 'Residues of the query' }),
  sources: z
    .array(
      z.object({
        accession: z.string(),
        terms: z.int().meta({ description: 'Predicted terms that name this source' }),
        ...place,
        source_start: z.int(),
        source_end: z.int(),
        source_length: z.int(),
        identity: z.number().meta({ description: 'Identical columns of the alignment, 0 to 1' }),
        bits: z.number().meta({
          description: `Bit score of the alignment. Below ${clearBits} it may be chance: the source is then near by its vector alone`,
        }),
      }),
    )
    .meta({
      description: `Where the sources of most predicted terms align (as in the evidence), at most ${maxPlacedSources}, those of most terms first`,
    }),
  left_out: z.object({
    further: z.int().meta({ description: `Sources after the first ${maxPlacedSources}` }),
    without_alignment: z
      .array(z.string())
      .meta({ description: 'Deleted since the prediction, too long, or without any similar residue' }),
  }),
  signatures: z
    .array(
      z.object({
        database: z.string(),
        signature: z.string().nullable(),
        interpro_entry: z.string().nullable(),
        interpro_release: z.string(),
        ...place,
      }),
    )
    .meta({
      description:
        'Matches of InterPro with a place, of the newest release that is loaded for this sequence; at most 200',
    }),
});

export const termEvidenceRoutes = routesOf('embeddings', {
  coverage: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/proteins/:accession/coverage',
    floor: 'viewer',
    summary:
      'Which part of a protein each source covers, and its signatures of InterPro where they are loaded',
    params: predictionProteinParams,
    reply: { 200: coverageReply },
  },
  show: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/proteins/:accession/terms/:go_id/evidence',
    floor: 'viewer',
    refuses: [409],
    summary:
      'Evidence for a term of a protein: its own annotations, sources with their papers, and the parts of the score',
    params: termEvidenceParams,
    query: termEvidenceQuery,
    reply: { 200: termEvidenceReply },
  },
});
