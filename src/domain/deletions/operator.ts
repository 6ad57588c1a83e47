import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { dropIcon } from '../icons.js';
import { findOrdinaryPerson, type PersonAccount, requireOperator } from '../operators/access.js';
import { beginDeletion } from './begin.js';
import { findOwned, namesOf, type Owned, ownsSomething } from './owned.js';

interface DeletePersonInput {
  personId: bigint;
  reason: string;
  /** Also their messages, files and reactions. */
  withMessages: boolean;
  /** Also their servers, teams and boxes. */
  withOwned: boolean;
}

/**
 * Deletes a person at once; a job removes the rest.
 * @throws NOT_FOUND, UNKNOWN_USER, CONFLICT for an operator, and unless `withOwned` for a person who owns servers,
 * teams or boxes
 */
export async function deletePerson(call: CallContext, input: DeletePersonInput): Promise<void> {
  await requireOperator(call, 'MODERATOR');
  const { personId: id, reason } = input;
  const { avatarHash } = await call.because(reason).write((write) => remove(call, write, input), {
    streams: [topics.user(id)],
  });
  if (avatarHash) await dropIcon(call, { folder: 'avatars', id }, avatarHash);
}

async function remove(call: CallContext, write: Write, input: DeletePersonInput): Promise<PersonAccount['user']> {
  const { db, audit } = write;
  const { personId: userId, withMessages, withOwned } = input;
  await requireOperator(call, 'MODERATOR', db);
  const person = await findOrdinaryPerson(db, userId);
  const owned = await findOwned(db, userId);
  if (!withOwned && ownsSomething(owned)) {
    const message = `${person.name} owns ${namesOf(owned)}. Hand them over first, or delete them with the person.`;
    throw new DomainError('CONFLICT', message);
  }
  const counts = await countsOf(write, userId, owned);
  await audit({ action: 'PERSON_DELETE', targetId: userId, changes: { ...counts, withMessages, withOwned } });
  await beginDeletion(call, write, person, { withMessages });
  return person.user;
}

async function countsOf({ db }: Write, userId: bigint, { servers, teams, boxes }: Owned) {
  return {
    messages: await db.message.count({ where: { authorId: userId } }),
    servers: servers.length,
    teams: teams.length,
    applications: await db.application.count({ where: { ownerUserId: userId, deletedAt: null } }),
    boxes: boxes.length,
  };
}
