import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { repositoryRoot, sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import type { OboDocument } from './obo-document.js';
import { parseObo, readObo } from './obo.js';

const header =
  'format-version: 1.2\ndata-version: releases/2020-01-01\ndefault-namespace: biological_process\n';
const term = (id: string, ...lines: string[]) =>
  `\n[Term]\nid: ${id}\nname: name of ${id}\n${lines.join('\n')}\n`;

/** Counts edges by relation. */
function relations(document: OboDocument): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { parents } of document.terms)
    for (const { relation } of parents) counts[relation] = (counts[relation] ?? 0) + 1;
  return counts;
}

describe('parseObo', () => {
  it.each([
    [
      'relationship: part_of GO:0000002 {gci_relation="part_of", gci_filler="NCBITaxon:9606"} ! elsewhere',
      'NCBITaxon:9606',
    ],
    ['relationship: part_of GO:0000002 {gci_filler="CL:0000540", gci_relation="part_of"}', 'CL:0000540'],
    ['is_a: GO:0000002 {is_inferred="true", gci_relation="part_of", gci_filler="UBERON:1"} ! x', 'UBERON:1'],
    ['relationship: regulates GO:0000002 { gci_relation = "part_of" }', 'another term'],
  ])('leaves out what holds only in a context: %s', (line, filler) => {
    const { terms, rejected } = parseObo(`${header}${term('GO:0000001', line)}${term('GO:0000002')}`);
    expect(terms[0].parents).toEqual([]);
    expect(rejected).toMatchObject([
      {
        record: 'GO:0000001',
        reason: expect.stringContaining(`only in the context of ${filler} (gci_relation)`),
      },
    ]);
  });

  it.each([
    'is_a: GO:0000002 {note="no gci_relation here"} ! {gci_relation="x"}',
    'is_a: GO:0000002 ! {gci_relation="x"}',
    'is_a: GO:0000002 {source="gci_filler"}',
  ])('keeps what only mentions a context: %s', (line) => {
    const { terms, rejected } = parseObo(`${header}${term('GO:0000001', line)}${term('GO:0000002')}`);
    expect([terms[0].parents, rejected]).toEqual([[{ id: 'GO:0000002', relation: 'is_a' }], []]);
  });

  it('reads escapes, modifiers, comments, continued lines and every list', () => {
    const text = `! a comment\r\n${header}
[Term]
id: GO:0000001 ! mine
name: a\\, "b" \\{c\\} {d} 5\\!
namespace: molecular_function
def: "Says \\"this\\".\\nTwo \\\\ lines {x} ! no comment" [GOC:a, PMID:1] {source="s"}
comment: whatever
subset: goslim_generic
alt_id: GO:0000011
alt_id: GO:0000012 ! old
synonym: "x" EXACT []
is_a: GO:0000002 {is_inferred="true", note="a ! b"} ! parent
is_a: GO:0000002 ! again
relationship: part_of GO:0000003 {all_some="true"}
relationship: occurs_in \\
 GO:0000003 ! continued
intersection_of: GO:0000002

[Typedef]
id: part_of
name: part of
is_a: GO:0000009

[Term]
id: GO:0000002
name: n2

[Term]
id: GO:0000003
name: n3
is_obsolete: false

[Term]
id: GO:0000004
name: obsolete n4
is_obsolete: true
replaced_by: GO:0000003
consider: GO:0000001
consider: GO:0000002`;
    const document = parseObo(text);
    expect(document.rejected).toEqual([]);
    expect(document.version).toBe('releases/2020-01-01');
    expect(document.terms[0]).toEqual({
      id: 'GO:0000001',
      name: 'a, "b" {c} {d} 5!',
      namespace: 'molecular_function',
      aspect: 'F',
      definition: 'Says "this".\nTwo \\ lines {x} ! no comment',
      altIds: ['GO:0000011', 'GO:0000012'],
      isObsolete: false,
      replacedBy: [],
      consider: [],
      subsets: ['goslim_generic'],
      parents: [
        { id: 'GO:0000002', relation: 'is_a' },
        { id: 'GO:0000003', relation: 'part_of' },
        { id: 'GO:0000003', relation: 'occurs_in' },
      ],
      line: 6,
    });
    expect(document.terms.map((t) => t.id)).toEqual(['GO:0000001', 'GO:0000002', 'GO:0000003', 'GO:0000004']);
    expect(document.terms[1]).toMatchObject({
      namespace: 'biological_process',
      aspect: 'P',
      definition: null,
    });
    expect(document.terms[3]).toMatchObject({
      isObsolete: true,
      replacedBy: ['GO:0000003'],
      consider: ['GO:0000001', 'GO:0000002'],
    });
  });

  it('reports what it leaves out, by line', () => {
    const text =
      header +
      term(
        'A',
        'nonsense',
        'is_a: X ! unknown',
        'relationship: part_of',
        'is_a: O',
        'def: none',
        'alt_id: 1 2',
      ) +
      term('A') +
      '\n[Term]\nname: no id\n\n[Term]\nid: N\n' +
      term('O', 'is_obsolete: true', 'is_a: A');
    const { terms, rejected } = parseObo(text);
    expect(terms.map((t) => [t.id, t.name, t.parents.length])).toEqual([
      ['A', 'name of A', 0],
      ['N', 'N', 0],
      ['O', 'name of O', 0],
    ]);
    expect(rejected.map((r) => `${r.line} ${r.record}: ${r.reason}`)).toEqual([
      '8 A: expected "tag: value", found "nonsense"',
      '9 A: is_a X: no such term in this file',
      '10 A: relationship: expected a relation and one id',
      '11 A: is_a O: that term is obsolete',
      '12 A: def: expected a text in quotes',
      '13 A: alt_id: expected one id',
      '15 A: id occurs twice, first in line 5',
      '20 null: a [Term] without an id',
      '23 N: a [Term] without a name; its id is used',
      '30 O: is_a A: an obsolete term has no relations',
    ]);
  });

  it('names a cycle of is_a and part_of, and lets other relations go round', () => {
    const cyclic =
      header +
      term('R') +
      term('A', 'is_a: R', 'is_a: B') +
      term('B', 'relationship: part_of C') +
      term('C', 'is_a: A');
    expect(() => parseObo(cyclic)).toThrowError(
      /line 10 \(record A\): is_a and part_of form a cycle: A -> B -> C -> A$/,
    );
    expect(() => parseObo(header + term('A', 'is_a: A'))).toThrowError(/cycle: A -> A/);
    expect(parseObo(header + term('A', 'relationship: has_part B') + term('B', 'is_a: A')).rejected).toEqual(
      [],
    );
  });

  it('needs a version: data-version, else date', () => {
    expect(() => parseObo(`format-version: 1.2\n${term('A')}`)).toThrowError(/neither data-version nor date/);
    expect(parseObo(`date: 12:07:2013 15:53\n${term('A')}`).version).toBe('2013-07-12');
    expect(() => parseObo('data-version: 1\n')).toThrowError(/no \[Term\] stanza/);
    expect(() => parseObo('')).toThrowError(/^line 1: no \[Term\]/);
  });

  it('reads the shipped ontology: 43,558 live and 3,910 obsolete terms', async () => {
    const bytes = gunzipSync(readFileSync(join(repositoryRoot(), 'examples', 'go-basic-2022-07-01.obo.gz')));
    const document = await readObo(bytes);
    expect(document.rejected).toEqual([]);
    expect(document.version).toBe('releases/2022-07-01');
    expect(document.terms.filter((t) => !t.isObsolete).length).toBe(43_558);
    expect(document.terms.filter((t) => t.isObsolete).length).toBe(3910);
    expect(document.terms.reduce((sum, t) => sum + t.altIds.length, 0)).toBe(3450);
    expect(relations(document)).toEqual({
      is_a: 70058,
      part_of: 6997,
      regulates: 3184,
      positively_regulates: 2732,
      negatively_regulates: 2742,
    });
  });

  it.skipIf(sharedData() === null)('reads the full ontology of 2013 and the evidence ontology', () => {
    const read = (name: string) =>
      parseObo(gunzipSync(readFileSync(sharedData('data', 'ontology', name) as string)));
    const go = read('go-2013-07-13.obo.gz');
    expect(go.rejected).toEqual([]);
    expect(go.version).toBe('2013-07-13');
    expect(go.terms.length).toBe(39_616);
    expect(go.terms.filter((t) => t.isObsolete).length).toBe(1775);
    const count = (list: 'altIds' | 'replacedBy' | 'consider') =>
      go.terms.reduce((sum, t) => sum + t[list].length, 0);
    expect([count('altIds'), count('replacedBy'), count('consider')]).toEqual([1700, 734, 1535]);
    // The file has 62,186 is_a lines, of which three are in [Typedef] stanzas.
    expect(relations(go)).toMatchObject({
      is_a: 62183,
      part_of: 7194,
      regulates: 2680,
      positively_regulates: 2259,
      negatively_regulates: 2288,
      has_part: 493,
      occurs_in: 12,
      results_in: 59,
    });
    const eco = read('eco-2013.obo.gz');
    expect(eco.version).toBe('releases/2013-04-04');
    expect(eco.terms.every((t) => t.aspect === null && t.namespace === 'eco')).toBe(true);
  });
});
