import { MessageFlags } from 'discord-api-types/v10';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MovableClock } from '../harness/clock.js';
import { putCommand } from '../harness/command-rows.js';
import { startEndpoint, type TestEndpoint } from '../harness/endpoint.js';
import { GatewayClient } from '../harness/gateway-client.js';
import { askGraphql, codeOf, type Loose } from '../harness/graphql.js';
import { eventually } from '../harness/jobs.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { ask as send } from '../harness/rest.js';
import { startServer, type TestServer } from '../harness/server.js';
import { socketClient, subscribe as subscribeOn } from '../harness/sockets.js';
import { subscribe } from '../harness/subscriptions.js';

const clock = new MovableClock();
let server: TestServer;
/** dev develops the application, ada owns the guild and runs the command, bob is a member, and eve is an outsider. */
let dev: Person;
let ada: Person;
let bob: Person;
let eve: Person;
let guild: MadeGuild;
let application: MadeApplication;
let rival: MadeApplication;
let commandId: string;
let session: GatewayClient;
beforeAll(async () => {
  server = await startServer({ clock, env: { ALLOW_PRIVATE_ENDPOINTS: 'on' } });
  [dev, ada, bob, eve] = (await Promise.all(['dev', 'ada', 'bob', 'eve'].map((name) => signUp(server, name)))) as [
    Person,
    Person,
    Person,
    Person,
  ];
  guild = await createGuild(ada);
  await invite(ada, guild, bob);
  application = await createApplication(dev);
  rival = await createApplication(eve);
  for (const one of [application, rival]) await install(ada, one, guild);
  const option = { type: 3, name: 'text', description: 'What', autocomplete: true };
  commandId = String((await putCommand(server.app, BigInt(application.id), { options: [option] })).id);
});
beforeEach(async () => {
  session = await GatewayClient.open(server.origin);
  await session.ready(application.botToken);
});
afterEach(() => session.close());
afterAll(() => server.stop());

const FIELDS = `id type name state failure modal fellBack durationMs createdAt
  user { id } application { id } channel { id } message { id content } trace { kind reason response request status }`;

const invoke = async (person = ada): Promise<Loose> =>
  (
    await person.graphql(
      `mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction { ${FIELDS} } } }`,
      { input: { channelId: guild.textChannelId, commandId } },
    )
  ).invokeCommand.interaction;

async function asked(): Promise<{ id: string; token: string }> {
  await invoke();
  return (await session.event('INTERACTION_CREATE')).d;
}

const read = (person: Person, id: string) =>
  person.ask(`query ($id: ID!) { interaction(id: $id) { ${FIELDS} } }`, { id });
const list = (person: Person, id = application.id) =>
  person.ask(`query ($id: ID!) { application(id: $id) { interactions(last: 50) { edges { node { id } } } } }`, { id });

const callback = ({ id, token }: Loose, json: object = { type: 4, data: { content: 'hello' } }) =>
  send(server, 'POST', `/interactions/${id}/${token}/callback`, { json });

async function deferred(): Promise<{ id: string; token: string }> {
  const key = await asked();
  await callback(key, { type: 5 });
  return key;
}

const EPHEMERAL = { type: 4, data: { content: 'psst', flags: MessageFlags.Ephemeral } };

describe('an interaction', () => {
  it('I-26: shows each step of its trace to its developers', async () => {
    const { id, token } = await asked();
    expect((await callback({ id, token }, { type: 4, data: {} })).status).toBe(400);
    await callback({ id, token });
    const { data } = await read(dev, id);
    expect(data.interaction).toMatchObject({
      id,
      type: 2,
      state: 'ANSWERED',
      failure: null,
      user: { id: ada.id },
      application: { id: application.id },
      trace: [{ kind: 'GATEWAY' }, { kind: 'REFUSED', reason: expect.any(String) }, { kind: 'CALLBACK' }],
    });
    // A developer of the application may be outside the guild.
    expect(data.interaction).toMatchObject({ channel: null, message: null });
    expect(JSON.stringify(data)).not.toContain(token);
  });

  it('I-26: shows its result to its user, without the trace', async () => {
    const { id, token } = await asked();
    await callback({ id, token });
    const { data } = await read(ada, id);
    expect(data.interaction).toMatchObject({
      state: 'ANSWERED',
      channel: { id: guild.textChannelId },
      message: { content: 'hello' },
      trace: [],
    });
  });

  it('I-26: is hidden from all other users', async () => {
    const { id } = await asked();
    for (const person of [bob, eve]) {
      const answer = await read(person, id);
      expect(answer.data?.interaction ?? null).toBeNull();
    }
    for (const person of [ada, bob, eve]) {
      const answer = await list(person);
      expect(answer.data?.application?.interactions?.edges ?? []).toEqual([]);
    }
    expect((await list(dev)).data.application.interactions.edges).toContainEqual({ node: { id } });
    expect((await list(eve, rival.id)).data.application.interactions.edges).toEqual([]);
  });

  it('I-26: shows a short failure to its user and the reason to its developers if no answer comes', async () => {
    await session.close();
    const invoking = invoke();
    await clock.advanceOnceWaiting(3_000);
    const { id, state, failure } = await invoking;
    expect({ state, failure }).toEqual({ state: 'FAILED', failure: 'The application did not answer.' });
    expect((await read(dev, id)).data.interaction.failure).toMatch(/No gateway session/);
    session = await GatewayClient.open(server.origin);
  });

  it('I-6: is shown as expired after its time is over, even if no process has stored that yet', async () => {
    const { id } = await asked();
    const endsAt = new Date(server.app.clock.now() - 1);
    const data = { state: 'DEFERRED', endsAt, failure: null } as const;
    await server.app.db.writer.interaction.update({ where: { id: BigInt(id) }, data });
    expect((await read(dev, id)).data.interaction).toMatchObject({
      state: 'EXPIRED',
      failure: expect.stringMatching(/15 minutes/),
    });
  });
});

describe('interactionUpdated', () => {
  const SUBSCRIPTION = `subscription ($id: ID!) { interactionUpdated(applicationId: $id) { id state } }`;

  it('I-26: streams each change of state to users with a role in the application', async () => {
    const client = socketClient(server, { token: dev.token });
    const events = await subscribeOn(client, SUBSCRIPTION, { id: application.id });
    const { id, token } = await asked();
    const states = async (state: string) => {
      for (;;) {
        const { interactionUpdated } = (await events.next()).data;
        // Unanswered interactions of the tests before this one may expire in the meantime.
        if (interactionUpdated.id === id && interactionUpdated.state === state) return;
      }
    };
    await states('DELIVERED_GATEWAY');
    await callback({ id, token }, { type: 5 });
    await states('DEFERRED');
    const path = `/webhooks/${application.id}/${token}/messages/@original`;
    await send(server, 'PATCH', path, { json: { content: 'done' } });
    await states('ANSWERED');
    await client.dispose();
  });

  it('I-26: streams each step of the trace, even if the state stays the same', async () => {
    const { id, token } = await deferred();
    const client = socketClient(server, { token: dev.token });
    const events = await subscribeOn(
      client,
      `subscription ($id: ID!) { interactionUpdated(applicationId: $id) { id state trace { kind } } }`,
      { id: application.id },
    );
    const next = async (kind: string) => {
      for (;;) {
        const { interactionUpdated } = (await events.next()).data;
        if (interactionUpdated.id !== id) continue;
        expect(interactionUpdated.state).toBe('ANSWERED');
        if (interactionUpdated.trace.at(-1).kind === kind) return;
      }
    };
    const path = `/webhooks/${application.id}/${token}`;
    await send(server, 'PATCH', `${path}/messages/@original`, { json: { content: 'done' } });
    await next('EDIT');
    await send(server, 'POST', path, { json: { content: 'more' } });
    await next('FOLLOW_UP');
    await send(server, 'DELETE', `${path}/messages/@original`);
    await next('DELETE');
    await client.dispose();
  });

  it('does not block the next subscriber after a client leaves while a value is computed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const client = socketClient(server, { token: dev.token });
      const events = await subscribeOn(client, SUBSCRIPTION, { id: application.id });
      const key = await deferred();
      void send(server, 'PATCH', `/webhooks/${application.id}/${key.token}/messages/@original`, {
        json: { content: 'done' },
      });
      await events.next();
      await client.dispose();
    }
    const client = socketClient(server, { token: dev.token });
    const events = await subscribeOn(client, SUBSCRIPTION, { id: application.id });
    await asked();
    expect((await events.next()).data).not.toBeNull();
    await client.dispose();
  });

  it('I-26: is refused to the user and to developers of other applications', async () => {
    for (const person of [ada, bob, eve]) {
      const client = socketClient(server, { token: person.token });
      const refused = await refusalOf(subscribeOn(client, SUBSCRIPTION, { id: application.id }));
      expect(refused).toBe(true);
      await client.dispose();
    }
  });
});

describe('interactionChanged', () => {
  const SUBSCRIPTION = `subscription ($id: ID!) { interactionChanged(id: $id) { id state trace { kind } } }`;
  const fillIn = ({ token }: Loose) =>
    send(server, 'PATCH', `/webhooks/${application.id}/${token}/messages/@original`, { json: { content: 'done' } });

  it('I-26: sends the changes of one interaction to its user, without the trace', async () => {
    const { id, token } = await deferred();
    const client = socketClient(server, { token: ada.token });
    const events = await subscribeOn(client, SUBSCRIPTION, { id });
    await fillIn(await deferred());
    await fillIn({ token });
    const { data } = await events.next();
    expect(data.interactionChanged).toEqual({ id, state: 'ANSWERED', trace: [] });
    await client.dispose();
  });

  it('I-26: sends the changes and the trace to developers, and is refused to strangers', async () => {
    const { id, token } = await deferred();
    const client = socketClient(server, { token: dev.token });
    const events = await subscribeOn(client, SUBSCRIPTION, { id });
    await fillIn({ token });
    const { data } = await events.next();
    expect(data.interactionChanged.trace.slice(0, 2)).toEqual([{ kind: 'GATEWAY' }, { kind: 'CALLBACK' }]);
    await client.dispose();
    const stranger = socketClient(server, { token: eve.token });
    expect(await refusalOf(subscribeOn(stranger, SUBSCRIPTION, { id }))).toBe(true);
    await stranger.dispose();
  });
});

describe('an ephemeral answer', () => {
  it('I-23: is visible only to its user in events, in lists and by its id', async () => {
    const [mine, theirs] = [
      await subscribe(server, ada, guild.textChannelId),
      await subscribe(server, bob, guild.textChannelId),
    ];
    const { id, token } = await asked();
    await callback({ id, token }, EPHEMERAL);
    const { data } = await mine.next(({ type }) => type === 'MESSAGE_CREATE');
    expect(data).toMatchObject({ content: 'psst' });
    const plain = await asked();
    await callback(plain, { type: 4, data: { content: 'for all' } });
    // The next message that other members get is the public one.
    expect((await theirs.next(({ type }) => type === 'MESSAGE_CREATE')).data).toMatchObject({ content: 'for all' });
    const messages = async (person: Person): Promise<string[]> =>
      (
        await person.graphql(
          `query ($id: ID!) { channel(id: $id) { messages(last: 20) { edges { node { content } } } } }`,
          {
            id: guild.textChannelId,
          },
        )
      ).channel.messages.edges.map((one: Loose) => one.node.content);
    expect(await messages(ada)).toContain('psst');
    expect(await messages(bob)).not.toContain('psst');
    expect(await messages(bob)).toContain('for all');
    expect((await read(ada, id)).data.interaction.message).toMatchObject({ content: 'psst' });
    await Promise.all([mine.close(), theirs.close()]);
  });

  it('I-23: has components that only its user can use', async () => {
    const row = { type: 1, components: [{ type: 2, style: 1, label: 'press', custom_id: 'press' }] };
    const request = await asked();
    await callback(request, { type: 4, data: { ...EPHEMERAL.data, components: [row] } });
    const { id: messageId } = (await read(ada, request.id)).data.interaction.message;
    const press = (person: Person) =>
      person.ask('mutation ($input: UseComponentInput!) { useComponent(input: $input) { interaction { state } } }', {
        input: { channelId: guild.textChannelId, messageId, customId: 'press' },
      });
    expect(codeOf(await press(bob))).toBe('NOT_FOUND');
    expect((await press(ada)).data.useComponent.interaction.state).toBe('DELIVERED_GATEWAY');
    expect((await session.event('INTERACTION_CREATE')).d.message).toMatchObject({ id: messageId, content: 'psst' });
  });
});

describe('a response for one user', () => {
  it('I-2: shows a modal to the user, and not to developers', async () => {
    const request = await asked();
    await callback(request, {
      type: 9,
      data: {
        custom_id: 'form',
        title: 'Form',
        components: [{ type: 18, label: 'Name', component: { type: 4, custom_id: 'name', style: 1 } }],
      },
    });
    expect((await read(ada, request.id)).data.interaction.modal).toMatchObject({ custom_id: 'form' });
    expect((await read(dev, request.id)).data.interaction.modal).toBeNull();
    const submit = (person: Person) =>
      person.ask('mutation ($input: SubmitModalInput!) { submitModal(input: $input) { interaction { type state } } }', {
        input: {
          interactionId: request.id,
          components: [{ type: 18, component: { type: 4, custom_id: 'name', value: 'Ada' } }],
        },
      });
    for (const person of [bob, eve, dev]) expect(codeOf(await submit(person))).toBe('NOT_FOUND');
    expect((await submit(ada)).data.submitModal.interaction).toEqual({ type: 5, state: 'DELIVERED_GATEWAY' });
    expect(codeOf(await submit(ada))).toBe('CONFLICT');
    expect((await read(ada, request.id)).data.interaction.modal).toBeNull();
  });

  it('I-1: contains the choices of an autocompletion', async () => {
    const input = {
      channelId: guild.textChannelId,
      commandId,
      options: [{ name: 'text', type: 3, value: 'a', focused: true }],
    };
    const answered = ada.graphql(
      'mutation ($input: InvokeCommandInput!) { autocompleteCommand(input: $input) { choices interaction { state } } }',
      { input },
    );
    const { d } = await session.event('INTERACTION_CREATE');
    const choices = [{ name: 'A', value: 'a' }];
    await callback(d, { type: 8, data: { choices } });
    expect((await answered).autocompleteCommand).toEqual({ choices, interaction: { state: 'ANSWERED' } });
  });
});

describe('a command that a user runs', () => {
  const RUN = `mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction { id } } }`;
  const COMPLETE = `mutation ($input: InvokeCommandInput!) { autocompleteCommand(input: $input) { choices } }`;
  const input = () => ({ channelId: guild.textChannelId, commandId });

  it('I-29: is refused if it has changed since the user saw it', async () => {
    const { version } = await server.app.db.reader.applicationCommand.findUniqueOrThrow({
      where: { id: BigInt(commandId) },
    });
    for (const mutation of [RUN, COMPLETE]) {
      const answer = await ada.ask(mutation, { input: { ...input(), version: String(version - 1n) } });
      expect(codeOf(answer)).toBe('BAD_USER_INPUT');
      expect(answer.errors[0]?.extensions.fields).toMatchObject({
        version: [{ code: 'INTERACTION_APPLICATION_COMMAND_INVALID_VERSION' }],
      });
    }
    expect((await ada.ask(RUN, { input: { ...input(), version: String(version) } })).errors).toEqual([]);
    expect((await session.event('INTERACTION_CREATE')).d).toMatchObject({ type: 2 });
  });

  it.each([
    ['de-CH, fr;q=0.9', 'de'],
    ['tlh', 'en-US'],
  ])('I-30: with Accept-Language: %s has the locale %s', async (languages, locale) => {
    const headers = { authorization: `Bearer ${ada.token}`, 'accept-language': languages };
    await askGraphql(server, RUN, { input: input() }, headers);
    expect((await session.event('INTERACTION_CREATE')).d).toMatchObject({ locale, guild_locale: 'en-US' });
  });

  it('I-30: has the locale of the user on a socket, too', async () => {
    const client = socketClient(server, { token: ada.token, headers: { 'accept-language': 'fr' } });
    await client.iterate({ query: RUN, variables: { input: input() } }).next();
    await client.dispose();
    expect((await session.event('INTERACTION_CREATE')).d).toMatchObject({ locale: 'fr' });
  });
});

describe('an endpoint over HTTP', () => {
  let endpoint: TestEndpoint;
  beforeAll(async () => {
    endpoint = await startEndpoint({
      publicKey: application.publicKey,
      answer: () => ({ type: 4, data: { content: 'hi' } }),
    });
    await dev.graphql(
      'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }',
      { input: { applicationId: application.id, interactionsEndpointUrl: endpoint.url } },
    );
  });
  afterAll(() => endpoint.close());

  it('I-10, I-11, I-13: reports its results as its health, and stays configured after failures', async () => {
    expect(await invoke()).toMatchObject({ state: 'ANSWERED', fellBack: false, durationMs: expect.any(Number) });
    endpoint.mode('error');
    expect(await invoke()).toMatchObject({ state: 'DELIVERED_GATEWAY', fellBack: true });
    endpoint.mode('wrongJson');
    const failed = await invoke();
    expect(failed).toMatchObject({ state: 'FAILED', fellBack: false, failure: 'The application did not answer.' });
    const { application: shown } = await dev.graphql(
      `query ($id: ID!) { application(id: $id) {
        interactionsEndpointUrl endpointHealth { answered fellBack failed lastFailure }
      } }`,
      { id: application.id },
    );
    expect(shown).toEqual({
      interactionsEndpointUrl: endpoint.url,
      endpointHealth: {
        answered: 1,
        fellBack: 1,
        failed: 1,
        lastFailure: expect.stringMatching(/response is invalid/),
      },
    });
    const { data } = await read(dev, failed.id);
    expect(data.interaction.trace).toMatchObject([
      { kind: 'HTTP', status: 200, response: expect.stringContaining('99') },
    ]);
    await eventually(async () => expect((await read(dev, failed.id)).data.interaction.state).toBe('FAILED'));
  });
});

/** Whether the subscription fails, either when it opens or in its first event. */
async function refusalOf(opening: Promise<{ next(): Promise<{ errors?: unknown }> }>): Promise<boolean> {
  try {
    return (await (await opening).next()).errors !== undefined;
  } catch {
    return true;
  }
}
