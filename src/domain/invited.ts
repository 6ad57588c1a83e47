import type { Write } from './call.js';

/** Updates the portal home of every open invitee after a change of the inviting team or application. */
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
