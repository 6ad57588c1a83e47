import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callContext } from '../../src/context.js';
import { endSession } from '../../src/domain/accounts/sessions.js';
import type { CallContext } from '../../src/domain/call.js';
import { updateGuild } from '../../src/domain/guilds/index.js';
import { mayBeDone } from '../../src/infra/database/faults.js';
import { STREAM_GAP } from '../../src/infra/streams/stream.js';
import { topics } from '../../src/infra/streams/topics.js';
import { hearGuild } from '../harness/bus.js';
import { messageOf } from '../harness/guild-home.js';
import { loseAnswer, noPostgres } from '../harness/interleave.js';
import { readableLog } from '../harness/log.js';
import { outboxOf } from '../harness/mails.js';
import { signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { needing } from '../harness/skipping.js';
import { createGuild, type TestGuild } from '../harness/world.js';

/** A committed write succeeds, even if its events fail. */
let server: TestServer;
let guild: TestGuild;
let call: CallContext;
const { log, lines } = readableLog();
let mend: () => void = () => {};

beforeAll(async () => {
  server = await startServer({ log });
  guild = await createGuild(server.app);
  call = callContext(server.app, { kind: 'person', user: guild.owner });
});
afterEach(() => mend());
afterAll(() => server.stop());

function breakSignatures(): void {
  const { addresses } = server.app;
  const { signatures } = addresses;
  addresses.signatures = {
    ...signatures,
    sign() {
      throw new Error('nothing can be signed');
    },
  };
  mend = () => {
    addresses.signatures = signatures;
  };
}

const logged = () => lines.splice(0).map((line) => [JSON.parse(line).type, JSON.parse(line).msg]);
const lost = (type: string) => [[type, 'Could not build an event of a committed write; subscribers read again']];

const rename = (name: string) => server.app.db.writer.guild.update({ where: { id: guild.id }, data: { name } });
const withFile = () =>
  messageOf(server.app, guild, guild.owner, {
    attachments: [
      {
        id: 1n,
        messageId: 1n,
        filename: 'x',
        title: null,
        description: null,
        isSpoiler: false,
        contentType: 'x/y',
        size: 1,
        width: null,
        height: null,
      },
    ],
  });
const deleted = () =>
  ({ type: 'MESSAGE_DELETE', guildId: guild.id, channelId: guild.channel.id, messageId: 1n }) as const;

it('a renderer that throws suppresses one event of a transaction only: other events, mails and the result are sent', async () => {
  const heard = hearGuild(server, guild.id);
  const mails = () => outboxOf(server, 'ada@people.example');
  const mailed = (await mails()).length;
  breakSignatures();
  const answer = await call.write(
    async ({ db, record, mail }) => {
      const { name } = await db.guild.update({ where: { id: guild.id }, data: { name: 'committed' } });
      record({ type: 'MESSAGE_CREATE', message: withFile(), member: null });
      record(deleted());
      mail({ to: 'ada@people.example', subject: 's', text: 't' });
      return name;
    },
    { streams: [topics.guild(guild.id)] },
  );
  expect(answer).toBe('committed');
  expect(heard.events.map(({ type }) => type)).toEqual(['MESSAGE_DELETE']);
  expect(await mails()).toHaveLength(mailed + 1);
  expect(logged()).toEqual(lost('MESSAGE_CREATE'));
  heard.close();
});

it('a statement succeeds even if its event cannot be rendered or built', async () => {
  const streams = [topics.guild(guild.id)];
  breakSignatures();
  const event = () => ({ type: 'MESSAGE_CREATE', message: withFile(), member: null }) as const;
  expect((await call.writeOne(() => rename('two'), { streams, event })).name).toBe('two');
  expect(logged()).toEqual(lost('MESSAGE_CREATE'));
  const untold = () => {
    throw new Error('nothing to tell');
  };
  expect((await call.writeOne(() => rename('three'), { streams, event: untold })).name).toBe('three');
  expect(logged()).toEqual([[undefined, 'Could not build an event of a committed write; subscribers read again']]);
});

it('an announced event that fails does not fail the caller', () => {
  const { bus } = server.app;
  const publish = bus.publish.bind(bus);
  bus.publish = () => {
    throw new Error('the bus is broken');
  };
  mend = () => {
    bus.publish = publish;
  };
  const { owner: user, channel } = guild;
  call.announce({
    type: 'TYPING_START',
    guildId: guild.id,
    channelId: channel.id,
    user,
    member: null,
    startedAt: 0,
  });
  expect(logged()).toEqual([['TYPING_START', 'Could not publish an event']]);
});

describe.skipIf(noPostgres)(needing(noPostgres, 'a commit whose answer is lost'), () => {
  const endsSession = async () => {
    const ada = await signUp(server, 'ada');
    const { id } = await server.app.db.reader.authSession.findFirstOrThrow({
      where: { user: { userId: BigInt(ada.id) } },
    });
    return () => endSession(call, BigInt(ada.id), { id });
  };
  const updates = async () => () => updateGuild(call, { guildId: guild.id, name: 'unknown' });
  const renames = async () => {
    const event = () => ({ type: 'SESSION_ENDED', userId: guild.owner.id }) as const;
    return () =>
      call.writeOne((db) => db.guild.update({ where: { id: guild.id }, data: { name: 'four' } }), {
        streams: [],
        event,
      });
  };

  it.each([
    ['of a stream with a clock', updates, () => topics.guild(guild.id)],
    ['of a stream without a clock', endsSession, () => topics.sessions],
    ['of one statement', renames, () => topics.sessions],
  ])('is a gap for the subscribers %s', async (_which, prepare, topic) => {
    const write = await prepare();
    const heard: string[] = [];
    const subscription = server.app.bus.subscribe(topic(), ({ type }) => heard.push(type));
    expect(mayBeDone(await loseAnswer(/^COMMIT/, write))).toBe(true);
    expect(heard).toEqual([STREAM_GAP]);
    subscription.close();
  });
});
