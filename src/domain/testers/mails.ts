import type { Application, User } from '../../infra/database/index.js';
import { emailOf } from '../accounts/email.js';
import type { CallContext, Write } from '../call.js';
import { invitationText, plainName } from '../mail-text.js';

interface InvitationDetails {
  inviteeId: bigint;
  application: Pick<Application, 'name'>;
  inviter: Pick<User, 'username'>;
}

/** Does nothing if the invitee has no address. */
export async function mailTesterInvitation(
  call: CallContext,
  { db, mail }: Write,
  { inviteeId, application, inviter }: InvitationDetails,
): Promise<void> {
  const to = await emailOf(db, inviteeId);
  if (to === null) return;
  const name = plainName(application.name);
  mail({
    to,
    subject: `You are invited to test ${name}`,
    text: invitationText(
      call,
      `${inviter.username} invited you to test the application "${name}"\non Causeway. Testers can install it while it is private.`,
    ),
  });
}
