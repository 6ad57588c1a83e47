import nacl from 'tweetnacl';
import { describe, expect } from 'vitest';
import { hashSecret } from '../../../src/infra/crypto/secrets.js';
import { it } from '../../harness/fixtures.js';
import { createApplication, type Person, signUp } from '../../harness/people.js';
import type { TestServer } from '../../harness/server.js';

let server: TestServer;
let owner: Person;
let stranger: Person;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  owner = await signUp(server, 'owner');
  stranger = await signUp(server, 'stranger');
});

const CREATE = `mutation ($input: CreateApplicationInput!) { createApplication(input: $input) { application { id } } }`;
const RESET_TOKEN = `mutation ($id: ID!) { resetBotToken(input: { applicationId: $id }) { application { id } botToken } }`;
const RESET_SECRET = `mutation ($id: ID!) {
  resetClientSecret(input: { applicationId: $id }) { application { clientSecretHint } clientSecret }
}`;

function rowOf(id: string) {
  return server.app.db.reader.application.findUniqueOrThrow({ where: { id: BigInt(id) } });
}

describe('a new application', () => {
  it('has the defaults, a bot user with its id and name, and its creator as owner', async () => {
    const { id } = await createApplication(owner, 'Weather');
    const { application } = await owner.graphql(
      `query ($id: ID!) { application(id: $id) {
        name description public publicClient userInstall serverInstall installLinkMode installUrl privilegedIntents
        redirectUris interactionsEndpointUrl customInstallUrl effectiveRole
        defaultInstallSettings { context scopes permissions } bot { id username bot email } ownerUser { id }
      } }`,
      { id },
    );
    expect(application).toEqual({
      name: 'Weather',
      description: '',
      public: true,
      publicClient: false,
      userInstall: false,
      serverInstall: true,
      installLinkMode: 'PROVIDED',
      installUrl: `${server.origin}/oauth2/authorize?client_id=${id}&permissions=0&scope=bot%20applications.commands&integration_type=0&response_type=code`,
      privilegedIntents: ['GUILD_MEMBERS', 'PRESENCES', 'MESSAGE_CONTENT'],
      redirectUris: [],
      interactionsEndpointUrl: null,
      customInstallUrl: null,
      effectiveRole: 'OWNER',
      defaultInstallSettings: [{ context: 'SERVER', scopes: ['bot', 'applications.commands'], permissions: '0' }],
      bot: { id, username: 'Weather', bot: true, email: null },
      ownerUser: { id: owner.id },
    });
  });

  it('shows its secrets once and stores hashes, a prefix and the last four characters', async () => {
    const { id, clientSecret, botToken } = await createApplication(owner);
    const row = await rowOf(id);
    expect(row).toMatchObject({ clientSecretHash: hashSecret(clientSecret), botTokenHash: hashSecret(botToken) });
    expect(JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      clientSecret,
    );
    const { application } = await owner.graphql(`query ($id: ID!) { application(id: $id) { clientSecretHint } }`, {
      id,
    });
    expect(application.clientSecretHint).toBe(`${clientSecret.slice(0, 6)}…${clientSecret.slice(-4)}`);
  });

  it('has a matching Ed25519 key pair', async () => {
    const { id, publicKey } = await createApplication(owner);
    const { privateKey } = await rowOf(id);
    const pair = nacl.sign.keyPair.fromSeed(Buffer.from(privateKey, 'hex'));
    expect(Buffer.from(pair.publicKey).toString('hex')).toBe(publicKey);
  });

  it.each([
    ['a name of one letter', { name: 'a' }, 'name'],
    ['a name of 33 letters', { name: 'a'.repeat(33) }, 'name'],
    ['a name of spaces', { name: '     ' }, 'name'],
    ['a name with U+0000', { name: 'a\u0000b' }, 'name'],
    ['a description of 401 letters', { name: 'ab', description: 'a'.repeat(401) }, 'description'],
  ])('is refused for %s', async (_case, input, path) => {
    const { data, errors } = await owner.ask(CREATE, { input });
    expect(data).toBeNull();
    expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(Object.keys(errors[0]?.extensions.fields ?? {})).toEqual([path]);
  });
});

describe('an application of another user', () => {
  it('gets the same error as one that does not exist', async () => {
    const { id } = await createApplication(owner);
    for (const query of [`query ($id: ID!) { application(id: $id) { id } }`, RESET_TOKEN, RESET_SECRET]) {
      const hidden = await stranger.ask(query, { id });
      const missing = await stranger.ask(query, { id: '1' });
      expect(hidden.errors[0]?.extensions.code).toBe('NOT_FOUND');
      expect(hidden).toEqual(missing);
    }
    expect((await stranger.graphql(`{ applications { id } }`)).applications).toEqual([]);
  });
});

describe('a reset', () => {
  it('of the bot token invalidates the old token', async () => {
    const { id, botToken } = await createApplication(owner);
    const { resetBotToken } = await owner.graphql(RESET_TOKEN, { id });
    expect(resetBotToken.botToken).not.toBe(botToken);
    expect(await server.app.botTokens.authenticate(botToken)).toBeNull();
    expect((await server.app.botTokens.authenticate(resetBotToken.botToken))?.actor.applicationId).toBe(BigInt(id));
  });

  it('of the client secret replaces the stored hash and hint', async () => {
    const { id } = await createApplication(owner);
    const { resetClientSecret } = await owner.graphql(RESET_SECRET, { id });
    expect((await rowOf(id)).clientSecretHash).toBe(hashSecret(resetClientSecret.clientSecret));
    expect(resetClientSecret.application.clientSecretHint).toMatch(
      new RegExp(`${resetClientSecret.clientSecret.slice(-4)}$`),
    );
  });

  it('is recorded in the audit log without the secret', async () => {
    const { id } = await createApplication(owner);
    const { resetBotToken } = await owner.graphql(RESET_TOKEN, { id });
    const entries = await server.app.db.reader.auditEntry.findMany({
      where: { applicationId: BigInt(id) },
      orderBy: { id: 'asc' },
    });
    expect(entries.map((entry) => [entry.action, String(entry.actorId)])).toEqual([
      ['APPLICATION_CREATE', owner.id],
      ['BOT_TOKEN_RESET', owner.id],
    ]);
    expect(JSON.stringify(entries.map((entry) => entry.changes))).not.toContain(resetBotToken.botToken);
  });
});
