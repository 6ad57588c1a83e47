import {
  ApplicationIntegrationType,
  InteractionContextType,
  ApplicationCommandPermissionType as Target,
} from 'discord-api-types/v10';
import { holdsMessages } from '../channels/access.js';
import { type CommandRecord, GLOBAL_SCOPE } from '../commands/record.js';
import { isReservedName } from '../commands/reserved-names.js';
import { CHANNEL_OPERATIONS } from '../guild-operations.js';
import type { ChannelSummary } from '../guilds/views.js';
import { allows, Permission } from '../permissions.js';
import { allChannels, everyone, type PermissionEntry, saidOf } from './record.js';

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

export interface Person {
  id: bigint;
  /** Null for a non-member. */
  member: {
    /** Excludes `@everyone`. */
    roleIds: ReadonlySet<bigint>;
    permissions: bigint;
  } | null;
}

export interface Installs {
  server: boolean;
  user: boolean;
}

/** Entries for other users and channels are optional. */
export interface Grants {
  /** Null if the command has no list. */
  own: readonly PermissionEntry[] | null;
  application: readonly PermissionEntry[];
}

export type CommandSummary = Pick<CommandRecord, 'name' | 'scopeId' | 'nsfw' | 'integrationTypes' | 'contexts'>;

/** The command must be global or the guild's own. */
export interface RunRequest {
  guild: { id: bigint; ownerId: bigint };
  channel: Pick<ChannelSummary, 'id' | 'type' | 'nsfw'>;
  person: Person;
  command: CommandSummary;
  installs: Installs;
  grants: Grants;
  hasBuiltIns: boolean;
}

export interface Runnability {
  allowed: boolean;
  rule: RunRule;
  /** A sentence for each rule in order. The last one begins with `Allowed:` or `Refused:`. */
  steps: string[];
  /** None if the command is refused. */
  through: Installs;
  /** Whether only the user may see the responses. */
  ephemeralOnly: boolean;
}

const NONE: Installs = { server: false, user: false };

/** Rules: docs/permissions.md, Who may run a command. */
export function decideRunnable(facts: RunRequest): Runnability {
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

function allowedByUserInstall(facts: RunRequest, passed: string[]): Runnability {
  const isPublic = may(facts, Permission.UseExternalApps);
  const shown = isPublic ? '' : ' Without the Use External Apps permission, only the user sees the responses.';
  const because = `the user installed the application to their account, so server permissions do not apply.${shown}`;
  return { ...allowed('user-install', passed, because, { server: false, user: true }), ephemeralOnly: !isPublic };
}

export interface DirectRunRequest {
  command: CommandSummary;
  /** `server`: the channel is with the application's bot, and both users share a guild. */
  installs: Installs;
  isWithBot: boolean;
  hasBuiltIns: boolean;
}

/**
 * As {@link decideRunnable}, but in a direct channel, without guild permissions (Discord's documentation, Application
 * Commands).
 */
export function decideInDirect({ command, installs, isWithBot, hasBuiltIns }: DirectRunRequest): Runnability {
  const types = command.integrationTypes;
  const through = {
    server: installs.server && types.includes(ApplicationIntegrationType.GuildInstall),
    user: installs.user && types.includes(ApplicationIntegrationType.UserInstall),
  };
  const context = isWithBot ? InteractionContextType.BotDM : InteractionContextType.PrivateChannel;
  if (!isGlobal(command) || (!installs.server && !installs.user)) {
    return refused('not-installed', [], 'the application is not installed for the user.');
  }
  if (hasBuiltIns && isReservedName(command.name)) {
    return refused('reserved-name', [], 'the command has the name of a built-in command.');
  }
  if (!through.server && !through.user) {
    return refused('integration-type', [], 'the command does not support the way the application is installed.');
  }
  if (command.contexts !== null && !command.contexts.includes(context)) {
    return refused(
      'context',
      [],
      `the command is not available in direct messages with ${isWithBot ? 'its bot' : 'other users'}.`,
    );
  }
  if (command.nsfw) return refused('age-restricted', [], 'the command is age-restricted, but the channel is not.');
  return allowed('direct-message', [], 'in direct messages, an installation is sufficient.', through);
}

/**
 * Applies to the owner too. Rules about existence come first, so that they reveal nothing else about a missing command.
 */
interface Obstacle {
  rule: RunRule;
  isInTheWay(facts: RunRequest): boolean;
  refusal: string;
  otherwise: string;
}

const OBSTACLES: readonly Obstacle[] = [
  {
    rule: 'not-installed',
    isInTheWay: ({ command, installs }) => !installs.server && !(installs.user && isGlobal(command)),
    refusal: 'the application is not installed in the server or for the user.',
    otherwise: 'The application is installed in the server or for the user.',
  },
  {
    rule: 'not-a-member',
    isInTheWay: ({ person }) => person.member === null,
    refusal: 'the user is not a member of the server.',
    otherwise: 'The user is a member of the server.',
  },
  {
    rule: 'channel-hidden',
    isInTheWay: (facts) => !may(facts, Permission.ViewChannel),
    refusal: 'the user cannot view the channel.',
    otherwise: 'The user can view the channel.',
  },
  {
    rule: 'reserved-name',
    isInTheWay: ({ command, hasBuiltIns }) => hasBuiltIns && isReservedName(command.name),
    refusal: 'the command has the name of a built-in command.',
    otherwise: 'No built-in command has the name of this command.',
  },
  {
    rule: 'integration-type',
    isInTheWay: (facts) => {
      const { server, user } = waysFor(facts);
      return !server && !user;
    },
    refusal: 'the command does not support the way the application is installed.',
    otherwise: 'The command supports the way the application is installed.',
  },
  {
    rule: 'context',
    isInTheWay: ({ command }) => command.contexts !== null && !command.contexts.includes(InteractionContextType.Guild),
    refusal: 'the command is not available in servers.',
    otherwise: 'The command is available in servers.',
  },
  {
    rule: 'channel-type',
    isInTheWay: ({ channel }) => !holdsMessages(channel.type),
    refusal: 'commands cannot run in this type of channel.',
    otherwise: 'Commands can run in this type of channel.',
  },
  {
    rule: 'age-restricted',
    isInTheWay: ({ command, channel }) => command.nsfw && !channel.nsfw,
    refusal: 'the command is age-restricted, but the channel is not.',
    otherwise: 'The command is not age-restricted, or the channel is age-restricted as well.',
  },
  {
    rule: 'no-use-application-commands',
    isInTheWay: (facts) => !may(facts, CHANNEL_OPERATIONS.useCommands),
    refusal: 'the user lacks the Use Application Commands permission in the channel.',
    otherwise: 'The user has the Use Application Commands permission in the channel.',
  },
];

function may({ person }: RunRequest, permissions: bigint): boolean {
  return person.member !== null && allows(person.member.permissions, permissions);
}

function isGlobal({ scopeId }: Pick<CommandSummary, 'scopeId'>): boolean {
  return scopeId === GLOBAL_SCOPE;
}

/** A guild's own command needs the guild's installation. */
function waysFor({ command, installs }: RunRequest): Installs {
  const { integrationTypes: types } = command;
  if (!isGlobal(command)) return { server: installs.server, user: false };
  return {
    server: installs.server && types.includes(ApplicationIntegrationType.GuildInstall),
    user: installs.user && types.includes(ApplicationIntegrationType.UserInstall),
  };
}

interface Verdict {
  allowed: boolean;
  rule: RunRule;
  /** Sentences for rules that were checked before. */
  looked: string[];
  because: string;
}

function decideByServer({ guild, channel, person, grants }: RunRequest): Verdict {
  if (person.id === guild.ownerId) {
    return { allowed: true, rule: 'owner', looked: [], because: 'the user owns the server.' };
  }
  const entries = grants.own ?? grants.application;
  const looked = ['The user does not own the server.', grants.own ? OWN_LIST : APPLICATION_LIST];
  if (isChannelDenied(entries, guild.id, channel.id)) {
    return { allowed: false, rule: 'channel-denied', looked, because: 'a rule denies the command in this channel.' };
  }
  const verdict = decideByEntries(entries, guild.id, person);
  return { ...verdict, looked: [...looked, 'No rule denies the command in this channel.', ...verdict.looked] };
}

const OWN_LIST = "The command has its own rules, which override the application's rules.";
const APPLICATION_LIST = "The command has no rules of its own, so the application's rules apply.";

/** The channel's own entry overrides that of all channels. */
function isChannelDenied(entries: readonly PermissionEntry[], guildId: bigint, channelId: bigint): boolean {
  const said = saidOf(entries, Target.Channel, channelId) ?? saidOf(entries, Target.Channel, allChannels(guildId));
  return said === false;
}

/** The first of these entries decides: user, roles, `@everyone`. */
export function decideByEntries(entries: readonly PermissionEntry[], guildId: bigint, person: Person): Verdict {
  const looked: string[] = [];
  for (const { rule, who, said } of saidBy(entries, guildId, person)) {
    if (said !== undefined) {
      return { allowed: said, rule, looked, because: `a rule for ${who} ${said ? 'allows' : 'denies'} the command.` };
    }
    looked.push(`There is no rule for ${who}.`);
  }
  return { allowed: false, rule: 'no-entry', looked, because: NOT_GRANTED };
}

const NOT_GRANTED =
  'by default only the owner of the server can run the command, and no rule allows the user, one of their roles or @everyone. ' +
  "A member who manages the server can add a rule in the server's integration settings.";

function saidBy(entries: readonly PermissionEntry[], guildId: bigint, { id, member }: Person) {
  return [
    { rule: 'user-entry', who: 'the user', said: saidOf(entries, Target.User, id) },
    { rule: 'role-entry', who: "the user's roles", said: saidOfRoles(entries, member?.roleIds) },
    { rule: 'everyone-entry', who: '@everyone', said: saidOf(entries, Target.Role, everyone(guildId)) },
  ] as const;
}

/** One role that allows it is enough. */
function saidOfRoles(
  entries: readonly PermissionEntry[],
  roleIds: ReadonlySet<bigint> | undefined,
): boolean | undefined {
  const ofRoles = entries.filter(({ targetType, targetId }) => targetType === Target.Role && roleIds?.has(targetId));
  return ofRoles.length === 0 ? undefined : ofRoles.some(({ allow }) => allow);
}

function asStep(because: string): string {
  return because.charAt(0).toUpperCase() + because.slice(1);
}
