import { Button } from '@mantine/core';

interface Props {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Loads the next page of a list; absent at its end. */
export function MoreButton({ query }: Props) {
  if (!query.hasNextPage) return null;
  return (
    <div>
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        Show older
      </Button>
    </div>
  );
}
