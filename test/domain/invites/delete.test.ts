import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createChannel } from '../../../src/domain/channels/index.js';
import { findInvite } from '../../../src/domain/invites/find.js';
import { createInvite, deleteInvite, manageableInvites } from '../../../src/domain/invites/index.js';
import { Permission } from '../../../src/domain/permissions.js';
import type { User } from '../../../src/infra/database/index.js';
import { hearGuild } from '../../harness/bus.js';
import { test } from '../../harness/fixtures.js';
import { createPerson } from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import { addMember, callOf, createBot, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
});

const make = (channelId = guild.channel.id) => createInvite(callOf(app, guild.owner), channelId);

describe('the deletion of an invite', () => {
  test('is refused to users and bots outside the server', async () => {
    const { code } = await make();
    for (const user of [await createPerson(app), (await createBot(app)).user]) {
      await expect(deleteInvite(callOf(app, user), code)).rejects.toMatchObject({ code: 'UNKNOWN_INVITE' });
    }
    expect(await findInvite(app.db.reader, app.clock.now(), code)).toMatchObject({ code });
  });

  test('happens once and is published once for two requests', async () => {
    const { code } = await make();
    const { events } = hearGuild({ app }, guild.id);
    const remove = () => deleteInvite(callOf(app, guild.owner), code);
    const ended = await Promise.allSettled([remove(), remove()]);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ended).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining({ code: 'UNKNOWN_INVITE' }) }),
    );
    expect(events.map(({ type }) => type)).toEqual(['GUILD_AUDIT_LOG_ENTRY_CREATE', 'INVITE_DELETE']);
    const where = { guildId: guild.id, action: 'INVITE_DELETE' };
    expect(await app.db.reader.auditEntry.count({ where })).toBe(1);
  });
});

test('a member who manages one channel sees and deletes its invites and their own', async () => {
  const { id: managed } = await createChannel(callOf(app, guild.owner), guild.id, { name: 'managed' });
  const ada = await createPerson(app);
  const bits = { allow: Permission.ManageChannels, deny: 0n };
  await app.db.writer.channelOverwrite.create({
    data: { channelId: managed, targetId: ada.id, targetType: 1, ...bits },
  });
  await addMember(app, guild.id, ada);
  const [there, elsewhere] = [await make(managed), await make()];
  const own = await createInvite(callOf(app, ada), guild.channel.id);
  expect(await listed(ada)).toEqual([there.code, own.code].sort());
  const refused = deleteInvite(callOf(app, ada), elsewhere.code);
  await expect(refused).rejects.toMatchObject({ code: 'MISSING_PERMISSIONS' });
  await deleteInvite(callOf(app, ada), there.code);
  await deleteInvite(callOf(app, ada), own.code);
  expect(await listed(guild.owner)).toEqual([elsewhere.code]);
});

async function listed(user: User): Promise<string[]> {
  const where = await manageableInvites(callOf(app, user), guild.id);
  return (await app.db.reader.invite.findMany({ where })).map(({ code }) => code).sort();
}

test.each(['', 'short', 'Aa00000', 'Aa0000000', 'Aa0000\0x', 'Aa-00000', 'ÄÖÜäöüßé'])(
  'a text that is not a code causes no query: %j',
  async (text) => {
    expect(await statementsOf(() => findInvite(app.db.reader, 0, text))).toEqual([]);
  },
);

test("the last place for an invite goes to one of two at once, and other servers' invites do not count", async () => {
  const other = await createGuild(app);
  const row = { guildId: other.id, channelId: other.channel.id, inviterId: other.owner.id };
  const data = Array.from({ length: 999 }, (_, n) => ({ ...row, code: `o${other.id}${n}`, createdAt: new Date(0) }));
  await app.db.writer.invite.createMany({ data });
  await make();
  const more = () => createInvite(callOf(app, other.owner), other.channel.id);
  const ended = await Promise.allSettled([more(), more()]);
  const refused = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  expect(refused).toEqual([expect.objectContaining({ code: 'LIMIT_EXCEEDED' })]);
  await make();
});
