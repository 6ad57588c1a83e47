import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../src/context.js';
import type { CallContext } from '../../src/domain/call.js';
import { kickMember, updateMember } from '../../src/domain/members/index.js';
import { addReaction, deleteMessage, editMessage, sendMessage, startTyping } from '../../src/domain/messages/index.js';
import type { User } from '../../src/infra/database/index.js';
import { hearGuild } from '../harness/bus.js';
import { test } from '../harness/fixtures.js';
import { createPerson } from '../harness/rows.js';
import { addMember, callOf, createGuild, say, type TestGuild, toSend } from '../harness/world.js';

let app: AppContext;
let guild: TestGuild;
let ada: User;
/** A call of ada that began before the changes. */
let earlier: CallContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});
beforeEach(async () => {
  guild = await createGuild(app);
  ada = await createPerson(app);
  await addMember(app, guild.id, ada);
  earlier = callOf(app, ada);
});

const asOwner = () => callOf(app, guild.owner);
const rename = (nick: string) => updateMember(asOwner(), { guildId: guild.id, userId: ada.id, nick });
const place = () => ({ channelId: guild.channel.id });
const replyTo = (call: CallContext, messageId: bigint) =>
  sendMessage(call, {
    ...place(),
    body: toSend({ content: 'a reply', message_reference: { message_id: String(messageId) } }),
  });

function told(...names: string[]) {
  const { events } = hearGuild({ app }, guild.id);
  return () => events.filter(({ type }) => names.includes(type)).map(({ data }) => JSON.parse(data));
}

describe('G-62 an event omits what changed since its call began:', () => {
  test('the membership of a user who writes, reacts or types', async () => {
    const { id: messageId } = await say(app, guild, ada, 'hello');
    const heard = told('MESSAGE_CREATE', 'MESSAGE_REACTION_ADD', 'TYPING_START');
    await rename('Countess');
    for (const call of [earlier, callOf(app, ada)]) {
      await sendMessage(call, { ...place(), body: toSend({ content: 'hello' }) });
      await addReaction(call, { ...place(), messageId, emoji: call === earlier ? '👍' : '🎉' });
      await startTyping(call, place());
    }
    const nicks = heard().map(({ member }) => member?.nick);
    expect(nicks).toEqual([undefined, undefined, undefined, 'Countess', 'Countess', 'Countess']);
  });

  test('the membership of a user who left', async () => {
    const heard = told('MESSAGE_CREATE');
    await kickMember(asOwner(), { guildId: guild.id, userId: ada.id });
    const event = { channelId: guild.channel.id, guildId: guild.id, user: ada, startedAt: 0 };
    const typing = told('TYPING_START');
    const member = { nick: null, joinedAt: new Date(0), communicationDisabledUntil: null, mute: false, deaf: false };
    const facts = { ...member, temporary: false, awayMessage: null, awaySince: null, roleIds: [] };
    earlier.announce({ type: 'TYPING_START', ...event, member: facts });
    callOf(app, ada).announce({ type: 'TYPING_START', ...event, member: facts });
    expect(typing().map((one) => 'member' in one)).toEqual([false, true]);
    expect(heard()).toEqual([]);
  });

  test.each<[string, (messageId: bigint) => Promise<unknown>]>([
    ['edited', (messageId) => editMessage(asOwner(), { ...place(), messageId, body: toSend({ content: 'new' }) })],
    ['deleted', (messageId) => deleteMessage(asOwner(), { ...place(), messageId })],
  ])('the target of a reply that was %s', async (_what, change) => {
    const { id } = await say(app, guild, guild.owner, 'old');
    const { id: kept } = await say(app, guild, guild.owner, 'kept');
    const message = await replyTo(callOf(app, ada), id);
    const heard = told('MESSAGE_UPDATE');
    await change(id);
    const body = toSend({ content: 'edited' });
    await editMessage(earlier, { ...place(), messageId: message.id, body });
    const [mine] = heard().filter(({ author }) => author.id === String(ada.id));
    expect(mine.message_reference.message_id).toBe(String(id));
    expect(mine.referenced_message ?? null).toBeNull();
    const created = told('MESSAGE_CREATE');
    await replyTo(earlier, kept);
    expect(created()[0].referenced_message.content).toBe('kept');
  });
});
