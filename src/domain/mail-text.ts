import type { CallContext } from './call.js';

/** A name that somebody chose, on one line and without marks that turn the direction of what comes after. */
export function plainName(name: string): string {
  return name.replace(/[\p{Cc}\s\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
}

/** The text of a mail that invites: who invites to what, and where to answer. */
export function invitationText(call: CallContext, invites: string): string {
  return `${invites}

Accept or decline the invitation in the portal:
${call.portalUrl}

Nothing happens until you do. If you do not know who invites you,
you can ignore this mail.
`;
}
