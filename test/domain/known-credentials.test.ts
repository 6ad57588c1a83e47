import { expect } from 'vitest';
import { createKnownCredentials, type KnownCredentials } from '../../src/domain/known-credentials.js';
import { hashSecret } from '../../src/infra/crypto/secrets.js';
import { test } from '../harness/fixtures.js';
import { createPerson } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';
import { createBot } from '../harness/world.js';

let server: TestServer;
test.beforeAll(({ server: shared }) => {
  server = shared;
});

interface Credential {
  look: (known: KnownCredentials) => Promise<boolean>;
  make: () => Promise<unknown>;
}

const APPLICATION = 5_000n;
const CREDENTIALS: Record<string, Credential> = {
  application: {
    look: (known) => known.application(APPLICATION),
    make: async () => {
      const { app } = server;
      const { user } = await createBot(app);
      await app.db.writer.user.create({ data: { ...user, id: APPLICATION, username: 'late' } });
      const { id: _id, ...columns } = await app.db.writer.application.findUniqueOrThrow({ where: { id: user.id } });
      const lists = { serverInstallScopes: [], userInstallScopes: [], redirectUris: [] };
      await app.db.writer.application.create({ data: { ...columns, ...lists, id: APPLICATION } });
    },
  },
  'OAuth2 token': {
    look: (known) => known.oauthToken(hashSecret('late')),
    make: async () => {
      const { app } = server;
      const [{ id: userId }, { id: applicationId }] = [await createPerson(app), await createBot(app)];
      const grantId = app.nextId();
      await app.db.writer.oAuthGrant.create({ data: { id: grantId, applicationId, userId, scopes: [] } });
      const data = { hash: hashSecret('late'), grantId, kind: 'ACCESS' as const, expiresAt: new Date() };
      await app.db.writer.oAuthToken.create({ data });
    },
  },
};

test.each(Object.keys(CREDENTIALS))('the existence of an %s is cached, but never its absence', async (name) => {
  const credential = CREDENTIALS[name];
  if (!credential) throw new Error(`no credential ${name}`);
  const known = createKnownCredentials(server.app.db.reader, server.app.clock);
  expect(await credential.look(known)).toBe(false);
  await credential.make();
  expect(await credential.look(known)).toBe(true);
  expect(await statementsOf(() => credential.look(known))).toEqual([]);
});
