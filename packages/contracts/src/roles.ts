/** The roles in ascending order. `viewer` is the role of a request without a credential: it may read, and write nothing. */
export const roles = ['viewer', 'guest', 'researcher', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];
export const accountRoles = ['guest', 'researcher', 'operator', 'admin'] as const;
export type AccountRole = (typeof accountRoles)[number];

export function atLeast(role: Role, floor: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(floor);
}
export function lowerOf(a: Role, b: Role): Role {
  return atLeast(a, b) ? b : a;
}
/** Reads a role. Unknown texts count as researcher, so that a malformed token can't rise; `viewer` and `guest` stay what they are. */
export function roleOf(text: unknown): Role {
  return (roles as readonly unknown[]).includes(text) ? (text as Role) : 'researcher';
}
