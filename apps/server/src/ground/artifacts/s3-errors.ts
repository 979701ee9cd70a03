import { ProblemError } from '@kindred/contracts';
import { absentArtifact } from './keys.js';

function errorName(error: unknown): string {
  return (error as { name?: string })?.name ?? 'Error';
}
function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } })?.$metadata?.httpStatusCode;
}

export function isAbsent(error: unknown): boolean {
  const name = errorName(error);
  return name === 'NoSuchKey' || name === 'NotFound' || (statusOf(error) === 404 && name !== 'NoSuchBucket');
}

export function isBeyondEnd(error: unknown): boolean {
  return errorName(error) === 'InvalidRange' || statusOf(error) === 416;
}

/** A retry may help after a network or server error, but not after a refusal. */
export function mayPass(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status === 429 || status >= 500 || status < 400;
}

const advice: Record<string, string> = {
  NoSuchBucket: 'Create the bucket, or correct SVC_ARTIFACT_BUCKET.',
  AccessDenied: 'The credentials of the AWS chain may not do this.',
  InvalidAccessKeyId: 'The access key of the AWS chain is unknown there.',
  SignatureDoesNotMatch: 'The secret key of the AWS chain is wrong.',
  CredentialsProviderError:
    'Give credentials in the standard AWS way: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role of the machine.',
};

/** Makes the problem that the user or operator sees. A ProblemError passes unchanged. */
export function artifactProblem(error: unknown, uri: string, act: 'read' | 'written'): ProblemError {
  if (error instanceof ProblemError) return error;
  if (act === 'read' && isAbsent(error)) return absentArtifact(uri);
  const name = errorName(error);
  const message = (error as Error).message || 'no answer';
  return new ProblemError(
    'artifact_store_failed',
    `${uri} could not be ${act}: ${name}: ${message}. ${advice[name] ?? 'Try again; nothing half-written is left.'}`,
    { cause: error },
  );
}
