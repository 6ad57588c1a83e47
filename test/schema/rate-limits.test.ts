import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  AUTOCOMPLETIONS_PER_PERSON,
  GRAPHQL_PER_CALLER,
  INVOCATIONS_PER_PERSON,
  REQUESTS_PER_CALLER,
} from '../../src/domain/limits.js';
import { askGraphql, type GraphqlAnswer, type Loose } from '../harness/graphql.js';
import { createGuild, invite, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';
import { socketClient } from '../harness/sockets.js';
import { addMember, userOf } from '../harness/world.js';

let server: TestServer;
let adas = 0;
/** A new user for each test, without any counted requests. */
let ada: Person;
let bob: Person;
let guild: MadeGuild;
beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: 'on' } });
  bob = await signUp(server, 'bob');
});
beforeEach(async () => {
  ada = await signUp(server, `ada${++adas}`);
  guild = await createGuild(ada);
  await invite(ada, guild, bob);
});
afterAll(() => server.stop());

const codesOf = ({ errors }: GraphqlAnswer<Loose>) => errors.map(({ extensions }) => extensions.code);

const send = (person: Person, channelId = guild.textChannelId) =>
  person.ask('mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }', {
    input: { channelId, content: 'hello' },
  });

async function sendFive(): Promise<string> {
  const answers = [];
  for (let n = 0; n < 5; n += 1) answers.push(await send(ada));
  expect(answers.flatMap(codesOf)).toEqual([]);
  return answers[0]?.data.sendMessage.message.id;
}

it('direct channels that are opened too fast are refused with a message of their own', async () => {
  const open = () =>
    ada.ask('mutation ($i: OpenDirectChannelInput!) { openDirectChannel(input: $i) { channel { id } } }', {
      i: { userId: bob.id },
    });
  for (let n = 0; n < 10; n += 1) expect(codesOf(await open())).toEqual([]);
  const message = 'You are opening direct messages too fast';
  expect((await open()).errors).toMatchObject([{ message, extensions: { code: 'RATE_LIMITED' } }]);
});

describe('the messages of one channel', () => {
  it('are limited to five in five seconds, and the sixth is refused with a retry time', async () => {
    await sendFive();
    const { errors } = await send(ada);
    expect(errors).toMatchObject([
      {
        message: 'You are being rate limited.',
        path: ['sendMessage'],
        extensions: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) },
      },
    ]);
    expect(errors[0]?.extensions.retryAfter).toBeGreaterThan(0);
    expect(errors[0]?.extensions.retryAfter).toBeLessThanOrEqual(5);
  });

  it('are counted separately for each user and channel', async () => {
    await sendFive();
    expect(codesOf(await send(bob))).toEqual([]);
    expect(codesOf(await send(ada, guild.voiceChannelId))).toEqual([]);
  });

  it('have separate limits for edits, reactions and deletions', async () => {
    const input = { channelId: guild.textChannelId, messageId: await sendFive() };
    const edit = () =>
      ada.ask('mutation ($input: EditMessageInput!) { editMessage(input: $input) { message { id } } }', {
        input: { ...input, content: 'new' },
      });
    for (let n = 0; n < 5; n += 1) expect(codesOf(await edit())).toEqual([]);
    expect(codesOf(await edit())).toEqual(['RATE_LIMITED']);

    const react = (field: string) =>
      ada.ask(`mutation ($input: ReactionInput!) { ${field}(input: $input) { message { id } } }`, {
        input: { ...input, emoji: '👍' },
      });
    for (let n = 0; n < 5; n += 1) {
      expect([await react('addReaction'), await react('removeReaction')].flatMap(codesOf)).toEqual([]);
    }
    expect(codesOf(await react('addReaction'))).toEqual(['RATE_LIMITED']);

    const remove = () =>
      ada.ask('mutation ($input: MessageIdInput!) { deleteMessage(input: $input) { id } }', { input });
    expect(codesOf(await remove())).toEqual([]);
    for (let n = 1; n < 10; n += 1) expect(codesOf(await remove())).toEqual(['NOT_FOUND']);
    expect(codesOf(await remove())).toEqual(['RATE_LIMITED']);
  });
});

describe('the interactions of one user', () => {
  const ASK = {
    invokeCommand: { type: 'InvokeCommandInput', input: { commandId: '1' } },
    useComponent: { type: 'UseComponentInput', input: { messageId: '1', customId: 'join' } },
    submitModal: { type: 'SubmitModalInput', input: { interactionId: '1', components: [] } },
    autocompleteCommand: { type: 'InvokeCommandInput', input: { commandId: '1' } },
  } as const;
  type Door = keyof typeof ASK;
  const INVOKING: Door[] = ['invokeCommand', 'useComponent', 'submitModal'];

  const ask = (person: Person, door: Door) => {
    const { type, input } = ASK[door];
    const place = door === 'submitModal' ? {} : { channelId: guild.textChannelId };
    return person.ask(`mutation ($input: ${type}!) { ${door}(input: $input) { interaction { id } } }`, {
      input: { ...place, ...input },
    });
  };

  it('I-31: are limited to thirty commands, components and modals together in ten seconds', async () => {
    for (let n = 0; n < 30; n += 1) {
      expect(codesOf(await ask(ada, INVOKING[n % 3] as Door))).toEqual(['NOT_FOUND']);
    }
    for (const door of INVOKING) {
      const { errors } = await ask(ada, door);
      expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) } }]);
      expect(errors[0]?.extensions.retryAfter).toBeLessThanOrEqual(INVOCATIONS_PER_PERSON.seconds);
    }
    expect(codesOf(await ask(bob, 'invokeCommand'))).toEqual(['NOT_FOUND']);
    expect(codesOf(await ask(ada, 'autocompleteCommand'))).toEqual(['NOT_FOUND']);
  });

  it('I-31: have a separate limit of sixty autocompletions in ten seconds', async () => {
    const { points } = AUTOCOMPLETIONS_PER_PERSON;
    expect(points).toBe(60);
    await server.app.limits.take(AUTOCOMPLETIONS_PER_PERSON, ada.id, points - 1);
    expect(codesOf(await ask(ada, 'autocompleteCommand'))).toEqual(['NOT_FOUND']);
    expect(codesOf(await ask(ada, 'autocompleteCommand'))).toEqual(['RATE_LIMITED']);
    expect(codesOf(await ask(ada, 'invokeCommand'))).toEqual(['NOT_FOUND']);
  });
});

describe('mutations', () => {
  const mutation = 'mutation { deleteMessage(input: { channelId: "1", messageId: "1" }) { id } }';

  it('are counted one by one, also within one operation', async () => {
    // Only a new user has no counted requests.
    const carol = await signUp(server, 'carol');
    await addMember(server.app, BigInt(guild.id), await userOf(server.app, carol));
    const fields = Array.from(
      { length: 3 },
      (_, n) => `m${n}: createInvite(input: { channelId: $channelId }) { code }`,
    );
    const many = `mutation ($channelId: ID!) { ${fields.join(' ')} }`;
    await server.app.limits.take(REQUESTS_PER_CALLER, carol.id, REQUESTS_PER_CALLER.points - 2);
    const { errors } = await carol.ask(many, { channelId: guild.textChannelId });
    expect(errors).toMatchObject([{ path: ['m2'], extensions: { code: 'RATE_LIMITED' } }]);
  });

  it('share the request limit with REST, but queries do not', async () => {
    await server.app.limits.take(REQUESTS_PER_CALLER, ada.id, REQUESTS_PER_CALLER.points);
    const [changed, asked] = await Promise.all([ada.ask(mutation), ada.ask('{ teams { id } }')]);
    expect(changed.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryAfter: 1 } }]);
    expect(asked).toMatchObject({ errors: [], data: { teams: [] } });
  });

  it('of an unauthenticated caller are refused as unauthenticated', async () => {
    const answer = await askGraphql(server, mutation);
    expect(codesOf(answer)).toEqual(['UNAUTHENTICATED']);
  });
});

describe('the operations of one user', () => {
  const query = '{ teams { id } }';
  const spendAllBut = (points: number) =>
    server.app.limits.take(GRAPHQL_PER_CALLER, ada.id, GRAPHQL_PER_CALLER.points - points);

  it('have one limit for HTTP and WebSocket together', async () => {
    await spendAllBut(0);
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` },
      body: JSON.stringify({ query }),
    });
    expect(response.status).toBe(429);
    const { errors } = await response.json();
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) } }]);
    expect(response.headers.get('retry-after')).toBe(String(errors[0].extensions.retryAfter));

    const client = socketClient(server, { headers: { cookie: ada.cookie } });
    const refused = await client
      .iterate({ query })
      .next()
      .catch((error: unknown) => error);
    expect(refused).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    await client.dispose();
    expect(codesOf(await bob.ask(query))).toEqual([]);
  });

  it('are paid for while they run, and stop if the user cannot pay any more', async () => {
    const roots = Array.from(
      { length: 30 },
      (_, n) => `g${n}: guild(id: "${guild.id}") { channels { guild { channels { guild { id } } } } }`,
    );
    const large = `{ ${roots.join(' ')} }`;
    expect(codesOf(await ada.ask(large))).toEqual([]);
    await spendAllBut(1_500);
    expect(await ada.ask(large)).toMatchObject({ data: null, errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
  });
});

describe('an unauthenticated caller', () => {
  const query = '{ __typename }';
  const spend = () => server.app.limits.take(REQUESTS_PER_CALLER, '127.0.0.1', REQUESTS_PER_CALLER.points);
  /** Uses up the points of the current second and calls `ask`. Tries again if the second ends in between. */
  const withinOneWindow = async <T>(ask: () => Promise<T>, isRefusal: (answer: T) => boolean) =>
    vi.waitFor(
      async () => {
        await spend();
        const answer = await ask();
        expect(isRefusal(answer)).toBe(true);
        return answer;
      },
      { timeout: 10_000 },
    );
  const refused = [{ message: 'You are being rate limited.', extensions: { code: 'RATE_LIMITED', retryAfter: 1 } }];
  const post = (headers: Record<string, string> = {}) =>
    fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });

  it('is counted by IP address, and signed-in users are not', async () => {
    expect((await post()).status).toBe(200);
    const withoutCredential: Record<string, string>[] = [{}, { authorization: 'Bearer nonsense' }];
    for (const headers of withoutCredential) {
      const answer = await withinOneWindow(
        () => post(headers),
        ({ status }) => status === 429,
      );
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(await answer.json()).toEqual({ errors: refused });
    }
    await spend();
    expect((await post({ authorization: `Bearer ${ada.token}` })).status).toBe(200);
  });

  it('is also counted over a WebSocket', async () => {
    const client = socketClient(server);
    const ask = async () => {
      try {
        return (await client.iterate({ query }).next()).value;
      } catch (errors) {
        return { errors };
      }
    };
    const isRefusal = (answer: object) => 'errors' in answer;
    expect(await withinOneWindow(ask, isRefusal)).toEqual({ errors: refused });
    await expect.poll(ask, { timeout: 5_000 }).toEqual({ data: { __typename: 'Query' } });
    await client.dispose();
  });
});
