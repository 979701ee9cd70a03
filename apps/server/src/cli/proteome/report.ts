import { sequenceOnlySentence, sequenceOnlyText } from '@kindred/contracts/sequence-only';
import { aspects, namespaceOf } from '@kindred/contracts';
import { defaultMaxRate } from '@kindred/contracts/vocabulary';
import { answerEnd, certainties, rightMeans, standingMeanings } from '@kindred/kernels/combined/vocabulary';
import { rootTerms } from '@kindred/kernels/vocabulary';
import { type ComparedTerm, type Comparison, isCompared, type NotCompared } from './comparison.js';
import { type CalledGenes, genesText } from '../gene-finder.js';
import { certaintyNames, type NotableTerm, type ProteomeSummary } from './summary.js';

export interface ReportAbout {
  title: string;
  /** The report was created at this time, ISO 8601. */
  created: string;
  method: string;
  reference: { id: string; title: string; text: string };
  version: string;
  /** The references of the run that were tested, each with what the test found. */
  tests: readonly (readonly [reference: string, found: string])[];
  /** The releases and parameters are given as texts. */
  facts: readonly (readonly [string, string])[];
  /** The sentences say what was not checked; empty if all was checked. */
  notChecked: readonly string[];
  /** The flag is false for a run from before names were compared with sequences. */
  namesAreCompared: boolean;
  /** The genes that were called in contigs; null where the proteins were given. */
  genes: CalledGenes | null;
  /** The command shows the evidence for a term. */
  explainHint: string;
}

const namesakesOf = (namesakes: number) =>
  `${count(namesakes)} have the name of a protein of the reference with another sequence: their names were ignored.`;
const shownTerms = 15;
/** An aspect shows at most this many slim terms. */
const shownSlimTerms = 20;
const shownEnriched = 10;
const shownCut = 100;

/** Makes one HTML page without any other file, address or script. */
export function htmlReport(
  summary: ProteomeSummary,
  compared: Comparison | NotCompared | null,
  about: ReportAbout,
): string {
  const { proteins, known, terms } = summary;
  const namesakes = about.namesAreCompared ? summary.namesakes : null;
  const answered = proteins - (summary.byCertainty.get('no term') ?? 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(about.title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(about.title)}</h1>
<p>${count(answered)} of ${count(proteins)} proteins (${percent(answered, proteins)}) have at least one term, ${count(terms)} terms
together, known and predicted. The reference knows ${count(known)} of the proteins (${percent(known, proteins)}). ${namesakes === null ? '' : namesakesOf(namesakes)}</p>
${called(about.genes)}<h2>How certain</h2>
<p>Proteins that the reference knows by at least one term, and the others by the probability of the first term of their answer:
${certainties.map((word) => `${word}: ${standingMeanings[word]}`).join('; ')}; ${rightMeans}.</p>
${bars(certaintyNames.map((name) => ({ name, value: summary.byCertainty.get(name) ?? 0 })))}
<h2>By aspect</h2>
<p>Proteins with at least one term.</p>
${bars(aspects.map((aspect) => ({ name: aspectName(aspect), value: summary.proteinsByAspect.get(aspect) ?? 0 })))}
${aspects.map((aspect) => frequent(summary, aspect)).join('\n')}
${comparison(compared)}
<h2>Least certain</h2>
<p>Proteins that the reference does not know, whose first term has the lowest probability (score where it has none). Look at these first. ${escaped(about.explainHint)}</p>
${termTable(summary.leastCertain)}
<h2>Contradicted</h2>
<p>${count(summary.contradictedCount)} terms would be in the answer, but for a taxon constraint or a NOT annotation against them. They are in no other
file than contradicted.tsv.</p>
${about.notChecked.map((sentence) => `<p><strong>Not checked.</strong> ${escaped(sentence)}</p>`).join('\n')}
${summary.contradicted.length === 0 ? '' : termTable(summary.contradicted)}
<h2>Left out</h2>
<p>${count(summary.leftOut.length)} proteins, records of the input among them, have no term; left_out.tsv says why.</p>
${reasons(summary)}
${ofSequence(summary)}
<h2>Methods</h2>
<p>${methods(summary, compared, about)}</p>
<ol>
<li>Ashburner M. et al. Gene Ontology: tool for the unification of biology. Nat Genet 25, 25–29 (2000). doi:10.1038/75556</li>
<li>The Gene Ontology Consortium. The Gene Ontology knowledgebase in 2023. Genetics 224, iyad031 (2023). doi:10.1093/genetics/iyad031</li>
<li>The Kindred developers. Kindred ${escaped(about.version)}: protein function annotation by nearest kin.</li>
${isCompared(compared) ? '<li>Benjamini Y., Hochberg Y. Controlling the false discovery rate. J R Stat Soc B 57, 289–300 (1995). doi:10.1111/j.2517-6161.1995.tb02031.x</li>' : ''}
</ol>
<h2>Made from</h2>
<table>${about.facts.map(([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`).join('\n')}</table>
</body>
</html>
`;
}

/** Says how genes were called, and names those that the end of a contig cuts. */
const called = (genes: CalledGenes | null) =>
  genes === null ? '' : `<h2>Genes</h2>\n<p>${escaped(genesText(genes, shownCut))}</p>\n`;

function methods(
  summary: ProteomeSummary,
  compared: Comparison | NotCompared | null,
  about: ReportAbout,
): string {
  const fact = new Map(about.facts);
  return escaped(
    `Gene Ontology [1, 2] terms were predicted for ${count(summary.proteins)} proteins with Kindred ${about.version} [3], method ${about.method} (${about.reference.id}): ${about.reference.text} ` +
      `Ontology release ${fact.get('Ontology')}, annotations ${fact.get('Annotations') ?? 'none'}. Terms with a probability below ${answerEnd.probability} (score ${answerEnd.score} where it is not calibrated), and terms that a taxon constraint or a NOT annotation speaks against, were left out. Predictions have the evidence code IEA; annotations of the proteins themselves keep theirs.${testMethods(about)}${comparisonMethods(compared)}`,
  );
}

function testMethods({ tests }: ReportAbout): string {
  return tests.map(([name, found]) => ` In a test of the reference ${name}, ${found}`).join('');
}

function comparisonMethods(compared: Comparison | NotCompared | null): string {
  if (!isCompared(compared)) return '';
  const { proteome, reference, slim } = compared;
  const summarised =
    slim === null ? '' : ` Terms were summarised with the GO slim ${slim.name} (${slim.version}).`;
  return `${summarised} The terms of ${count(proteome)} proteins${from(compared)} were compared with those of the ${count(reference)} other annotated proteins of the reference by Fisher's exact test, two-sided, over is_a and part_of; false discovery rates are by Benjamini and Hochberg [4] within each aspect.`;
}

/** Says which reference the proteome was compared with, where others answered some of its proteins. */
function ofOthers({ name, ofOthers: others }: Comparison): string {
  if (others.length === 0) return '';
  const each = others.map(({ reference, proteins }) => `${count(proteins)} of ${reference}`).join(', ');
  return `<p>The reference of this comparison is ${escaped(name ?? 'the first')}. Proteins that others answer are not in it: ${escaped(each)}.</p>\n`;
}

function from({ minProbability }: Comparison): string {
  return minProbability === null
    ? ''
    : ` (predictions from probability ${minProbability}, and annotations that the reference has)`;
}

/** Tabulates the proteome and its reference: terms of a slim, then terms that differ most. */
function comparison(compared: Comparison | NotCompared | null): string {
  const title = '<h2>Comparison with the reference</h2>';
  if (compared === null)
    return `${title}\n<p>There are no annotated proteins to compare these predictions with.</p>`;
  if (!isCompared(compared))
    return `${title}\n<p>Not compared, so there are no enriched.tsv and slim.tsv: ${escaped(compared.notCompared)} The same command with --resume
tries again.</p>`;
  const { proteome, reference, slim, enriched } = compared;
  const key = `${ofOthers(compared)}<p class="key"><span class="proteome"></span> ${count(proteome)} proteins of the proteome with a term <span class="reference"></span> ${count(reference)} other annotated proteins of the reference</p>`;
  const more = enriched.filter(({ direction, go_id }) => direction === 'more' && !rootTerms.has(go_id));
  return `<h2>GO slim summary</h2>
${
  slim === null
    ? '<p>The service has no GO slim. An operator loads one (load_go_slim); the same command with --resume then adds the summary.</p>'
    : `<p>Share of the proteins that have a term of ${escaped(slim.name)} (${escaped(slim.version)}), or a term below it${from(compared)}. A protein counts
for each of its terms; slim.tsv has all of them.</p>
${key}
${byAspect(
  slim.terms,
  (rows) => mostProteins(rows).slice(0, shownSlimTerms),
  (row) => `${count(row.list_with_term)} of ${count(row.list)}`,
)}`
}
<h2>Enriched terms</h2>
<p>${count(more.length)} terms are more frequent in the proteome than in the reference (false discovery rate at most ${defaultMaxRate}); the first of each
aspect by p value are here, enriched.tsv has all, and those that are less frequent. What is predicted here is compared with what is annotated there, so a term
that is easy to predict, or rarely annotated, differs too.</p>
${more.length === 0 ? '' : key}
${byAspect(
  more,
  (rows) => rows.slice(0, shownEnriched),
  ({ false_discovery_rate: rate }) => `rate ${rate < 1e-300 ? '< 1e-300' : rate.toExponential(0)}`,
)}`;
}

function byAspect(
  terms: readonly ComparedTerm[],
  choose: (rows: ComparedTerm[]) => ComparedTerm[],
  note: (row: ComparedTerm) => string,
): string {
  return aspects
    .map((aspect) => {
      const rows = choose(terms.filter((row) => row.aspect === aspect));
      return rows.length === 0 ? '' : `<h3>${aspectName(aspect)}</h3>\n${pairs(rows, note)}`;
    })
    .join('\n');
}

/** Lists terms of the proteome, without the roots. */
function mostProteins(rows: readonly ComparedTerm[]): ComparedTerm[] {
  return rows
    .filter(({ go_id, list_with_term }) => list_with_term > 0 && !rootTerms.has(go_id))
    .sort((a, b) => b.list_with_term - a.list_with_term || (a.go_id < b.go_id ? -1 : 1));
}

/** Draws pairs of bars as inline SVG: the share of the proteome above the share of the reference. */
function pairs(rows: readonly ComparedTerm[], note: (row: ComparedTerm) => string): string {
  const height = 26;
  const shares = rows.map((row) => ({
    proteome: row.list_with_term / Math.max(1, row.list),
    reference: (row.population_with_term - row.list_with_term) / Math.max(1, row.population - row.list),
  }));
  const most = Math.max(...shares.flatMap(({ proteome, reference }) => [proteome, reference]), 1e-9);
  const lines = rows.map((row, at) => {
    const y = at * height;
    const { proteome, reference } = shares[at];
    const width = (share: number) => Math.round((260 * share) / most);
    const name = escaped(shortened(`${row.go_name} (${row.go_id})`));
    const text = `${shareText(proteome)} : ${shareText(reference)}, ${note(row)}`;
    return `<text x="330" y="${y + 16}" text-anchor="end">${name}</text><rect x="340" y="${y + 3}" width="${width(proteome)}" height="11"/><rect class="reference" x="340" y="${y + 15}" width="${width(reference)}" height="6"/><text x="${346 + width(Math.max(proteome, reference))}" y="${y + 16}">${escaped(text)}</text>`;
  });
  const label = rows
    .map(
      (row, at) =>
        `${row.go_name}: ${shareText(shares[at].proteome)} of the proteome, ${shareText(shares[at].reference)} of the reference`,
    )
    .join('; ');
  return `<svg role="img" aria-label="${escaped(label)}" viewBox="0 0 820 ${rows.length * height}" width="820">${lines.join('')}</svg>`;
}

const shareText = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

function frequent(summary: ProteomeSummary, aspect: (typeof aspects)[number]): string {
  const rows = summary.frequent(aspect, shownTerms).map(({ goId, name, count: value }) => ({
    name: `${name} (${goId})`,
    value,
  }));
  return rows.length === 0 ? '' : `<h3>Most frequent: ${aspectName(aspect)}</h3>\n${bars(rows)}`;
}

function aspectName(aspect: (typeof aspects)[number]): string {
  return namespaceOf[aspect].replace('_', ' ');
}

function ofSequence({ sequenceOnly, reasons: counts }: ProteomeSummary): string {
  if (sequenceOnly === 0) return '';
  const all = sequenceOnly + (counts.get('no_similar_protein') ?? 0);
  return `<p>${escaped(sequenceOnlyText(sequenceOnly, all))} ${escaped(sequenceOnlySentence)}</p>`;
}

function reasons({ reasons: counts }: ProteomeSummary): string {
  if (counts.size === 0) return '';
  return bars([...counts].map(([name, value]) => ({ name: name.replaceAll('_', ' '), value })));
}

/** Draws horizontal bars with their numbers, as inline SVG. */
function bars(rows: readonly { name: string; value: number }[]): string {
  const most = Math.max(1, ...rows.map((row) => row.value));
  const height = 22;
  const lines = rows.map(({ name, value }, at) => {
    const y = at * height;
    const width = Math.round((400 * value) / most);
    return `<text x="330" y="${y + 15}" text-anchor="end">${escaped(shortened(name))}</text><rect x="340" y="${y + 3}" width="${width}" height="16"/><text x="${346 + width}" y="${y + 15}">${count(value)}</text>`;
  });
  const label = rows.map(({ name, value }) => `${name}: ${count(value)}`).join('; ');
  return `<svg role="img" aria-label="${escaped(label)}" viewBox="0 0 820 ${rows.length * height}" width="820">${lines.join('')}</svg>`;
}

function shortened(text: string): string {
  return text.length > 44 ? `${text.slice(0, 30)}…${text.slice(-13)}` : text;
}

function termTable(terms: readonly NotableTerm[]): string {
  const rows = terms.map(
    (term) =>
      `<tr><td>${escaped(term.protein)}</td><td>${term.goId}</td><td>${escaped(term.name)}</td><td>${term.aspect}</td><td>${number(term.probability)}</td><td>${number(term.score)}</td><td>${escaped(term.contradiction ?? '')}</td></tr>`,
  );
  return `<table><tr><th>protein</th><th>term</th><th>name</th><th>aspect</th><th>probability</th><th>score</th><th>against it</th></tr>\n${rows.join('\n')}</table>`;
}

const number = (value: number | null): string => (value === null ? '' : value.toFixed(3));
const count = (value: number): string => value.toLocaleString('en');
const percent = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((100 * part) / whole)} %`;

function escaped(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]);
}

const style = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 860px; margin: 2rem auto; padding: 0 1rem; color: #1d2530; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2rem; border-bottom: 1px solid #d8dee6; padding-bottom: .3rem; }
table { border-collapse: collapse; font-size: 13px; } th, td { text-align: left; padding: 3px 10px 3px 0; vertical-align: top; border-bottom: 1px solid #eef1f5; }
svg { max-width: 100%; height: auto; font-size: 12px; } svg rect { fill: #2f6f8f; } svg text { fill: #1d2530; }
svg rect.reference { fill: #b3bcc8; } .key { font-size: 13px; } .key span { display: inline-block; width: 24px; height: 10px; margin: 0 4px 0 0; }
.key .proteome { background: #2f6f8f; } .key .reference { background: #b3bcc8; margin-left: 16px; }
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 11pt; } h2, h3 { break-after: avoid; } svg, tr { break-inside: avoid; }
  svg rect, .key span { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
