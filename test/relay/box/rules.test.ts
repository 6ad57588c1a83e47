import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../../src/config.js';
import type { BusMessage } from '../../../src/domain/bus-message.js';
import { BackOff } from '../../../src/relay/box/back-off.js';
import { EventFeed } from '../../../src/relay/box/event-feed.js';
import { isSameOrigin } from '../../../src/relay/box/origins.js';
import { VoiceReporter } from '../../../src/relay/box/voice.js';
import { ManualClock } from '../../harness/clock.js';
import { openContext } from '../../harness/context.js';

describe('R-36: voice', () => {
  const state = (channel: string | null, more: object = {}) => ({
    guild_id: '1',
    user_id: '2',
    channel_id: channel,
    self_mute: false,
    mute: false,
    ...more,
  });

  it('a move to another channel sends two events, and any other change one', () => {
    const teller = new VoiceReporter();
    const told = [state('7'), state('7'), state('8'), state(null), state('7')].map((one) =>
      teller.tell(one).map(({ channel_id: channel }) => channel),
    );
    expect(told).toEqual([['7'], ['7'], [null, '8'], [null], ['7']]);
  });

  it('the voice states of a deleted guild are dropped', async () => {
    const { app, close } = await openContext();
    const feed = new EventFeed({
      reader: app.db.reader,
      idSpace: 5_000,
      log: app.log,
      onAppended() {},
      onOverflow() {},
    });
    const event = (type: 'VOICE_STATE_UPDATE' | 'GUILD_DELETE', data: object): BusMessage => ({
      type,
      audience: null,
      data: JSON.stringify(data),
      guildId: '1',
      invalidates: [],
    });
    // Also without a session.
    feed.hear(event('VOICE_STATE_UPDATE', state('7')));
    feed.hear(event('GUILD_DELETE', { id: '1' }));
    feed.log.begin('s');
    feed.hear(event('VOICE_STATE_UPDATE', state('8')));
    expect(feed.log.last).toBe(1);
    await close();
  });

  it.each([
    ['longer than 256 KiB', { content: 'x'.repeat(262_144) }],
    ['of more than 10,000 values', { emojis: Array.from({ length: 10_000 }, () => 0) }],
  ])('R-2, R-34: an event %s is left out and takes no number', async (_what, data) => {
    const { app, close } = await openContext();
    const parts = { reader: app.db.reader, idSpace: 5_000, log: app.log, onAppended() {}, onOverflow() {} };
    const feed = new EventFeed(parts);
    feed.log.begin('s');
    const message = { type: 'GUILD_UPDATE', topic: 'guild', audience: null, guildId: '1', invalidates: [] } as const;
    feed.hear({ ...message, data: JSON.stringify(data) } as BusMessage);
    expect(feed.log.last).toBe(0);
    feed.hear({ ...message, data: JSON.stringify({ content: 'x'.repeat(100_000) }) } as BusMessage);
    expect(feed.log.last).toBe(1);
    await close();
  });

  it.each([
    [{ self_mute: true }, true],
    [{ mute: true }, true],
    [{}, false],
  ])('%j is one bit for mute', (more, isMuted) => {
    expect(new VoiceReporter().tell(state('7', more))).toEqual([state('7', { self_mute: isMuted, mute: isMuted })]);
  });
});

describe('R-12: two origins', () => {
  it.each([
    ['http://localhost:1', 'http://127.0.0.1:1', true],
    ['http://[::1]:1', 'http://localhost:1', true],
    ['https://a.example', 'https://a.example:443', true],
    ['http://localhost:1', 'http://localhost:2', false],
    ['http://a.example', 'https://a.example', false],
    ['https://a.example', 'https://a.example.evil', false],
    ['https://a.example', 'nothing', false],
  ])('%s and %s are equal: %s', (one, other, isSame) => {
    expect(isSameOrigin(one, other)).toBe(isSame);
  });
});

describe('R-41: the reconnect delay', () => {
  it('has a limit that doubles up to 60 s, and is 1 s again after 30 s of service', () => {
    const clock = new ManualClock();
    const backOff = new BackOff(clock, () => 1);
    expect(Array.from({ length: 8 }, () => backOff.next() / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    const since = clock.now();
    clock.advance(29_999);
    backOff.noteServed(since);
    expect(backOff.next()).toBe(60_000);
    clock.advance(1);
    backOff.noteServed(since);
    expect(backOff.next()).toBe(1_000);
  });
});

describe('the configuration of a box', () => {
  const faultsOf = (environment: Record<string, string>, mode: 'box' | 'cloud') => {
    try {
      readConfig(environment, mode);
      return [];
    } catch (error) {
      return error instanceof ConfigError ? error.faults.map((fault) => fault.split(' ', 1)[0]) : [error];
    }
  };

  it.each([
    ['box', {}, ['CLOUD_URL']],
    ['box', { REDIS_URL: 'redis://r', PORT: 'x' }, ['PORT', 'CLOUD_URL', 'REDIS_URL']],
    ['box', { CLOUD_URL: 'https://c.example', WORKER_ID: '3' }, ['WORKER_ID']],
    ['box', { CLOUD_URL: 'https://c.example/path' }, ['CLOUD_URL']],
    ['box', { CLOUD_URL: 'https://c.example', BOX_TOKEN: 't' }, []],
    ['cloud', { CLOUD_URL: 'https://c.example', BOX_TOKEN: 't' }, ['CLOUD_URL', 'BOX_TOKEN']],
    ['cloud', {}, []],
  ] as const)('as %s with %j has faults in %j', (mode, environment, faults) => {
    expect(faultsOf(environment, mode)).toEqual(faults);
  });
});
