import { GatewayIntentBits } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_INTENTS, type Frame } from '../../harness/gateway-client.js';
import { alike, askOne, type Operation, openTwins, type Twin, type Twins } from '../../harness/twins.js';
import { channelOperations, guildOperations, roleOperations } from './operations/guilds.js';
import { memberOperations } from './operations/members.js';
import { messageOperations } from './operations/messages.js';
import { operationsAfterPeople } from './operations/people.js';
import { webhookOperations } from './operations/webhooks.js';
import { type Dispatched, Session } from './sessions.js';

const { GuildMembers, GuildPresences, MessageContent } = GatewayIntentBits;
const UNPRIVILEGED = ALL_INTENTS & ~(GuildMembers | GuildPresences | MessageContent);

let twins: Twins;
let full: Session;
let plain: Session;
beforeAll(async () => {
  twins = await openTwins();
  full = await Session.open(twins, twins.bots.bot.token);
  plain = await Session.open(twins, twins.bots.plain.token, { intents: UNPRIVILEGED });
}, 120_000);
afterAll(async () => {
  await Promise.all([full, plain].map(({ client }) => client.close()));
  await twins.stop();
});

let marks = 0;

async function dispatchesOf(twin: Twin, operation: Operation): Promise<{ full: Dispatched[]; plain: Dispatched[] }> {
  await askOne(twins, twin, operation);
  const mark = `mark ${++marks}`;
  const told = await full.until(twin, mark);
  return { full: told, plain: await plain.read(twin, mark) };
}

describe('the guild payloads of a bot (docs/gateway.md)', () => {
  const shown = (session: Session, at: 'cloud' | 'box') => {
    const { presences, ...guild } = session.created[at].d;
    return { presences, guild: alike(guild, twins[at], twins.all) };
  };

  it.each(['full', 'plain'] as const)('have the same GUILD_CREATE, except for presences: %s', (name) => {
    const session = { full, plain }[name];
    const [cloud, box] = [shown(session, 'cloud'), shown(session, 'box')];
    expect(box.guild).toEqual(cloud.guild);
    expect(box.presences).toEqual([]);
  });

  it.each([
    ['everybody', { query: '', limit: 0 }],
    ['two', { query: '', limit: 2 }],
    ['by name', { query: 'm', limit: 5, nonce: 'n' }],
    ['by ids', { user_ids: ['{mia}', '{bot}', '{stranger}', '{nothing}', 'x'], nonce: 'ids' }],
    ['with presences', { user_ids: ['{mia}'], presences: true }],
    ['who is not there', { query: 'nobody', limit: 1 }],
  ])('have the same chunks of members: %s', async (_what, request) => {
    for (const { client } of [full, plain]) {
      const chunkOf = async (twin: Twin) => {
        const ids = Object.fromEntries(twin.names);
        const text = JSON.stringify(request).replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? name);
        client.send(8, { guild_id: String(twin.guild.id), ...JSON.parse(text) });
        const { d }: Frame = await client.event('GUILD_MEMBERS_CHUNK');
        return alike(d, twin, twins.all);
      };
      expect(await chunkOf(twins.box)).toEqual(await chunkOf(twins.cloud));
    }
  });
});

describe('the events of a guild for a bot (service description, section 6)', () => {
  const nouns: [string, readonly Operation[]][] = [
    ['messages', messageOperations],
    ['members', memberOperations],
    ['settings', guildOperations],
    ['roles', roleOperations],
    ['channels', channelOperations],
    ['what people do', operationsAfterPeople],
    ['webhooks', webhookOperations],
  ];
  const seen = new Set<string | null>();

  it.each(nouns)(
    '%s: are the same for the same operations',
    async (_noun, operations) => {
      for (const operation of operations) {
        const cloud = await dispatchesOf(twins.cloud, operation);
        const box = await dispatchesOf(twins.box, operation);
        expect({ ask: operation.ask, ...box }).toEqual({ ask: operation.ask, ...cloud });
        for (const { t } of box.full) seen.add(t);
        for (const { t } of box.plain) expect(t).not.toMatch(/^GUILD_MEMBER_/);
      }
    },
    120_000,
  );

  it('include all events that boxes send, except for voice', () => {
    expect([...seen].sort()).toEqual([
      'CHANNEL_CREATE',
      'CHANNEL_DELETE',
      'CHANNEL_PINS_UPDATE',
      'CHANNEL_UPDATE',
      'GUILD_BAN_ADD',
      'GUILD_BAN_REMOVE',
      'GUILD_MEMBER_ADD',
      'GUILD_MEMBER_REMOVE',
      'GUILD_MEMBER_UPDATE',
      'GUILD_ROLE_CREATE',
      'GUILD_ROLE_DELETE',
      'GUILD_ROLE_UPDATE',
      'GUILD_UPDATE',
      'MESSAGE_CREATE',
      'MESSAGE_DELETE',
      'MESSAGE_DELETE_BULK',
      'MESSAGE_REACTION_ADD',
      'MESSAGE_REACTION_REMOVE',
      'MESSAGE_REACTION_REMOVE_ALL',
      'MESSAGE_REACTION_REMOVE_EMOJI',
      'MESSAGE_UPDATE',
      'TYPING_START',
      // The cloud publishes these, because it stores their rows.
      'WEBHOOKS_UPDATE',
    ]);
  });
});
