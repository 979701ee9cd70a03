import { aspects, namespaceOf } from '@kindred/contracts';
import { certaintyNames, type NotableTerm, type ProteomeSummary } from './summary.js';

export interface ReportAbout {
  title: string;
  /** ISO 8601 */
  created: string;
  method: string;
  reference: { id: string; title: string; text: string };
  version: string;
  /** Releases and parameters, as texts. */
  facts: readonly (readonly [string, string])[];
}

const shownTerms = 15;

/** One HTML page without any other file, address or script. */
export function htmlReport(summary: ProteomeSummary, about: ReportAbout): string {
  const { proteins, known, terms } = summary;
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
<p>${count(answered)} of ${count(proteins)} proteins (${percent(answered, proteins)}) have at least one predicted term, ${count(terms)} terms
together. The reference set knows ${count(known)} of the proteins (${percent(known, proteins)}).</p>
<h2>How certain</h2>
<p>Proteins by the probability of the first term of their answer, which is probable and says much: strong from 0.8, likely from 0.5, possible
from 0.1.</p>
${bars(certaintyNames.map((name) => ({ name, value: summary.byCertainty.get(name) ?? 0 })))}
<h2>By aspect</h2>
<p>Proteins with at least one term.</p>
${bars(aspects.map((aspect) => ({ name: aspectName(aspect), value: summary.proteinsByAspect.get(aspect) ?? 0 })))}
${aspects.map((aspect) => frequent(summary, aspect)).join('\n')}
<h2>Least certain</h2>
<p>Proteins whose first term has the lowest probability (score where it has none). Look at these first.</p>
${termTable(summary.leastCertain)}
<h2>Contradicted</h2>
<p>${count(summary.contradictedCount)} terms would be in the answer, but for a taxon constraint or a NOT annotation against them. They are in no other
file than contradicted.tsv.</p>
${summary.contradicted.length === 0 ? '' : termTable(summary.contradicted)}
<h2>Left out</h2>
<p>${count(summary.leftOut.length)} proteins have no term; left_out.tsv says why.</p>
${reasons(summary)}
<h2>Methods</h2>
<p>${methods(summary, about)}</p>
<ol>
<li>Ashburner M. et al. Gene Ontology: tool for the unification of biology. Nat Genet 25, 25–29 (2000).</li>
<li>The Gene Ontology Consortium. The Gene Ontology knowledgebase in 2023. Genetics 224, iyad031 (2023).</li>
<li>The Kindred developers. Kindred ${escaped(about.version)}: protein function annotation by nearest kin.</li>
</ol>
<h2>Made from</h2>
<table>${about.facts.map(([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`).join('\n')}</table>
</body>
</html>
`;
}

function methods(summary: ProteomeSummary, about: ReportAbout): string {
  const fact = new Map(about.facts);
  return escaped(
    `Gene Ontology [1, 2] terms were predicted for ${count(summary.proteins)} proteins with Kindred ${about.version} [3], method ${about.method} (${about.reference.id}): ${about.reference.text} ` +
      `Ontology release ${fact.get('Ontology')}, annotations ${fact.get('Annotations') ?? 'none'}. Terms with a probability below 0.1 (score 0.2 where it is not calibrated), and terms that a taxon constraint or a NOT annotation speaks against, were left out. All annotations have the evidence code IEA.`,
  );
}

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

function reasons({ leftOut }: ProteomeSummary): string {
  const counts = new Map<string, number>();
  for (const { reason } of leftOut) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return '';
  return bars([...counts].map(([name, value]) => ({ name: name.replaceAll('_', ' '), value })));
}

/** Horizontal bars with their numbers, as inline SVG. */
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
`;
