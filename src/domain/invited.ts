import type { Write } from './call.js';

/** Updates every invitee's portal home after the team or application changed. */
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
