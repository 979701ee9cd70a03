/** The name of an institution is part of addresses. */
export const institutionNamePattern = /^[a-z0-9][a-z0-9-]{0,39}$/;
export const institutionNameWords = 'lower-case letters, digits and hyphens, at most 40';

/** How a login by an institution can end without a session; the sign-in page has a sentence for each. */
export const loginOutcomes = {
  pending: 'Your account was requested. An administrator has to approve it before you can sign in.',
  deactivated: 'This account was deactivated. Ask an administrator.',
  email_taken:
    'There is an account with your e-mail address already. Sign in with its password, then link the institution on the page of your account.',
  no_email: 'The institution did not tell your e-mail address, which an account needs. Ask its help desk.',
  linked_elsewhere: 'This identity of the institution belongs to another account.',
  refused:
    'The institution did not confirm who you are, or the attempt is older than ten minutes. Try again.',
  unreachable: 'The institution cannot be reached now. Try again later.',
} as const;
export type LoginOutcome = keyof typeof loginOutcomes;
