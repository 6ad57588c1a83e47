import type { Write } from './call.js';

/**
 * Notes for everybody with an open invitation that their portal home changed: what invites them was renamed, got another icon,
 * or is about to be deleted.
 */
export async function recordForInvited(
  { db, record }: Write,
  to: { teamId: bigint } | { applicationId: bigint },
): Promise<void> {
  const userIds =
    'teamId' in to
      ? (await db.teamInvitation.findMany({ where: { ...to, state: 'PENDING' } })).map(({ inviteeId }) => inviteeId)
      : (await db.tester.findMany({ where: { ...to, state: 'INVITED' } })).map(({ userId }) => userId);
  for (const userId of userIds) record({ type: 'PORTAL_HOME_UPDATED', userId });
}
