import { createHash } from 'node:crypto';
import { type annotateCheckReply, annotateRoutes } from '@kindred/contracts/resources/annotate';
import { noAnswerSentences } from '@kindred/contracts/no-answer';
import type { FastaRecord } from '@kindred/kernels/formats';
import { checkSequence } from '@kindred/kernels/query-check';
import type { EmptyReason } from '@kindred/kernels/vocabulary';
import type { z } from 'zod';
import { quotaToday } from '../../../accounts/limits.js';
import { yieldToEventLoop } from '../../../ground/event-loop.js';
import {
  countAnnotatedSequences,
  recentRunTimes,
} from '../../../store/annotations/annotate-check.repository.js';
import { nameOfTaxon } from '../../../store/ontology/taxonomy.repository.js';
import type { Queryable } from '../../../store/postgres/db.js';
import type { Api, RouteDeps } from '../../deps.js';
import { requireReferences } from '../../references.js';
import { serve } from '../../serve.js';
import { quotaSubject } from '../../submit.js';
import { chooseReference, type ChosenReference, commonTaxon } from './choice.js';
import { readInput } from './input.js';
import { withOrganism } from './organism.js';

type Reply = z.infer<typeof annotateCheckReply>;

const namedAccessions = 5;
/**
 * One turn of the event loop takes this many residues, some ten milliseconds; a record counts as a few
 * hundred at least.
 */
const residuesPerTurn = 1 << 17;
const residuesOfRecord = 256;

/** Says what an annotation would do, and does nothing. */
export function serveAnnotateCheck(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  serve(
    api,
    annotateRoutes.check,
    async (request, reply) => {
      const input = await readInput(request, deps);
      const records = await withOrganism(db, input.records, request.query.organism);
      await requireReferences(db, request.query, '');
      const taxonId = commonTaxon(records);
      const reference = await chooseReference(db, { ...request.query, taxonId });
      const seen = await lookAt(records);
      const who = await quotaSubject(deps, request);
      reply.header('cache-control', 'no-store');
      return {
        ...reference,
        sequence_count: records.length,
        left_out: input.leftOut,
        hits: input.hits?.about ?? null,
        residue_count: seen.residues,
        longest: seen.longest,
        taxon_id: taxonId,
        taxon_name: taxonId === null ? null : await nameOfTaxon(db, taxonId),
        taxon_count: new Set(records.flatMap((record) => record.taxonId ?? [])).size,
        without_taxon: records.filter((record) => record.taxonId === null).length,
        known_exactly: await countAnnotatedSequences(db, searchedSets(reference), seen.hashes),
        unanswerable: seen.unanswerable,
        seconds: await secondsFor(db, records.length),
        quota: quotaFor(await quotaToday(db, settings, who, 'sequences'), records.length),
      };
    },
    { bodyLimit: settings.maxUploadBytes * 2 },
  );
}

const searchedSets = ({ annotation_set_id: first, more_references: more }: ChosenReference): string[] => [
  first,
  ...more.map(({ annotation_set_id }) => annotation_set_id),
];

/** Reads the records once, and yields to the event loop in between. */
async function lookAt(records: readonly FastaRecord[]) {
  const hashes: string[] = [];
  const found = new Map<EmptyReason, string[]>();
  let residues = 0;
  let longest = 0;
  let left = residuesPerTurn;
  for (const { accession, sequence } of records) {
    left -= residuesOfRecord + sequence.length;
    if (left < 0) {
      left = residuesPerTurn;
      await yieldToEventLoop();
    }
    residues += sequence.length;
    longest = Math.max(longest, sequence.length);
    hashes.push(createHash('md5').update(sequence).digest('hex'));
    const reason = checkSequence(sequence);
    if (reason === null) continue;
    const others = found.get(reason);
    if (others === undefined) found.set(reason, [accession]);
    else others.push(accession);
  }
  const unanswerable: Reply['unanswerable'] = [...found].map(([reason, accessions]) => ({
    reason,
    sentence: noAnswerSentences[reason],
    count: accessions.length,
    accessions: accessions.slice(0, namedAccessions),
  }));
  return { hashes, residues, longest, unanswerable };
}

/** Estimates the time from the recent time per sequence; the shortest run is the least. */
async function secondsFor(db: Queryable, sequences: number): Promise<number | null> {
  const times = await recentRunTimes(db);
  if (times.length === 0) return null;
  const seconds = times.reduce(
    (sum, { shortest, perSequence }) => sum + Math.max(shortest, perSequence * sequences),
    0,
  );
  return Math.round(seconds * 10) / 10;
}

function quotaFor(today: { limit: number; used: number } | null, sequences: number): Reply['quota'] {
  if (today === null) return null;
  const midnight = new Date();
  midnight.setUTCHours(24, 0, 0, 0);
  return {
    ...today,
    is_enough: sequences <= today.limit - today.used,
    resets_at: midnight.toISOString(),
  };
}
