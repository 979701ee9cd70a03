import { describe, expect, it } from 'vitest';
import { cleanedName, nameStem, type NameSource, predictedNameOf } from './index.js';

const source = (
  name: string | null,
  identity: number,
  share = identity,
  accession = `S${identity}`,
): NameSource => ({
  accession,
  name,
  identity,
  share,
});
const nameOf = (...sources: NameSource[]) => predictedNameOf(sources)?.name ?? null;

describe('a name without what belongs to one entry', () => {
  it.each([
    ['Probable ATP-dependent RNA helicase DDX5 (EC 3.6.4.13)', 'ATP-dependent RNA helicase DDX5'],
    ['Fumarate hydratase, mitochondrial', 'Fumarate hydratase'],
    ['Isoform 2 of Catalase', 'Catalase'],
    ['Histone H4 (Fragment)', 'Histone H4'],
    ['Uncharacterized protein YmgJ', null],
    ['Putative uncharacterized protein', null],
    ['hypothetical protein', null],
    ['UPF0057 membrane protein At1g57550', null],
    [' ', null],
  ])('%s', (name, cleaned) => expect(cleanedName(name)).toBe(cleaned));
});

describe('the family that a name is a member of', () => {
  it.each([
    ['Solute carrier family 22 member 5', 'Solute carrier'],
    ['Tubulin beta-4B chain', 'Tubulin'],
    ['Actin-1', 'Actin'],
    ['Zinc finger protein 45', 'Zinc finger'],
    ['Homeobox protein ceh-1', 'Homeobox'],
    ['Interleukin-1 beta', 'Interleukin'],
    ['Glutathione S-transferase alpha-3', 'Glutathione S-transferase'],
    ['Pleckstrin homology domain-containing family G member 7', 'Pleckstrin homology domain-containing'],
    ['Protein FAM123A', null],
    ['Transmembrane protein 45B', null],
  ])('%s', (name, stem) => expect(nameStem(name)).toBe(stem));
});

describe('a predicted name', () => {
  it('is that of similar sources which agree, however they write it', () => {
    const sources = [source('Catalase', 0.9), source('catalase', 0.8), source('Probable Catalase', 0.7)];
    expect(predictedNameOf(sources)).toEqual({
      ...{ name: 'Catalase', caution: 'none', sources: ['S0.9', 'S0.8', 'S0.7'], compared: 3, identity: 0.9 },
    });
  });

  it('is putative of one source, of less similar ones, and where the nearest is putative itself', () => {
    expect(nameOf(source('Catalase', 0.9))).toBe('putative catalase');
    expect(nameOf(source('Catalase', 0.5), source('Catalase', 0.45))).toBe('putative catalase');
    expect(nameOf(source('Putative catalase', 0.9), source('Catalase', 0.8))).toBe('putative catalase');
    expect(nameOf(source('DNA ligase 1', 0.5), source('DNA ligase 1', 0.45))).toBe('putative DNA ligase 1');
  });

  it('is that of the family where the members differ', () => {
    const carriers = [5, 6, 7].map((member) =>
      source(`Solute carrier family 22 member ${member}`, 0.5 + member / 100),
    );
    expect(nameOf(...carriers)).toBe('Solute carrier family 22 protein');
    expect(nameOf(source('Actin-1', 0.9), source('Actin-2', 0.9))).toBe('Actin family protein');
    const domains = ['A', 'B'].map((x) => source(`SET domain-containing protein ${x}1`, 0.4));
    expect(nameOf(...domains)).toBe('SET domain-containing protein');
  });

  it('is absent where the sources disagree', () => {
    expect(nameOf(source('Catalase', 0.9), source('Peroxidase', 0.9, 0.89))).toBeNull();
    expect(nameOf(source('Peroxidase', 0.8), source('Catalase', 0.9), source('Actin-1', 0.85))).toBeNull();
    expect(nameOf(source('Transmembrane protein 4', 0.9), source('Transmembrane protein 5', 0.9))).toBeNull();
  });

  it('is absent where no near source has a name, even if a distant one has', () => {
    expect(nameOf()).toBeNull();
    expect(nameOf(source(null, 0.9), source('Uncharacterized protein', 0.8))).toBeNull();
    expect(nameOf(source(null, 0.95), source('Catalase', 0.6), source('Catalase', 0.6, 0.6, 'B'))).toBeNull();
  });

  it('is absent where the sources are too distant, or one alone is not near', () => {
    expect(nameOf(source('Catalase', 0.25), source('Catalase', 0.2))).toBeNull();
    expect(nameOf(source('Catalase', 0.5))).toBeNull();
    expect(nameOf(source('Catalase', 0.9, 0.1), source('Catalase', 0.9, 0.1, 'B'))).toBeNull();
  });

  it('rests on the five nearest alone', () => {
    const near = Array.from({ length: 5 }, (_, i) => source('Catalase', 0.9, 0.9, `A${i}`));
    const others = Array.from({ length: 20 }, (_, i) => source('Peroxidase', 0.8, 0.8, `B${i}`));
    expect(predictedNameOf([...others, ...near])).toMatchObject({ name: 'Catalase', compared: 5 });
  });
});
