import { randomToken } from '../../infra/crypto/secrets.js';
import { Prisma } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { writePasswordLink } from '../accounts/password-reset.js';
import { endAccess } from '../accounts/sessions.js';
import type { CallContext, Write } from '../call.js';
import { findOrdinaryPerson, findPerson, type PersonAccount, requireOperator } from './access.js';
import { type InstancePage, idsOfPage, orderOf, searched, suspended } from './page.js';

export interface PeopleQuery extends InstancePage {
  /** Part of a username, display name or email address, or an id. */
  search?: string | undefined;
  isSuspended?: boolean | undefined;
}

/** In the page's direction, by id. @throws NOT_FOUND */
export async function listPeople(call: CallContext, query: PeopleQuery): Promise<PersonAccount[]> {
  await requireOperator(call, 'MODERATOR');
  const conditions = [
    ...searched(query.search, ['name', 'email', 'globalName']),
    ...suspended(query.isSuspended),
    Prisma.sql`"deletedAt" IS NULL`,
  ];
  const ids = await idsOfPage(call.read, { from: PEOPLE, conditions }, query);
  const orderBy = { userId: orderOf(query) };
  return call.read.authUser.findMany({ where: { userId: { in: ids } }, orderBy, include: { user: true } });
}

const PEOPLE = Prisma.sql`(
  SELECT u."id", a."name", a."email", u."globalName", a."suspendedAt", u."deletedAt"
  FROM "AuthUser" AS a JOIN "User" AS u ON u."id" = a."userId"
)`;

/** @throws NOT_FOUND, UNKNOWN_USER */
export async function getPerson(call: CallContext, personId: bigint): Promise<PersonAccount> {
  await requireOperator(call, 'MODERATOR');
  return findPerson(call.read, personId);
}

export interface PersonFigures {
  messages: number;
  servers: number;
  /** Servers that the person is a member of. */
  memberships: number;
  teams: number;
  applications: number;
  boxes: number;
}

/** Counts what the person wrote and owns. The caller must be an operator. */
export async function figuresOf({ read }: CallContext, userId: bigint): Promise<PersonFigures> {
  const [messages, servers, memberships, teams, applications, boxes] = await Promise.all([
    read.message.count({ where: { authorId: userId } }),
    read.guild.count({ where: { ownerId: userId, deletedAt: null } }),
    read.member.count({ where: { userId } }),
    read.team.count({ where: { ownerUserId: userId } }),
    read.application.count({ where: { ownerUserId: userId, deletedAt: null } }),
    read.box.count({ where: { ownerId: userId } }),
  ]);
  return { messages, servers, memberships, teams, applications, boxes };
}

interface Acted {
  personId: bigint;
  reason: string;
}

/**
 * The person's sessions, personal tokens and grants end, and their requests under way change nothing any more. Their
 * applications go on. On a suspended person, it changes the text.
 * @param input.text what the person reads when they sign in
 * @throws NOT_FOUND, UNKNOWN_USER, CONFLICT for an operator
 */
export function suspendPerson(call: CallContext, input: Acted & { text: string }): Promise<PersonAccount> {
  const { text } = input;
  return actOn(call, input, async (write, before) => {
    await endAccess(write, before);
    await write.audit({ action: 'PERSON_SUSPEND', targetId: before.userId, changes: { text } });
    write.record({ type: 'SUSPENDED', userId: before.userId });
    const suspendedAt = before.suspendedAt ?? new Date(call.clock.now());
    return { suspendedAt, suspensionText: text };
  });
}

/** The person can sign in again. @throws NOT_FOUND, UNKNOWN_USER, CONFLICT for an operator */
export function restorePerson(call: CallContext, input: Acted): Promise<PersonAccount> {
  return actOn(call, input, async (write, before) => {
    if (before.suspendedAt === null) return {};
    // A request that ran at the time of the suspension may have left something.
    await endAccess(write, before);
    await write.audit({ action: 'PERSON_RESTORE', targetId: before.userId });
    write.record({ type: 'RESTORED', userId: before.userId });
    return { suspendedAt: null, suspensionText: null };
  });
}

/** Ends all sessions, personal tokens and grants. @throws NOT_FOUND, UNKNOWN_USER, CONFLICT for an operator */
export function signOutPerson(call: CallContext, input: Acted): Promise<PersonAccount> {
  return actOn(call, input, async (write, before) => {
    await endAccess(write, before);
    await write.audit({ action: 'PERSON_SIGN_OUT', targetId: before.userId });
    return {};
  });
}

/**
 * Creates a link to choose a new password, for a person who cannot read their mail.
 * @throws NOT_FOUND, UNKNOWN_USER, CONFLICT for an operator
 */
export async function createPasswordLink(call: CallContext, input: Acted): Promise<string> {
  const token = randomToken(32);
  await actOn(call, input, async (write, before) => {
    await write.audit({ action: 'PERSON_PASSWORD_LINK', targetId: before.userId });
    await writePasswordLink(call, write, before.id, token);
    return {};
  });
  return `${call.passwordUrl}?token=${token}`;
}

type Columns = Pick<Prisma.AuthUserUncheckedUpdateInput, 'suspendedAt' | 'suspensionText'>;

async function actOn(
  call: CallContext,
  { personId, reason }: Acted,
  act: (write: Write, before: PersonAccount) => Promise<Columns>,
): Promise<PersonAccount> {
  await requireOperator(call, 'MODERATOR');
  return call.because(reason).write(
    async (write) => {
      await requireOperator(call, 'MODERATOR', write.db);
      const data = await act(write, await findOrdinaryPerson(write.db, personId));
      return write.db.authUser.update({ where: { userId: personId }, data, include: { user: true } });
    },
    { streams: [topics.user(personId)] },
  );
}
