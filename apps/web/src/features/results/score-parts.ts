import type { TermEvidence } from '../../app/api/predictions.js';

/** A part of a score, in words; all parts of a score add up to it. */
export interface ScorePart {
  name: string;
  about: string;
  added: number;
}

/** Returns the parts whose sum is the score of a term, the largest first; none for a method whose scores have no parts. */
export function scoreParts({ votes, model }: Pick<TermEvidence, 'votes' | 'model'>): ScorePart[] {
  const parts: ScorePart[] = [];
  if (votes !== null && votes.weight > 0) {
    parts.push(
      {
        name: 'Similar proteins',
        about: 'those that have the term, the most similar ones count most',
        added: votes.weight * votes.sources,
      },
      {
        name: 'Its own annotations',
        about: 'what is on record for this very protein',
        added: votes.weight * votes.own_annotations,
      },
      {
        name: 'How common the term is',
        about: 'among all proteins that were compared',
        added: votes.weight * votes.frequency,
      },
    );
  }
  if (model !== null)
    parts.push({
      name: 'Trained model',
      about: 'learned from what experiments found later',
      added: model.weight * model.score,
    });
  return parts.filter(({ added }) => added >= 0.0005).sort((a, b) => b.added - a.added);
}

const modelGroups: readonly { name: string; has: RegExp }[] = [
  { name: 'Similar proteins by alignment', has: /^(align|similar)_/ },
  { name: 'Similar proteins by the similarity model', has: /^distance_/ },
  { name: 'Its own annotations', has: /^own_/ },
  {
    name: 'Terms that it has and that often occur with this one',
    has: /^(parents|gap|known|profile|given)_/,
  },
  {
    name: 'How common and how specific the term is',
    has: /^(frequency|proof)_|^(information|depth|children)$/,
  },
];

/** Returns the group of a column of the model; undefined for a column that has no group yet. */
export function modelGroupOf(feature: string): string | undefined {
  return modelGroups.find(({ has }) => has.test(feature))?.name;
}

/** Groups the reasons of the model: the sum of the log odds that the columns of a group add, the strongest first. */
export function modelReasons(features: NonNullable<TermEvidence['model']>['features']): ScorePart[] {
  const sums = new Map<string, number>();
  for (const { name, added } of features) {
    const group = modelGroupOf(name) ?? 'Other';
    sums.set(group, (sums.get(group) ?? 0) + added);
  }
  return [...sums]
    .filter(([, added]) => Math.abs(added) >= 0.05)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([name, added]) => ({ name, about: added > 0 ? 'speaks for it' : 'speaks against it', added }));
}
