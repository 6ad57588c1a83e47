import { describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import type { Actor } from '../../../src/domain/call.js';
import { createGuild, joinGuild } from '../../../src/domain/guilds/index.js';
import type { Scope } from '../../../src/domain/installations/index.js';
import { createInvite } from '../../../src/domain/invites/index.js';
import { ALL_PERMISSIONS, DEFAULT_EVERYONE_PERMISSIONS } from '../../../src/domain/permissions.js';
import { getOwnUser, listOwnGuilds } from '../../../src/domain/users/index.js';
import { type Caller, newCaller } from '../../harness/calls.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';

let app: AppContext;
let ada: Caller;
let bob: Caller;
/** The guilds of ada, in order of creation. The second one belongs to bob. */
let ids: bigint[];

test.beforeAll(async ({ server }) => {
  ({ app } = server);
  ada = await newCaller(app, 'ada');
  bob = await newCaller(app, 'bob');
  const made = [];
  for (const { call } of [ada, bob, ada, ada]) made.push(await createGuild(call, { name: 'Guild' }));
  ids = made.map(({ id }) => id);
  const channel = await app.db.reader.channel.findFirstOrThrow({ where: { guildId: at(1) } });
  await joinGuild(ada.call, (await createInvite(bob.call, channel.id)).code);
  await createGuild(bob.call, { name: "Not ada's" });
});

const at = (index: number) => ids.at(index) ?? 0n;
const as = (actor: Actor) => callContext(app, actor);
const token = (scopes: Scope[]): Actor => ({
  kind: 'token',
  user: ada.user,
  applicationId: 1n,
  scopes,
  expiresAt: new Date(),
});

describe('the own user', () => {
  test.each<[string, () => Actor, boolean]>([
    ['a person', () => ({ kind: 'person', user: ada.user }), true],
    ['a token with email', () => token(['identify', 'email']), true],
    ['a token without', () => token(['identify']), false],
    ['a bot', () => ({ kind: 'bot', user: ada.user, applicationId: 1n, messageContentIntent: true }), false],
  ])('is returned to %s, with the e-mail address: %s', async (_who, actor, withEmail) => {
    const email = withEmail ? ada.email : null;
    expect(await getOwnUser(as(actor()))).toEqual({ user: ada.user, email });
  });

  test('has no e-mail address if that is unverified', async () => {
    await app.db.writer.authUser.update({ where: { userId: bob.id }, data: { emailVerified: false } });
    expect((await getOwnUser(bob.call)).email).toBeNull();
  });
});

describe('the own guilds', () => {
  const list = (input: { before?: number; after?: number; limit?: number; withCounts?: boolean } = {}) =>
    listOwnGuilds(ada.call, {
      before: input.before === undefined ? undefined : at(input.before),
      after: input.after === undefined ? undefined : at(input.after),
      limit: input.limit ?? 200,
      withCounts: input.withCounts ?? false,
    });

  test.each<[object, number[]]>([
    [{}, [0, 1, 2, 3]],
    [{ limit: 2 }, [0, 1]],
    [{ after: 0 }, [1, 2, 3]],
    [{ after: 0, limit: 2 }, [1, 2]],
    [{ before: 3 }, [0, 1, 2]],
    [{ before: 3, limit: 2 }, [1, 2]],
    [{ before: 3, after: 0 }, [1, 2]],
    [{ before: 3, after: 0, limit: 1 }, [1]],
    [{ after: 3 }, []],
  ])('for %j are those with the indexes %j', async (input, expected) => {
    expect((await list(input)).map(({ guild }) => ids.indexOf(guild.id))).toEqual(expected);
  });

  test('have the ownership and the permissions, and counts on request', async () => {
    const shown = async (withCounts: boolean) =>
      (await list({ withCounts, limit: 2 })).map(({ isOwner, permissions, memberCount }) => ({
        isOwner,
        permissions,
        memberCount,
      }));
    const own = { isOwner: true, permissions: ALL_PERMISSIONS };
    const bobs = { isOwner: false, permissions: DEFAULT_EVERYONE_PERMISSIONS };
    expect(await shown(false)).toEqual([
      { ...own, memberCount: null },
      { ...bobs, memberCount: null },
    ]);
    expect(await shown(true)).toEqual([
      { ...own, memberCount: 1 },
      { ...bobs, memberCount: 2 },
    ]);
  });
});

test('an anonymous caller has no user and no guilds', async () => {
  const nobody = as({ kind: 'anonymous' });
  expect(await outcome(getOwnUser(nobody))).toBe('UNAUTHENTICATED');
  expect(await outcome(listOwnGuilds(nobody, { limit: 1, withCounts: false }))).toBe('UNAUTHENTICATED');
});
