import type { Client } from 'graphql-ws';
import { afterEach, describe, expect } from 'vitest';
import { ManualClock } from '../harness/clock.js';
import { it } from '../harness/fixtures.js';
import { createGuild, invite, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { type Subscription, socketClient, subscribe } from '../harness/sockets.js';
import { statementsOf } from '../harness/statements.js';
import { createTeam, renameTeam } from '../harness/teams.js';

const HOME = 'subscription { portalHomeChanged { teamInvitations { id } } }';

let server: TestServer;
it.beforeAll(({ server: shared }) => {
  server = shared;
});

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
});

function connect(person: Person, onClose?: (code: number) => void): Client {
  const client = socketClient(server, { token: person.token, ...(onClose ? { onClose } : {}) });
  clients.push(client);
  return client;
}

function stream(at: TestServer, person: Person, query: string, variables = {}): Promise<Response> {
  return fetch(`${at.origin}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${person.token}`,
    },
    body: JSON.stringify({ query, variables }),
  });
}

describe('the subscriptions of one user', () => {
  it('are limited to 100 over all sockets and server-sent events', async () => {
    const [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
    const sockets = [connect(ada), connect(ada)] as const;
    const first = await subscribe(sockets[0], HOME);
    for (let n = 1; n < 100; n += 1) await subscribe(sockets[n % 2 === 0 ? 0 : 1], HOME);
    const refused = await subscribe(sockets[0], HOME);
    expect((await refused.next()).errors?.[0]).toMatchObject({
      message: 'You can have at most 100 open subscriptions.',
      extensions: { code: 'LIMIT_EXCEEDED' },
    });
    expect(await (await stream(server, ada, HOME)).text()).toContain('LIMIT_EXCEEDED');
    await subscribe(connect(bob), HOME);
    first.stop();
    await expect
      .poll(
        async () => {
          const again = await subscribe(sockets[0], HOME);
          return Promise.race([
            again.ended.then(() => 'refused'),
            new Promise((resolve) => setImmediate(resolve, 'open')),
          ]);
        },
        { timeout: 20_000 },
      )
      .toBe('open');
  });

  it('share one read after a change if they watch the same', async () => {
    const cleo = await signUp(server, 'cleo');
    const team = await createTeam(cleo, 'Otters');
    const query = 'subscription ($id: ID!) { teamChanged(teamId: $id) { name } }';
    const sockets = [connect(cleo), connect(cleo), connect(cleo)] as const;
    const streams: Subscription<unknown>[] = [];
    for (let n = 0; n < 60; n += 1) {
      streams.push(await subscribe(sockets[(n % 3) as 0 | 1 | 2], query, { id: team.id }));
    }
    const statements = await statementsOf(async () => {
      await renameTeam(cleo, team, 'Badgers');
      const values = await Promise.all(streams.map((one) => one.next()));
      expect(values).toEqual(Array(60).fill({ data: { teamChanged: { name: 'Badgers' } } }));
    });
    expect(statements.length).toBeLessThan(60);
  });
});

describe('the sockets of one user', () => {
  it('are limited to 20', async () => {
    const dora = await signUp(server, 'dora');
    const open = [];
    for (let n = 0; n < 20; n += 1) {
      const client = connect(dora);
      await subscribe(client, HOME);
      open.push(client);
    }
    const codes: number[] = [];
    const refused = await subscribe(
      connect(dora, (code) => codes.push(code)),
      HOME,
    );
    await refused.ended;
    expect(codes).toEqual([4429]);
    await open[0]?.dispose();
    await expect
      .poll(
        async () => {
          const client = connect(dora);
          const again = await subscribe(client, HOME);
          return Promise.race([
            again.ended.then(() => 'refused'),
            new Promise((resolve) => setImmediate(resolve, 'open')),
          ]);
        },
        { timeout: 20_000 },
      )
      .toBe('open');
  });
});

describe('a subscription', () => {
  it('ends within a minute if the user is removed from the channel without an event', async () => {
    const clock = new ManualClock();
    const timed = await startServer({ clock });
    try {
      const eve = await signUp(timed, 'eve');
      const bob = await signUp(timed, 'bob');
      const guild = await createGuild(eve);
      await invite(eve, guild, bob);
      const channel = 'subscription ($id: ID!) { channelEvents(channelId: $id) { type } }';
      const response = await stream(timed, bob, channel, { id: guild.textChannelId });
      await timed.app.db.writer.member.deleteMany({ where: { userId: BigInt(bob.id) } });
      clock.advance(60_000);
      expect(await response.text()).toContain('NOT_FOUND');
    } finally {
      await timed.stop();
    }
  });

  it('ends when its session expires', async () => {
    const clock = new ManualClock();
    const timed = await startServer({ clock });
    try {
      const eve = await signUp(timed, 'eve');
      const { textChannelId } = await createGuild(eve);
      const channel = 'subscription ($id: ID!) { channelEvents(channelId: $id) { type } }';
      const streams = [await stream(timed, eve, HOME), await stream(timed, eve, channel, { id: textChannelId })];
      clock.advance(30_001);
      await timed.app.db.writer.authSession.updateMany({ data: { expiresAt: new Date(0) } });
      let texts: string[] = [];
      void Promise.all(streams.map((response) => response.text())).then((all) => {
        texts = all;
      });
      // A check that began before the session expired may be cached, but the next one is not.
      const lastWords = () => {
        clock.advance(30_001);
        return texts;
      };
      const refusal = expect.stringContaining('UNAUTHENTICATED');
      await expect.poll(lastWords, { timeout: 20_000 }).toEqual([refusal, refusal]);
    } finally {
      await timed.stop();
    }
  });
});
