import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { PredictedProtein, PredictionSetDetail } from '../../app/api/predictions.js';
import { readHeader } from '../../shared/fasta.js';
import { formatCount, plural } from '../../shared/format.js';
import { SearchIcon } from '../../shared/icons.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './results.module.css';
import { useProteins } from './use-results.js';

interface Props {
  set: PredictionSetDetail;
  headers: ReadonlyMap<string, string>;
  chosen: string | undefined;
  onChoose: (accession: string) => void;
}

/** Proteins of the set, with a search by accession. */
export function ProteinList({ set, headers, chosen, onChoose }: Props) {
  const [search, setSearch] = useState('');
  const [settled] = useDebouncedValue(search, 200);
  const proteins = useProteins(set.id, settled);
  const items = proteins.data?.pages.flatMap((page) => page.items) ?? [];
  const total = proteins.data?.pages[0]?.total ?? 0;
  return (
    <nav className={styles.list} aria-label="Proteins of this result">
      <TextInput
        aria-label="Search proteins by accession"
        placeholder="Search by accession"
        type="search"
        leftSection={<SearchIcon />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <p className={styles.count} role="status">
        {settled === '' ? plural(total, 'protein') : `${plural(total, 'protein')} found`}
      </p>
      {proteins.error !== null && <ProblemNote error={proteins.error} />}
      <ul className={styles.items}>
        {items.map((item) => (
          <ProteinItem
            key={item.accession}
            item={item}
            header={headers.get(item.accession)}
            isChosen={item.accession === chosen}
            onChoose={() => onChoose(item.accession)}
          />
        ))}
      </ul>
      {proteins.hasNextPage && (
        <Button
          variant="default"
          loading={proteins.isFetchingNextPage}
          onClick={() => proteins.fetchNextPage()}
        >
          Show more of {formatCount(total)}
        </Button>
      )}
    </nav>
  );
}

interface ItemProps {
  item: PredictedProtein;
  header: string | undefined;
  isChosen: boolean;
  onChoose: () => void;
}

function ProteinItem({ item, header, isChosen, onChoose }: ItemProps) {
  const name = header === undefined ? '' : readHeader(header).name;
  return (
    <li>
      <button
        type="button"
        className={styles.item}
        aria-current={isChosen ? 'true' : undefined}
        onClick={onChoose}
      >
        <span className={styles.itemHead}>
          <strong>{item.accession}</strong>
          <span className={item.go_count === 0 ? styles.none : styles.terms}>
            {item.go_count === 0 ? 'none' : plural(item.go_count, 'term')}
          </span>
        </span>
        {name !== '' && <span className={styles.itemName}>{name}</span>}
      </button>
    </li>
  );
}
