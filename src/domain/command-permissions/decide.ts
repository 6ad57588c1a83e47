import {
  ApplicationIntegrationType,
  InteractionContextType,
  ApplicationCommandPermissionType as Target,
} from 'discord-api-types/v10';
import { holdsMessages } from '../channels/place.js';
import { type CommandRecord, GLOBAL_SCOPE } from '../commands/record.js';
import { isReservedName } from '../commands/reserved-names.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import type { ChannelFacts } from '../guilds/views.js';
import { allows, Permission } from '../permissions.js';
import { allChannels, everyone, type PermissionEntry, saidOf } from './record.js';

/** The rule that decided, by its stable name. */
export type RunRule =
  | 'not-installed'
  | 'not-a-member'
  | 'channel-hidden'
  | 'reserved-name'
  | 'integration-type'
  | 'context'
  | 'channel-type'
  | 'age-restricted'
  | 'no-use-application-commands'
  | 'owner'
  | 'channel-denied'
  | 'user-entry'
  | 'role-entry'
  | 'everyone-entry'
  | 'no-entry'
  | 'user-install'
  | 'direct-message';

/** Somebody, as they stand in a channel. */
export interface Person {
  id: bigint;
  /** Null for who is no member of the guild. */
  member: {
    /** Without `@everyone`. */
    roleIds: ReadonlySet<bigint>;
    /** What they may do in the channel. */
    permissions: bigint;
  } | null;
}

/** Through which installations. */
export interface Installs {
  /** That of the guild. */
  server: boolean;
  /** That of the person. */
  user: boolean;
}

/** What a guild says about who may run a command. What does not concern the person or the channel may be left out of the lists. */
export interface Grants {
  /** The command's own list; null where it has none. */
  own: readonly PermissionEntry[] | null;
  /** That of its application. */
  application: readonly PermissionEntry[];
}

/** The part of a command that decides where it can be run. */
export type CommandFacts = Pick<CommandRecord, 'name' | 'scopeId' | 'nsfw' | 'integrationTypes' | 'contexts'>;

/** All that decides whether somebody may run a command in a channel of a guild. The command is global or of that guild. */
export interface RunFacts {
  guild: { id: bigint; ownerId: bigint };
  channel: Pick<ChannelFacts, 'id' | 'type' | 'nsfw'>;
  person: Person;
  command: CommandFacts;
  installs: Installs;
  grants: Grants;
  /** Whether there are built-in commands on this instance. */
  hasBuiltIns: boolean;
}

/** Whether somebody may run a command, and why. */
export interface Runnability {
  allowed: boolean;
  rule: RunRule;
  /** A sentence for each rule that was looked at, in their order. The last one is the answer: it begins with `Allowed:` or `Refused:`. */
  steps: string[];
  /** Through which installations it is run; none where it is refused. */
  through: Installs;
  /** Whether nobody but the person may see the answers. */
  ephemeralOnly: boolean;
}

const NONE: Installs = { server: false, user: false };

/**
 * Decides whether somebody may run a command in a channel, and explains it: the one answer to both (docs/permissions.md, Who may run a
 * command; decisions 35 and 140 to 144).
 */
export function decideRunnable(facts: RunFacts): Runnability {
  const passed: string[] = [];
  for (const { rule, isInTheWay, refusal, otherwise } of OBSTACLES) {
    if (isInTheWay(facts)) return refused(rule, passed, refusal);
    passed.push(otherwise);
  }
  const ways = waysFor(facts);
  if (!ways.server) return allowedByUserInstall(facts, passed);
  const { rule, because, looked, ...verdict } = decideByServer(facts);
  const steps = [...passed, ...looked];
  if (verdict.allowed) return allowed(rule, steps, because, ways);
  return ways.user ? allowedByUserInstall(facts, [...steps, asStep(because)]) : refused(rule, steps, because);
}

function allowed(rule: RunRule, passed: string[], because: string, through: Installs): Runnability {
  return { allowed: true, rule, steps: [...passed, `Allowed: ${because}`], through, ephemeralOnly: false };
}

function refused(rule: RunRule, passed: string[], because: string): Runnability {
  return { allowed: false, rule, steps: [...passed, `Refused: ${because}`], through: NONE, ephemeralOnly: false };
}

function allowedByUserInstall(facts: RunFacts, passed: string[]): Runnability {
  const isPublic = may(facts, Permission.UseExternalApps);
  const shown = isPublic ? '' : ' Without the permission Use External Apps, nobody else sees the answers.';
  const because = `the person installed the application to themselves, which no server's permissions concern.${shown}`;
  return { ...allowed('user-install', passed, because, { server: false, user: true }), ephemeralOnly: !isPublic };
}

/** All that decides whether somebody may run a command in a direct channel that they are in. */
export interface DirectFacts {
  command: CommandFacts;
  /** `server`: whether the person shares a server with the application's bot, with whom the channel is. */
  installs: Installs;
  /** Whether the channel is with the application's bot, and not with somebody else. */
  isWithBot: boolean;
  /** Whether there are built-in commands on this instance. */
  hasBuiltIns: boolean;
}

/**
 * As {@link decideRunnable}, in a direct channel: no server grants or denies anything there, so that it takes an installation, and a command
 * that is for such channels (Discord's documentation, Application Commands).
 */
export function decideInDirect({ command, installs, isWithBot, hasBuiltIns }: DirectFacts): Runnability {
  const types = command.integrationTypes;
  const through = {
    server: installs.server && types.includes(ApplicationIntegrationType.GuildInstall),
    user: installs.user && types.includes(ApplicationIntegrationType.UserInstall),
  };
  const context = isWithBot ? InteractionContextType.BotDM : InteractionContextType.PrivateChannel;
  if (!isGlobal(command) || (!installs.server && !installs.user)) {
    return refused('not-installed', [], 'the application is not installed for the person.');
  }
  if (hasBuiltIns && isReservedName(command.name)) {
    return refused('reserved-name', [], 'the name of the command is that of a built-in command.');
  }
  if (!through.server && !through.user) {
    return refused('integration-type', [], 'the command is not for the kind of installation that there is.');
  }
  if (command.contexts !== null && !command.contexts.includes(context)) {
    return refused('context', [], `the command is not for direct messages with ${isWithBot ? 'its bot' : 'others'}.`);
  }
  if (command.nsfw) return refused('age-restricted', [], 'the command is age-restricted, and the channel is not.');
  return allowed('direct-message', [], 'in direct messages it takes no more than the installation.', through);
}

/** A rule that keeps everybody from running a command, the owner too. What is not there is told before anything else of it. */
interface Obstacle {
  rule: RunRule;
  isInTheWay(facts: RunFacts): boolean;
  refusal: string;
  /** What is said where it is not in the way. */
  otherwise: string;
}

const OBSTACLES: readonly Obstacle[] = [
  {
    rule: 'not-installed',
    isInTheWay: ({ command, installs }) => !installs.server && !(installs.user && isGlobal(command)),
    refusal: 'the application is not installed here.',
    otherwise: 'The application is installed here.',
  },
  {
    rule: 'not-a-member',
    isInTheWay: ({ person }) => person.member === null,
    refusal: 'the person is not a member of the server.',
    otherwise: 'The person is a member of the server.',
  },
  {
    rule: 'channel-hidden',
    isInTheWay: (facts) => !may(facts, Permission.ViewChannel),
    refusal: 'the person does not see the channel.',
    otherwise: 'The person sees the channel.',
  },
  {
    rule: 'reserved-name',
    isInTheWay: ({ command, hasBuiltIns }) => hasBuiltIns && isReservedName(command.name),
    refusal: 'the name of the command is that of a built-in command.',
    otherwise: 'No built-in command has the name of the command.',
  },
  {
    rule: 'integration-type',
    isInTheWay: (facts) => {
      const { server, user } = waysFor(facts);
      return !server && !user;
    },
    refusal: 'the command is not for the kind of installation that there is.',
    otherwise: 'The command is for the kind of installation that there is.',
  },
  {
    rule: 'context',
    isInTheWay: ({ command }) => command.contexts !== null && !command.contexts.includes(InteractionContextType.Guild),
    refusal: 'the command is not for servers.',
    otherwise: 'The command is for servers.',
  },
  {
    rule: 'channel-type',
    isInTheWay: ({ channel }) => !holdsMessages(channel.type),
    refusal: 'the channel does not hold messages.',
    otherwise: 'The channel holds messages.',
  },
  {
    rule: 'age-restricted',
    isInTheWay: ({ command, channel }) => command.nsfw && !channel.nsfw,
    refusal: 'the command is age-restricted, and the channel is not.',
    otherwise: 'The command is not age-restricted, or the channel is, too.',
  },
  {
    rule: 'no-use-application-commands',
    isInTheWay: (facts) => !may(facts, CHANNEL_OPERATIONS.useCommands),
    refusal: 'the person lacks the permission Use Application Commands in the channel.',
    otherwise: 'The person has the permission Use Application Commands in the channel.',
  },
];

/** Whether the person has these permissions in the channel. */
function may({ person }: RunFacts, permissions: bigint): boolean {
  return person.member !== null && allows(person.member.permissions, permissions);
}

function isGlobal({ scopeId }: Pick<CommandFacts, 'scopeId'>): boolean {
  return scopeId === GLOBAL_SCOPE;
}

/** The installations through which the command could be run. A guild's own command is there by the guild's installation alone. */
function waysFor({ command, installs }: RunFacts): Installs {
  const { integrationTypes: types } = command;
  if (!isGlobal(command)) return { server: installs.server, user: false };
  return {
    server: installs.server && types.includes(ApplicationIntegrationType.GuildInstall),
    user: installs.user && types.includes(ApplicationIntegrationType.UserInstall),
  };
}

/** What came of some rules. */
interface Verdict {
  allowed: boolean;
  rule: RunRule;
  /** A sentence for each rule that was looked at before. */
  looked: string[];
  because: string;
}

/** Decides by what the guild says: its owner may, and others as the list that counts says. */
function decideByServer({ guild, channel, person, grants }: RunFacts): Verdict {
  if (person.id === guild.ownerId) {
    return { allowed: true, rule: 'owner', looked: [], because: 'the person owns the server.' };
  }
  const entries = grants.own ?? grants.application;
  const looked = ['The person does not own the server.', grants.own ? OWN_LIST : APPLICATION_LIST];
  if (isChannelDenied(entries, guild.id, channel.id)) {
    return { allowed: false, rule: 'channel-denied', looked, because: 'the channel is denied.' };
  }
  const verdict = decideByEntries(entries, guild.id, person);
  return { ...verdict, looked: [...looked, 'The channel is not denied.', ...verdict.looked] };
}

const OWN_LIST = "The command has permissions of its own, which count in the place of its application's.";
const APPLICATION_LIST = 'The command has no permissions of its own, so that those of its application count.';

/** The channel's own entry counts for more than that of all channels. */
function isChannelDenied(entries: readonly PermissionEntry[], guildId: bigint, channelId: bigint): boolean {
  const said = saidOf(entries, Target.Channel, channelId) ?? saidOf(entries, Target.Channel, allChannels(guildId));
  return said === false;
}

/** Decides by what a list says of the person, of their roles and of everybody: the first of these of whom it says anything. */
export function decideByEntries(entries: readonly PermissionEntry[], guildId: bigint, person: Person): Verdict {
  const looked: string[] = [];
  for (const { rule, who, said } of saidBy(entries, guildId, person)) {
    if (said !== undefined) {
      return { allowed: said, rule, looked, because: `${who} ${said ? 'may run it.' : 'may not run it.'}` };
    }
    looked.push(`Nothing is said of ${who}.`);
  }
  return { allowed: false, rule: 'no-entry', looked, because: NOT_GRANTED };
}

/** The default, and what to do about it. */
const NOT_GRANTED =
  "by default the server's owner alone may run it, and nobody granted it to the person, to a role of theirs or to @everyone. " +
  "Whoever manages the server can do so in the server's integration settings.";

function saidBy(entries: readonly PermissionEntry[], guildId: bigint, { id, member }: Person) {
  return [
    { rule: 'user-entry', who: 'the person', said: saidOf(entries, Target.User, id) },
    { rule: 'role-entry', who: 'a role of the person', said: saidOfRoles(entries, member?.roleIds) },
    { rule: 'everyone-entry', who: '@everyone', said: saidOf(entries, Target.Role, everyone(guildId)) },
  ] as const;
}

/** Of several roles, one that may is enough. */
function saidOfRoles(
  entries: readonly PermissionEntry[],
  roleIds: ReadonlySet<bigint> | undefined,
): boolean | undefined {
  const ofRoles = entries.filter(({ targetType, targetId }) => targetType === Target.Role && roleIds?.has(targetId));
  return ofRoles.length === 0 ? undefined : ofRoles.some(({ allow }) => allow);
}

/** A reason as a sentence of its own. */
function asStep(because: string): string {
  return because.charAt(0).toUpperCase() + because.slice(1);
}
