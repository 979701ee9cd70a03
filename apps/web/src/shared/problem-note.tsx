import { Alert } from '@mantine/core';
import { sentencesOf } from '../app/api/problem.js';

/** Shows an error in words. */
export function ProblemNote({ error, title }: { error: unknown; title?: string }) {
  const problem = sentencesOf(error);
  return (
    <Alert color="red" role="alert" title={title ?? problem.title} variant="light" className="problem">
      {problem.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {problem.requestId !== null && <p>Request id for the operator: {problem.requestId}</p>}
    </Alert>
  );
}
