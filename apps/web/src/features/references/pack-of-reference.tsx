import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { findPack, makePack, packAddress, type Reference } from '../../app/api/reference-builds.js';
import { formatBytes, formatTime } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './references.module.css';

/** Writes a reference into one file for another service, and offers the file. */
export function PackOfReference({ one }: { one: Reference }) {
  const queries = useQueryClient();
  const queryKey = ['pack', one.id];
  const pack = useQuery({ queryKey, queryFn: () => findPack(one) });
  const make = useMutation({
    mutationFn: () => makePack(one),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <Loaded query={pack}>
      {(made) => (
        <>
          <p role="status">
            {made === null
              ? 'No file of it is here. It has the reference with its vectors, and is kept for a week.'
              : `A file of ${formatBytes(made.size_bytes)}, made ${formatTime(made.created_at)}, is kept for a week.`}
          </p>
          {make.isError && <ProblemNote error={make.error} title="Not packed" />}
          <div className={styles.acts}>
            {made !== null && (
              <Button component="a" size="compact-sm" href={packAddress(one)} download>
                Download the pack
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="default"
              loading={make.isPending}
              onClick={() => make.mutate()}
            >
              {made === null ? 'Make the file' : 'Make it again'}
            </Button>
          </div>
        </>
      )}
    </Loaded>
  );
}
