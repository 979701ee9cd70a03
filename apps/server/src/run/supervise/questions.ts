/** The question that a supervisor sends to a worker, and its answer. */
export const areYouThere = 'are you there?';
