import { cafaAspects, categories } from '@kindred/contracts/vocabulary';
import type { CafaAspect, Category, Showcase } from '../../app/api/showcase.js';

export interface Method {
  name: string;
  label: string;
}

/** Returns the methods that were evaluated, in the order of the tables. */
export function methodsOf({ method_comparison: tables }: Pick<Showcase, 'method_comparison'>): Method[] {
  const found = new Map<string, Method>();
  for (const category of categories)
    for (const { method, label } of tables[category] ?? [])
      if (!found.has(method)) found.set(method, { name: method, label });
  return [...found.values()];
}

/** A cell of the evaluation with the results of two methods in it. */
export interface Pair {
  category: Category;
  aspect: CafaAspect;
  result: string;
  other: string;
}

/** Returns the cells that both methods were evaluated in, by different results. */
export function pairsOf(
  { method_comparison: tables }: Pick<Showcase, 'method_comparison'>,
  method: string,
  other: string,
): Pair[] {
  return categories.flatMap((category) => {
    const [one, two] = [method, other].map((name) => tables[category]?.find((row) => row.method === name));
    return cafaAspects.flatMap((aspect) => {
      const [result, against] = [one, two].map((row) => row?.figures[aspect]?.evaluation_result_id);
      if (result === undefined || against === undefined || result === against) return [];
      return [{ category, aspect, result, other: against }];
    });
  });
}
