import { MessageFlags, MessageType } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WITH_ROLES_AND_EMOJIS } from '../../../../src/domain/guilds/index.js';
import { deleteMessage } from '../../../../src/domain/messages/index.js';
import { storedInteraction } from '../../../../src/domain/messages/interaction.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { snowflakeTime } from '../../../../src/infra/ids/ids.js';
import { InteractionCallback } from '../../../../src/rest-compat/interaction-callback.js';
import { MovableClock } from '../../../harness/clock.js';
import {
  ANSWERS,
  type Asked,
  alter,
  answer,
  ask,
  callOfCallback,
  hearStates,
  KINDS,
  type Kind,
  kindsOfSteps,
  MODAL,
  press,
  put,
  ROW,
  requestOf,
  rowOf,
  stepsOf,
} from '../../../harness/interactions.js';
import { eventually } from '../../../harness/jobs.js';
import { outcome } from '../../../harness/outcome.js';
import { startServer, type TestServer } from '../../../harness/server.js';
import { callOf, createBot, createChannel, say } from '../../../harness/world.js';
import { complete, faultsOf, openScene, run, type Scene, sayWith, storeCommand } from '../scene.js';

const clock = new MovableClock();
let server: TestServer;
let scene: Scene;
beforeAll(async () => {
  server = await startServer({ clock });
  scene = await openScene(server);
});
afterAll(() => server.stop());

/** I-17 with the state that each response leads to. */
const TAKEN: Record<Kind, Partial<Record<keyof typeof ANSWERS, 'ANSWERED' | 'DEFERRED'>>> = {
  command: { 4: 'ANSWERED', 5: 'DEFERRED', 9: 'ANSWERED' },
  component: { 4: 'ANSWERED', 5: 'DEFERRED', 6: 'ANSWERED', 7: 'ANSWERED', 9: 'ANSWERED' },
  autocompletion: { 8: 'ANSWERED' },
  modal: { 4: 'ANSWERED', 5: 'DEFERRED' },
  'modal of a component': { 4: 'ANSWERED', 5: 'DEFERRED', 6: 'ANSWERED', 7: 'ANSWERED' },
};

const TABLE = KINDS.flatMap((kind) =>
  ([4, 5, 6, 7, 8, 9] as const).map((type) => ({ kind, type, state: TAKEN[kind][type] ?? null })),
);

const SIX_ROWS = [0, 1, 2, 3, 4, 5].map((n) => ({
  ...ROW,
  components: ROW.components.map((button) => ({ ...button, custom_id: `press ${n}` })),
}));

describe('the first response', () => {
  it.each(TABLE)('I-17: of type $type to a $kind leads to $state', async ({ kind, type, state }) => {
    const asked = await ask(scene, kind);
    const before = await rowOf(server, asked);
    const faults = await faultsOf(answer(scene, asked, ANSWERS[type]));
    const after = await rowOf(server, asked);
    if (state === null) {
      expect(faults).toEqual(['type INTERACTION_CALLBACK_TYPE_INVALID']);
      expect(after).toEqual(before);
      return;
    }
    expect(faults).toEqual([]);
    expect(after).toMatchObject({ state, callbackType: type });
    expect(after.endsAt?.getTime()).toBe(state === 'DEFERRED' ? endOf(asked) : undefined);
    expect(await kindsOfSteps(server, asked)).toEqual(['GATEWAY', 'CALLBACK']);
  });

  const [TEXT, WHOLE, NUMBER] = [3, 4, 10] as const;
  it.each([
    { type: TEXT, good: ['', '5', 'x'.repeat(100)], bad: [5, 0.5, null] },
    { type: WHOLE, good: [0, -5, 2 ** 53 - 1, 1 - 2 ** 53], bad: [0.5, 2 ** 53, '5', 'x', ''] },
    { type: NUMBER, good: [0, 0.5, 2 ** 53 - 1, -5], bad: [2 ** 54, 1e300, '0.5', 'x'] },
  ])("I-17: offers values of its option's type ($type), also in a subcommand", async ({ type, good, bad }) => {
    const option = { type, name: 'what', description: 'What', autocomplete: true } as const;
    const given = { name: 'what', type, value: '1', focused: true };
    const plain = await storeCommand(scene, [option]);
    const nested = await storeCommand(scene, [{ type: 1, name: 'sub', description: 'Sub', options: [option] }]);
    for (const request of [
      () => complete(scene, plain, [given]),
      () => complete(scene, nested, [{ name: 'sub', type: 1, options: [given] }]),
    ]) {
      const asked = await put(scene, await request());
      const offer = (values: unknown[]) =>
        answer(scene, asked, { type: 8, data: { choices: values.map((value) => ({ name: 'a', value })) } });
      for (const value of bad) {
        const [fault] = await faultsOf(offer([good[0], value]));
        expect(fault).toMatch(/^data\.choices\.1\.value /);
      }
      await offer(good);
      expect((await rowOf(server, asked)).choices).toEqual(good.map((value) => ({ name: 'a', value })));
    }
  });

  it.each([1, 2, 3, 10, 12, 13, 99, '4', null, undefined])('I-17: cannot be of type %s', (type) => {
    expect(() => parseInput(InteractionCallback, { type, data: {} })).toThrow();
  });

  it.each([4, 5, 9] as const)('I-18: is refused if a response of type %s came before', async (type) => {
    const asked = await ask(scene, 'command');
    await answer(scene, asked, ANSWERS[type]);
    const before = await rowOf(server, asked);
    for (const more of [4, 5, 9] as const) {
      expect(await outcome(answer(scene, asked, ANSWERS[more]))).toBe('ALREADY_ACKNOWLEDGED');
    }
    expect(await rowOf(server, asked)).toEqual(before);
  });

  it.each<[Kind, keyof typeof ANSWERS, object]>([
    ['command', 4, { type: 4, data: { attachments: [{ id: 3 }] } }],
    ['component', 4, { type: 4, data: { components: SIX_ROWS } }],
    ['component', 7, { type: 7, data: { attachments: [{ id: 3 }] } }],
    ['component', 7, ANSWERS[8]],
    ['autocompletion', 8, { type: 8, data: { choices: [{ name: 'a', value: 1 }] } }],
    ['autocompletion', 8, ANSWERS[4]],
  ])('I-18: to a %s after one of type %s is validated before it is refused', async (kind, type, bad) => {
    const asked = await ask(scene, kind);
    expect(await outcome(answer(scene, asked, bad))).toBe('INVALID_INPUT');
    await answer(scene, asked, ANSWERS[type]);
    expect(await outcome(answer(scene, asked, bad))).toBe('INVALID_INPUT');
    expect(await outcome(answer(scene, asked, ANSWERS[type]))).toBe('ALREADY_ACKNOWLEDGED');
  });

  it.each([4, 7] as const)('I-18: of type %s has the errors of its message below `data`', async (type) => {
    const asked = await ask(scene, 'component');
    const pathsOf = async (data: object) =>
      (await faultsOf(answer(scene, asked, { type, data }))).map((fault) => fault.split(' ')[0]);
    expect(await pathsOf({ components: SIX_ROWS })).toEqual(['data.components']);
    expect(await pathsOf({ attachments: [{ id: 3 }] })).toEqual(['data.attachments.0.id']);
    expect(await pathsOf({ embeds: [{ title: 5 }] })).toEqual(['data.embeds.0.title']);
  });

  it('I-5: that changes a message invalidly does not block a valid one', async () => {
    for (let round = 0; round < 10; round += 1) {
      const asked = await ask(scene, 'component');
      const bad = () => outcome(answer(scene, asked, { type: 7, data: { attachments: [{ id: 3 }] } }));
      const outcomes = await Promise.all([bad(), outcome(answer(scene, asked, ANSWERS[7])), bad()]);
      expect(outcomes).toEqual(['INVALID_INPUT', 'ok', 'INVALID_INPUT']);
    }
  });

  it('I-5: is accepted once if twenty come at once', async () => {
    const asked = await ask(scene, 'command');
    const { states, close } = await hearStates(scene, asked);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(answer(scene, asked))));
    close();
    expect(states).toEqual(['ANSWERED']);
    expect(outcomes.sort()).toEqual([...Array.from({ length: 19 }, () => 'ALREADY_ACKNOWLEDGED'), 'ok']);
    expect(await answersIn(asked)).toHaveLength(1);
    expect((await kindsOfSteps(server, asked)).filter((kind) => kind === 'CALLBACK')).toHaveLength(1);
  });

  it('I-7: requires the token of the interaction, and an existing interaction', async () => {
    const [asked, other] = [await ask(scene, 'command'), await ask(scene, 'command')];
    expect(await outcome(callOfCallback(server, { ...asked, id: 5n }))).toBe('UNKNOWN_INTERACTION');
    expect(await outcome(callOfCallback(server, { ...asked, token: other.token }))).toBe('INVALID_WEBHOOK_TOKEN');
    expect(await outcome(callOfCallback(server, { ...asked, token: '' }))).toBe('INVALID_WEBHOOK_TOKEN');
    expect(await outcome(callOfCallback(server, asked))).toBe('ok');
  });

  it('I-7: requires an application that is not deleted', async () => {
    const stranger = await createBot(server.app);
    const asked = await ask(scene, 'command');
    await alter(server, asked, { applicationId: stranger.id });
    const gone = { deletedAt: new Date(server.app.clock.now()) };
    await server.app.db.writer.application.update({ where: { id: stranger.id }, data: gone });
    expect(await outcome(callOfCallback(server, asked))).toBe('UNKNOWN_INTERACTION');
  });

  it.each(['DELIVERING', 'DELIVERED_HTTP', 'DELIVERED_GATEWAY'] as const)(
    'I-5: may come while the interaction is %s',
    async (state) => {
      const asked = await ask(scene, 'command');
      await alter(server, asked, { state });
      expect(await outcome(answer(scene, asked))).toBe('ok');
    },
  );

  it.each(['FAILED', 'EXPIRED'] as const)('I-18: is too late if the interaction is %s', async (state) => {
    const asked = await ask(scene, 'command');
    await alter(server, asked, { state, endsAt: null });
    expect(await outcome(answer(scene, asked))).toBe('UNKNOWN_INTERACTION');
  });

  it('I-6: is too late when the time is over, even if the stored state is outdated', async () => {
    const asked = await ask(scene, 'command');
    await alter(server, asked, { endsAt: new Date(server.app.clock.now()) });
    expect(await outcome(answer(scene, asked))).toBe('UNKNOWN_INTERACTION');
  });
});

describe('a refused response', () => {
  it.each([
    ['says nothing', { type: 4, data: {} }, 'EMPTY_MESSAGE'],
    ['describes a file that is not sent', { type: 4, data: { attachments: [{ id: '0', filename: 'a' }] } }, null],
    ['has a layout and a text', { type: 4, data: { content: 'a', flags: MessageFlags.IsComponentsV2 } }, null],
  ])('I-18: because it %s leaves the interaction as it was', async (_why, body, code) => {
    const asked = await ask(scene, 'command');
    const before = await rowOf(server, asked);
    const ended = await outcome(answer(scene, asked, body));
    expect(ended).toBe(code ?? 'INVALID_INPUT');
    expect(await rowOf(server, asked)).toEqual(before);
    expect(await answersIn(asked)).toEqual([]);
    await answer(scene, asked);
    expect(await answersIn(asked)).toHaveLength(1);
  });

  it('I-18: because the message of the component is deleted lets another response follow', async () => {
    const message = await sayWith(scene, ROW);
    const asked = await put(scene, await press(scene, message));
    await deleteMessage(callOf(server.app, scene.bot.user), { channelId: message.channelId, messageId: message.id });
    expect(await outcome(answer(scene, asked, ANSWERS[7]))).toBe('UNKNOWN_MESSAGE');
    const { message: posted } = await answer(scene, asked);
    expect(posted).toMatchObject({ type: MessageType.Default, content: 'hello', referenceId: null });
  });

  it('I-18: because the channel is deleted leaves the interaction as it was', async () => {
    const channel = await createChannel(server.app, scene.guild.id, 'gone');
    const commandId = await storeCommand(scene);
    const request = await run({ ...scene, guild: { ...scene.guild, channel } }, commandId);
    const asked = await put(scene, request);
    await server.app.db.writer.channel.delete({ where: { id: channel.id } });
    await forgetView();
    expect(await outcome(answer(scene, asked))).toBe('UNKNOWN_CHANNEL');
    expect((await rowOf(server, asked)).state).toBe('DELIVERED_GATEWAY');
  });

  it('I-18: because of its message does not block a valid one that comes at the same time', async () => {
    const asked = await ask(scene, 'command');
    const bad = () => outcome(answer(scene, asked, { type: 4, data: {} }));
    const good = () => outcome(answer(scene, asked));
    const outcomes = await Promise.all([bad(), good(), bad(), good(), bad()]);
    expect(outcomes.sort()).toEqual(['ALREADY_ACKNOWLEDGED', 'EMPTY_MESSAGE', 'EMPTY_MESSAGE', 'EMPTY_MESSAGE', 'ok']);
    expect(await answersIn(asked)).toHaveLength(1);
    expect((await rowOf(server, asked)).state).toBe('ANSWERED');
  });

  it('I-6: lets the interaction fail on time if no valid one follows', async () => {
    const asked = await ask(scene, 'command');
    await outcome(answer(scene, asked, { type: 4, data: {} }));
    clock.advance(3_100);
    await eventually(async () => expect((await rowOf(server, asked)).state).toBe('FAILED'));
    await eventually(async () => expect(await stepsOf(server, asked)).toHaveLength(2));
    expect(await kindsOfSteps(server, asked)).toEqual(['GATEWAY', 'FAILED']);
  });
});

describe('the message of a response', () => {
  it('I-20: to a slash command has type 20 and the user of the interaction', async () => {
    const asked = await ask(scene, 'command');
    const { message } = await answer(scene, asked);
    expect(message).toMatchObject({
      type: MessageType.ChatInputCommand,
      authorId: scene.bot.id,
      applicationId: scene.bot.id,
      visibleToId: null,
      flags: 0,
      interaction: { id: String(asked.id), type: 2, userId: String(scene.guild.owner.id) },
    });
    expect((await rowOf(server, asked)).originalMessageId).toBe(message?.id);
  });

  it.each([2, 3])('I-20: to a context menu of type %s has type 23', async (type) => {
    const { id } = await say(server.app, scene.guild, scene.guild.owner, 'target');
    const targetId = type === 2 ? scene.users.ada.id : id;
    const asked = await put(scene, await run(scene, await storeCommand(scene, [], { type }), { targetId }));
    const { message } = await answer(scene, asked);
    const target = type === 2 ? { targetUserId: String(targetId) } : { targetMessageId: String(targetId) };
    expect(message).toMatchObject({ type: MessageType.ContextMenuCommand, interaction: target });
  });

  it('I-20: to a component is a reply to its message', async () => {
    const source = await sayWith(scene, ROW);
    const { message } = await answer(scene, await put(scene, await press(scene, source)));
    expect(message).toMatchObject({
      type: MessageType.Reply,
      referenceId: source.id,
      interaction: { type: 3, interactedMessageId: String(source.id) },
    });
  });

  it('I-20: to a modal of a command has type 20 and both interactions', async () => {
    const asked = await ask(scene, 'modal');
    const { message } = await answer(scene, asked);
    const { parentId } = await rowOf(server, asked);
    expect(message).toMatchObject({
      type: MessageType.ChatInputCommand,
      interaction: { id: String(asked.id), type: 5, triggering: { id: String(parentId), type: 2 } },
    });
  });

  it('I-17: changes the message of the component if it is an update, which becomes the original', async () => {
    const source = await sayWith(scene, ROW);
    const asked = await put(scene, await press(scene, source));
    const { message } = await answer(scene, asked, ANSWERS[7]);
    expect(message).toMatchObject({ id: source.id, content: 'changed' });
    expect((await rowOf(server, asked)).originalMessageId).toBe(source.id);
    expect(await answersIn(asked)).toEqual([]);
  });

  it('I-19: is empty if deferred, with LOADING and at most EPHEMERAL', async () => {
    const flags = MessageFlags.Ephemeral | MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2;
    const { message } = await answer(scene, await ask(scene, 'command'), { type: 5, data: { flags } });
    expect(message).toMatchObject({
      content: '',
      flags: MessageFlags.Loading | MessageFlags.Ephemeral,
      visibleToId: scene.guild.owner.id,
    });
    const plain = await answer(scene, await ask(scene, 'command'), { type: 5, data: { flags: 0 } });
    expect(plain.message).toMatchObject({ flags: MessageFlags.Loading, visibleToId: null });
  });

  it('I-19: never has LOADING if not deferred', async () => {
    const flags = MessageFlags.Loading | MessageFlags.SuppressEmbeds | MessageFlags.Crossposted | MessageFlags.Urgent;
    const { message } = await answer(scene, await ask(scene, 'command'), { type: 4, data: { content: 'a', flags } });
    expect(message?.flags).toBe(MessageFlags.SuppressEmbeds);
  });

  it('I-23: is visible to the user only with EPHEMERAL', async () => {
    const body = { type: 4, data: { content: 'psst', flags: MessageFlags.Ephemeral } };
    const { message } = await answer(scene, await ask(scene, 'command'), body);
    expect(message).toMatchObject({ visibleToId: scene.guild.owner.id, flags: MessageFlags.Ephemeral });
  });

  it('I-22: is visible to the user only if it must be, even if deferred', async () => {
    for (const body of [ANSWERS[4], ANSWERS[5]]) {
      const asked = await put(scene, { ...(await requestOf(scene, 'command')), ephemeralOnly: true });
      const { message } = await answer(scene, asked, body);
      expect(message?.visibleToId).toBe(scene.guild.owner.id);
      expect((message?.flags ?? 0) & MessageFlags.Ephemeral).toBe(MessageFlags.Ephemeral);
    }
  });

  it('I-17: stores choices and modals for the user', async () => {
    const completed = await ask(scene, 'autocompletion');
    await answer(scene, completed, ANSWERS[8]);
    expect(await rowOf(server, completed)).toMatchObject({ choices: [{ name: 'a', value: 'a' }], modal: null });
    const shown = await ask(scene, 'command');
    await answer(scene, shown, ANSWERS[9]);
    const { modal } = await rowOf(server, shown);
    expect(modal).toMatchObject({ custom_id: MODAL.custom_id, title: MODAL.title });
  });

  it('I-24: needs no permission in the channel', async () => {
    const hidden = await createChannel(server.app, scene.guild.id, 'hidden');
    await server.app.db.writer.channelOverwrite.create({
      data: { channelId: hidden.id, targetId: scene.bot.id, targetType: 1, deny: 0xffffffffn },
    });
    await forgetView();
    const there = { ...scene, guild: { ...scene.guild, channel: hidden } };
    const asked = await put(scene, await run(there, await storeCommand(scene)));
    expect(await outcome(answer(scene, asked, { type: 4, data: { content: '@everyone' } }))).toBe('ok');
    const [posted] = await answersIn(asked);
    expect(posted?.mentionEveryone).toBe(false);
  });
});

const endOf = ({ id }: Asked) => snowflakeTime(id) + 15 * 60_000;

/** Invalidates the cached guild. */
async function forgetView(): Promise<void> {
  const where = { id: scene.guild.id };
  const guild = await server.app.db.reader.guild.findUniqueOrThrow({ where, include: WITH_ROLES_AND_EMOJIS });
  server.app.publish({ type: 'GUILD_UPDATE', guild });
}

async function answersIn({ id }: Asked) {
  const rows = await server.app.db.reader.message.findMany({ where: { applicationId: scene.bot.id } });
  return rows.filter(({ interaction }) => storedInteraction(interaction)?.id === String(id));
}
