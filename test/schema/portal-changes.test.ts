import type { Client } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { topics } from '../../src/infra/streams/topics.js';
import type { GraphqlContext } from '../../src/schema/context.js';
import { Streams } from '../../src/schema/streams.js';
import { watchState } from '../../src/schema/watched-state.js';
import { it } from '../harness/fixtures.js';
import type { Loose } from '../harness/graphql.js';
import { graphqlContext } from '../harness/graphql-context.js';
import { countListeners, nextSubscription } from '../harness/listeners.js';
import { createApplication, createGuild, type MadeApplication, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { type SocketOptions, socketClient, subscribe } from '../harness/sockets.js';
import {
  acceptInvitation,
  addToTeam,
  createTeam,
  inviteToTeam,
  type MadeTeam,
  pendingOf,
  removeFromTeam,
  renameTeam,
  setTeamRole,
  transferApplication,
} from '../harness/teams.js';
import { userOf } from '../harness/world.js';

const TEAM = `subscription ($id: ID!) { teamChanged(teamId: $id) {
  id name owner { id } members { user { id } role } invitations(state: PENDING) { invitee { id } } applications { id }
} }`;
const APPLICATION = `subscription ($id: ID!) { applicationChanged(applicationId: $id) {
  id name clientSecretHint effectiveRole ownerUser { id } ownerTeam { id name } testers { user { id } state }
} }`;
const HOME = `subscription { portalHomeChanged {
  teamInvitations { id team { name } inviter { id } role } testerInvitations { application { id } }
} }`;

let server: TestServer;
let ada: Person;
let bob: Person;
let cleo: Person;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob, cleo] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob'), signUp(server, 'cleo')]);
});

let team: MadeTeam;
const clients: Client[] = [];
beforeEach(async () => {
  team = await createTeam(ada, 'Otters');
  await addToTeam(ada, team, bob, 'ADMIN');
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
});

interface Page {
  next(): Promise<Loose>;
  /** Returns the code and the message of the error that ends the subscription. */
  refusal(): Promise<string>;
  until(isSo: (value: Loose) => boolean): Promise<Loose>;
  stop(): void;
}

async function open(person: Person | null, query: string, id?: string, options: SocketOptions = {}): Promise<Page> {
  const client = socketClient(server, { ...(person ? { token: person.token } : {}), ...options });
  clients.push(client);
  const stream = await subscribe(client, query, id === undefined ? {} : { id });
  const next = async () => {
    const { data, errors } = await stream.next();
    if (errors) throw new Error(`refused: ${JSON.stringify(errors)}`);
    return Object.values(data)[0] as Loose;
  };
  return {
    next,
    async refusal() {
      const { errors } = await stream.next();
      await stream.ended;
      return `${errors?.[0]?.extensions.code} ${errors?.[0]?.message}`;
    },
    async until(isSo) {
      for (;;) {
        const value = await next();
        if (isSo(value)) return value;
      }
    },
    stop: stream.stop,
  };
}

describe('teamChanged', () => {
  it('sends each of two members the current team after a change by the other', async () => {
    const adas = await open(ada, TEAM, team.id);
    const bobs = await open(bob, TEAM, team.id);
    const now = {
      id: team.id,
      name: 'Badgers',
      owner: { id: ada.id },
      members: [
        { user: { id: ada.id }, role: 'OWNER' },
        { user: { id: bob.id }, role: 'ADMIN' },
      ],
      invitations: [],
      applications: [],
    };
    await renameTeam(ada, team, 'Badgers');
    expect(await adas.next()).toEqual(now);
    expect(await bobs.next()).toEqual(now);

    const invitation = await inviteToTeam(bob, team, cleo, 'READ_ONLY');
    expect((await adas.next()).invitations).toEqual([{ invitee: { id: cleo.id } }]);
    await acceptInvitation(cleo, invitation);
    const joined = await adas.next();
    expect(joined.members.at(-1)).toEqual({ user: { id: cleo.id }, role: 'READ_ONLY' });
    expect(joined.invitations).toEqual([]);

    await setTeamRole(bob, team, cleo, 'DEVELOPER');
    expect((await adas.next()).members.at(-1).role).toBe('DEVELOPER');

    const bot = await createApplication(ada, 'Otter bot');
    await transferApplication(ada, bot, team);
    await bobs.until(({ applications }) => applications[0]?.id === bot.id);
    await bob.graphql('mutation ($i: ApplicationIdInput!) { resetClientSecret(input: $i) { clientSecret } }', {
      i: { applicationId: bot.id },
    });
    await ada.graphql('mutation ($i: DeleteApplicationInput!) { deleteApplication(input: $i) { id } }', {
      i: { applicationId: bot.id, name: bot.name },
    });
    await bobs.until(({ applications }) => applications.length === 0);
  });

  it('sends nothing for a refused change', async () => {
    await addToTeam(ada, team, cleo, 'READ_ONLY');
    const cleos = await open(cleo, TEAM, team.id);
    await expect(renameTeam(cleo, team, 'Mine')).rejects.toThrow('FORBIDDEN');
    await renameTeam(ada, team, 'Badgers');
    expect((await cleos.next()).name).toBe('Badgers');
  });

  it('returns the same error for a missing team, to an outsider and to an invited user', async () => {
    await inviteToTeam(ada, team, cleo);
    const answers = [
      await (await open(cleo, TEAM, team.id)).refusal(),
      await (await open(cleo, TEAM, '1')).refusal(),
      await (await open(await signUp(server, 'outsider'), TEAM, team.id)).refusal(),
    ];
    expect(answers).toEqual(Array(3).fill('NOT_FOUND Unknown Team'));
    expect(await (await open(null, TEAM, team.id)).refusal()).toMatch(/^UNAUTHENTICATED/);
    expect(await (await open(ada, TEAM, 'abc')).refusal()).toMatch(/^BAD_USER_INPUT/);
  });

  it('ends for a removed member, who gets no later values, and continues for the others', async () => {
    const adas = await open(ada, TEAM, team.id);
    const bobs = await open(bob, TEAM, team.id);
    await removeFromTeam(ada, team, bob);
    await renameTeam(ada, team, 'Secret');
    expect(await bobs.refusal()).toBe('NOT_FOUND Unknown Team');
    await adas.until(({ name }) => name === 'Secret');
  });

  it('ends for a member who leaves, and for all members when the team is deleted', async () => {
    const adas = await open(ada, TEAM, team.id);
    const bobs = await open(bob, TEAM, team.id);
    await removeFromTeam(bob, team, bob);
    expect(await bobs.refusal()).toBe('NOT_FOUND Unknown Team');
    await ada.graphql('mutation ($i: TeamIdInput!) { deleteTeam(input: $i) { id } }', { i: { teamId: team.id } });
    await adas.next();
    expect(await adas.refusal()).toBe('NOT_FOUND Unknown Team');
  });

  it('ends when its own session signs out, and continues in another session of the user', async () => {
    const dan = await signUp(server, 'dan');
    await addToTeam(ada, team, dan, 'READ_ONLY');
    const again = await fetch(`${server.origin}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: dan.email, password: dan.password }),
    });
    const other: Person = { ...dan, token: (await again.json()).token };
    const here = await open(dan, TEAM, team.id);
    const there = await open(other, TEAM, team.id);
    await fetch(`${server.origin}/auth/sign-out`, {
      method: 'POST',
      headers: { authorization: `Bearer ${dan.token}` },
    });
    expect(await here.refusal()).toMatch(/^UNAUTHENTICATED/);
    await renameTeam(ada, team, 'Badgers');
    expect((await there.next()).name).toBe('Badgers');
  });
});

describe('applicationChanged', () => {
  let bot: MadeApplication;
  beforeEach(async () => {
    bot = await createApplication(ada, 'Otter bot');
  });

  it('sends the current application after a change by another session of its owner', async () => {
    const page = await open(ada, APPLICATION, bot.id);
    await update(ada, bot.id, { name: 'Badger bot' });
    const first = await page.next();
    expect(first).toMatchObject({ name: 'Badger bot', effectiveRole: 'OWNER', ownerUser: { id: ada.id }, testers: [] });
    await ada.graphql('mutation ($i: ApplicationIdInput!) { resetClientSecret(input: $i) { clientSecret } }', {
      i: { applicationId: bot.id },
    });
    expect((await page.next()).clientSecretHint).not.toBe(first.clientSecretHint);
    await ada.graphql('mutation ($i: InviteTesterInput!) { inviteTester(input: $i) { tester { state } } }', {
      i: { applicationId: bot.id, userId: cleo.id },
    });
    expect((await page.next()).testers).toEqual([{ user: { id: cleo.id }, state: 'INVITED' }]);
    await cleo.graphql(
      'mutation ($i: ApplicationIdInput!) { acceptTesterInvitation(input: $i) { tester { state } } }',
      {
        i: { applicationId: bot.id },
      },
    );
    expect((await page.next()).testers).toEqual([{ user: { id: cleo.id }, state: 'ACCEPTED' }]);
  });

  it("follows an application into a team, and then sends changes to the team and to the caller's role", async () => {
    expect(await (await open(bob, APPLICATION, bot.id)).refusal()).toBe('NOT_FOUND Unknown Application');
    const adas = await open(ada, APPLICATION, bot.id);
    await transferApplication(ada, bot, team);
    await adas.until(({ ownerTeam, effectiveRole }) => ownerTeam?.id === team.id && effectiveRole === 'OWNER');
    const bobs = await open(bob, APPLICATION, bot.id);
    await setTeamRole(ada, team, bob, 'READ_ONLY');
    expect(await bobs.next()).toMatchObject({ effectiveRole: 'READ_ONLY', ownerUser: null });
    await renameTeam(ada, team, 'Badgers');
    await adas.until(({ ownerTeam }) => ownerTeam.name === 'Badgers');
    await removeFromTeam(ada, team, bob);
    await bobs.next();
    expect(await bobs.refusal()).toBe('NOT_FOUND Unknown Application');
  });

  it('is refused to testers', async () => {
    await ada.graphql('mutation ($i: InviteTesterInput!) { inviteTester(input: $i) { tester { state } } }', {
      i: { applicationId: bot.id, userId: cleo.id },
    });
    expect(await (await open(cleo, APPLICATION, bot.id)).refusal()).toBe('NOT_FOUND Unknown Application');
  });

  it('ends when the application is deleted', async () => {
    const page = await open(ada, APPLICATION, bot.id);
    await ada.graphql('mutation ($i: DeleteApplicationInput!) { deleteApplication(input: $i) { id } }', {
      i: { applicationId: bot.id, name: bot.name },
    });
    expect(await page.refusal()).toBe('NOT_FOUND Unknown Application');
  });
});

describe('portalHomeChanged', () => {
  it('sends invitations as they come and go, and only those of the user', async () => {
    const eli = await signUp(server, 'eli');
    const elis = await open(eli, HOME);
    const bobs = await open(bob, HOME);
    const nothing = { teamInvitations: [], testerInvitations: [] };
    const invitation = await inviteToTeam(ada, team, eli, 'READ_ONLY');
    expect((await elis.next()).teamInvitations).toEqual([
      { id: invitation, team: { name: 'Otters' }, inviter: { id: ada.id }, role: 'READ_ONLY' },
    ]);
    await bob.graphql('mutation ($i: InvitationIdInput!) { revokeTeamInvitation(input: $i) { invitation { id } } }', {
      i: { invitationId: invitation },
    });
    expect(await elis.next()).toEqual(nothing);
    const bot = await createApplication(ada);
    await ada.graphql('mutation ($i: InviteTesterInput!) { inviteTester(input: $i) { tester { state } } }', {
      i: { applicationId: bot.id, email: bob.email },
    });
    const testing = await bobs.until(({ testerInvitations }) => testerInvitations.length > 0);
    expect(testing).toEqual({ teamInvitations: [], testerInvitations: [{ application: { id: bot.id } }] });
    await bob.graphql('mutation ($i: ApplicationIdInput!) { declineTesterInvitation(input: $i) { id } }', {
      i: { applicationId: bot.id },
    });
    expect(await bobs.next()).toEqual(nothing);
  });

  it('does not listen to the messages of servers', async () => {
    const guild = await createGuild(ada);
    const { bus } = server.app;
    const { subscribe: subscribeToBus } = bus;
    const heard: unknown[] = [];
    bus.subscribe = (topic, handler, options) => {
      if (topic === topics.guild(guild.id) && !options?.early) heard.push(options?.accessOnly);
      return subscribeToBus.call(bus, topic, handler, options);
    };
    await open(ada, HOME);
    bus.subscribe = subscribeToBus;
    expect(heard).toEqual([true]);
  });
});

describe('the subscriptions that send a value', () => {
  const PAGES = ['team', 'application', 'home'] as const;
  type PageName = (typeof PAGES)[number];

  let bot: MadeApplication;
  let other: MadeApplication;
  let eve: Person;
  let invitation: string;
  let pages: Record<PageName, Page>;
  let index = 0;
  beforeEach(async () => {
    index += 1;
    eve = await signUp(server, `eve${index}`);
    bot = await createApplication(ada, 'Otter bot');
    other = await createApplication(ada, 'Other bot');
    await transferApplication(ada, bot, team);
    invitation = await inviteToTeam(ada, team, eve);
    await on('inviteTester', 'InviteTesterInput', 'tester { state }', { userId: eve.id });
    pages = {
      team: await open(ada, TEAM, team.id),
      application: await open(ada, APPLICATION, bot.id),
      home: await open(eve, HOME),
    };
  });

  const on = (mutation: string, type: string, shown: string, input: object = {}, person = ada) =>
    person.graphql(`mutation ($input: ${type}!) { ${mutation}(input: $input) { ${shown} } }`, {
      input: { applicationId: bot.id, ...input },
    });
  const changeIcon = async (path: string) => {
    const response = await fetch(`${server.origin}/api/v10${path}`, {
      method: 'PATCH',
      headers: {
        'content-type': 'application/json',
        authorization: path.includes('teams') ? `Bearer ${ada.token}` : `Bot ${bot.botToken}`,
      },
      body: JSON.stringify({ icon: ICON }),
    });
    expect(response.status).toBe(200);
  };

  it.each<[string, PageName[], () => Promise<unknown>]>([
    ['renaming the team', ['team', 'application', 'home'], () => renameTeam(ada, team, 'Badgers')],
    ['its icon', ['team', 'application', 'home'], () => changeIcon(`/developer-portal/teams/${team.id}`)],
    ['inviting another user to the team', ['team', 'application'], () => inviteToTeam(ada, team, cleo)],
    ['giving a member a role', ['team', 'application'], () => setTeamRole(ada, team, bob, 'DEVELOPER')],
    ['removing a member', ['team', 'application'], () => removeFromTeam(ada, team, bob)],
    ['accepting', ['team', 'application', 'home'], () => acceptInvitation(eve, invitation)],
    ['renaming the application', ['team', 'application', 'home'], () => update(ada, bot.id, { name: 'Badger bot' })],
    ['its bot giving it an icon', ['team', 'application', 'home'], () => changeIcon('/applications/@me')],
    ['another setting', ['team', 'application'], () => update(ada, bot.id, { description: 'of otters' })],
    ['a client secret', ['team', 'application'], () => on('resetClientSecret', 'ApplicationIdInput', 'clientSecret')],
    ['a bot token', ['team', 'application'], () => on('resetBotToken', 'ApplicationIdInput', 'botToken')],
    [
      'inviting another tester',
      ['team', 'application'],
      () => on('inviteTester', 'InviteTesterInput', 'tester { state }', { userId: cleo.id }),
    ],
    [
      'accepting to test',
      ['team', 'application', 'home'],
      () => on('acceptTesterInvitation', 'ApplicationIdInput', 'tester { state }', {}, eve),
    ],
    [
      'removing the tester',
      ['team', 'application', 'home'],
      () => on('removeTester', 'ApplicationUserInput', 'id', { userId: eve.id }),
    ],
    [
      'a webhook',
      ['team', 'application'],
      async () => {
        const { textChannelId: channelId } = await createGuild(ada);
        await on('createWebhook', 'CreateWebhookInput', 'url', { channelId, name: 'News' });
      },
    ],
    ['giving the team another application', ['team', 'application'], () => transferApplication(ada, other, team)],
    ['renaming an application elsewhere', [], () => update(ada, other.id, { name: 'Badger bot' })],
  ])('after %s are %j', async (_operation, told, operate) => {
    await operate();
    for (const name of told) await pages[name].next();
    // The next value is the next change, so the pages got no unexpected value and none twice.
    await renameTeam(ada, team, 'Last');
    expect((await pages.team.next()).name).toBe('Last');
    expect((await pages.application.next()).ownerTeam.name).toBe('Last');
    if ((await pendingOf(eve)).teams.length === 0) return;
    expect((await pages.home.next()).teamInvitations).toMatchObject([{ team: { name: 'Last' } }]);
  });
});

const ICON =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('a long-lived subscription', () => {
  it('is resumed after a reconnect, and sends the changes that come later', async () => {
    let tellDisconnected: () => void = () => {};
    let reconnect: () => void = () => {};
    const disconnected = new Promise<void>((resolve) => {
      tellDisconnected = resolve;
    });
    const retryWait = () =>
      new Promise<void>((resolve) => {
        reconnect = resolve;
        tellDisconnected();
      });
    const page = await open(bob, TEAM, team.id, { retryAttempts: 1, retryWait });
    clients.at(-1)?.terminate();
    await disconnected;
    await renameTeam(ada, team, 'Badgers');
    const again = nextSubscription(server);
    reconnect();
    await again.begun;
    again.forget();
    await renameTeam(ada, team, 'Weasels');
    expect((await page.next()).name).toBe('Weasels');
  });

  it('is also sent as server-sent events', async () => {
    const gone = new AbortController();
    const open = countListeners(server);
    const listening = nextSubscription(server);
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${bob.token}`,
      },
      body: JSON.stringify({ query: TEAM, variables: { id: team.id } }),
      signal: gone.signal,
    });
    await listening.begun;
    listening.forget();
    await renameTeam(ada, team, 'Badgers');
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('Badgers')) break;
    }
    expect(text).toContain('event: next');
    gone.abort();
    await open.none();
  });

  it('removes its listeners when the client unsubscribes, when its socket closes, and when it is refused', async () => {
    const listening = countListeners(server);
    const page = await open(bob, TEAM, team.id);
    expect(listening.count()).toBe(2);
    page.stop();
    await listening.none();

    const again = countListeners(server);
    await open(bob, TEAM, team.id);
    await clients.at(-1)?.dispose();
    await again.none();

    const refused = countListeners(server);
    await (await open(cleo, TEAM, team.id)).refusal();
    expect(refused.count()).toBe(0);
    await refused.none();
  });

  it('is aborted and not completed when the server stops, so that its client reconnects', async () => {
    const stopping = await startServer();
    const eve = await signUp(stopping, 'eve');
    const home = await createTeam(eve);
    const response = await fetch(`${stopping.origin}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${eve.token}`,
      },
      body: JSON.stringify({ query: TEAM, variables: { id: home.id } }),
    });
    const stopped = stopping.stop();
    await expect(response.text()).rejects.toThrow('terminated');
    await stopped;
  });
});

describe('watchState', () => {
  const contextOf = async (person: Person, streams?: Streams) =>
    graphqlContext(server.app, await userOf(server.app, person), streams);
  const change = () => server.app.publish({ type: 'TEAM_UPDATED', teamId: 1n });
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('keeps one mark for all changes that a slow reader has not seen', async () => {
    let reads = 0;
    const context = await contextOf(ada);
    const stream = await watchState(context, {
      key: 'watched',
      read: async () => ++reads,
      topicsOf: () => [topics.team(1n)],
    });
    const before = reads;
    for (let n = 0; n < 10_000; n += 1) change();
    expect(await stream.next()).toEqual({ value: before + 1, done: false });
    const waiting = stream.next();
    let isAnswered = false;
    void waiting.then(() => {
      isAnswered = true;
    });
    await settle();
    expect(isAnswered).toBe(false);
    change();
    expect(await waiting).toEqual({ value: before + 2, done: false });
    await stream.return?.();
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(context.streams.size).toBe(0);
  });

  it('reads again if a change comes while it reads', async () => {
    let reads = 0;
    const stream = await watchState(await contextOf(ada), {
      key: 'watched',
      read: async () => {
        reads += 1;
        if (reads === 2) change();
        return reads;
      },
      topicsOf: () => [topics.team(1n)],
    });
    expect((await stream.next()).value).toBe(3);
    await stream.return?.();
  });

  it('reads once for all streams of one user that watch the same key', async () => {
    const streams = new Streams(server.app.clock);
    let reads = 0;
    const watched = { key: 'watched', read: async () => ++reads, topicsOf: () => [topics.team(1n)] };
    const open = async (person: Person) => watchState(await contextOf(person, streams), watched);
    const adas = [await open(ada), await open(ada), await open(ada)];
    const bobs = await open(bob);
    const before = reads;
    change();
    for (const stream of adas) {
      expect((await stream.next()).value).toBe(before + 1);
      stream.next().catch(() => {});
    }
    expect((await bobs.next()).value).toBe(before + 2);
    streams.endAll();
    expect([streams.size, streams.shared.size]).toEqual([0, 0]);
  });

  it('computes the values of one user one after the other, without blocking another user', async () => {
    const streams = new Streams(server.app.clock);
    const contexts = [
      await contextOf(ada, streams),
      await contextOf(ada, streams),
      await contextOf(bob, streams),
    ] as const;
    const watched = { key: 'watched', read: async () => 1, topicsOf: () => [topics.team(1n)] };
    const open = async (context: GraphqlContext) => watchState(context, watched);
    const [first, second, other] = [await open(contexts[0]), await open(contexts[1]), await open(contexts[2])];
    change();
    const outcomes: string[] = [];
    await first.next();
    const waiting = second.next().then(() => outcomes.push('second'));
    await other.next().then(() => outcomes.push('other'));
    for (let n = 0; n < 10; n += 1) await settle();
    expect(outcomes).toEqual(['other']);
    contexts[0].turn.end();
    await waiting;
    expect(outcomes).toEqual(['other', 'second']);
    streams.endAll();
  });

  it('completes a waiting reader when all streams are ended', async () => {
    const context = await contextOf(ada);
    const stream = await watchState(context, { key: 'watched', read: async () => 1, topicsOf: () => [] });
    const waiting = stream.next();
    context.streams.endAll();
    expect(await waiting).toEqual({ value: undefined, done: true });
  });

  it('reads each value with a new call context and new loaders', async () => {
    const context = await contextOf(ada);
    const seen = new Set<unknown>();
    const stream = await watchState(context, {
      key: 'watched',
      read: async ({ call, loaders }) => seen.add(call).add(loaders).size,
      topicsOf: () => [topics.team(1n)],
    });
    change();
    const { value: first } = await stream.next();
    change();
    expect((await stream.next()).value).toBe(Number(first) + 2);
    await stream.return?.();
  });
});
