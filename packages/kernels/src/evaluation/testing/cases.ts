import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ontologyColumns, parseObo } from '../../ontology/index.js';
import { AnnotationCollector, type AnnotationTable } from '../read/annotations.js';
import { evaluateMethod, type MethodEvaluator, type MethodResult } from '../score/evaluate.js';
import { type EvaluationOntology, linkOntology } from '../read/evaluation-ontology.js';
import { buildFrame, type EvaluationFrame } from '../frame/frame.js';
import { PublishedOboReader } from '../read/published-obo.js';
import { type Compatibility, defaultSettings, type EvaluationSettings } from '../options.js';
import type { MethodEvaluation } from '../publish/tables.js';
import { TermListCollector, TermWeightCollector } from '../read/term-lists.js';

/** A case of the tests: whole files in memory, with all options in one object. */
export interface TestCase extends Partial<EvaluationSettings> {
  /** The text of an ontology, or one that was read already. Several cases of one ontology then read it once. */
  obo: Uint8Array | EvaluationOntology;
  truth: Uint8Array;
  predictions: Record<string, Uint8Array>;
  ia?: Uint8Array;
  known?: Uint8Array;
  toi?: Uint8Array;
  noOrphans?: boolean;
  maxTerms?: number;
  compatibility?: Compatibility;
  contributions?: boolean;
}

export function bytesOf(path: string): Uint8Array {
  const bytes = readFileSync(path);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Finds the prediction files below a folder by their published method names. */
export function predictionsIn(folder: string): Record<string, Uint8Array> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  const nameOf = (path: string): string => relative(folder, path).replaceAll('/', '_').replace(/\.gz$/, '');
  return Object.fromEntries(paths.map((path) => [nameOf(path), bytesOf(path)]));
}

export function ontologyOf(obo: Uint8Array | EvaluationOntology, published = false): EvaluationOntology {
  if (!(obo instanceof Uint8Array)) return obo;
  if (!published) return linkOntology(ontologyColumns(parseObo(obo, { allowUnversioned: true })));
  const reader = new PublishedOboReader();
  reader.push(obo);
  return linkOntology(reader.end());
}

export function annotationsOf(ontology: EvaluationOntology, lines: Uint8Array): AnnotationTable {
  const collector = new AnnotationCollector(ontology);
  collector.push(lines);
  return collector.end();
}

export function frameOf(test: TestCase): EvaluationFrame {
  const compatibility = test.compatibility ?? 'corrected';
  const ontology = ontologyOf(test.obo, compatibility !== 'corrected');
  const read = <T>(reader: { push(chunk: Uint8Array): void; end(): T }, bytes: Uint8Array): T => {
    reader.push(bytes);
    return reader.end();
  };
  return buildFrame({
    ontology,
    truth: annotationsOf(ontology, test.truth),
    known: test.known && annotationsOf(ontology, test.known),
    termsOfInterest: test.toi && read(new TermListCollector(ontology), test.toi),
    weights: test.ia && read(new TermWeightCollector(ontology), test.ia),
    noOrphans: test.noOrphans,
    compatibility,
  });
}

export function runCase(test: TestCase): (MethodEvaluation & MethodResult)[] {
  const frame = frameOf(test);
  const settings = { ...defaultSettings, ...definedSettings(test) };
  return Object.entries(test.predictions).map(([method, lines]) => {
    const { maxTerms, contributions } = test;
    const give = (evaluator: MethodEvaluator): void => evaluator.push(lines);
    return { method, ...evaluateMethod(frame, give, settings, { maxTerms, contributions }) };
  });
}

function definedSettings({
  thresholdStep,
  propagation,
  normalisation,
}: TestCase): Partial<EvaluationSettings> {
  const given = { thresholdStep, propagation, normalisation };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Finds the rows of a table by filename, ns and tau (as printed); the cells stay text. */
export function tableByKey(lines: readonly string[]): Map<string, Record<string, string>> {
  const header = lines[0].split('\t');
  const rows = lines
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => {
      const cells = line.split('\t');
      return Object.fromEntries(header.map((name, c) => [name, cells[c]]));
    });
  return new Map(rows.map((row) => [`${row.filename} ${row.ns} ${row.tau}`, row]));
}
