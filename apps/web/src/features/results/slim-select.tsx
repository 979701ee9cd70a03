import { NativeSelect } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { listSlims } from '../../app/api/reference-data.js';

interface Props {
  slim: string | undefined;
  onSlim: (slim: string | undefined) => void;
}

export const slimsQuery = queryOptions({ queryKey: ['slims'], queryFn: listSlims, staleTime: 300_000 });

/** Lets the predicted terms count as the few terms of a GO slim. Without a loaded slim nothing is shown. */
export function SlimSelect({ slim, onSlim }: Props) {
  const slims = useQuery(slimsQuery);
  const names = [...new Set(slims.data?.map(({ name }) => name) ?? [])];
  if (names.length === 0 && slim === undefined) return null;
  return (
    <NativeSelect
      aria-label="Show terms as"
      size="sm"
      value={slim ?? ''}
      data={[
        { value: '', label: 'All predicted terms' },
        ...names.map((name) => ({ value: name, label: `As ${name}` })),
        ...(slim === undefined || names.includes(slim) ? [] : [{ value: slim, label: `As ${slim}` }]),
      ]}
      onChange={(event) => onSlim(event.currentTarget.value || undefined)}
    />
  );
}
