import { useQuery } from '@tanstack/react-query';
import { callRoute } from '../../app/api/call-route.js';
import { formatTime } from '../../shared/format.js';
import { jobTitle } from '../../shared/job-title.js';
import { labelOf, type RowList } from './schema-fields.js';

/** Fetches the newest rows of a list with their names. */
export function useNamedRows({ list, words }: RowList): { id: string; name: string }[] {
  const rows = useQuery({
    queryKey: ['rows', 'names', list],
    queryFn: () => callRoute(list, { query: { limit: 100 } }),
  });
  const found = Array.isArray(rows.data) ? (rows.data as Record<string, unknown>[]) : [];
  return found.map((row) => ({ id: String(row.id), name: nameOf(row, words) }));
}

/** Shows the name of another row. A row that is not among the newest keeps its id. */
export function RowName({ list, id }: { list: RowList; id: string }) {
  return useNamedRows(list).find((row) => row.id === id)?.name ?? id;
}

function nameOf(row: Record<string, unknown>, keys: readonly string[]): string {
  const words = keys.flatMap((key) => {
    const value = row[key];
    if (typeof value !== 'string' || value === '') return [];
    if (key === 'operation') return [jobTitle(value)];
    if (key === 'method') return [labelOf(value)];
    if (key === 'status') return [value.toLowerCase()];
    return [key === 'created_at' ? formatTime(value) : value];
  });
  return words.length === 0 ? String(row.id) : words.join(' · ');
}
