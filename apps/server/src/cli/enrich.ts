import { ProblemError } from '@kindred/contracts';
import {
  enrichedTermOf,
  enrichedColumns,
  type enrichedTerm,
  mostEnrichedTerms,
} from '@kindred/contracts/resources/enrichment';
import { defaultMaxRate } from '@kindred/contracts/vocabulary';
import type { EnrichedTerm, EnrichmentMethod } from '@kindred/kernels/enrichment';
import { AnnotatedProteinList, enrichmentMethods, listEnrichment } from '@kindred/kernels/enrichment';
import { accessionList, nameList } from '@kindred/kernels/accessions';
import { isNegated, readGaf, textOfBytes, tableText } from '@kindred/kernels/formats';
import { namelessTerm, OntologyGraph, readObo, type OboDocument } from '@kindred/kernels/ontology';
import { Command, Option } from 'commander';
import type { z } from 'zod';
import { serviceClient } from './api-client.js';
import { readFileWith } from './evaluate-files.js';
import { LeftOutLines } from './left-out-lines.js';
import { fraction } from './option-values.js';
import { endOutput, openOutput, write } from './output.js';
import { addServiceOptions, type ServiceOptions, withStoredData } from './with-service.js';

type EnrichedRow = z.infer<typeof enrichedTerm>;

interface EnrichOptions extends ServiceOptions {
  annotations?: string;
  ontology?: string;
  set?: string;
  annotationSet?: string;
  minProbability?: number;
  population?: string;
  slim?: string;
  method: EnrichmentMethod;
  maxRate: number;
  output?: string;
}

export function enrichCommand(): Command {
  return addServiceOptions(new Command('enrich'))
    .argument('<list>', 'accessions, one a line')
    .option('--annotations <gaf>', 'annotations as GAF, plain or gzip, such as terms.gaf of a run')
    .option('--ontology <obo>', 'with --annotations: the ontology, plain or gzip')
    .option('--set <id>', 'instead of files: a prediction set of the service, to compare with its queries')
    .option('--annotation-set <id>', 'instead of files: an annotation set of the service')
    .option('--min-probability <share>', 'with --set: only terms of at least this probability', fraction)
    .option('--population <file>', 'accessions to compare with, one a line (default: all annotated proteins)')
    .option(
      '--slim <slim>',
      'count annotations as the terms of this slim, and test those alone: an OBO file, or a name of the service',
    )
    .addOption(
      new Option(
        '--method <name>',
        'classic: Fisher exact test, two-sided; parent_child: among proteins with any parent of the term',
      )
        .choices(enrichmentMethods)
        .default('classic'),
    )
    .option('--max-rate <share>', 'largest false discovery rate that is written', fraction, defaultMaxRate)
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .action((list: string, options: EnrichOptions) => enrich(list, options));
}

interface Found {
  terms: readonly EnrichedRow[];
  /** The population lacks this number of proteins of the list. */
  absent: number;
}

async function enrich(list: string, options: EnrichOptions): Promise<void> {
  const { annotations, ontology, set, annotationSet, minProbability } = options;
  const given = [annotations, set, annotationSet].filter((value) => value !== undefined);
  if (given.length !== 1 || (annotations === undefined) !== (ontology === undefined))
    throw new ProblemError('bad_file', 'Give --annotations with --ontology, or --set, or --annotation-set.');
  if (minProbability !== undefined && set === undefined)
    throw new ProblemError('bad_file', '--min-probability goes with --set: leave it out, or give --set.');
  const listed = await accessions(list);
  const population = options.population === undefined ? null : await accessions(options.population);
  const { terms, absent } =
    annotations === undefined || ontology === undefined
      ? await ofService({ listed, population }, options)
      : await ofFiles(list, { listed, population }, { ...options, annotations, ontology });
  const output = await openOutput(options.output);
  await write(output, tableText(enrichedColumns, terms.map(rounded)));
  await endOutput(output);
  if (absent > 0)
    process.stderr.write(`${absent} of ${listed.size} proteins of the list are not in the population.\n`);
}

interface Lists {
  listed: ReadonlySet<string>;
  population: ReadonlySet<string> | null;
}

async function ofFiles(
  path: string,
  { listed, population }: Lists,
  options: EnrichOptions & { annotations: string; ontology: string },
): Promise<Found> {
  const document = await readOntologyFile(options.ontology);
  const graph = OntologyGraph.fromDocument(document);
  const annotated = new AnnotatedProteinList();
  for (const [accession, terms] of await directTerms(options.annotations, graph))
    annotated.add(accession, terms);
  const slim = options.slim === undefined ? null : await slimTerms(options.slim, graph);
  const question = { list: listed, population, method: options.method, slim };
  const { tested, studied, absent } = listEnrichment(graph, annotated.columns(), question);
  if (studied === 0)
    throw new ProblemError(
      'bad_file',
      `No protein of ${path} is in the population: are the accessions of one kind?`,
    );
  const kept = tested.filter((row) => row.qValue <= options.maxRate);
  return { terms: kept.map((row) => rowOf(row, graph, document)), absent: absent.length };
}

async function ofService({ listed, population }: Lists, options: EnrichOptions): Promise<Found> {
  const question = {
    accessions: [...listed],
    population: population === null ? null : [...population],
    method: options.method,
    slim: options.slim,
    max_rate: options.maxRate,
    limit: mostEnrichedTerms,
  };
  return withStoredData(options, async (service) => {
    const client = serviceClient(service);
    const { set, annotationSet, minProbability } = options;
    const { terms, absent_count } =
      set === undefined
        ? await client.post('/annotations/sets/:id/enrichment', {
            params: { id: annotationSet as string },
            body: question,
          })
        : await client.post('/embeddings/prediction-sets/:id/enrichment', {
            params: { id: set },
            body: { ...question, min_probability: minProbability ?? null },
          });
    return { terms, absent: absent_count };
  });
}

/**
 * Reads the terms that each protein is annotated with, without NOT, ND and terms that the ontology lacks, and
 * prints what it left out.
 */
async function directTerms(path: string, graph: OntologyGraph): Promise<Map<string, Set<number>>> {
  const direct = new Map<string, Set<number>>();
  const unreadable = new LeftOutLines(path);
  let unknownTerms = 0;
  await readFileWith(path, async (bytes) => {
    for await (const { records, rejected } of readGaf(bytes)) {
      unreadable.add(rejected);
      for (const { accession, goId, qualifier, evidenceCode } of records) {
        const term = graph.liveIndexOf(goId);
        if (term < 0) unknownTerms++;
        if (term < 0 || evidenceCode === 'ND' || isNegated(qualifier)) continue;
        const terms = direct.get(accession);
        if (terms === undefined) direct.set(accession, new Set([term]));
        else terms.add(term);
      }
    }
  });
  if (unreadable.sentence !== null) process.stderr.write(`${unreadable.sentence}\n`);
  if (unknownTerms > 0)
    process.stderr.write(`${path}: ${unknownTerms} lines name a term that the ontology lacks; left out\n`);
  if (direct.size === 0)
    throw new ProblemError(
      'bad_file',
      `${path} has no annotation of a term of the ontology: give a GAF file.`,
    );
  return direct;
}

/** Reads UniProt accessions in any of the forms that lists of them have, else the names of a proteome. */
async function accessions(path: string): Promise<Set<string>> {
  const text = await readFileWith(path, async (bytes) => {
    const parts: Uint8Array[] = [];
    for await (const chunk of bytes) parts.push(chunk);
    return textOfBytes(Buffer.concat(parts));
  });
  return new Set(accessionList(text) ?? nameList(text));
}

async function slimTerms(path: string, graph: OntologyGraph): Promise<number[]> {
  const { terms } = await readOntologyFile(path);
  const found = terms.map((term) => graph.liveIndexOf(term.id)).filter((term) => term >= 0);
  const lacking = terms.filter(({ isObsolete }) => !isObsolete).length - found.length;
  if (lacking > 0)
    process.stderr.write(`${path}: ${lacking} terms of the slim are not in the ontology; left out\n`);
  return found;
}

/** Reads the ontology, and prints what it left out. */
async function readOntologyFile(path: string): Promise<OboDocument> {
  const document = await readFileWith(path, (bytes) => readObo(bytes));
  const unreadable = new LeftOutLines(path);
  unreadable.add(document.rejected.filter(({ reason }) => reason !== namelessTerm));
  if (unreadable.sentence !== null) process.stderr.write(`${unreadable.sentence}\n`);
  return document;
}

function rowOf(row: EnrichedTerm, graph: OntologyGraph, document: OboDocument): EnrichedRow {
  return enrichedTermOf(row, {
    go_id: graph.termIds[row.term],
    go_name: document.terms[row.term].name,
    aspect: row.aspect as EnrichedRow['aspect'],
  });
}

function rounded(row: EnrichedRow): Record<string, unknown> {
  const six = (value: number) => Number(value.toPrecision(6));
  return { ...row, p_value: six(row.p_value), false_discovery_rate: six(row.false_discovery_rate) };
}
