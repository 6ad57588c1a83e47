import { beforeEach, describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import type { BusMessage } from '../../../src/domain/bus-message.js';
import type { CallContext } from '../../../src/domain/call.js';
import { leaveGuild } from '../../../src/domain/guilds/index.js';
import { endProcess } from '../../../src/domain/presences/index.js';
import { publishPresence } from '../../../src/domain/presences/publish.js';
import type { Status } from '../../../src/domain/presences/record.js';
import { type ConnectionState, storeConnections } from '../../../src/domain/presences/store.js';
import type { User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import { addMember, callOf, createGuild, joinGuildAs, type TestGuild } from '../../harness/world.js';

let app: AppContext;
let call: CallContext;
let guild: TestGuild;
let visitor: User;
let events: BusMessage[];
test.beforeAll(({ server }) => {
  ({ app } = server);
  call = callContext(app, { kind: 'anonymous' });
});
beforeEach(async () => {
  guild = await createGuild(app);
  visitor = await createPerson(app);
  await addMember(app, guild.id, visitor);
  await app.db.writer.member.updateMany({ where: { userId: visitor.id }, data: { temporary: true } });
  ({ events } = hearGuild({ app }, guild.id));
});

const visits = () => app.db.reader.member.count({ where: { userId: visitor.id } });
const told = () =>
  events
    .filter(({ userId }) => userId === String(visitor.id))
    .map(({ type, data }) => [type, JSON.parse(data).status ?? '']);

const connection = (id: string, status: Status = 'online'): ConnectionState => ({
  id: `${id} of ${visitor.id}`,
  userId: visitor.id,
  session: null,
  statement: { status, activities: [], since: null, afk: false },
  isInVoice: false,
});

describe('presences of one user', () => {
  test('from different processes are not followed by older ones', async () => {
    const [online] = await storeConnections(call, [connection('one', 'online')]);
    const [idle] = await storeConnections(call, [connection('other', 'idle')]);
    if (!online || !idle) throw new Error('two changes are stored');
    for (const change of [idle, online]) await publishPresence(call, change);
    expect(told()).toEqual([['PRESENCE_UPDATE', 'idle']]);
  });

  test('are ordered with those that are published with the membership', async () => {
    await storeConnections(call, [connection('one', 'dnd')]);
    const [idle] = await storeConnections(call, [connection('other', 'idle')]);
    await leaveGuild(callOf(app, visitor), guild.id);
    await storeConnections(call, [connection('third', 'online')]);
    await joinGuildAs(app, guild.id, visitor);
    if (idle) await publishPresence(call, idle);
    expect(told()).toEqual([
      ['GUILD_MEMBER_REMOVE', ''],
      ['GUILD_MEMBER_ADD', ''],
      ['PRESENCE_UPDATE', 'online'],
    ]);
  });
});

describe('a temporary member', () => {
  const close = (one: ConnectionState) => storeConnections(call, [{ ...one, statement: null }]);

  test('leaves once if their last two connections, to different processes, close at once', async () => {
    const [one, other] = [connection('one'), connection('other')];
    await storeConnections(call, [one]);
    await storeConnections(call, [other]);
    const changes = await Promise.all([close(one), close(other)]);
    expect(changes.flat().map(({ after }) => after.status)).toContain('offline');
    expect(await visits()).toBe(0);
    expect(told()).toEqual([['GUILD_MEMBER_REMOVE', '']]);
    expect(await app.db.reader.presence.count({ where: { userId: visitor.id } })).toBe(0);
  });

  test('stays if one of two connections, to different processes, closes as another begins', async () => {
    const [one, other, next] = [connection('one'), connection('other'), connection('next')];
    await storeConnections(call, [one]);
    await storeConnections(call, [other]);
    await Promise.all([close(one), storeConnections(call, [next]), close(other)]);
    // Either the closes came first, or the next connection.
    expect(told()).toEqual((await visits()) === 0 ? [['GUILD_MEMBER_REMOVE', '']] : []);
    await close(next);
    expect(await visits()).toBe(0);
  });
});

describe('a dead process', () => {
  /** More than one transaction ends. The visitor's connection comes last. */
  const CONNECTIONS = 250;

  test('ends once if two others end it at once, with all temporary memberships', async () => {
    const processId = `dead ${guild.id}`;
    const { id: ownerId } = guild.owner;
    await app.db.writer.liveProcess.create({ data: { id: processId, until: new Date(0) } });
    const row = { processId, status: 'online', activities: [] };
    const data = Array.from({ length: CONNECTIONS }, (_, n) => ({
      ...row,
      sessionId: `${n === CONNECTIONS - 1 ? 'b' : 'a'} ${n} of ${guild.id}`,
      userId: n === CONNECTIONS - 1 ? visitor.id : ownerId,
      statementId: BigInt(n + 1),
    }));
    await app.db.writer.presence.createMany({ data });
    await Promise.all([endProcess(call, processId, true), endProcess(call, processId, true)]);
    expect(await app.db.reader.liveProcess.count({ where: { id: processId } })).toBe(0);
    expect(await visits()).toBe(0);
    expect(told()).toEqual([['GUILD_MEMBER_REMOVE', '']]);
  });
});
