import { beforeEach, describe, expect } from 'vitest';
import type { AppContext } from '../../../src/context.js';
import { createApplication } from '../../../src/domain/applications/index.js';
import type { AuditRecord } from '../../../src/domain/audit-log/actions.js';
import type { CallContext } from '../../../src/domain/call.js';
import { INVITATIONS_PER_PERSON, limits } from '../../../src/domain/limits.js';
import {
  acceptTesterInvitation,
  declineTesterInvitation,
  inviteTester,
  listTesters,
  removeTester,
} from '../../../src/domain/testers/index.js';
import { type Caller, newCaller, toldBy } from '../../harness/calls.js';
import { openContext } from '../../harness/context.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';

let app: AppContext;
let owner: Caller;
let ada: Caller;
let bob: Caller;
let applicationId: bigint;

test.beforeAll(async ({ server }) => {
  ({ app } = server);
  owner = await newCaller(app, 'owner');
  ada = await newCaller(app, 'ada');
  bob = await newCaller(app, 'bob');
});
beforeEach(async () => {
  const { application } = await createApplication(owner.call, { name: 'Helper' });
  applicationId = application.id;
});

const invite = ({ id: userId }: Caller, call = owner.call) => inviteTester(call, { applicationId, userId });
const accept = ({ call }: Caller) => acceptTesterInvitation(call, applicationId);
const stateOf = async ({ id: userId }: Caller) =>
  (await app.db.reader.tester.findUnique({ where: { applicationId_userId: { applicationId, userId } } }))?.state ??
  null;

type State = 'INVITED' | 'ACCEPTED' | null;

async function reach(person: Caller, state: State): Promise<void> {
  if (state !== null) await invite(person);
  if (state === 'ACCEPTED' && person !== owner) await accept(person);
}

interface Step {
  what: string;
  who: () => Caller;
  from: State;
  act: (call: CallContext) => Promise<unknown>;
  by: () => Caller;
  action: AuditRecord['action'];
  to: State;
  mails?: string[];
}

const STEPS: Step[] = [
  {
    what: 'an invitation by id',
    who: () => ada,
    from: null,
    act: (call) => invite(ada, call),
    by: () => owner,
    action: 'TESTER_INVITE',
    to: 'INVITED',
    mails: ['ada@people.example You are invited to test Helper'],
  },
  {
    what: 'an invitation by address',
    who: () => ada,
    from: null,
    act: (call) => inviteTester(call, { applicationId, email: ada.email }),
    by: () => owner,
    action: 'TESTER_INVITE',
    to: 'INVITED',
    mails: ['ada@people.example You are invited to test Helper'],
  },
  {
    what: 'an invitation of oneself',
    who: () => owner,
    from: null,
    act: (call) => invite(owner, call),
    by: () => owner,
    action: 'TESTER_INVITE',
    to: 'ACCEPTED',
  },
  {
    what: 'an invitation accepted',
    who: () => ada,
    from: 'INVITED',
    act: (call) => acceptTesterInvitation(call, applicationId),
    by: () => ada,
    action: 'TESTER_ACCEPT',
    to: 'ACCEPTED',
  },
  {
    what: 'an invitation declined',
    who: () => ada,
    from: 'INVITED',
    act: (call) => declineTesterInvitation(call, applicationId),
    by: () => ada,
    action: 'TESTER_DECLINE',
    to: null,
  },
  {
    what: 'somebody invited who is removed',
    who: () => ada,
    from: 'INVITED',
    act: (call) => removeTester(call, { applicationId, userId: ada.id }),
    by: () => owner,
    action: 'TESTER_REMOVE',
    to: null,
  },
  {
    what: 'a tester who is removed',
    who: () => ada,
    from: 'ACCEPTED',
    act: (call) => removeTester(call, { applicationId, userId: ada.id }),
    by: () => owner,
    action: 'TESTER_REMOVE',
    to: null,
  },
];

describe('a change of a tester is audited and published:', () => {
  test.each(STEPS)('$what: $from → $to', async ({ who, from, act, by, action, to, mails = [] }) => {
    await reach(bob, 'INVITED');
    await reach(who(), from);
    const { id: userId } = who();
    expect(await toldBy(by().call, act)).toEqual({
      entries: [{ action, applicationId, targetId: userId, changes: { state: { old: from, new: to } } }],
      events: [
        { type: 'TESTERS_UPDATED', applicationId },
        { type: 'PORTAL_HOME_UPDATED', userId },
      ],
      mails,
      locking: [true],
    });
    expect([await stateOf(who()), await stateOf(bob)]).toEqual([to, 'INVITED']);
  });

  test('a manager who was invited by another one and invites themselves is accepted', async () => {
    const row = { applicationId, userId: owner.id, state: 'INVITED', createdAt: new Date() } as const;
    await app.db.writer.tester.create({ data: row });
    const { entries, mails } = await toldBy(owner.call, (call) => invite(owner, call));
    expect(entries).toMatchObject([{ changes: { state: { old: 'INVITED', new: 'ACCEPTED' } } }]);
    expect(mails).toEqual([]);
    expect(await stateOf(owner)).toBe('ACCEPTED');
    expect(await outcome(invite(owner))).toBe('CONFLICT');
  });
});

describe('a refused caller changes nothing:', () => {
  test.each<[string, State, () => Promise<unknown>, string]>([
    ['who invites an invited user', 'INVITED', () => invite(ada), 'CONFLICT'],
    ['who invites a tester', 'ACCEPTED', () => invite(ada), 'CONFLICT'],
    ['who accepts twice', 'ACCEPTED', () => accept(ada), 'CONFLICT'],
    ['who declines after accepting', 'ACCEPTED', () => declineTesterInvitation(ada.call, applicationId), 'CONFLICT'],
    ['who accepts uninvited', null, () => accept(ada), 'UNKNOWN_APPLICATION'],
    ['who declines uninvited', null, () => declineTesterInvitation(ada.call, applicationId), 'UNKNOWN_APPLICATION'],
    [
      'who removes an unknown user',
      null,
      () => removeTester(owner.call, { applicationId, userId: ada.id }),
      'UNKNOWN_USER',
    ],
    [
      'a tester who removes',
      'ACCEPTED',
      () => removeTester(ada.call, { applicationId, userId: ada.id }),
      'UNKNOWN_APPLICATION',
    ],
    ['a tester who invites', 'ACCEPTED', () => invite(bob, ada.call), 'UNKNOWN_APPLICATION'],
    ['a tester who lists', 'ACCEPTED', () => listTesters(ada.call, applicationId), 'UNKNOWN_APPLICATION'],
    [
      'a tester who asks for an account by inviting',
      'ACCEPTED',
      () => inviteTester(ada.call, { applicationId, email: 'nobody@people.example' }),
      'UNKNOWN_APPLICATION',
    ],
    [
      'who invites a bot',
      null,
      () => inviteTester(owner.call, { applicationId, userId: applicationId }),
      'UNKNOWN_USER',
    ],
    [
      'who names no user',
      null,
      () => inviteTester(owner.call, { applicationId, userId: null, email: null }),
      'INVALID_INPUT',
    ],
    [
      'who names two',
      null,
      () => inviteTester(owner.call, { applicationId, userId: ada.id, email: bob.email }),
      'INVALID_INPUT',
    ],
  ])('%s, from the state %s', async (_who, state, act, expected) => {
    await reach(ada, state);
    expect(await outcome(act())).toBe(expected);
    expect(await stateOf(ada)).toBe(state);
    expect(await stateOf(bob)).toBeNull();
  });
});

test('testers are listed by invitation time, or by id if that is the same time', async () => {
  const people = [bob, owner, ada];
  for (const person of people) await invite(person);
  const order = async () => (await listTesters(owner.call, applicationId)).map(({ user }) => user.username);
  const at = (person: Caller, createdAt: Date) =>
    app.db.writer.tester.update({
      where: { applicationId_userId: { applicationId, userId: person.id } },
      data: { createdAt },
    });
  for (const [index, person] of people.entries()) await at(person, new Date(1_000 + index));
  expect(await order()).toEqual(['bob', 'owner', 'ada']);
  for (const person of people) await at(person, new Date(1_000));
  expect(await order()).toEqual(['owner', 'ada', 'bob']);
});

test('an application has at most 100 testers, and an invited one can still accept', async () => {
  await invite(ada);
  // Created directly, since the domain functions would take too long.
  const crowd = Array.from({ length: limits.testersPerApplication - 2 }, () => app.nextId());
  await app.db.writer.user.createMany({ data: crowd.map((id) => ({ id, username: `crowd ${id}` })) });
  const createdAt = new Date(app.clock.now());
  await app.db.writer.tester.createMany({ data: crowd.map((userId) => ({ applicationId, userId, createdAt })) });
  expect(await outcome(invite(bob))).toBe('ok');
  expect(await app.db.reader.tester.count({ where: { applicationId } })).toBe(100);
  expect(await outcome(invite(owner))).toBe('LIMIT_EXCEEDED');
  expect(await outcome(accept(ada))).toBe('ok');
});

test('an invitation of oneself does not count towards the limit, but one of another user does', async () => {
  const limited = await openContext({ RATE_LIMITS: 'on' });
  try {
    const [cleo, dan] = [await newCaller(limited.app, 'cleo'), await newCaller(limited.app, 'dan')];
    const { application } = await createApplication(cleo.call, { name: 'Helper' });
    for (const { id: userId } of [cleo, dan]) await inviteTester(cleo.call, { applicationId: application.id, userId });
    const left = async ({ id }: Caller) =>
      (await limited.app.limits.peek(INVITATIONS_PER_PERSON, `${cleo.id}:${id}`)).remaining;
    expect([await left(cleo), await left(dan)]).toEqual([
      INVITATIONS_PER_PERSON.points,
      INVITATIONS_PER_PERSON.points - 1,
    ]);
  } finally {
    await limited.close();
  }
});
