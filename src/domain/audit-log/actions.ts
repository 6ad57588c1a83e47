import { z } from 'zod';
import type { Prisma } from '../../infra/database/index.js';

interface Action {
  of: 'application' | 'team' | 'guild' | 'box' | 'instance';
  /**
   * The log that shows it, if any: that of the application and its team in the portal, the guild's, or that of the
   * instance. The last has a table of its own. Users of an application are private, and Discord's audit log has no
   * type for the rest.
   */
  log: 'portal' | 'guild' | 'instance' | null;
  target:
    | 'application'
    | 'team'
    | 'user'
    | 'installation'
    | 'guild'
    | 'channel'
    | 'role'
    | 'emoji'
    | 'command'
    | 'webhook'
    | 'box'
    | 'invitation'
    | 'limitSubject';
  /**
   * Properties of a created or removed target, or `{ old, new }` of changed values. Never secrets. Fields that older
   * entries lack have a default.
   */
  changes: z.ZodObject | z.ZodRecord;
}

const text = z.string();
const NOTHING = z.object({});
const NAME = z.object({ name: text });
const TEAM_ROLE = z.enum(['ADMIN', 'DEVELOPER', 'READ_ONLY']);
const AS_TEAM_ROLE = z.object({ role: TEAM_ROLE });
const TESTER_STATE = z.object({ state: changed(z.enum(['INVITED', 'ACCEPTED']).nullable()) });
/** Older entries contain only the code. */
const INVITE = z.object({
  code: text,
  maxAge: z.number().nullable().default(null),
  maxUses: z.number().nullable().default(null),
  temporary: z.boolean().default(false),
});
const COMMAND = z.object({ name: text, type: z.number() });
const COMMANDS = z.array(COMMAND.extend({ id: text }));
/** Older entries contain only name and permissions. */
const ROLE = z.object({
  name: text,
  permissions: text,
  color: z.number().nullable().default(null),
  hoist: z.boolean().nullable().default(null),
  mentionable: z.boolean().nullable().default(null),
});
const ROLES = z.array(z.object({ id: text, name: text }));
/** `type` is 0 for a role, 1 for a member. */
const OVERWRITES = z.array(z.object({ id: text, type: z.number(), allow: text, deny: text }));
const CHANNEL_SETTINGS = {
  topic: text.nullable(),
  nsfw: z.boolean(),
  rateLimitPerUser: z.number(),
  bitrate: z.number(),
  userLimit: z.number(),
  overwrites: OVERWRITES,
};
/** Older CHANNEL_CREATE entries contain only name and type. */
const CHANNEL = z.object({ name: text, type: z.number() }).extend(z.object(CHANNEL_SETTINGS).partial().shape);
/** `roleName` is null for a member's overwrite. */
const OVERWRITE = z.object({
  id: text,
  type: z.number(),
  roleName: text.nullable(),
  allow: changed(text.nullable()),
  deny: changed(text.nullable()),
});

/** Discord calls an installation an integration. */
const INTEGRATION = z.object({ applicationId: text, name: text });

const WEBHOOK = z.object({ name: text, channelId: text, applicationId: text });

const PINNED = z.object({ channelId: text, messageId: text });

function changed<Value extends z.ZodType>(value: Value) {
  return z.object({ old: value, new: value });
}

const WEBHOOK_CHANGES = z.object({ name: changed(text).optional(), channelId: changed(text).optional() });
const RENAMED = z.object({ name: changed(text).optional() });
const TEAM_CHANGES = z.object({ name: changed(text).optional(), iconHash: changed(text.nullable()).optional() });

const OPERATOR_ROLE = z.enum(['OPERATOR', 'MODERATOR']);
/** `text` is what the person or the developers read. */
const SUSPENSION = z.object({ text });

const ACTIONS = {
  APPLICATION_CREATE: { of: 'application', log: 'portal', target: 'application', changes: NAME },
  // By database column.
  APPLICATION_UPDATE: {
    of: 'application',
    log: 'portal',
    target: 'application',
    changes: z.record(text, changed(z.custom<Prisma.JsonValue>())),
  },
  APPLICATION_DELETE: { of: 'application', log: 'portal', target: 'application', changes: NAME },
  APPLICATION_TRANSFER: {
    of: 'application',
    log: 'portal',
    target: 'application',
    changes: z.object({ ownerUserId: changed(text.nullable()), ownerTeamId: changed(text.nullable()) }),
  },
  BOT_TOKEN_RESET: { of: 'application', log: 'portal', target: 'application', changes: NOTHING },
  CLIENT_SECRET_RESET: { of: 'application', log: 'portal', target: 'application', changes: NOTHING },
  COMMAND_CREATE: { of: 'application', log: 'portal', target: 'command', changes: COMMAND },
  // By field name on the wire.
  COMMAND_UPDATE: {
    of: 'application',
    log: 'portal',
    target: 'command',
    changes: COMMAND.extend({ fields: z.array(text) }),
  },
  COMMAND_DELETE: { of: 'application', log: 'portal', target: 'command', changes: COMMAND },
  // The target is the application.
  COMMANDS_OVERWRITE: {
    of: 'application',
    log: 'portal',
    target: 'application',
    changes: z.object({ created: COMMANDS, changed: COMMANDS, deleted: COMMANDS }),
  },
  APPLICATION_EMOJI_CREATE: { of: 'application', log: 'portal', target: 'emoji', changes: NAME },
  APPLICATION_EMOJI_UPDATE: { of: 'application', log: 'portal', target: 'emoji', changes: RENAMED },
  APPLICATION_EMOJI_DELETE: { of: 'application', log: 'portal', target: 'emoji', changes: NAME },
  APPLICATION_WEBHOOK_CREATE: { of: 'application', log: 'portal', target: 'webhook', changes: WEBHOOK },
  APPLICATION_WEBHOOK_UPDATE: { of: 'application', log: 'portal', target: 'webhook', changes: WEBHOOK_CHANGES },
  APPLICATION_WEBHOOK_DELETE: { of: 'application', log: 'portal', target: 'webhook', changes: WEBHOOK },
  TESTER_INVITE: { of: 'application', log: 'portal', target: 'user', changes: TESTER_STATE },
  TESTER_ACCEPT: { of: 'application', log: 'portal', target: 'user', changes: TESTER_STATE },
  TESTER_DECLINE: { of: 'application', log: 'portal', target: 'user', changes: TESTER_STATE },
  TESTER_REMOVE: { of: 'application', log: 'portal', target: 'user', changes: TESTER_STATE },
  TEAM_CREATE: { of: 'team', log: 'portal', target: 'team', changes: NAME },
  TEAM_UPDATE: { of: 'team', log: 'portal', target: 'team', changes: TEAM_CHANGES },
  TEAM_DELETE: { of: 'team', log: 'portal', target: 'team', changes: NAME },
  TEAM_TRANSFER_OWNERSHIP: {
    of: 'team',
    log: 'portal',
    target: 'user',
    changes: z.object({ ownerUserId: changed(text) }),
  },
  TEAM_INVITATION_CREATE: { of: 'team', log: 'portal', target: 'user', changes: AS_TEAM_ROLE },
  TEAM_INVITATION_ACCEPT: { of: 'team', log: 'portal', target: 'user', changes: AS_TEAM_ROLE },
  TEAM_INVITATION_DECLINE: { of: 'team', log: 'portal', target: 'user', changes: AS_TEAM_ROLE },
  TEAM_INVITATION_REVOKE: { of: 'team', log: 'portal', target: 'user', changes: AS_TEAM_ROLE },
  TEAM_MEMBER_UPDATE: { of: 'team', log: 'portal', target: 'user', changes: z.object({ role: changed(TEAM_ROLE) }) },
  TEAM_MEMBER_REMOVE: { of: 'team', log: 'portal', target: 'user', changes: AS_TEAM_ROLE },
  TEAM_MEMBER_LEAVE: { of: 'team', log: 'portal', target: 'user', changes: AS_TEAM_ROLE },
  // No log shows box entries: an owner could learn since when an unknown key was valid.
  BOX_CREATE: { of: 'box', log: null, target: 'box', changes: NAME },
  BOX_UPDATE: { of: 'box', log: null, target: 'box', changes: RENAMED },
  BOX_DELETE: { of: 'box', log: null, target: 'box', changes: NAME },
  BOX_TOKEN_CREATE: { of: 'box', log: null, target: 'box', changes: NOTHING },
  BOX_ENROL: { of: 'box', log: null, target: 'box', changes: z.object({ publicKey: changed(text.nullable()) }) },
  OAUTH_AUTHORIZE: { of: 'application', log: null, target: 'user', changes: z.object({ scopes: z.array(text) }) },
  OAUTH_REVOKE: { of: 'application', log: null, target: 'user', changes: NOTHING },
  OAUTH_REUSE: { of: 'application', log: null, target: 'user', changes: NOTHING },
  INSTALLATION_PUT: {
    of: 'application',
    log: null,
    target: 'installation',
    changes: z.object({
      scopes: z.array(text),
      permissions: z.object({ old: text.nullable(), new: text }).optional(),
    }),
  },
  // The target is the application if a guild removed it, else the person.
  INSTALLATION_DELETE: { of: 'application', log: null, target: 'application', changes: NOTHING },
  GUILD_CREATE: { of: 'guild', log: null, target: 'guild', changes: NAME },
  GUILD_DELETE: { of: 'guild', log: null, target: 'guild', changes: NAME },
  // By database column.
  GUILD_UPDATE: {
    of: 'guild',
    log: 'guild',
    target: 'guild',
    changes: z.record(text, changed(z.union([text, z.number()]).nullable())),
  },
  CHANNEL_CREATE: { of: 'guild', log: 'guild', target: 'channel', changes: CHANNEL },
  CHANNEL_UPDATE: {
    of: 'guild',
    log: 'guild',
    target: 'channel',
    changes: z
      .object({
        name: changed(text),
        type: changed(z.number()),
        position: changed(z.number()),
        parentId: changed(text.nullable()),
        topic: changed(text.nullable()),
        nsfw: changed(z.boolean()),
        rateLimitPerUser: changed(z.number()),
        bitrate: changed(z.number()),
        userLimit: changed(z.number()),
        overwrites: changed(OVERWRITES),
      })
      .partial(),
  },
  CHANNEL_DELETE: { of: 'guild', log: 'guild', target: 'channel', changes: CHANNEL },
  CHANNEL_OVERWRITE_CREATE: { of: 'guild', log: 'guild', target: 'channel', changes: OVERWRITE },
  CHANNEL_OVERWRITE_UPDATE: { of: 'guild', log: 'guild', target: 'channel', changes: OVERWRITE },
  CHANNEL_OVERWRITE_DELETE: { of: 'guild', log: 'guild', target: 'channel', changes: OVERWRITE },
  CHANNEL_POSITIONS_UPDATE: {
    of: 'guild',
    log: null,
    target: 'guild',
    changes: z.object({
      channels: z.array(
        z.object({ id: text, name: text, position: changed(z.number()), parentId: changed(text.nullable()) }),
      ),
    }),
  },
  ROLE_CREATE: { of: 'guild', log: 'guild', target: 'role', changes: ROLE },
  ROLE_UPDATE: {
    of: 'guild',
    log: 'guild',
    target: 'role',
    changes: z.object({
      name: changed(text).optional(),
      permissions: changed(text).optional(),
      color: changed(z.number()).optional(),
      hoist: changed(z.boolean()).optional(),
      mentionable: changed(z.boolean()).optional(),
    }),
  },
  ROLE_DELETE: { of: 'guild', log: 'guild', target: 'role', changes: ROLE },
  EMOJI_CREATE: { of: 'guild', log: 'guild', target: 'emoji', changes: NAME },
  EMOJI_UPDATE: { of: 'guild', log: 'guild', target: 'emoji', changes: RENAMED },
  EMOJI_DELETE: { of: 'guild', log: 'guild', target: 'emoji', changes: NAME },
  ROLE_POSITIONS_UPDATE: {
    of: 'guild',
    log: null,
    target: 'guild',
    changes: z.object({ roles: z.array(z.object({ id: text, name: text, old: z.number(), new: z.number() })) }),
  },
  INVITE_CREATE: {
    of: 'guild',
    log: 'guild',
    target: 'channel',
    changes: INVITE,
  },
  INVITE_DELETE: {
    of: 'guild',
    log: 'guild',
    target: 'channel',
    changes: INVITE.extend({
      inviterId: text.nullable().default(null),
      uses: z.number().nullable().default(null),
    }),
  },
  MEMBER_ADD: {
    of: 'guild',
    log: null,
    target: 'user',
    changes: z.object({ nick: text.nullable(), roles: ROLES }),
  },
  // The target is the guild.
  MEMBER_PRUNE: {
    of: 'guild',
    log: 'guild',
    target: 'guild',
    changes: z.object({ days: z.number(), count: z.number() }),
  },
  MEMBER_KICK: { of: 'guild', log: 'guild', target: 'user', changes: NOTHING },
  MEMBER_BAN_ADD: { of: 'guild', log: 'guild', target: 'user', changes: NOTHING },
  MEMBER_BAN_REMOVE: { of: 'guild', log: 'guild', target: 'user', changes: NOTHING },
  MEMBER_UPDATE: {
    of: 'guild',
    log: 'guild',
    target: 'user',
    changes: z.object({
      nick: changed(text.nullable()).optional(),
      mute: changed(z.boolean()).optional(),
      deaf: changed(z.boolean()).optional(),
      // ISO 8601.
      communicationDisabledUntil: changed(text.nullable()).optional(),
    }),
  },
  MEMBER_ROLE_UPDATE: {
    of: 'guild',
    log: 'guild',
    target: 'user',
    changes: z.object({ added: ROLES, removed: ROLES }),
  },
  MEMBER_MOVE: { of: 'guild', log: 'guild', target: 'user', changes: z.object({ channelId: text }) },
  MEMBER_DISCONNECT: { of: 'guild', log: 'guild', target: 'user', changes: NOTHING },
  // The target is the application if the list is for all its commands. Null means no entry.
  COMMAND_PERMISSIONS_UPDATE: {
    of: 'guild',
    log: 'guild',
    target: 'command',
    changes: z.object({
      applicationId: text,
      permissions: z.array(z.object({ id: text, type: z.number(), ...changed(z.boolean().nullable()).shape })),
    }),
  },
  // Null means that the greeting was removed. The target is the channel.
  GREETING_UPDATE: {
    of: 'guild',
    log: null,
    target: 'channel',
    changes: z.object({ kind: z.enum(['WELCOME', 'GOODBYE']), channelId: text.nullable(), message: text.nullable() }),
  },
  BOT_ADD: { of: 'guild', log: 'guild', target: 'user', changes: NOTHING },
  WEBHOOK_CREATE: { of: 'guild', log: 'guild', target: 'webhook', changes: WEBHOOK },
  WEBHOOK_UPDATE: { of: 'guild', log: 'guild', target: 'webhook', changes: WEBHOOK_CHANGES },
  WEBHOOK_DELETE: { of: 'guild', log: 'guild', target: 'webhook', changes: WEBHOOK },
  INTEGRATION_CREATE: { of: 'guild', log: 'guild', target: 'installation', changes: INTEGRATION },
  INTEGRATION_DELETE: { of: 'guild', log: 'guild', target: 'installation', changes: INTEGRATION },
  // The target is the author.
  MESSAGE_DELETE: {
    of: 'guild',
    log: 'guild',
    target: 'user',
    changes: z.object({ channelId: text, messageId: text }),
  },
  MESSAGE_BULK_DELETE: { of: 'guild', log: 'guild', target: 'channel', changes: z.object({ count: z.number() }) },
  // The target is the author.
  MESSAGE_PIN: { of: 'guild', log: 'guild', target: 'user', changes: PINNED },
  OPERATOR_UPDATE: {
    of: 'instance',
    log: 'instance',
    target: 'user',
    changes: z.object({ role: changed(OPERATOR_ROLE.nullable()) }),
  },
  PERSON_SUSPEND: { of: 'instance', log: 'instance', target: 'user', changes: SUSPENSION },
  PERSON_RESTORE: { of: 'instance', log: 'instance', target: 'user', changes: NOTHING },
  PERSON_SIGN_OUT: { of: 'instance', log: 'instance', target: 'user', changes: NOTHING },
  // Without anything that names the person.
  PERSON_DELETE: {
    of: 'instance',
    log: 'instance',
    target: 'user',
    changes: z.object({
      messages: z.number(),
      servers: z.number(),
      teams: z.number(),
      applications: z.number(),
      boxes: z.number(),
      withMessages: z.boolean(),
      withOwned: z.boolean(),
    }),
  },
  PERSON_PASSWORD_LINK: { of: 'instance', log: 'instance', target: 'user', changes: NOTHING },
  PERSON_EXPORT: { of: 'instance', log: 'instance', target: 'user', changes: NOTHING },
  APPLICATION_SUSPEND: { of: 'instance', log: 'instance', target: 'application', changes: SUSPENSION },
  APPLICATION_RESTORE: { of: 'instance', log: 'instance', target: 'application', changes: NOTHING },
  SERVER_TRANSFER: {
    of: 'instance',
    log: 'instance',
    target: 'guild',
    changes: NAME.extend({ ownerId: changed(text) }),
  },
  SERVER_DELETE: { of: 'instance', log: 'instance', target: 'guild', changes: NAME },
  INVITATION_CREATE: { of: 'instance', log: 'instance', target: 'invitation', changes: NAME },
  INVITATION_REVOKE: { of: 'instance', log: 'instance', target: 'invitation', changes: NAME },
  // Null stands for the instance as the subject, and for the default as a value.
  LIMIT_UPDATE: {
    of: 'instance',
    log: 'instance',
    target: 'limitSubject',
    changes: z.object({ kind: text, subject: text.nullable(), value: changed(z.number().nullable()) }),
  },
  BOX_DISCONNECT: { of: 'instance', log: 'instance', target: 'box', changes: NAME },
  MESSAGE_UNPIN: { of: 'guild', log: 'guild', target: 'user', changes: PINNED },
} as const satisfies Record<string, Action>;

type Actions = typeof ACTIONS;

export type AuditAction = keyof Actions;

export type AuditChanges = { [A in AuditAction]: z.output<Actions[A]['changes']> };

/** `teamId` of an application's entry defaults to the owning team. A box is the target of its entries. */
interface Owners {
  application: { applicationId: bigint; teamId?: bigint; guildId?: bigint };
  team: { teamId: bigint; applicationId?: undefined; guildId?: undefined };
  guild: { guildId: bigint; applicationId?: undefined; teamId?: undefined };
  box: { applicationId?: undefined; teamId?: undefined; guildId?: undefined };
  instance: { applicationId?: undefined; teamId?: undefined; guildId?: undefined };
}

type Stated<Stored> = Stored extends Record<string, never> ? { changes?: undefined } : { changes: Stored };

export type AuditRecord = {
  [A in AuditAction]: { action: A; targetId: bigint } & Owners[Actions[A]['of']] & Stated<AuditChanges[A]>;
}[AuditAction];

type ActionsOf<Log extends Action['log']> = {
  [A in AuditAction]: Actions[A]['log'] extends Log ? A : never;
}[AuditAction];

export type GuildLogAction = ActionsOf<'guild'>;

export type PortalLogAction = ActionsOf<'portal'>;

export type InstanceAction = ActionsOf<'instance'>;

function actionsShownIn<Log extends Action['log']>(log: Log): ActionsOf<Log>[] {
  const names = Object.keys(ACTIONS) as AuditAction[];
  return names.filter((name): name is ActionsOf<Log> => ACTIONS[name].log === log);
}

export const PORTAL_ACTIONS: readonly PortalLogAction[] = actionsShownIn('portal');

export const GUILD_ACTIONS: readonly GuildLogAction[] = actionsShownIn('guild');

export const INSTANCE_ACTIONS: readonly InstanceAction[] = actionsShownIn('instance');

export function targetOf(action: AuditAction): Action['target'] {
  return ACTIONS[action].target;
}

const ofPortalLogs: ReadonlySet<string> = new Set(PORTAL_ACTIONS);
const ofGuildLogs: ReadonlySet<string> = new Set(GUILD_ACTIONS);

export function isPortalLogAction(action: string): action is PortalLogAction {
  return ofPortalLogs.has(action);
}

const ofInstanceLog: ReadonlySet<string> = new Set(INSTANCE_ACTIONS);

export function isInstanceAction(action: string): action is InstanceAction {
  return ofInstanceLog.has(action);
}

export function isGuildLogAction(action: string): action is GuildLogAction {
  return ofGuildLogs.has(action);
}

const SCHEMAS: { [A in AuditAction]: { changes: z.ZodType<AuditChanges[A]> } } = ACTIONS;

/** Parses entries of any version. @throws z.ZodError if no version wrote this */
export function readChanges<A extends AuditAction>(action: A, stored: unknown): AuditChanges[A] {
  return SCHEMAS[action].changes.parse(stored);
}

/** Whether the log can show the changes. Of an action that this version does not know, it shows none. */
export function isReadable(action: string, changes: unknown): boolean {
  return !Object.hasOwn(ACTIONS, action) || SCHEMAS[action as AuditAction].changes.safeParse(changes).success;
}
