import { expect } from 'vitest';
import { createApplication } from '../src/domain/applications/index.js';
import type { BusMessage } from '../src/domain/bus-message.js';
import { createGuild, joinGuild } from '../src/domain/guilds/index.js';
import { installApplication } from '../src/domain/installations/index.js';
import { createInvite } from '../src/domain/invites/index.js';
import type { User } from '../src/infra/database/index.js';
import type { Server } from '../src/server.js';
import { hearGuild } from './harness/bus.js';
import { test } from './harness/fixtures.js';
import { insertApplication, insertBotMember, insertGuild, insertMember } from './harness/inserted.js';
import { createPerson } from './harness/rows.js';
import { callOf } from './harness/world.js';

type App = Server['app'];

/** A guild of one owner, with a second user and the owner's bot as members. */
interface Made {
  owner: User;
  person: User;
  guildId: bigint;
  applicationId: bigint;
  events: BusMessage[];
}

async function byTheirFunctions(app: App, [owner, person]: [User, User]): Promise<Made> {
  const call = callOf(app, owner);
  const { application } = await createApplication(call, { name: 'Helper' });
  const { id: guildId, systemChannelId } = await createGuild(call, { name: 'Harbour' });
  const invite = await createInvite(call, systemChannelId ?? 0n);
  const { events } = hearGuild({ app }, guildId);
  await installApplication(call, { applicationId: application.id, guildId, scopes: ['bot'], permissions: 0n });
  await joinGuild(callOf(app, person), invite.code);
  return { owner, person, guildId, applicationId: application.id, events };
}

async function byInsertion(app: App, [owner, person]: [User, User]): Promise<Made> {
  const { application, bot } = await insertApplication(app, owner, 'Helper');
  const { id: guildId } = await insertGuild(app, owner, 'Harbour');
  const { events } = hearGuild({ app }, guildId);
  await insertBotMember(app, guildId, bot);
  await insertMember(app, guildId, person);
  return { owner, person, guildId, applicationId: application.id, events };
}

/** All rows of it, without ids, times and secrets. */
async function storedOf({ db: { reader } }: App, made: Made) {
  const { guildId, applicationId } = made;
  const inGuild = { where: { guildId }, orderBy: { id: 'asc' } } as const;
  const rows = {
    guild: await reader.guild.findUnique({ where: { id: guildId } }),
    roles: await reader.role.findMany(inGuild),
    channels: await reader.channel.findMany({ ...inGuild, include: { overwrites: true } }),
    members: await reader.member.findMany({ where: { guildId }, orderBy: { userId: 'asc' }, include: { roles: true } }),
    installations: await reader.installation.findMany(inGuild),
    application: await reader.application.findUnique({ where: { id: applicationId }, include: { bot: true } }),
    entries: await reader.auditEntry.findMany({
      where: { OR: [{ guildId }, { applicationId }], action: { not: 'INVITE_CREATE' } },
      orderBy: { action: 'asc' },
    }),
  };
  return comparable(rows, made);
}

const eventsOf = (made: Made) =>
  comparable(
    made.events
      .filter(({ type }) => type !== 'INVITE_DELETE')
      .map(({ type, data }) => ({ type, data: JSON.parse(data) }))
      .sort((a, b) => (a.type < b.type ? -1 : 1)),
    made,
  );

const SECRET = /(Key|Hash|Prefix|Last4)$/;

function comparable(value: unknown, { owner, person, guildId, applicationId }: Made): unknown {
  const names = new Map([
    [String(owner.id), 'owner'],
    [String(person.id), 'person'],
    [String(guildId), 'guild'],
    [String(applicationId), 'application'],
  ]);
  const nameOf = (text: string) => names.get(text) ?? (/^\d{17,}$/.test(text) ? 'id' : text);
  const text = JSON.stringify(value, (key, field: unknown) => {
    if (SECRET.test(key) && typeof field === 'string' && !/Name|nick|username/i.test(key)) return 'secret';
    if (typeof field === 'bigint' || typeof field === 'string') {
      const shown = nameOf(String(field));
      return Number.isNaN(Date.parse(shown)) || !/^\d{4}-/.test(shown) ? shown : 'time';
    }
    return field;
  });
  const people = new RegExp(`(?:${owner.username}|${person.username})`, 'gi');
  return JSON.parse(text.replace(people, (name) => (name.toLowerCase() === owner.username ? 'ada' : 'bob')));
}

test('the insert helpers make the same rows and guild events as the functions of the platform', async ({
  server: { app },
}) => {
  const people = async (suffix: string): Promise<[User, User]> => [
    await createPerson(app, `owner${suffix}`),
    await createPerson(app, `person${suffix}`),
  ];
  const theirs = await byTheirFunctions(app, await people('one'));
  const inserted = await byInsertion(app, await people('two'));
  expect(await storedOf(app, inserted)).toEqual(await storedOf(app, theirs));
  expect(eventsOf(inserted)).toEqual(eventsOf(theirs));
});
