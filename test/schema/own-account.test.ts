import { describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { createApplication, type Person, signUp } from '../harness/people.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
let bob: Person;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
});

const USER = 'query ($id: ID!) { user(id: $id) { email emailVerified } }';
const setVerified = (emailVerified: boolean) =>
  server.app.db.writer.authUser.update({ where: { userId: BigInt(ada.id) }, data: { emailVerified } });

describe('a user by id', () => {
  it('is null for the bot of a private application, except to its owner', async () => {
    const { id } = await createApplication(ada);
    const isPublic =
      'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { id } } }';
    await ada.graphql(isPublic, { input: { applicationId: id, public: false } });
    const name = 'query ($id: ID!) { user(id: $id) { id } }';
    expect(await bob.graphql(name, { id })).toEqual({ user: null });
    expect(await ada.graphql(name, { id })).toEqual({ user: { id } });
    expect(await bob.graphql(name, { id: '1' })).toEqual({ user: null });
  });
});

describe('the email address of an account', () => {
  it.each([false, true])('is shown to its user together with whether it is verified: %j', async (emailVerified) => {
    await setVerified(emailVerified);
    const account = { email: ada.email, emailVerified };
    expect(await ada.graphql('{ me { email emailVerified } }')).toEqual({ me: account });
    expect(await ada.graphql(USER, { id: ada.id })).toEqual({ user: account });
  });

  it('is hidden from other users, and is null for a bot', async () => {
    const nothing = { user: { email: null, emailVerified: null } };
    expect(await bob.graphql(USER, { id: ada.id })).toEqual(nothing);
    expect(await ada.graphql(USER, { id: (await createApplication(ada)).id })).toEqual(nothing);
  });
});
