import type { CallContext } from './call.js';

/** Keeps a user-chosen name on one line, without direction marks. */
export function plainName(name: string): string {
  return name.replace(/[\p{Cc}\s\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
}

/** @param invites the sentence that names the inviter and the team or application */
export function invitationText(call: CallContext, invites: string): string {
  return `${invites}

Accept or decline the invitation in the portal:
${call.portalUrl}

Nothing changes until you do. If you do not know who invited you,
you can ignore this email.
`;
}
