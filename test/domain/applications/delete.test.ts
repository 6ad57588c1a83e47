import { beforeEach, describe, expect } from 'vitest';
import { hashSecret } from '../../../src/infra/crypto/secrets.js';
import { it } from '../../harness/fixtures.js';
import { GatewayClient } from '../../harness/gateway-client.js';
import { between, meanwhile, noPostgres } from '../../harness/interleave.js';
import { askWithToken, grantCode, inForm, postForm, REDIRECT_URI } from '../../harness/oauth.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../../harness/people.js';
import type { TestServer } from '../../harness/server.js';
import { faultsOf } from '../../harness/settings.js';
import { needing } from '../../harness/skipping.js';
import { roundsDuring } from '../../harness/turns.js';

let server: TestServer;
let owner: Person;
let stranger: Person;
let guild: MadeGuild;
let other: MadeGuild;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
  stranger = await signUp(server, 'stranger');
  guild = await createGuild(owner);
  other = await createGuild(owner);
});
beforeEach(async () => {
  application = await createApplication(owner, 'Helper');
});

const DELETE = `mutation ($input: DeleteApplicationInput!) { deleteApplication(input: $input) { id } }`;

const ask = (person: Person, name: string, applicationId = application.id) =>
  person.ask(DELETE, { input: { applicationId, name } });

async function remove(): Promise<void> {
  const { data, errors } = await ask(owner, 'Helper');
  expect(errors).toEqual([]);
  expect(data.deleteApplication.id).toBe(application.id);
}

const asBot = (path: string, init: RequestInit = {}) =>
  fetch(`${server.origin}/api/v10${path}`, { ...init, headers: { authorization: `Bot ${application.botToken}` } });

describe('deleting an application', () => {
  it.each(['helper', 'Helper ', '', 'Other'])('is refused when "%s" is typed', async (name) => {
    const answer = await ask(owner, name);
    expect(answer.errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(Object.keys(faultsOf(answer))).toEqual(['name']);
    expect((await asBot('/users/@me')).status).toBe(200);
  });

  it('yields to other work while it leaves many guilds', async () => {
    const id = BigInt(application.id);
    const { nextId, db } = server.app;
    const installed = Array.from({ length: 60 }, () => ({
      id: nextId(),
      applicationId: id,
      context: 'SERVER' as const,
      guildId: nextId(),
      installerId: BigInt(owner.id),
      scopes: ['bot'],
    }));
    await db.writer.installation.createMany({ data: installed });
    expect(await roundsDuring(remove)).toBeGreaterThanOrEqual(6);
    expect(await db.reader.auditEntry.count({ where: { applicationId: id, action: 'INSTALLATION_DELETE' } })).toBe(60);
  });

  it('returns NOT_FOUND to users who do not own the application', async () => {
    expect((await ask(stranger, 'Helper')).errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await ask(owner, 'Helper', '1')).errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await asBot('/users/@me')).status).toBe(200);
  });

  it('happens once if ten requests arrive at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(owner, 'Helper')));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    for (const { errors } of answers) if (errors[0]) expect(errors[0].extensions.code).toBe('NOT_FOUND');
    const where = { applicationId: BigInt(application.id), action: 'APPLICATION_DELETE' };
    expect(await server.app.db.reader.auditEntry.count({ where })).toBe(1);
  });

  it('removes its bot: token, sessions and memberships', async () => {
    await install(owner, application, guild, { permissions: '2048' });
    await install(owner, application, other, { permissions: '0' });
    expect((await asBot(`/guilds/${guild.id}`)).status).toBe(200);
    const client = await GatewayClient.open(server.origin);
    await client.ready(application.botToken);
    const witnessApp = await createApplication(owner, 'Witness');
    await install(owner, witnessApp, guild);
    const witness = await GatewayClient.open(server.origin);
    await witness.ready(witnessApp.botToken);

    await remove();

    expect((await client.closed).code).toBe(4004);
    expect((await asBot(`/guilds/${guild.id}`)).status).toBe(401);
    const left = await witness.event('GUILD_MEMBER_REMOVE');
    expect(left.d).toMatchObject({ guild_id: guild.id, user: { id: application.id, username: 'Helper' } });
    expect((await witness.event('GUILD_ROLE_DELETE')).d).toMatchObject({ guild_id: guild.id });
    witness.socket.close();
    const { reader } = server.app.db;
    const applicationId = BigInt(application.id);
    expect(await reader.member.count({ where: { userId: applicationId } })).toBe(0);
    expect(await reader.role.count({ where: { applicationId } })).toBe(0);
    expect(await reader.installation.count({ where: { applicationId } })).toBe(0);
    const audited = await reader.auditEntry.findMany({ where: { applicationId, action: 'INSTALLATION_DELETE' } });
    expect(audited.map(({ guildId }) => String(guildId)).sort()).toEqual([guild.id, other.id].sort());
  });

  it('removes its secrets, grants, codes, tokens and testers, and leaves other applications alone', async () => {
    const { writer, reader } = server.app.db;
    const bystander = await createApplication(owner, 'Bystander');
    const userId = BigInt(owner.id);
    const expiresAt = new Date(Date.now() + 60_000);
    for (const { id } of [application, bystander]) {
      const applicationId = BigInt(id);
      const grant = { id: server.app.nextId(), applicationId, userId, scopes: ['identify'] };
      await writer.oAuthGrant.create({ data: grant });
      await writer.oAuthToken.create({
        data: { hash: hashSecret(`token ${id}`), grantId: grant.id, kind: 'ACCESS', expiresAt },
      });
      await writer.authorizationCode.create({ data: { hash: hashSecret(`code ${id}`), grantId: grant.id, expiresAt } });
      await writer.tester.create({ data: { applicationId, userId, state: 'ACCEPTED', createdAt: new Date() } });
    }

    await remove();

    const counts = () =>
      Promise.all([
        reader.oAuthGrant.count(),
        reader.oAuthToken.count(),
        reader.authorizationCode.count(),
        reader.tester.count(),
      ]);
    expect(await counts()).toEqual([1, 1, 1, 1]);
    const row = await reader.application.findUniqueOrThrow({
      where: { id: BigInt(application.id) },
      include: { bot: true },
    });
    expect(row).toMatchObject({
      name: 'Helper',
      botTokenHash: null,
      clientSecretHash: null,
      clientSecretPrefix: null,
      clientSecretLast4: null,
      privateKey: '',
    });
    expect(row.deletedAt).toBeInstanceOf(Date);
    expect(row.bot.deletedAt).toEqual(row.deletedAt);
  });

  it('makes it unknown to its owner and to users who install it', async () => {
    await remove();
    const { application: seen } = (
      await owner.ask(`query ($id: ID!) { application(id: $id) { id } }`, { id: application.id })
    ).data ?? { application: null };
    expect(seen).toBeNull();
    const { applications } = await owner.graphql(`{ applications { id } }`);
    expect(applications.map(({ id }: { id: string }) => id)).not.toContain(application.id);
    await expect(install(owner, application, guild)).rejects.toThrow('NOT_FOUND');
  });

  it('leaves no installation that is made at the same time', async () => {
    const installing = Array.from({ length: 5 }, () => install(owner, application, guild).catch(() => null));
    const [answer] = await Promise.all([ask(owner, 'Helper'), ...installing]);
    expect(answer.errors).toEqual([]);
    const applicationId = BigInt(application.id);
    const { reader } = server.app.db;
    expect(await reader.installation.count({ where: { applicationId } })).toBe(0);
    expect(await reader.member.count({ where: { userId: applicationId } })).toBe(0);
    expect(await reader.role.count({ where: { applicationId } })).toBe(0);
  });

  it('leaves no grant and no valid token of those that are issued at the same time', {
    tags: ['slow'],
  }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      application = await createApplication(owner, 'Helper');
      await setRedirectUri(application);
      const codes = await Promise.all(Array.from({ length: 4 }, () => grantCode(server, owner, application)));
      const redeemed = await Promise.all(codes.map((code) => exchange({ grant_type: 'authorization_code', code })));
      const later = await Promise.all(Array.from({ length: 4 }, () => grantCode(server, owner, application)));
      const [, ...answers] = await Promise.all([
        remove(),
        ...[
          ...Array.from({ length: 8 }, () => exchange({ grant_type: 'client_credentials' })),
          ...later.map((code) => exchange({ grant_type: 'authorization_code', code })),
          ...redeemed.map(({ body }) => exchange({ grant_type: 'refresh_token', refresh_token: body.refresh_token })),
          ...Array.from({ length: 4 }, () => grantCode(server, owner, application).catch(() => null)),
        ],
      ]);
      const given = [...redeemed, ...answers].flatMap((answer) =>
        typeof answer === 'object' && answer !== null ? [answer] : [],
      );
      for (const { status } of given) expect(status).toBeLessThan(500);
      const tokens = given.flatMap(({ body }) => body.access_token ?? []);
      expect(tokens.length).toBeGreaterThanOrEqual(4);
      for (const token of tokens) expect((await askWithToken(server, '/users/@me', token)).status).toBe(401);
      expect(await server.app.db.reader.oAuthGrant.count({ where: ofApplication() })).toBe(0);
    }
  });

  it.skipIf(noPostgres).each(['client_credentials', 'authorization_code', 'refresh_token'] as const)(
    needing(noPostgres, 'leaves no token of %s when it is deleted between the question and the answer'),
    async (grantType) => {
      await setRedirectUri(application);
      const code = await grantCode(server, owner, application);
      const { body } = await exchange({ grant_type: 'authorization_code', code });
      const form: Record<string, string> = {
        client_credentials: {},
        authorization_code: { code: await grantCode(server, owner, application) },
        refresh_token: { refresh_token: body.refresh_token },
      }[grantType];
      const firstChange = /^(INSERT INTO|UPDATE) "public"."(OAuthGrant|OAuthToken|AuthorizationCode)"/;
      const removal = meanwhile(server.app, remove);
      const answer = await between(firstChange, removal.begin, () => exchange({ grant_type: grantType, ...form }));
      await removal.done();
      expect(answer.status).toBe(200);
      expect(await server.app.db.reader.oAuthToken.count({ where: { grant: ofApplication() } })).toBe(0);
    },
  );

  it.skipIf(noPostgres)(
    needing(noPostgres, 'leaves no installation when it is deleted between the question and the answer'),
    async () => {
      const removal = meanwhile(server.app, remove);
      await between(/^INSERT INTO "public"."Installation"/, removal.begin, () => install(owner, application, guild));
      await removal.done();
      expect(await server.app.db.reader.installation.count({ where: ofApplication() })).toBe(0);
    },
  );

  it('invalidates its tokens even if their rows still exist', async () => {
    await remove();
    const { writer } = server.app.db;
    const grant = { id: server.app.nextId(), ...ofApplication(), userId: BigInt(owner.id), scopes: ['identify'] };
    await writer.oAuthGrant.create({ data: grant });
    const expiresAt = new Date(server.app.clock.now() + 60_000);
    await writer.oAuthToken.create({
      data: { hash: hashSecret('left-over'), grantId: grant.id, kind: 'ACCESS', expiresAt },
    });
    for (const path of ['/users/@me', '/oauth2/@me']) {
      expect((await askWithToken(server, path, 'left-over')).status).toBe(401);
    }
    await writer.oAuthGrant.delete({ where: { id: grant.id } });
  });

  it('keeps an author for the messages of its bot', async () => {
    await install(owner, application, guild, { permissions: '2048' });
    const sent = await asBotJson(`/channels/${guild.textChannelId}/messages`, { content: 'remember me' });
    await remove();
    const { channel } = await owner.graphql(
      `query ($id: ID!) { channel(id: $id) { messages(last: 1) { edges { node { id content author { id username bot } } } } } }`,
      { id: guild.textChannelId },
    );
    expect(channel.messages.edges[0].node).toEqual({
      id: sent.id,
      content: 'remember me',
      author: { id: application.id, username: 'Deleted User', bot: true },
    });
  });
});

const ROUNDS = 6;

const ofApplication = () => ({ applicationId: BigInt(application.id) });

function setRedirectUri({ id }: MadeApplication) {
  return server.app.db.writer.application.update({
    where: { id: BigInt(id) },
    data: { redirectUris: [REDIRECT_URI] },
  });
}

const exchange = (form: Record<string, string>) =>
  postForm(server, { redirect_uri: REDIRECT_URI, ...form, ...inForm(application) });

async function asBotJson(path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${server.origin}/api/v10${path}`, {
    method: 'POST',
    headers: { authorization: `Bot ${application.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { id: string };
}
