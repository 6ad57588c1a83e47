import type { Reader, User } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids.js';
import { allows, Permission } from '../permissions.js';
import type { AllowedMentions } from './body.js';

export interface Mentions {
  users: User[];
  roleIds: bigint[];
  everyone: boolean;
}

interface MentionContext {
  read: Reader;
  guildId: bigint;
  /** What the author may do in the channel. */
  permissions: bigint;
  /** For a reply: who is answered. */
  repliedUser: User | null;
  /** For an edit: whom the message mentions already. */
  mentionedUsers: User[];
}

/** The most ids of one kind that a text can mention. */
const MAX_IDS = 100;

/** Whom a text mentions, within what `allowed` lets it and the author may. */
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
  const pingsReplied = repliedUser !== null && (allowed ? allowed.replied_user === true : true);
  if (pingsReplied && !users.some((user) => user.id === repliedUser.id)) users.push(repliedUser);
  return {
    users,
    roleIds: mentionableRoleIds,
    everyone:
      /@(everyone|here)\b/.test(text) &&
      (!allowed || (allowed.parse?.includes('everyone') ?? false)) &&
      allows(context.permissions, Permission.MentionEveryone),
  };
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

/** Members of the guild, and those whom the channel's readers meet in these messages anyway; nobody else (decisions 96). */
async function findUsers(
  { read, guildId, repliedUser, mentionedUsers }: MentionContext,
  ids: bigint[],
): Promise<User[]> {
  if (ids.length === 0) return [];
  const memberships = await read.member.findMany({
    where: { guildId, userId: { in: ids } },
    select: { user: true },
  });
  const met = [...(repliedUser ? [repliedUser] : []), ...mentionedUsers, ...memberships.map(({ user }) => user)];
  const found = new Map(met.map((user) => [user.id, user]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

async function findMentionableRoles(context: MentionContext, ids: bigint[]): Promise<bigint[]> {
  if (ids.length === 0) return [];
  const roles = await context.read.role.findMany({
    where: {
      id: { in: ids },
      guildId: context.guildId,
      ...(allows(context.permissions, Permission.MentionEveryone) ? {} : { mentionable: true }),
    },
    select: { id: true },
  });
  const found = new Set(roles.map((role) => role.id));
  return ids.filter((id) => found.has(id));
}
