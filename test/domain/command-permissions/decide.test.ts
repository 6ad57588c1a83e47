import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChannelType } from 'discord-api-types/v10';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideRunnable, type RunRequest, type RunRule } from '../../../src/domain/command-permissions/decide.js';
import type { PermissionEntry } from '../../../src/domain/command-permissions/record.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';

const GUILD = 100n;
const ALL_CHANNELS = 99n;
const [PERSON, OTHER, OWNER] = [1n, 2n, 3n];
const [ROLE, ROLE_TOO, NOT_MINE] = [10n, 11n, 12n];
const [CHANNEL, ELSEWHERE] = [20n, 21n];
const [OF_ROLE, OF_USER, OF_CHANNEL] = [1, 2, 3] as const;

const USING = Permission.ViewChannel | Permission.UseApplicationCommands;

const say = (targetType: 1 | 2 | 3, targetId: bigint, allow: boolean): PermissionEntry => ({
  targetType,
  targetId,
  allow,
});
const yes = { everyone: say(OF_ROLE, GUILD, true) };

const FACTS: RunRequest = {
  guild: { id: GUILD, ownerId: OWNER },
  channel: { id: CHANNEL, type: ChannelType.GuildText, nsfw: false },
  person: { id: PERSON, member: { roleIds: new Set([ROLE, ROLE_TOO]), permissions: USING } },
  command: { name: 'help', scopeId: 0n, nsfw: false, integrationTypes: [0], contexts: null },
  installs: { server: true, user: false },
  grants: { own: null, application: [yes.everyone] },
  hasBuiltIns: true,
};

type Change = { [Part in keyof Omit<RunRequest, 'hasBuiltIns'>]?: Partial<RunRequest[Part]> };

function facts({ guild, channel, person, command, installs, grants }: Change = {}): RunRequest {
  return {
    guild: { ...FACTS.guild, ...guild },
    channel: { ...FACTS.channel, ...channel },
    person: { ...FACTS.person, ...person },
    command: { ...FACTS.command, ...command },
    installs: { ...FACTS.installs, ...installs },
    grants: { ...FACTS.grants, ...grants },
    hasBuiltIns: true,
  };
}

const roleIds = new Set([ROLE, ROLE_TOO]);
const holding = (permissions: bigint) => ({ person: { member: { roleIds, permissions } } });
const application = (...entries: PermissionEntry[]) => ({ grants: { application: entries } });
const own = (...entries: PermissionEntry[]) => ({ grants: { own: entries } });
const byOwner = { person: { id: OWNER, member: { roleIds: new Set<bigint>(), permissions: ALL_PERMISSIONS } } };
const forPeople = { command: { integrationTypes: [0, 1] }, installs: { server: false, user: true } };

describe('the owner of the server', () => {
  test.each<[string, Change, boolean, RunRule]>([
    ['may run what others may not', { ...byOwner, ...application() }, true, 'owner'],
    ['may in a channel that is denied', { ...byOwner, ...own(say(OF_CHANNEL, CHANNEL, false)) }, true, 'owner'],
    ['may though an entry denies it to them', { ...byOwner, ...own(say(OF_USER, OWNER, false)) }, true, 'owner'],
    [
      'may not run what has the name of a built-in command',
      { ...byOwner, command: { name: ' Ban' } },
      false,
      'reserved-name',
    ],
    ['may not run what is not installed', { ...byOwner, installs: { server: false } }, false, 'not-installed'],
    ['may not run what is for direct messages', { ...byOwner, command: { contexts: [1, 2] } }, false, 'context'],
    [
      'may not run what is age-restricted in any channel',
      { ...byOwner, command: { nsfw: true } },
      false,
      'age-restricted',
    ],
    ['may not in a channel without messages', { ...byOwner, channel: { type: 4 } }, false, 'channel-type'],
  ])('%s', (_, change, allowed, rule) => {
    expect(decideRunnable(facts(change))).toMatchObject({ allowed, rule });
  });
});

describe('another member', () => {
  test.each<[string, Change, boolean, RunRule]>([
    ['may not where nothing is said', application(), false, 'no-entry'],
    ['may not though an administrator', { ...application(), ...holding(ALL_PERMISSIONS) }, false, 'no-entry'],
    ['may where everyone may', application(yes.everyone), true, 'everyone-entry'],
    ['may not where everyone may not', application(say(OF_ROLE, GUILD, false)), false, 'everyone-entry'],
    ['may not by what is said of others', application(say(OF_USER, OTHER, true)), false, 'no-entry'],
    ['may not by a role they do not have', application(say(OF_ROLE, NOT_MINE, true)), false, 'no-entry'],
    ['may by a role', application(say(OF_ROLE, ROLE, true)), true, 'role-entry'],
    [
      'may by one role though another denies it',
      application(say(OF_ROLE, ROLE, false), say(OF_ROLE, ROLE_TOO, true)),
      true,
      'role-entry',
    ],
    [
      'may not by a role that denies it, though everyone may',
      application(yes.everyone, say(OF_ROLE, ROLE, false)),
      false,
      'role-entry',
    ],
    [
      'may not by an entry of their own, though a role of theirs may',
      application(say(OF_ROLE, ROLE, true), say(OF_USER, PERSON, false)),
      false,
      'user-entry',
    ],
    [
      'may by an entry of their own, though a role of theirs may not',
      application(say(OF_ROLE, ROLE, false), say(OF_USER, PERSON, true)),
      true,
      'user-entry',
    ],
    [
      'may not by an id of another type',
      application(say(OF_USER, ROLE, true), say(OF_ROLE, PERSON, true)),
      false,
      'no-entry',
    ],
    ["may not where the command's own list says nothing of them", own(say(OF_USER, OTHER, true)), false, 'no-entry'],
    ["may not where the command's own list says nothing at all of them", own(), false, 'no-entry'],
    ["may by the command's own list", { ...own(yes.everyone), ...{} }, true, 'everyone-entry'],
    [
      'may not in a channel that is denied',
      application(yes.everyone, say(OF_CHANNEL, CHANNEL, false)),
      false,
      'channel-denied',
    ],
    [
      'may though another channel is denied',
      application(yes.everyone, say(OF_CHANNEL, ELSEWHERE, false)),
      true,
      'everyone-entry',
    ],
    [
      'may not where all channels are denied, whatever else is said of them',
      application(say(OF_USER, PERSON, true), say(OF_CHANNEL, ALL_CHANNELS, false)),
      false,
      'channel-denied',
    ],
    [
      'may where all channels are denied and this one is not',
      application(yes.everyone, say(OF_CHANNEL, ALL_CHANNELS, false), say(OF_CHANNEL, CHANNEL, true)),
      true,
      'everyone-entry',
    ],
    ['may not by a channel alone', application(say(OF_CHANNEL, CHANNEL, true)), false, 'no-entry'],
    ['may not who is no member', { person: { member: null } }, false, 'not-a-member'],
    ['may not who does not see the channel', holding(0n), false, 'channel-hidden'],
    ['may not who may not use commands', holding(Permission.ViewChannel), false, 'no-use-application-commands'],
    ['may not what is not installed', { installs: { server: false } }, false, 'not-installed'],
    ['may not what has the name of a built-in command', { command: { name: 'BAN ' } }, false, 'reserved-name'],
    ['may what is nearly called like one', { command: { name: 'banish' } }, true, 'everyone-entry'],
    ['may not what is for people only', { command: { integrationTypes: [1] } }, false, 'integration-type'],
    ['may what is for servers', { command: { contexts: [0] } }, true, 'everyone-entry'],
    ['may not what is for direct messages', { command: { contexts: [1, 2] } }, false, 'context'],
    ['may not what is for no context', { command: { contexts: [] } }, false, 'context'],
    ['may not what is age-restricted elsewhere', { command: { nsfw: true } }, false, 'age-restricted'],
    [
      'may what is age-restricted where the channel is',
      { command: { nsfw: true }, channel: { nsfw: true } },
      true,
      'everyone-entry',
    ],
    ['may in a voice channel', { channel: { type: ChannelType.GuildVoice } }, true, 'everyone-entry'],
    ['may not in a category', { channel: { type: ChannelType.GuildCategory } }, false, 'channel-type'],
    [
      "may run the server's own command, whatever its integration types",
      { command: { scopeId: GUILD, integrationTypes: [] } },
      true,
      'everyone-entry',
    ],
  ])('%s', (_, change, allowed, rule) => {
    expect(decideRunnable(facts(change))).toMatchObject({ allowed, rule });
  });
});

describe('a user who installed the application for themselves', () => {
  test('may run it if the server allows nothing, with responses that only they see', () => {
    expect(decideRunnable(facts({ ...forPeople, ...application() }))).toMatchObject({
      allowed: true,
      rule: 'user-install',
      through: { server: false, user: true },
      ephemeralOnly: true,
    });
  });

  test('gets public responses with the permission to use external apps', () => {
    const change = { ...forPeople, ...holding(USING | Permission.UseExternalApps) };
    expect(decideRunnable(facts(change))).toMatchObject({ allowed: true, ephemeralOnly: false });
  });

  test('may run it even if the server has it and denies it, and the explanation states the denial', () => {
    const installs = { server: true, user: true };
    const verdict = decideRunnable(facts({ ...forPeople, installs, ...application() }));
    expect(verdict).toMatchObject({
      rule: 'user-install',
      through: { server: false, user: true },
      ephemeralOnly: true,
    });
    expect(verdict.steps).toContainEqual(
      expect.stringMatching(/^By default only the owner of the server can run the command/),
    );
  });

  test('runs it through both installations if the server allows it, with public responses', () => {
    const installs = { server: true, user: true };
    expect(decideRunnable(facts({ ...forPeople, installs }))).toMatchObject({
      rule: 'everyone-entry',
      through: { server: true, user: true },
      ephemeralOnly: false,
    });
  });

  test.each<[string, Change, RunRule]>([
    ['what is for servers only', { command: { integrationTypes: [0] } }, 'integration-type'],
    ["a server's own command", { command: { scopeId: GUILD, integrationTypes: [0, 1] } }, 'not-installed'],
    ['what is not for servers', { command: { integrationTypes: [1], contexts: [1, 2] } }, 'context'],
    ['a built-in name', { command: { integrationTypes: [1], name: 'kick' } }, 'reserved-name'],
  ])('may not run %s', (_, change, rule) => {
    expect(decideRunnable(facts({ ...forPeople, ...change }))).toMatchObject({ allowed: false, rule });
  });
});

test('the explanation has every step, in the order of the rules', () => {
  expect(decideRunnable(facts(own(say(OF_ROLE, ROLE, true)))).steps).toEqual([
    'The application is installed in the server or for the user.',
    'The user is a member of the server.',
    'The user can view the channel.',
    'No built-in command has the name of this command.',
    'The command supports the way the application is installed.',
    'The command is available in servers.',
    'Commands can run in this type of channel.',
    'The command is not age-restricted, or the channel is age-restricted as well.',
    'The user has the Use Application Commands permission in the channel.',
    'The user does not own the server.',
    "The command has its own rules, which override the application's rules.",
    'No rule denies the command in this channel.',
    'There is no rule for the user.',
    "Allowed: a rule for the user's roles allows the command.",
  ]);
});

/** Mostly the usual value, so that many inputs get as far as the permission lists. */
const mostly = <T>(usual: T, ...others: T[]) => fc.constantFrom(...Array<T>(25).fill(usual), ...others);

const target = fc.oneof(
  fc.record({ targetType: fc.constant(OF_ROLE), targetId: fc.constantFrom(ROLE, ROLE_TOO, NOT_MINE, GUILD) }),
  fc.record({ targetType: fc.constant(OF_USER), targetId: fc.constantFrom(PERSON, OTHER, OWNER) }),
  fc.record({ targetType: fc.constant(OF_CHANNEL), targetId: fc.constantFrom(CHANNEL, ELSEWHERE, ALL_CHANNELS) }),
);
const list = fc
  .uniqueArray(target, { maxLength: 6, selector: ({ targetType, targetId }) => `${targetType} ${targetId}` })
  .chain((targets) =>
    fc
      .array(fc.boolean(), { minLength: targets.length, maxLength: targets.length })
      .map((said) => targets.map((one, index) => ({ ...one, allow: said[index] ?? false }))),
  );

const setUp: fc.Arbitrary<RunRequest> = fc.record({
  guild: fc.constant({ id: GUILD, ownerId: OWNER }),
  channel: fc.record({ id: fc.constant(CHANNEL), type: mostly(0, 2, 4, 5, 13, 15), nsfw: fc.boolean() }),
  person: fc.record({
    id: mostly(PERSON, OWNER),
    member: mostly(true, false).chain((isMember) =>
      isMember
        ? fc.record({
            roleIds: fc.subarray([ROLE, ROLE_TOO]).map((ids) => new Set(ids)),
            permissions: mostly(USING, 0n, Permission.ViewChannel, USING | Permission.UseExternalApps, ALL_PERMISSIONS),
          })
        : fc.constant(null),
    ),
  }),
  command: fc.record({
    name: mostly('help', 'ban', ' Ban ', 'banish', '8BALL'),
    scopeId: mostly(0n, GUILD),
    nsfw: mostly(false, true),
    integrationTypes: mostly([0], [1], [0, 1], []),
    contexts: mostly<number[] | null>(null, [0], [1], [0, 1, 2], []),
  }),
  installs: fc.record({ server: mostly(true, false), user: fc.boolean() }),
  grants: fc.record({ own: fc.option(list, { nil: null }), application: list }),
  hasBuiltIns: fc.boolean(),
});

/** A second implementation of the rules, as simple as possible. */
function mayRun({ guild, channel, person, command, installs, grants, hasBuiltIns }: RunRequest): boolean {
  const { member } = person;
  if (!member) return false;
  if ((member.permissions & 0x400n) === 0n || (member.permissions & 0x80000000n) === 0n) return false;
  if (hasBuiltIns && ['ban', '8ball'].includes(command.name.trim().toLowerCase())) return false;
  if (command.contexts && !command.contexts.includes(0)) return false;
  if (![0, 2, 5, 13].includes(channel.type)) return false;
  if (command.nsfw && !channel.nsfw) return false;
  const isGlobal = command.scopeId === 0n;
  if (isGlobal && installs.user && command.integrationTypes.includes(1)) return true;
  if (!installs.server || (isGlobal && !command.integrationTypes.includes(0))) return false;
  if (person.id === guild.ownerId) return true;
  const said = new Map(
    (grants.own === null ? grants.application : grants.own).map((one) => [
      `${one.targetType}/${one.targetId}`,
      one.allow,
    ]),
  );
  const channelIsOpen = said.get(`3/${channel.id}`) ?? said.get(`3/${guild.id - 1n}`) ?? true;
  if (!channelIsOpen) return false;
  const ofPerson = said.get(`2/${person.id}`);
  if (ofPerson !== undefined) return ofPerson;
  const ofRoles = [...member.roleIds].map((id) => said.get(`1/${id}`));
  if (ofRoles.includes(true)) return true;
  if (ofRoles.includes(false)) return false;
  return said.get(`1/${guild.id}`) === true;
}

test('on 1,000 random inputs the decision follows the rules, and the last step of the explanation states it', () => {
  const counts = { true: 0, false: 0 };
  const rules = new Set<RunRule>();
  fc.assert(
    fc.property(setUp, (random) => {
      const { allowed, rule, steps, through, ephemeralOnly } = decideRunnable(random);
      expect(allowed).toBe(mayRun(random));
      expect(steps.at(-1)).toMatch(allowed ? /^Allowed: / : /^Refused: /);
      expect(steps.slice(0, -1).filter((step) => /^(Allowed|Refused):/.test(step))).toEqual([]);
      expect(through.server || through.user).toBe(allowed);
      expect(ephemeralOnly && (through.server || !allowed)).toBe(false);
      counts[`${allowed}`] += 1;
      rules.add(rule);
    }),
    { numRuns: 1_000 },
  );
  // Both decisions are frequent, and nearly every rule occurs.
  expect(Math.min(counts.true, counts.false)).toBeGreaterThan(75);
  expect(rules.size).toBeGreaterThan(11);
});

const ANSWERS: Record<RunRule, 'yes' | 'no' | 'as it says'> = {
  'not-installed': 'no',
  'not-a-member': 'no',
  'channel-hidden': 'no',
  'reserved-name': 'no',
  'integration-type': 'no',
  context: 'no',
  'channel-type': 'no',
  'age-restricted': 'no',
  'no-use-application-commands': 'no',
  owner: 'yes',
  'channel-denied': 'no',
  'user-entry': 'as it says',
  'role-entry': 'as it says',
  'everyone-entry': 'as it says',
  'no-entry': 'no',
  'user-install': 'yes',
  'direct-message': 'yes',
};

test('the page on permissions has every rule', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/permissions.md'), 'utf8');
  const [, section = ''] = page.split('## Who may run a command\n');
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.map((line) => line.split('|').map((cell) => cell.trim()));
  const shown = cells.map(([, rule, , answer]) => [rule?.replaceAll('`', ''), answer]);
  expect(shown).toEqual(Object.entries(ANSWERS));
});
