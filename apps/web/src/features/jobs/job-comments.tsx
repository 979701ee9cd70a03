import { Button, Textarea } from '@mantine/core';
import { atLeast } from '@kindred/contracts/roles';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { addComment, type JobComment, listComments } from '../../app/api/jobs.js';
import { formatTime } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { useAccount } from '../account/use-account.js';
import styles from './jobs.module.css';

/** Shows the comments on a job. People with an account can write, too. */
export function JobComments({ jobId }: { jobId: string }) {
  const role = useAccount().data?.role ?? 'viewer';
  const comments = useQuery({ queryKey: ['job-comments', jobId], queryFn: () => listComments(jobId) });
  const mayWrite = atLeast(role, 'researcher');
  const rows = comments.data ?? [];
  if (rows.length === 0 && !mayWrite) return null;
  return (
    <Panel title="Comments">
      {comments.error !== null && <ProblemNote error={comments.error} title="Not read" />}
      {rows.length > 0 && (
        <ol className={styles.comments}>
          {rows.map((comment) => (
            <Comment key={comment.id} comment={comment} />
          ))}
        </ol>
      )}
      {mayWrite && <CommentForm jobId={jobId} />}
    </Panel>
  );
}

function Comment({ comment: { account, author, body, created_at } }: { comment: JobComment }) {
  const given = author === null || author === account ? null : `\u201c${author}\u201d`;
  const writer = account === null ? (given ?? 'somebody') : [account, given].filter(Boolean).join(' as ');
  return (
    <li>
      <span className={styles.level}>
        {writer}, {formatTime(created_at)}
      </span>
      <p>{body}</p>
    </li>
  );
}

function CommentForm({ jobId }: { jobId: string }) {
  const [body, setBody] = useState('');
  const queries = useQueryClient();
  const add = useMutation({
    mutationFn: () => addComment(jobId, body),
    onSuccess: () => {
      setBody('');
      return queries.invalidateQueries({ queryKey: ['job-comments', jobId] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} className={styles.commentForm}>
      <Textarea
        label="Your comment"
        required
        maxLength={20_000}
        value={body}
        onChange={(event) => setBody(event.currentTarget.value)}
      />
      {add.isError && <ProblemNote error={add.error} title="Not added" />}
      <div>
        <Button type="submit" variant="default" loading={add.isPending}>
          Add the comment
        </Button>
      </div>
    </form>
  );
}
