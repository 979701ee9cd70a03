/** What a supervisor sends to a worker, and what that answers. */
export const areYouThere = 'are you there?';
