import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { giveFeedback } from '../../app/api/predictions.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './overview.module.css';

/**
 * Asks whether a result helped. The answer names neither the run nor the visitor, and each one counts as approval: what is wrong or missing
 * is therefore said on the run's job, where its terms can be found.
 */
export function Feedback({ jobId }: { jobId: string | null }) {
  const [comment, setComment] = useState('');
  const give = useMutation({ mutationFn: () => giveFeedback(comment) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    give.mutate();
  };
  if (give.isSuccess) return <p role="status">Thank you. That is number {give.data.count}.</p>;
  return (
    <form className={styles.feedback} onSubmit={submit} aria-label="Feedback">
      <TextInput
        label="Does this result help you?"
        description="Everyone reads what you write here; your sequences are not sent."
        placeholder="What helped (optional)"
        maxLength={500}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={give.isPending}>
        Yes, thumbs up
      </Button>
      {jobId !== null && (
        <p>
          A term is wrong or missing? Name the protein and the term in a{' '}
          <Link to="/jobs/$jobId" params={{ jobId }}>
            comment on this run
          </Link>
          , with an account for research; whoever can open the run reads it.
        </p>
      )}
      {give.isError && <ProblemNote error={give.error} title="Not sent" />}
    </form>
  );
}
