import { expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { banMember, listBans } from '../../../src/domain/bans/index.js';
import type { CallContext } from '../../../src/domain/call.js';
import { addMemberRole, kickMember, listMembers, updateMember } from '../../../src/domain/members/index.js';
import { createRole, listRoles } from '../../../src/domain/roles/index.js';
import { test } from '../../harness/fixtures.js';
import { addCrowd, createPerson } from '../../harness/rows.js';
import { statementsOf } from '../../harness/statements.js';
import { addMember, callOf, createGuild, type TestGuild } from '../../harness/world.js';

let app: AppContext;
let guild: TestGuild;
let owner: CallContext;
test.beforeAll(async ({ server }) => {
  ({ app } = server);
  guild = await createGuild(app);
  owner = callOf(app, guild.owner);
  await addCrowd(app, guild.id, 300);
  await listRoles(owner, guild.id);
});

/** Counts statements with a cached guild, without those that begin and end a transaction. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const statements = await statementsOf(work);
  return statements.filter((statement) => !/^(BEGIN|COMMIT|SET)|"(StreamClock|LiveProcess)"/i.test(statement)).length;
}

test('reads do not grow with the guild', async () => {
  expect(await cost(() => listMembers(owner, { guildId: guild.id, limit: 100 }))).toBeLessThanOrEqual(3);
  expect(await cost(() => listBans(owner, { guildId: guild.id, limit: 100 }))).toBeLessThanOrEqual(2);
  expect(await cost(() => listRoles(owner, guild.id))).toBeLessThanOrEqual(2);
});

test('writes take a fixed number of statements', async () => {
  const ada = await createPerson(app);
  await addMember(app, guild.id, ada);
  const role = await createRole(owner, guild.id, { permissions: 0n });
  await listRoles(owner, guild.id);
  const key = { guildId: guild.id, userId: ada.id };
  await owner.guilds.view(guild.id);
  await owner.guilds.member(guild.id, guild.owner.id);
  expect(await cost(() => updateMember(owner, { ...key, nick: 'Heron' }))).toBe(6);
  expect(await cost(() => addMemberRole(owner, { ...key, roleId: role.id }))).toBe(7);
  expect(await cost(() => kickMember(owner, key))).toBe(9);
  expect(await cost(() => banMember(owner, key))).toBe(7);
});
