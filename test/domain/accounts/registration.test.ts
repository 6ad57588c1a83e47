import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.js';
import { openSetup } from '../../../src/domain/operators/index.js';
import { ManualClock } from '../../harness/clock.js';
import { askGraphql, codeOf } from '../../harness/graphql.js';
import { instanceLog, makeOperator } from '../../harness/operators.js';
import { type Person, signUp } from '../../harness/people.js';
import { startServer, type TestServer } from '../../harness/server.js';

const CREATE = `mutation ($input: OperatorCreateInvitationInput!) {
  operatorCreateInvitation(input: $input) { url invitation { id note maxUses uses expiresAt codeHint } } }`;
const REVOKE = 'mutation ($id: ID!) { operatorRevokeInvitation(input: { invitationId: $id }) { id } }';
const LIST = '{ instance { invitations { id note uses } } }';

interface Answer {
  status: number;
  body: { message?: string; fields?: { path: string; code: string; message: string }[] };
}

/** Signs up over HTTP. */
async function ask(server: TestServer, name: string, more: object = {}): Promise<Answer> {
  const response = await fetch(`${server.origin}/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, email: `${name}@people.example`, password: 'correct horse', ...more }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const pathsOf = ({ body }: Answer) => body.fields?.map(({ path, code }) => `${path} ${code}`);

describe('the default', () => {
  it.each([
    [{}, 'open'],
    [{ PUBLIC_URL: 'http://127.0.0.1:4000' }, 'open'],
    [{ PUBLIC_URL: 'https://chat.example' }, 'invite'],
    [{ PUBLIC_URL: 'https://chat.example', REGISTRATION: 'open' }, 'open'],
    [{ REGISTRATION: 'closed' }, 'closed'],
  ])('with %o is %s', (env, registration) => {
    expect(readConfig(env)).toMatchObject({ registration });
  });

  it('of the domains is all of them', () => {
    expect(readConfig({}).signUpDomains).toEqual([]);
    expect(readConfig({ SIGN_UP_DOMAINS: 'A.example, b.example' }).signUpDomains).toEqual(['a.example', 'b.example']);
    expect(() => readConfig({ SIGN_UP_DOMAINS: 'a@b.example' })).toThrow('SIGN_UP_DOMAINS');
  });
});

describe('an instance that needs invitations', () => {
  let server: TestServer;
  let olga: Person;
  const clock = new ManualClock();
  beforeAll(async () => {
    server = await startServer({ clock, env: { REGISTRATION: 'invite', SIGN_UP_DOMAINS: 'people.example' } });
  });
  afterAll(() => server.stop());

  async function invitation(input: object = {}) {
    const { operatorCreateInvitation: made } = await olga.graphql(CREATE, { input });
    return { ...made.invitation, code: new URL(made.url).hash.slice(1), url: made.url };
  }
  const usesOf = async (id: string): Promise<number> => {
    const { instance } = await olga.graphql(LIST);
    return instance.invitations.find((one: { id: string }) => one.id === id)?.uses;
  };

  it('takes the set-up link for one until there is an operator', async () => {
    const setup = (await openSetup(server.app.db)) ?? '';
    expect(pathsOf(await ask(server, 'nobody'))).toEqual(['invitation INVITATION_INVALID']);
    expect((await ask(server, 'olga', { invitation: setup })).status).toBe(200);
    const row = await server.app.db.reader.user.findUniqueOrThrow({ where: { handle: 'olga' } });
    await makeOperator(server, { id: String(row.id) });
    await server.app.db.writer.instanceKey.deleteMany({ where: { purpose: 'setup' } });
    expect(pathsOf(await ask(server, 'late', { invitation: setup }))).toEqual(['invitation INVITATION_INVALID']);
    const answer = await fetch(`${server.origin}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'olga@people.example', password: 'correct horse' }),
    });
    const { token } = (await answer.json()) as { token: string };
    const asked = (query: string, variables: object = {}) =>
      askGraphql(server, query, variables, { authorization: `Bearer ${token}` });
    olga = {
      id: String(row.id),
      name: 'olga',
      email: 'olga@people.example',
      password: 'correct horse',
      token,
      cookie: '',
      ask: asked,
      graphql: async (query, variables) => {
        const { data, errors } = await asked(query, variables);
        if (errors.length > 0) throw new Error(JSON.stringify(errors));
        return data;
      },
    } as Person;
  });

  it('lets in as many people as an invitation allows, also at once', async () => {
    const { id, code, note, maxUses, uses, codeHint } = await invitation({ note: 'friends', maxUses: 2 });
    expect({ note, maxUses, uses, codeHint }).toEqual({
      note: 'friends',
      maxUses: 2,
      uses: 0,
      codeHint: `…${code.slice(-4)}`,
    });
    const answers = await Promise.all(['a1', 'a2', 'a3', 'a4'].map((name) => ask(server, name, { invitation: code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400]);
    expect(await usesOf(id)).toBe(2);
    const people = { where: { handle: { in: ['a1', 'a2', 'a3', 'a4'] } } };
    expect(await server.app.db.reader.user.count(people)).toBe(2);
    expect((await instanceLog(olga))[0]).toBe('INVITATION_CREATE | olga | friends | ');
  });

  it('does not use up an invitation for a refused sign-up, and does not show which names are taken', async () => {
    const { id, code } = await invitation();
    expect(pathsOf(await ask(server, 'olga', { invitation: code }))).toEqual(['name USERNAME_ALREADY_TAKEN']);
    expect(pathsOf(await ask(server, 'olga'))).toEqual(['invitation INVITATION_INVALID']);
    const elsewhere = await ask(server, 'mo', { invitation: code, email: 'mo@people.example.com' });
    expect(elsewhere.body.fields).toMatchObject([
      { path: 'email', message: 'This instance only accepts email addresses at people.example.' },
    ]);
    expect(await usesOf(id)).toBe(0);
    expect((await ask(server, 'mo', { invitation: ` ${code} ` })).status).toBe(200);
  });

  it('refuses invitations that have expired or were revoked', async () => {
    const [short, revoked, endless] = [
      await invitation({ expiresInDays: 1, maxUses: null }),
      await invitation(),
      await invitation({ expiresInDays: null, maxUses: null }),
    ];
    expect([endless.expiresAt, endless.maxUses]).toEqual([null, null]);
    expect((await ask(server, 'b1', { invitation: short.code })).status).toBe(200);
    await clock.advance(86_400_000);
    expect(pathsOf(await ask(server, 'b2', { invitation: short.code }))).toEqual(['invitation INVITATION_INVALID']);
    await olga.graphql(REVOKE, { id: revoked.id });
    expect(codeOf(await olga.ask(REVOKE, { id: revoked.id }))).toBe('NOT_FOUND');
    expect(pathsOf(await ask(server, 'b3', { invitation: revoked.code }))).toEqual(['invitation INVITATION_INVALID']);
    expect((await ask(server, 'b4', { invitation: endless.code })).status).toBe(200);
  });

  it('asks for the invitation on the page without scripts, too', async () => {
    const { code } = await invitation();
    const page = await (await fetch(`${server.origin}/oauth2/sign-up`)).text();
    expect(page).toContain('name="invitation"');
    const post = (invited: string) =>
      fetch(`${server.origin}/oauth2/sign-up`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: server.origin },
        body: new URLSearchParams({
          name: 'paul',
          email: 'paul@people.example',
          password: 'correct horse',
          invitation: invited,
        }),
      });
    expect(await (await post('wrong')).text()).toContain('This invitation is unknown, has expired or was used up.');
    expect((await post(code)).status).toBe(303);
  });

  it('lets only operators make, see and revoke invitations', async () => {
    const { id, code } = await invitation();
    await ask(server, 'rex', { invitation: code });
    const row = await server.app.db.reader.user.findUniqueOrThrow({ where: { handle: 'rex' } });
    const { token } = (await (
      await fetch(`${server.origin}/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'rex@people.example', password: 'correct horse' }),
      })
    ).json()) as { token: string };
    const asRex = (query: string, variables: object = {}) =>
      askGraphql(server, query, variables, { authorization: `Bearer ${token}` });
    expect(codeOf(await asRex(LIST))).toBe('NOT_FOUND');
    expect(codeOf(await asRex(CREATE, { input: {} }))).toBe('NOT_FOUND');
    expect(codeOf(await asRex(REVOKE, { id }))).toBe('NOT_FOUND');
    await makeOperator(server, { id: String(row.id) }, 'MODERATOR');
    expect(codeOf(await asRex(LIST))).toBeUndefined();
    expect((await askGraphql(server, '{ instance { registration } }')).data.instance).toEqual({
      registration: 'INVITE',
    });
  });
});

describe('a closed instance', () => {
  it('refuses everyone, except with the set-up link', async () => {
    const server = await startServer({ env: { REGISTRATION: 'closed' } });
    const { status, body } = await ask(server, 'ada', { invitation: 'any' });
    expect([status, body.message]).toEqual([403, 'This instance does not accept new accounts.']);
    const setup = await openSetup(server.app.db);
    expect((await ask(server, 'ada', { invitation: setup })).status).toBe(200);
    await server.stop();
  });
});

describe('an open instance', () => {
  it('ignores invitations', async () => {
    const server = await startServer();
    expect((await ask(server, 'ada', { invitation: 'any' })).status).toBe(200);
    await expect(signUp(server, 'bob')).resolves.toMatchObject({ name: 'bob' });
    await server.stop();
  });
});
