import { ecoIdOfCode } from './eco-codes.js';
import {
  type AnnotatedQuery,
  type AnnotationFile,
  claimOf,
  isUniprotAccession,
  type OwnAnnotation,
  type PredictedAnnotation,
} from './predicted-annotation.js';
import { relationId } from './relation-names.js';

/** The properties that no vocabulary of others has, each with its meaning. */
const ownProperties = {
  kind: 'known: an annotation that the reference has; predicted: a term that the method gives',
  score: 'The score of a predicted term, 0 to 1',
  probability: 'How often such a term is right, 0 to 1; absent where the score is not calibrated',
  probabilityMeaning: 'What the probability is the rate of',
  isNegated: 'true: the protein does not have the term (NOT)',
  evidenceCode: 'The evidence code as the file of the annotation writes it',
  withFrom: 'The proteins or entries that the term comes from, as in the column With/From of GAF',
  noAnswer: 'Why the protein has no predicted term',
  predictedName: 'Predicted, not known: the product name on which similar proteins of the reference agree',
  predictedNameFrom: 'A protein that has the predicted name',
} as const;

const prefixes = {
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  dcterms: 'http://purl.org/dc/terms/',
  prov: 'http://www.w3.org/ns/prov#',
  obo: 'http://purl.obolibrary.org/obo/',
  up: 'http://purl.uniprot.org/core/',
  oban: 'http://purl.org/oban/',
  kindred: 'urn:x-kindred:terms#',
} as const;

/** The protein of a file, and the run that names of its own belong to. */
export interface TurtleProtein extends AnnotatedQuery {
  /** The id of the run, a UUID: equal names of two runs may be different proteins. */
  run: string;
  noAnswer: string | null;
  predictedName: { name: string; sources: readonly string[] } | null;
}

/** Writes the prefixes, where the file comes from as comments, the meaning of our own properties, and the run. */
export function turtleHeader({ header, method }: AnnotationFile, run: string): string {
  const lines = [
    ...header.map(([name, value]) => `# ${name}: ${value}`.replaceAll(/[\p{Cc}\s]+/gu, ' ')),
    ...Object.entries(prefixes).map(([name, iri]) => `@prefix ${name}: <${iri}> .`),
    '',
    ...Object.entries(ownProperties).map(
      ([name, meaning]) => `kindred:${name} rdfs:comment ${turtleText(meaning)} .`,
    ),
    `<urn:uuid:${run}> a prov:Activity ; rdfs:label ${turtleText(method)} .`,
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Writes a protein with its terms. `up:classifiedWith` has the terms that it has, as in UniProt's RDF, and an association (OBAN) for each
 * annotation or prediction has relation, evidence, score and source. A term that a curator denied has an association alone.
 *
 * @param complexes terms at and below `complexRoot`
 */
export function turtleProtein(
  protein: TurtleProtein,
  rows: readonly (PredictedAnnotation | OwnAnnotation)[],
  file: AnnotationFile,
  complexes: ReadonlySet<string>,
): string {
  const subject = proteinIri(protein);
  const name = protein.proteinName ?? protein.geneName ?? protein.accession;
  const claims = rows.map((row) => ({ row, claim: claimOf(row, file, complexes) }));
  const has = new Set(claims.filter(({ claim }) => !claim.negated).map(({ row }) => conceptIri(row.goId)));
  const own = [
    `${subject} a up:Protein`,
    `rdfs:label ${turtleText(name)}`,
    `dcterms:identifier ${turtleText(protein.accession)}`,
    ...(protein.taxonId === null
      ? []
      : [`up:organism <http://purl.uniprot.org/taxonomy/${protein.taxonId}>`]),
    ...(protein.noAnswer === null ? [] : [`kindred:noAnswer ${turtleText(protein.noAnswer)}`]),
    ...predictedNameOf(protein),
    ...(has.size === 0 ? [] : [`up:classifiedWith ${[...has].join(', ')}`]),
  ];
  const associations = claims.map(({ row, claim }) => [
    '[] a oban:association',
    `oban:association_has_subject ${subject}`,
    ...claim.relation
      .split('|')
      .map((relation) => `oban:association_has_predicate ${conceptIri(relationId(relation))}`),
    `oban:association_has_object ${conceptIri(row.goId)}`,
    ...(claim.negated ? ['kindred:isNegated true'] : []),
    ...evidenceOf(claim.evidenceCode),
    `dcterms:source ${turtleText(claim.reference)}`,
    ...(claim.withFrom === '' ? [] : [`kindred:withFrom ${turtleText(claim.withFrom)}`]),
    ...derivedFrom(claim.withFrom),
    `dcterms:date "${claim.date.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')}"^^xsd:date`,
    `dcterms:creator ${turtleText(claim.assignedBy)}`,
    ...measuresOf(row, protein.run),
  ]);
  return [own, ...associations].map((statements) => `${statements.join(' ;\n  ')} .\n`).join('');
}

function predictedNameOf({ predictedName }: TurtleProtein): string[] {
  if (predictedName === null) return [];
  const sources = predictedName.sources.map((accession) =>
    isUniprotAccession(accession) ? uniprotIri(accession) : turtleText(accession),
  );
  return [
    `kindred:predictedName ${turtleText(predictedName.name)}`,
    `kindred:predictedNameFrom ${sources.join(', ')}`,
  ];
}

/** Names terms; a file names each once. */
export function turtleTermName(goId: string, name: string): string {
  return `${conceptIri(goId)} rdfs:label ${turtleText(name)} .\n`;
}

function measuresOf(row: PredictedAnnotation | OwnAnnotation, run: string): string[] {
  if ('annotation' in row) return ['kindred:kind "known"'];
  return [
    'kindred:kind "predicted"',
    `prov:wasGeneratedBy <urn:uuid:${run}>`,
    `kindred:score ${double(row.score)}`,
    ...(row.probability === null ? [] : [`kindred:probability ${double(row.probability)}`]),
    ...(row.probabilityMeaning === null
      ? []
      : [`kindred:probabilityMeaning ${turtleText(row.probabilityMeaning)}`]),
  ];
}

function evidenceOf(code: string): string[] {
  const id = ecoIdOfCode.get(code) ?? code;
  return [
    ...(/^ECO:\d{7}$/.test(id) ? [`obo:RO_0002558 ${conceptIri(id)}`] : []),
    `kindred:evidenceCode ${turtleText(code)}`,
  ];
}

/** Links the proteins of UniProtKB that a term comes from, so that a query over both graphs needs no text. */
function derivedFrom(withFrom: string): string[] {
  return withFrom
    .split(/[|,]/)
    .flatMap((one) => /^UniProtKB:(.+)$/.exec(one)?.[1] ?? [])
    .filter(isUniprotAccession)
    .map((accession) => `prov:wasDerivedFrom ${uniprotIri(accession)}`);
}

function proteinIri({ accession, run }: TurtleProtein): string {
  return isUniprotAccession(accession)
    ? uniprotIri(accession)
    : `<urn:x-kindred:protein:${run}:${encoded(accession)}>`;
}

const uniprotIri = (accession: string) =>
  `<http://purl.uniprot.org/${accession.includes('-') ? 'isoforms' : 'uniprot'}/${accession}>`;

/** Gives `GO:0005515`, `RO:0002327` and `ECO:0000501` as the Open Biological Ontologies name them; other words are our own. */
function conceptIri(id: string): string {
  return /^[A-Z]+:\d+$/.test(id) ? `obo:${id.replace(':', '_')}` : `<urn:x-kindred:concept:${encoded(id)}>`;
}

const wellFormed = (text: string) => text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
const encoded = (text: string) => encodeURIComponent(wellFormed(text));

/** A double has an exponent in Turtle; without one the number would be a decimal. */
const double = (value: number) => Number(value.toPrecision(6)).toExponential();

const escapes: Readonly<Record<string, string>> = {
  ...{ '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f' },
};

/**
 * Writes a text as a literal of Turtle. Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD.
 * @see https://www.w3.org/TR/turtle/#grammar-production-STRING_LITERAL_QUOTE
 */
export function turtleText(text: string): string {
  const escaped = wellFormed(text).replaceAll(
    /["\\\p{Cc}]/gu,
    (letter) => escapes[letter] ?? `\\u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}
