import { z } from 'zod';
import type { User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { type CallContext, requireUser, type Write } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { changeWithIcon, type IconSource } from '../icons.js';
import { maybe, nameText } from '../input.js';
import { limits, USERNAMES_PER_BOT } from '../limits.js';
import { renameMemberships } from '../members/name-keys.js';
import { showUserAnew } from './shown.js';

/** Bots change their username, people their display name. */
export const OwnProfile = z.object({
  username: maybe(nameText(limits.username.min, limits.username.max)),
  /** Null removes it. */
  globalName: nameText(limits.globalName.min, limits.globalName.max).nullish(),
});

export type UpdateOwnUserInput = Partial<z.output<typeof OwnProfile>> & { avatar?: IconSource | null | undefined };

/**
 * Ignores a person's username and a bot's display name.
 * @throws UNAUTHENTICATED, INVALID_INPUT at `username` after too many changes and at `icon` for an avatar that is no
 * image, RATE_LIMITED
 */
export async function updateOwnUser(call: CallContext, input: UpdateOwnUserInput): Promise<User> {
  const { user } = requireUser(call);
  const { username, globalName } = input;
  const names = user.bot ? { username } : { globalName };
  if (user.bot && username !== undefined && username !== user.username) await limitUsernames(call, user);
  const streams = [topics.user(user.id), ...(user.bot ? [topics.application(user.id)] : [])];
  const change = (avatarHash: string | null | undefined) =>
    call.write((write) => changeUser(call, write, user.id, { ...names, avatarHash }), { streams });
  return changeWithIcon(call, { folder: 'avatars', id: user.id }, input.avatar, change, ({ avatarHash }) => avatarHash);
}

async function limitUsernames({ limits: counted }: CallContext, { id }: User): Promise<void> {
  const { allowed } = await counted.take(USERNAMES_PER_BOT, String(id));
  if (allowed) return;
  const message = 'You are changing your username too fast. Try again later.';
  throw invalidInput({ path: 'username', code: 'USERNAME_RATE_LIMIT', message });
}

interface Columns {
  username?: string | undefined;
  globalName?: string | null | undefined;
  avatarHash?: string | null | undefined;
}

async function changeUser(
  call: CallContext,
  write: Write,
  id: bigint,
  columns: Columns,
): Promise<{ before: User; after: User }> {
  const before = await write.db.user.findUnique({ where: { id, deletedAt: null } });
  if (!before) throw new DomainError('UNAUTHENTICATED');
  const isChanged = ([column, value]: [string, unknown]) =>
    value !== undefined && value !== before[column as keyof Columns];
  if (!Object.entries(columns).some(isChanged)) return { before, after: before };
  const after = await write.db.user.update({ where: { id }, data: columns });
  if (columns.username !== undefined || columns.globalName !== undefined) await renameMemberships(write.db, after);
  write.record(after.bot ? { type: 'APPLICATION_UPDATED', applicationId: id } : { type: 'PERSON_UPDATED', userId: id });
  await showUserAnew(call, write, after);
  return { before, after };
}
