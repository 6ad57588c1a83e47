import { MessageFlags, MessageType } from 'discord-api-types/v10';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { CallContext } from '../../../../src/domain/call.js';
import {
  type AnswerKey,
  createFollowUp,
  deleteAnswer,
  editAnswer,
  getAnswer,
} from '../../../../src/domain/interactions/index.js';
import { deleteMessage, editMessage } from '../../../../src/domain/messages/index.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { snowflakeTime } from '../../../../src/infra/ids/ids.js';
import { EditMessageBody } from '../../../../src/rest-compat/message-body.js';
import { hearGuild } from '../../../harness/bus.js';
import { ManualClock } from '../../../harness/clock.js';
import {
  ANSWERS,
  type Asked,
  alter,
  answer,
  ask,
  callOfFollowUp,
  hearStates,
  kindsOfSteps,
  press,
  put,
  ROW,
  requestOf,
  rowOf,
} from '../../../harness/interactions.js';
import { afterLook } from '../../../harness/interleave.js';
import { outcome } from '../../../harness/outcome.js';
import { startServer, type TestServer } from '../../../harness/server.js';
import { callOf, createBot, type SentBody, say, toSend } from '../../../harness/world.js';
import { openScene, type Scene, sayWith } from '../scene.js';

const clock = new ManualClock();
let server: TestServer;
let scene: Scene;
let asked: Asked;
beforeAll(async () => {
  server = await startServer({ clock });
  scene = await openScene(server);
});
beforeEach(async () => {
  asked = await ask(scene, 'command');
});
afterAll(() => server.stop());

const DONE = parseInput(EditMessageBody, { content: 'done' });

/** A follow-up call that runs `work` after it first reads a message. */
function callInterruptedBy(work: () => Promise<unknown>): Promise<CallContext> {
  const app = afterLook(server.app, 'message.findMany', once(work));
  return callOfFollowUp({ ...scene, server: { ...server, app } }, asked);
}

function once(work: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

const followUp = async (body: SentBody = { content: 'more' }, of = asked) =>
  createFollowUp(await callOfFollowUp(scene, of), { message: toSend(body), files: [] });
const edit = async (key: AnswerKey, body: object = { content: 'better' }, of = asked) =>
  editAnswer(await callOfFollowUp(scene, of), { key, edit: parseInput(EditMessageBody, body), files: [] });
const get = async (key: AnswerKey, of = asked) => getAnswer(await callOfFollowUp(scene, of), key);
const remove = async (key: AnswerKey, of = asked) => deleteAnswer(await callOfFollowUp(scene, of), key);

test('an edit has no replied-to message that changed after it was read', async () => {
  const { app } = server;
  const pressed = await sayWith(scene, ROW);
  const of = await put(scene, await press(scene, pressed));
  const { message } = await answer(scene, of);
  const { events } = hearGuild(server, scene.guild.id);
  let reads = 0;
  const change = async () => {
    reads += 1;
    if (reads !== 2) return;
    const key = { channelId: scene.guild.channel.id, messageId: pressed.id };
    await editMessage(callOf(app, scene.bot.user), { ...key, body: DONE });
  };
  const interrupted = { ...server, app: afterLook(app, 'message.findMany', change) };
  const call = await callOfFollowUp({ ...scene, server: interrupted }, of);
  await editAnswer(call, { key: '@original', edit: DONE, files: [] });
  const told = events.map(({ data }) => JSON.parse(data));
  expect(told.map(({ id }) => id)).toEqual([String(pressed.id), String(message?.id)]);
  expect(told[1]).toHaveProperty('message_reference');
  expect(told[1]).not.toHaveProperty('referenced_message');
});

describe('before the first response', () => {
  it.each([
    ['a follow-up', () => followUp()],
    ['an edit', () => edit('@original')],
    ['a look', () => get('@original')],
    ['a deletion', () => remove('@original')],
  ])('I-21: %s finds no webhook', async (_name, work) => {
    expect(await outcome(work())).toBe('UNKNOWN_WEBHOOK');
  });
});

describe('after choices', () => {
  it.each([
    ['a follow-up', (of: Asked) => followUp({ content: 'x' }, of)],
    ['an edit', (of: Asked) => edit('@original', { content: 'x' }, of)],
    ['a look', (of: Asked) => get('@original', of)],
    ['a deletion', (of: Asked) => remove('@original', of)],
  ])('I-21: %s finds no webhook, since autocompletions have no messages', async (_name, work) => {
    const typed = await ask(scene, 'autocompletion');
    await answer(scene, typed, ANSWERS[8]);
    expect(await outcome(work(typed))).toBe('UNKNOWN_WEBHOOK');
    expect((await rowOf(server, typed)).followUps).toBe(0);
  });
});

describe('after a modal', () => {
  it('I-21: a follow-up is sent', async () => {
    await answer(scene, asked, ANSWERS[9]);
    const sent = await followUp();
    expect(sent).toMatchObject({ content: 'more', referenceId: null });
    expect(await get(sent.id)).toMatchObject({ content: 'more' });
    expect(await outcome(get('@original'))).toBe('UNKNOWN_MESSAGE');
  });
});

describe('a token', () => {
  it('I-21: is limited to its application', async () => {
    const stranger = await createBot(server.app);
    expect(await outcome(callOfFollowUp({ ...scene, bot: stranger }, asked))).toBe('INVALID_WEBHOOK_TOKEN');
    expect(await outcome(callOfFollowUp(scene, { ...asked, token: 'none' }))).toBe('INVALID_WEBHOOK_TOKEN');
    const forged = Buffer.from(`interaction:${asked.id}:guess`).toString('base64url');
    expect(await outcome(callOfFollowUp(scene, { ...asked, token: forged }))).toBe('INVALID_WEBHOOK_TOKEN');
  });

  it('I-7: is valid for 15 minutes, deferred or not', async () => {
    const deferred = await ask(scene, 'command');
    await answer(scene, asked);
    await answer(scene, deferred, ANSWERS[5]);
    clock.advance(snowflakeTime(asked.id) + 15 * 60_000 - 1 - clock.now());
    expect(await outcome(followUp())).toBe('ok');
    expect(await outcome(followUp({ content: 'at last' }, deferred))).toBe('ok');
    clock.advance(snowflakeTime(deferred.id) + 15 * 60_000 - clock.now());
    expect(await outcome(followUp())).toBe('INVALID_WEBHOOK_TOKEN');
    expect(await outcome(get('@original', deferred))).toBe('INVALID_WEBHOOK_TOKEN');
  });

  it('I-7: is invalid after the interaction has failed, even if that is not stored yet', async () => {
    clock.advance(3_000);
    expect(await outcome(followUp())).toBe('INVALID_WEBHOOK_TOKEN');
    await alter(server, asked, { state: 'FAILED', endsAt: null });
    expect(await outcome(followUp())).toBe('INVALID_WEBHOOK_TOKEN');
  });
});

describe('a deferred response', () => {
  beforeEach(async () => {
    await answer(scene, asked, ANSWERS[5]);
  });

  it('I-19: is filled in by the first edit, and is then no longer deferred', async () => {
    const filled = await edit('@original', { content: 'done' });
    expect(filled).toMatchObject({ content: 'done', flags: 0, editedAt: null });
    expect(await rowOf(server, asked)).toMatchObject({ state: 'ANSWERED', endsAt: null });
    expect(await edit('@original', { content: 'better' })).toMatchObject({ editedAt: expect.any(Date) });
    expect(await kindsOfSteps(server, asked)).toEqual(['GATEWAY', 'CALLBACK', 'EDIT', 'EDIT']);
  });

  it('I-19: is filled in by the first follow-up, and the second one is a new message', async () => {
    const { originalMessageId } = await rowOf(server, asked);
    expect(await followUp({ content: 'done' })).toMatchObject({ id: originalMessageId, content: 'done', flags: 0 });
    const second = await followUp({ content: 'more' });
    expect(second.id).not.toBe(originalMessageId);
    expect(await get('@original')).toMatchObject({ content: 'done' });
  });

  it('I-19: is filled in by one of several follow-ups at once', async () => {
    const { originalMessageId } = await rowOf(server, asked);
    const call = await callOfFollowUp(scene, asked);
    const send = (content: string) => createFollowUp(call, { message: toSend({ content }), files: [] });
    const sent = await Promise.all(['a', 'b', 'c', 'd'].map(send));
    expect(new Set(sent.map(({ id }) => id)).size).toBe(4);
    expect(sent.filter(({ id }) => id === originalMessageId)).toHaveLength(1);
  });

  it('I-18: stays deferred if its replacement is refused', async () => {
    const before = await rowOf(server, asked);
    expect(await outcome(edit('@original', { content: '' }))).toBe('EMPTY_MESSAGE');
    expect(await outcome(followUp({}))).toBe('EMPTY_MESSAGE');
    expect(await rowOf(server, asked)).toEqual(before);
    expect((await get('@original')).flags).toBe(MessageFlags.Loading);
    expect((await followUp()).id).toBe(before.originalMessageId);
  });

  it.each([
    ['refused', {}, 'EMPTY_MESSAGE'],
    ['sent', { content: 'more' }, 'ok'],
  ])('I-5: that is edited while a follow-up is %s is answered by the edit', async (_what, body, ended) => {
    const call = await callInterruptedBy(() => edit('@original', { content: 'done' }));
    expect(await outcome(createFollowUp(call, { message: toSend(body), files: [] }))).toBe(ended);
    expect(await rowOf(server, asked)).toMatchObject({ state: 'ANSWERED', endsAt: null });
    expect(await get('@original')).toMatchObject({ content: 'done', flags: 0 });
  });

  it('I-19: is filled in by a valid follow-up, even if others are refused at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const of = await ask(scene, 'command');
      await answer(scene, of, ANSWERS[5]);
      const { originalMessageId } = await rowOf(server, of);
      const bad = () => outcome(followUp({}, of));
      const [first, sent, second] = await Promise.all([bad(), followUp({ content: 'done' }, of), bad()]);
      expect([first, second]).toEqual(['EMPTY_MESSAGE', 'EMPTY_MESSAGE']);
      expect(sent.id).toBe(originalMessageId);
      expect(await rowOf(server, of)).toMatchObject({ state: 'ANSWERED', endsAt: null });
    }
  });

  it('I-19: is answered by its deletion, and a later follow-up is a new message', async () => {
    const { originalMessageId } = await rowOf(server, asked);
    await remove('@original');
    expect(await rowOf(server, asked)).toMatchObject({ state: 'ANSWERED', endsAt: null });
    expect(await outcome(get('@original'))).toBe('UNKNOWN_MESSAGE');
    expect((await followUp()).id).not.toBe(originalMessageId);
  });

  it.each([
    ['a member who manages messages', () => scene.guild.owner],
    ['the bot itself', () => scene.bot.user],
  ])('I-19: is answered if %s deletes it, and a later follow-up is a new message', async (_who, whose) => {
    const { originalMessageId: id } = await rowOf(server, asked);
    const { states, close } = await hearStates(scene, asked);
    await deleteMessage(callOf(server.app, whose()), { channelId: scene.guild.channel.id, messageId: id ?? 0n });
    expect(await rowOf(server, asked)).toMatchObject({ state: 'ANSWERED', endsAt: null });
    close();
    expect(states).toEqual(['ANSWERED']);
    expect(await outcome(edit('@original'))).toBe('UNKNOWN_MESSAGE');
    expect(await outcome(followUp({}))).toBe('EMPTY_MESSAGE');
    expect(await followUp()).toMatchObject({ content: 'more', type: MessageType.Default, referenceId: null });
    expect((await rowOf(server, asked)).followUps).toBe(1);
  });

  it('I-19: that is deleted while a follow-up fills it in does not block the follow-up', async () => {
    const call = await callInterruptedBy(() => remove('@original'));
    const sent = await createFollowUp(call, { message: toSend({ content: 'more' }), files: [] });
    expect(sent.id).not.toBe((await rowOf(server, asked)).originalMessageId);
    expect(await get(sent.id)).toMatchObject({ content: 'more' });
  });

  it('I-5: keeps all follow-ups if it is deleted, edited and followed at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const of = await ask(scene, 'command');
      await answer(scene, of, ANSWERS[5]);
      const [, , ...sent] = await Promise.all([
        outcome(remove('@original', of)),
        outcome(edit('@original', { content: 'done' }, of)),
        followUp({ content: 'a' }, of),
        followUp({ content: 'b' }, of),
      ]);
      expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
      expect(await rowOf(server, of)).toMatchObject({ state: 'ANSWERED', endsAt: null });
    }
  });

  it('I-5, I-19: shows both if it is edited and followed at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const of = await ask(scene, 'command');
      await answer(scene, of, ANSWERS[5]);
      const { originalMessageId } = await rowOf(server, of);
      const [edited, sent] = await Promise.all([
        edit('@original', { content: 'done' }, of),
        followUp({ content: 'more' }, of),
      ]);
      expect(edited).toMatchObject({ id: originalMessageId, content: 'done' });
      expect(await get('@original', of)).toMatchObject({ flags: 0 });
      if (sent.id === originalMessageId) expect(edited.editedAt).not.toBeNull();
      else expect([await get('@original', of), await get(sent.id, of)]).toMatchObject([edited, { content: 'more' }]);
      expect(await rowOf(server, of)).toMatchObject({ state: 'ANSWERED', endsAt: null });
    }
  });

  it('I-19: makes a follow-up fail with UNKNOWN_MESSAGE if its message is not stored yet', async () => {
    const { originalMessageId: id } = await rowOf(server, asked);
    await server.app.db.writer.message.delete({ where: { id: id ?? 0n } });
    expect(await outcome(followUp())).toBe('UNKNOWN_MESSAGE');
    expect(await rowOf(server, asked)).toMatchObject({ state: 'DEFERRED', followUps: 0 });
  });

  it('I-19: is filled in by an edit of its bot too, even after its time is over', async () => {
    const late = await ask(scene, 'command');
    await answer(scene, late, ANSWERS[5]);
    const editAsBot = async (of: Asked) =>
      editMessage(callOf(server.app, scene.bot.user), {
        channelId: scene.guild.channel.id,
        messageId: (await rowOf(server, of)).originalMessageId ?? 0n,
        body: DONE,
      });
    expect(await editAsBot(asked)).toMatchObject({ content: 'done', flags: 0 });
    expect(await rowOf(server, asked)).toMatchObject({ state: 'ANSWERED', endsAt: null });
    clock.advance(15 * 60_000);
    expect(await editAsBot(late)).toMatchObject({ content: 'done', flags: 0 });
    expect((await rowOf(server, late)).state).not.toBe('ANSWERED');
  });

  it('I-6: is not filled in by an edit that began in time but ends too late', async () => {
    const { originalMessageId: id } = await rowOf(server, asked);
    const call = await callInterruptedBy(async () => clock.advance(15 * 60_000));
    const late = editAnswer(call, { key: '@original', edit: DONE, files: [] });
    expect(await outcome(late)).toBe('INVALID_WEBHOOK_TOKEN');
    const message = await server.app.db.reader.message.findUniqueOrThrow({ where: { id: id ?? 0n } });
    expect(message).toMatchObject({ content: '', flags: MessageFlags.Loading });
  });

  it('I-19: keeps its ephemeral flag', async () => {
    expect(await followUp({ content: 'x', flags: MessageFlags.Ephemeral })).toMatchObject({
      visibleToId: null,
      flags: 0,
    });
    const secret = await ask(scene, 'command');
    await answer(scene, secret, { type: 5, data: { flags: MessageFlags.Ephemeral } });
    expect(await edit('@original', { content: 'x', flags: 0 }, secret)).toMatchObject({
      visibleToId: scene.guild.owner.id,
      flags: MessageFlags.Ephemeral,
    });
  });

  it('I-6: expires after 15 minutes together with its token', async () => {
    clock.advance(15 * 60_000);
    expect(await outcome(edit('@original'))).toBe('INVALID_WEBHOOK_TOKEN');
  });
});

describe('a follow-up', () => {
  beforeEach(async () => {
    await answer(scene, asked);
  });

  it('I-20: is a reply to the first response, with the user of the interaction', async () => {
    const { originalMessageId } = await rowOf(server, asked);
    expect(await followUp()).toMatchObject({
      type: MessageType.Reply,
      referenceId: originalMessageId,
      authorId: scene.bot.id,
      applicationId: scene.bot.id,
      interaction: { id: String(asked.id), originalMessageId: String(originalMessageId) },
    });
    expect(await kindsOfSteps(server, asked)).toEqual(['GATEWAY', 'CALLBACK', 'FOLLOW_UP']);
  });

  it('I-22: may come more than five times if the application is installed in the server', async () => {
    for (let n = 0; n < 6; n += 1) await followUp({ content: String(n) });
    expect((await rowOf(server, asked)).followUps).toBe(6);
  });

  it('I-22: is visible to the user only if it must be', async () => {
    const secret = await put(scene, { ...(await requestOf(scene, 'command')), ephemeralOnly: true });
    await answer(scene, secret);
    expect(await followUp({ content: 'x' }, secret)).toMatchObject({ visibleToId: scene.guild.owner.id });
  });

  it('I-20: after choices or a modal is no reply', async () => {
    const shown = await ask(scene, 'command');
    await answer(scene, shown, ANSWERS[9]);
    expect(await followUp({ content: 'x' }, shown)).toMatchObject({ type: MessageType.Default, referenceId: null });
    expect(await outcome(get('@original', shown))).toBe('UNKNOWN_MESSAGE');
  });

  it('I-25: is traced at most sixty times, with edits and refusals', async () => {
    for (let n = 0; n < 70; n += 1) await edit('@original', { content: String(n) });
    expect(await kindsOfSteps(server, asked)).toHaveLength(60);
  });
});

describe('for an application with a user install only', () => {
  beforeEach(async () => {
    const owners = { userId: scene.guild.owner.id };
    asked = await put(scene, { ...(await requestOf(scene, 'command')), owners });
  });

  it('I-22: five follow-ups are accepted, and refused ones do not count', async () => {
    await answer(scene, asked);
    expect(await outcome(followUp({}))).toBe('EMPTY_MESSAGE');
    for (let n = 0; n < 5; n += 1) expect(await outcome(followUp({ content: String(n) }))).toBe('ok');
    expect(await outcome(followUp())).toBe('TOO_MANY_FOLLOW_UPS');
    expect((await rowOf(server, asked)).followUps).toBe(5);
    expect(await outcome(edit('@original'))).toBe('ok');
  });

  it('I-22: five of twelve follow-ups at once are accepted', async () => {
    await answer(scene, asked);
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => outcome(followUp())));
    expect(outcomes.filter((one) => one === 'ok')).toHaveLength(5);
    expect(outcomes.filter((one) => one === 'TOO_MANY_FOLLOW_UPS')).toHaveLength(7);
    const where = {
      applicationId: scene.bot.id,
      type: MessageType.Reply,
      referenceId: (await rowOf(server, asked)).originalMessageId,
    };
    expect(await server.app.db.reader.message.count({ where })).toBe(5);
  });

  it('I-22: the follow-up that fills in a deferred response does not count', async () => {
    await answer(scene, asked, ANSWERS[5]);
    for (let n = 0; n < 6; n += 1) expect(await outcome(followUp({ content: String(n) }))).toBe('ok');
    expect(await outcome(followUp())).toBe('TOO_MANY_FOLLOW_UPS');
  });
});

describe('the messages of an interaction', () => {
  it('I-21: are the original and its follow-ups, by their ids', async () => {
    await answer(scene, asked, { type: 4, data: { content: 'hello', flags: MessageFlags.Ephemeral } });
    const { originalMessageId } = await rowOf(server, asked);
    const more = await followUp({ content: 'more', flags: MessageFlags.Ephemeral });
    expect(await get('@original')).toMatchObject({ id: originalMessageId, content: 'hello' });
    expect(await get(originalMessageId ?? 0n)).toMatchObject({ content: 'hello' });
    expect(await edit(more.id)).toMatchObject({ id: more.id, content: 'better' });
    await remove(more.id);
    expect(await outcome(get(more.id))).toBe('UNKNOWN_MESSAGE');
    expect(await outcome(remove(more.id))).toBe('UNKNOWN_MESSAGE');
    await remove('@original');
    expect(await outcome(edit('@original'))).toBe('UNKNOWN_MESSAGE');
    expect(await kindsOfSteps(server, asked)).toEqual(['GATEWAY', 'CALLBACK', 'FOLLOW_UP', 'EDIT', 'DELETE', 'DELETE']);
  });

  it('I-21: are no others: of users, of the bot itself, of another interaction, or unknown ones', async () => {
    const other = await ask(scene, 'command');
    await answer(scene, asked);
    const { message: ofOther } = await answer(scene, other);
    const theirs = await say(server.app, scene.guild, scene.users.ada, 'mine');
    const plain = await sayWith(scene, ROW);
    for (const id of [ofOther?.id ?? 0n, theirs.id, plain.id, 5n]) {
      expect(await outcome(get(id))).toBe('UNKNOWN_MESSAGE');
      expect(await outcome(edit(id))).toBe('UNKNOWN_MESSAGE');
      expect(await outcome(remove(id))).toBe('UNKNOWN_MESSAGE');
    }
  });

  it('I-21: exclude those of another application with an equal interaction id', async () => {
    await answer(scene, asked);
    const { id } = await followUp();
    const stranger = await createBot(server.app);
    await server.app.db.writer.message.update({ where: { id }, data: { applicationId: stranger.id } });
    expect(await outcome(get(id))).toBe('UNKNOWN_MESSAGE');
  });

  it('I-21: of a component include the message it was used in after that was updated', async () => {
    const source = await sayWith(scene, ROW);
    const used = await put(scene, await press(scene, source));
    await answer(scene, used, ANSWERS[6]);
    expect(await get('@original', used)).toMatchObject({ id: source.id });
    expect(await edit('@original', { content: 'new' }, used)).toMatchObject({ id: source.id, content: 'new' });
    const again = await put(scene, await press(scene, source));
    await answer(scene, again);
    expect(await outcome(get(source.id, again))).toBe('UNKNOWN_MESSAGE');
  });

  it('I-21: are unknown after their deletion', async () => {
    await answer(scene, asked);
    const { originalMessageId } = await rowOf(server, asked);
    await deleteMessage(callOf(server.app, scene.guild.owner), {
      channelId: scene.guild.channel.id,
      messageId: originalMessageId ?? 0n,
    });
    expect(await outcome(edit('@original'))).toBe('UNKNOWN_MESSAGE');
    expect(await followUp()).toMatchObject({ type: MessageType.Default, referenceId: null });
  });
});
