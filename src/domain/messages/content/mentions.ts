import type { Reader, User } from '../../../infra/database/index.js';
import { parseSnowflake } from '../../../infra/ids/ids.js';
import { type ChannelAccess, permissionsIn } from '../../channels/access.js';
import { CHANNEL_OPERATIONS } from '../../guild-operations.js';
import { allows } from '../../permissions.js';
import type { AllowedMentions } from './body.js';

export interface Mentions {
  users: User[];
  roleIds: bigint[];
  everyone: boolean;
}

interface MentionContext {
  read: Reader;
  /** The channel, with the author's permissions. */
  place: ChannelAccess;
  /** The author of the referenced message. */
  repliedUser: User | null;
  /** Users already mentioned before an edit. */
  mentionedUsers: User[];
}

const MAX_IDS = 100;

export async function resolveMentions(
  text: string,
  allowed: AllowedMentions | undefined,
  context: MentionContext,
): Promise<Mentions> {
  const userIds = permitted(idsIn(text, /<@!?(\d{1,20})>/g), 'users', allowed);
  const roleIds = permitted(idsIn(text, /<@&(\d{1,20})>/g), 'roles', allowed);
  const [users, mentionableRoleIds] = await Promise.all([
    findUsers(context, userIds),
    findMentionableRoles(context, roleIds),
  ]);
  const { repliedUser } = context;
  const pingsReplied = repliedUser !== null && (allowed ? allowed.repliedUser === true : true);
  if (pingsReplied && !users.some((user) => user.id === repliedUser.id)) users.push(repliedUser);
  return {
    users,
    roleIds: mentionableRoleIds,
    everyone:
      /@(everyone|here)\b/.test(text) &&
      (!allowed || (allowed.parse?.includes('everyone') ?? false)) &&
      mayMentionAll(context),
  };
}

export function mentionColumns(mentions: Mentions) {
  return {
    mentionUserIds: mentions.users.map((user) => String(user.id)),
    mentionRoleIds: mentions.roleIds.map(String),
    mentionEveryone: mentions.everyone,
  };
}

function mayMentionAll({ place }: MentionContext): boolean {
  return allows(permissionsIn(place), CHANNEL_OPERATIONS.mentionEveryone);
}

function idsIn(text: string, pattern: RegExp): bigint[] {
  const ids = new Set<bigint>();
  for (const match of text.matchAll(pattern)) {
    const id = parseSnowflake(match[1] ?? '');
    if (id !== undefined) ids.add(id);
    if (ids.size === MAX_IDS) break;
  }
  return [...ids];
}

function permitted(ids: bigint[], kind: 'users' | 'roles', allowed: AllowedMentions | undefined): bigint[] {
  if (!allowed || allowed.parse?.includes(kind)) return ids;
  return ids.filter((id) => allowed[kind]?.includes(id));
}

/** Other users' ids stay text, so that an id does not reveal a private application's name. */
async function findUsers(context: MentionContext, ids: bigint[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const { repliedUser, mentionedUsers } = context;
  const met = [
    ...(repliedUser ? [repliedUser] : []),
    ...mentionedUsers,
    ...(await findMembersOrRecipients(context, ids)),
  ];
  const found = new Map(met.map((user) => [user.id, user]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

async function findMembersOrRecipients({ read, place }: MentionContext, ids: bigint[]): Promise<User[]> {
  if (place.kind === 'direct') {
    return read.user.findMany({ where: { id: { in: ids.filter((id) => place.recipientIds.includes(id)) } } });
  }
  const memberships = await read.member.findMany({
    where: { guildId: place.guildId, userId: { in: ids } },
    select: { user: true },
  });
  return memberships.map(({ user }) => user);
}

async function findMentionableRoles(context: MentionContext, ids: bigint[]): Promise<bigint[]> {
  const { read, place } = context;
  if (ids.length === 0 || place.kind === 'direct') return [];
  const roles = await read.role.findMany({
    where: {
      id: { in: ids },
      guildId: place.guildId,
      ...(mayMentionAll(context) ? {} : { mentionable: true }),
    },
    select: { id: true },
  });
  const found = new Set(roles.map((role) => role.id));
  return ids.filter((id) => found.has(id));
}
