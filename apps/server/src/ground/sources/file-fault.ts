const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'the service has no right to read it',
  EPERM: 'the service has no right to read it',
  ELOOP: 'its links go round in a circle',
  ENAMETOOLONG: 'its name is too long',
};
const writeReasons: Record<string, string> = {
  ...reasons,
  ENOENT: 'its folder does not exist',
  EACCES: 'you have no right to write there',
  EPERM: 'you have no right to write there',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
};

/** Says in words why a file can't be opened or read. A rare code gets the system's own sentence. */
export function whyUnreadable(error: NodeJS.ErrnoException): string {
  return reasons[error.code ?? ''] ?? error.message;
}

/** Says in words why a file can't be made or written. */
export function whyUnwritable(error: NodeJS.ErrnoException): string {
  return writeReasons[error.code ?? ''] ?? error.message;
}
