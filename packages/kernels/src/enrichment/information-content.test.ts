import { expect, it } from 'vitest';
import { parseObo, OntologyGraph } from '../ontology/index.js';
import { countTerms } from './enrichment.js';
import { informationContent } from './information-content.js';

const term = (id: string, parents: readonly string[], aspect = 'biological_process') =>
  `[Term]\nid: GO:000000${id}\nname: ${id}\nnamespace: ${aspect}\n${parents.map((parent) => `is_a: GO:000000${parent}\n`).join('')}\n`;

it('is 0 at the root, rises downwards, and counts an aspect by its own proteins', () => {
  const obo = `format-version: 1.2\ndata-version: x\n\n${term('1', [])}${term('2', ['1'])}${term('3', ['2'])}${term('4', ['1'])}${term('5', [], 'molecular_function')}`;
  const graph = OntologyGraph.fromDocument(parseObo(obo));
  const at = (id: string) => graph.liveIndexOf(`GO:000000${id}`);
  // Of seven proteins with a process, three have term 2 and one of these has term 3; another has a function alone.
  const terms = ['3', '2', '2', '1', '1', '1', '1', '5'].map(at);
  const counts = countTerms(graph, {
    start: Int32Array.from({ length: 9 }, (_, i) => i),
    terms: Int32Array.from(terms),
  });
  const bits = informationContent(graph, counts);
  expect([1, 2, 3, 4, 5].map((id) => bits[at(String(id))])).toEqual([0, 1, 2, 3, 0]);
});
