import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { giveFeedback } from '../../app/api/predictions.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './overview.module.css';

/** Asks whether a result helped. The answer goes to the people who run the service, and names neither the run nor the visitor. */
export function Feedback() {
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
        placeholder="What helped, or what is missing (optional)"
        maxLength={500}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={give.isPending}>
        Yes, thumbs up
      </Button>
      {give.isError && <ProblemNote error={give.error} title="Not sent" />}
    </form>
  );
}
