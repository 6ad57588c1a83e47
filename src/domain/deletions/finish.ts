import { drainInBatches, yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Transaction, User } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { removeApplication } from '../applications/delete.js';
import { removeBox } from '../boxes/delete.js';
import { reminderKeys } from '../built-in-commands/reminders/add.js';
import type { CallContext, Write } from '../call.js';
import { DomainError, type ErrorCode } from '../errors.js';
import { hideGuild } from '../guilds/delete.js';
import { deleteInstallations } from '../installations/uninstall.js';
import { folderOf } from '../interactions/files.js';
import { endMembership } from '../members/remove.js';
import { removeGrants } from '../oauth/expired.js';
import { LONGEST_REQUEST_MS } from '../operators/recent-suspensions.js';
import { removeTeam } from '../teams/delete.js';
import { DELETED_NAME, deletionKey } from './begin.js';
import { removeEphemeralFor, removeMessagesOf, removeReactionsOf } from './messages.js';
import type { DeletionPayload } from './payload.js';
import { removeTraces } from './traces.js';

/** Blocks other SQLite writers for a few milliseconds. */
const ROWS_PER_STATEMENT = 200;

/**
 * Removes what a deleted person owns, their memberships, and everything that names them. Idempotent, so it can resume.
 * It runs again when every request is over that was under way at the deletion.
 * @throws `signal.reason` when aborted
 */
export async function finishPersonDeletion(
  call: CallContext,
  payload: DeletionPayload,
  signal: AbortSignal,
): Promise<void> {
  const userId = BigInt(payload.personId);
  const user = await call.read.user.findUnique({ where: { id: userId, deletedAt: { not: null } } });
  if (!user) return;
  await removeLateProfile(call, user);
  await removeOwned(call, userId, signal);
  await leaveServers(call, user, signal);
  if (payload.withMessages) {
    await removeReactionsOf(call, userId, signal);
    await removeMessagesOf(call, userId, signal);
  }
  await removeEphemeralFor(call, userId, signal);
  await removeInstallations(call, userId, signal);
  await removeInteractions(call, userId, signal);
  await removeRows(call, userId, signal);
  await removeTraces(call, { userId, names: payload.names, email: payload.email }, signal);
  await call.blobs.remove(`avatars/${userId}/`);
  if (!payload.isSweep) await addSweep(call, payload);
}

/** A request under way may still have changed the profile, or begun a grant or a token. */
async function removeLateProfile(call: CallContext, { id: userId }: User): Promise<void> {
  const nameless = { username: DELETED_NAME, handle: null, globalName: null, avatarHash: null };
  await call.writeOne((db) => db.user.updateMany({ where: { id: userId }, data: nameless }));
  await call.writeOne((db) => db.personalToken.deleteMany({ where: { userId } }));
}

const GONE: readonly ErrorCode[] = ['UNKNOWN_GUILD', 'UNKNOWN_APPLICATION', 'UNKNOWN_TEAM', 'UNKNOWN_BOX'];

/** Something may be deleted or handed over in the meantime. */
async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof DomainError) || !GONE.includes(error.code)) throw error;
  }
}

async function removeOwned(call: CallContext, userId: bigint, signal: AbortSignal): Promise<void> {
  const { read } = call;
  const select = { id: true } as const;
  const each = async <Row>(rows: Row[], remove: (row: Row) => Promise<void>) => {
    for (const row of rows) {
      await yieldToEventLoop();
      signal.throwIfAborted();
      await unlessGone(remove(row));
    }
  };
  const guilds = await read.guild.findMany({ where: { ownerId: userId, deletedAt: null }, select });
  await each(guilds, ({ id }) =>
    hideGuild(call, id, async ({ db }) => {
      if ((await db.guild.count({ where: { id, ownerId: userId } })) === 0) throw new DomainError('UNKNOWN_GUILD');
    }),
  );
  const teams = await read.team.findMany({ where: { ownerUserId: userId }, select });
  const ownerTeamId = { in: teams.map(({ id }) => id) };
  const owner = { OR: [{ ownerUserId: userId }, { ownerTeamId }], deletedAt: null };
  const applications = await read.application.findMany({ where: owner, select: { id: true, ownerTeamId: true } });
  await each(applications, (application) =>
    removeApplication(call, application, (db) =>
      found('UNKNOWN_APPLICATION', db.application.findFirst({ where: { ...owner, id: application.id } })),
    ),
  );
  await each(teams, ({ id }) =>
    removeTeam(call, id, (db) => found('UNKNOWN_TEAM', db.team.findFirst({ where: { id, ownerUserId: userId } }))),
  );
  const boxes = await read.box.findMany({ where: { ownerId: userId }, select });
  await each(boxes, ({ id }) =>
    removeBox(call, id, (db) => found('UNKNOWN_BOX', db.box.findFirst({ where: { id, ownerId: userId } }))),
  );
}

async function found<Row>(code: 'UNKNOWN_APPLICATION' | 'UNKNOWN_TEAM' | 'UNKNOWN_BOX', row: Promise<Row | null>) {
  const known = await row;
  if (known === null) throw new DomainError(code);
  return known;
}

const SERVERS_PER_ROUND = 50;

async function leaveServers(call: CallContext, user: User, signal: AbortSignal): Promise<void> {
  const { id: userId } = user;
  await drainInBatches(signal, async () => {
    const select = { guildId: true } as const;
    const page = await call.read.member.findMany({ where: { userId }, select, take: SERVERS_PER_ROUND });
    for (const { guildId } of page) {
      await yieldToEventLoop();
      const leave = (write: Write) => endMembership(call, write, guildId, user);
      await call.write(leave, { streams: [topics.guild(guildId), topics.user(userId)] });
    }
    return page.length === SERVERS_PER_ROUND;
  });
}

async function removeInstallations(call: CallContext, userId: bigint, signal: AbortSignal): Promise<void> {
  const select = { applicationId: true } as const;
  for (const { applicationId } of await call.read.installation.findMany({ where: { userId }, select })) {
    await yieldToEventLoop();
    signal.throwIfAborted();
    const remove = async (write: Write) => {
      await deleteInstallations(call, write, { where: { applicationId, userId } });
      write.record({ type: 'COMMAND_ACCESS_UPDATED', applicationId });
    };
    await call.write(remove, { streams: [topics.application(applicationId)] });
  }
}

async function removeInteractions(call: CallContext, userId: bigint, signal: AbortSignal): Promise<void> {
  await drainInBatches(signal, async () => {
    const interactions = await call.read.interaction.findMany({
      where: { userId },
      select: { id: true, files: { select: { id: true }, take: 1 } },
      take: ROWS_PER_STATEMENT,
    });
    for (const { id, files } of interactions) if (files.length > 0) await call.blobs.remove(folderOf(id));
    const ids = interactions.map(({ id }) => id);
    await call.writeOne((db) => db.interaction.deleteMany({ where: { id: { in: ids } } }));
    return interactions.length === ROWS_PER_STATEMENT;
  });
}

async function removeRows(call: CallContext, userId: bigint, signal: AbortSignal): Promise<void> {
  const some = { where: { userId }, limit: ROWS_PER_STATEMENT };
  const kinds: ((db: Transaction) => Promise<{ count: number }>)[] = [
    (db) => db.job.deleteMany({ where: { key: { in: reminderKeys(userId) } } }),
    (db) => db.tester.deleteMany(some),
    (db) => db.teamMember.deleteMany(some),
    (db) => db.teamInvitation.deleteMany({ ...some, where: { OR: [{ inviteeId: userId }, { inviterId: userId }] } }),
    (db) => db.presence.deleteMany(some),
    (db) => db.voiceState.deleteMany(some),
    (db) => db.keptTimeout.deleteMany(some),
    (db) => db.slowMode.deleteMany(some),
    (db) => db.instanceLimit.deleteMany({ ...some, where: { subject: String(userId) } }),
  ];
  for (const removeSome of kinds) {
    await drainInBatches(signal, async () => (await call.writeOne(removeSome)).count === ROWS_PER_STATEMENT);
  }
  await removeFailedReminders(call, userId);
  const grants = { where: { userId }, orderBy: { id: 'asc' } } as const;
  for await (const _batch of removeGrants(call.read, call.writeOne, grants, ROWS_PER_STATEMENT)) {
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
}

/** A failed job has no key. */
async function removeFailedReminders(call: CallContext, userId: bigint): Promise<void> {
  const failed = await call.read.job.findMany({ where: { kind: 'reminder', diedAt: { not: null } } });
  const ids = failed.filter(({ payload }) => JSON.stringify(payload).includes(`"${userId}"`)).map(({ id }) => id);
  await call.writeOne((db) => db.job.deleteMany({ where: { id: { in: ids } } }));
}

async function addSweep(call: CallContext, payload: DeletionPayload): Promise<void> {
  const dueAt = call.clock.now() + LONGEST_REQUEST_MS;
  const key = `${deletionKey(BigInt(payload.personId))}:sweep`;
  await call.write(({ addJob }) =>
    addJob({ kind: 'delete-person', key, payload: { ...payload, isSweep: true }, dueAt }),
  );
}
