import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import type { CallContext } from '../../../src/domain/call.js';
import { Permission } from '../../../src/domain/permissions.js';
import { createTeam } from '../../../src/domain/teams/index.js';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listChannelWebhooks,
  listGuildWebhooks,
  updateWebhook,
} from '../../../src/domain/webhooks/index.js';
import type { TeamMemberRole, User } from '../../../src/infra/database/index.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { createPerson, permitEveryone, putWebhook } from '../../harness/rows.js';
import {
  addMember,
  callOf,
  createBot,
  createChannel,
  createGuild,
  type TestBot,
  type TestGuild,
} from '../../harness/world.js';

/** Access is for developers of the application, and for members with ManageGuild in the server. */

let app: AppContext;
let bot: TestBot;
let guild: TestGuild;
let there: bigint;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  bot = await createBot(app);
  guild = await createGuild(app);
  there = (await createChannel(app, guild.id, 'there')).id;
  const team = await createTeam(callOf(app, bot.owner), { name: 'Builders' });
  await app.db.writer.application.update({
    where: { id: bot.id },
    data: { ownerUserId: null, ownerTeamId: team.id },
  });
  app.publish({ type: 'APPLICATION_UPDATED', applicationId: bot.id });
});

const READS = Permission.ViewChannel;
const MANAGES = READS | Permission.ManageGuild;

/** Creates a user with a role in the application's team, who is a member of the server if `permissions` is not null. */
async function somebody(role: TeamMemberRole | 'OWNER' | null, permissions: bigint | null): Promise<CallContext> {
  const user: User = role === 'OWNER' ? bot.owner : await createPerson(app);
  const { ownerTeamId: teamId } = await app.db.reader.application.findUniqueOrThrow({ where: { id: bot.id } });
  if (role !== null && role !== 'OWNER' && teamId !== null) {
    await app.db.writer.teamMember.create({ data: { teamId, userId: user.id, role, joinedAt: new Date() } });
  }
  if (permissions !== null) {
    await addMember(app, guild.id, user);
    await permitEveryone(app, guild.id, permissions);
  }
  return callOf(app, user);
}

const hookOf = async () => (await putWebhook(app, { bot, guild })).webhook.id;

async function attempts(call: CallContext) {
  const of = { applicationId: bot.id, channelId: guild.channel.id, name: 'Herald' };
  return {
    create: await outcome(createWebhook(call, of)),
    view: await outcome(getWebhook(call, await hookOf())),
    rename: await outcome(updateWebhook(call, await hookOf(), { name: 'Crier' })),
    move: await outcome(updateWebhook(call, await hookOf(), { channelId: there })),
    moveToWhereItIs: await outcome(updateWebhook(call, await hookOf(), { channelId: guild.channel.id })),
    delete: await outcome(deleteWebhook(call, await hookOf())),
    list: await outcome(listGuildWebhooks(call, guild.id)),
    listOfChannel: await outcome(listChannelWebhooks(call, guild.channel.id)),
  };
}

type Outcomes = Awaited<ReturnType<typeof attempts>>;
const all = (code: Outcomes['view']): Outcomes => ({
  create: code,
  view: code,
  rename: code,
  move: code,
  moveToWhereItIs: code,
  delete: code,
  list: code,
  listOfChannel: code,
});
const OUTSIDE = {
  create: 'UNKNOWN_CHANNEL',
  move: 'UNKNOWN_CHANNEL',
  moveToWhereItIs: 'UNKNOWN_CHANNEL',
  list: 'UNKNOWN_GUILD',
  listOfChannel: 'UNKNOWN_CHANNEL',
} as const;
const WITHOUT_RIGHT = {
  create: 'MISSING_PERMISSIONS',
  list: 'MISSING_PERMISSIONS',
  listOfChannel: 'MISSING_PERMISSIONS',
} as const;

/** The outcomes for users who may view and delete a webhook, but not change it. */
const LOOKING_AFTER = {
  rename: 'MISSING_PERMISSIONS',
  move: 'MISSING_PERMISSIONS',
  moveToWhereItIs: 'MISSING_PERMISSIONS',
} as const;

const PEOPLE: [role: TeamMemberRole | 'OWNER' | null, permissions: bigint | null, outcomes: Outcomes][] = [
  ...(['OWNER', 'ADMIN', 'DEVELOPER'] as const).flatMap((role): typeof PEOPLE => [
    [role, MANAGES, all('ok')],
    [role, READS, { ...all('ok'), ...WITHOUT_RIGHT }],
    [role, null, { ...all('ok'), ...OUTSIDE }],
  ]),
  ['READ_ONLY', MANAGES, { ...all('ok'), ...LOOKING_AFTER, create: 'MISSING_PERMISSIONS' }],
  ['READ_ONLY', READS, { ...all('MISSING_PERMISSIONS'), view: 'ok' }],
  [
    'READ_ONLY',
    null,
    { ...all('MISSING_PERMISSIONS'), view: 'ok', list: 'UNKNOWN_GUILD', listOfChannel: 'UNKNOWN_CHANNEL' },
  ],
  [null, MANAGES, { ...all('ok'), ...LOOKING_AFTER, create: 'UNKNOWN_APPLICATION' }],
  [null, READS, { ...all('MISSING_PERMISSIONS'), create: 'UNKNOWN_APPLICATION' }],
  [
    null,
    null,
    {
      ...all('UNKNOWN_WEBHOOK'),
      create: 'UNKNOWN_APPLICATION',
      list: 'UNKNOWN_GUILD',
      listOfChannel: 'UNKNOWN_CHANNEL',
    },
  ],
];

describe('the access of a user to a webhook', () => {
  const named = PEOPLE.map(([role, permissions, outcomes]) => {
    const where = permissions === null ? 'outside' : permissions === MANAGES ? 'with manage_server' : 'without it';
    return [role ?? 'nobody of the application', where, role, permissions, outcomes] as const;
  });

  test.each(named)('depends on role and permissions: %s, %s', async (_who, _where, role, permissions, outcomes) => {
    expect(await attempts(await somebody(role, permissions))).toEqual(outcomes);
  });

  test('is refused to anonymous callers', async () => {
    const nobody: CallContext = { ...(await somebody(null, null)), actor: { kind: 'anonymous' } };
    expect(Object.values(await attempts(nobody))).toEqual(Array(8).fill('UNAUTHENTICATED'));
  });

  test('is impossible after its deletion', async () => {
    const call = await somebody('OWNER', MANAGES);
    const { id } = (await putWebhook(app, { bot, guild }, { deletedAt: new Date() })).webhook;
    expect(await outcome(getWebhook(call, id))).toBe('UNKNOWN_WEBHOOK');
    expect(await outcome(updateWebhook(call, id, { name: 'Crier' }))).toBe('UNKNOWN_WEBHOOK');
    expect(await outcome(deleteWebhook(call, id))).toBe('UNKNOWN_WEBHOOK');
  });
});
