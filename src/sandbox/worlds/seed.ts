import { PermissionFlagsBits } from 'discord-api-types/v10';
import { z } from 'zod';
import { limits } from '../../domain/limits.js';

/**
 * The content of a world. Every part is optional: `{}` has the people ada and grace, a server and one bot in it. A
 * string stands for an object with this name.
 */

const permissionNames = Object.keys(PermissionFlagsBits) as (keyof typeof PermissionFlagsBits)[];

const Permissions = z
  .array(z.enum(permissionNames))
  .transform((names) => names.reduce((bits, name) => bits | PermissionFlagsBits[name], 0n))
  .describe("Discord's permission names, such as SendMessages.");

const name = (max: number) => z.string().trim().min(1).max(max);

/** Accepts the name alone. */
function named<Shape extends z.ZodObject>(object: Shape) {
  return z
    .preprocess((given) => (typeof given === 'string' ? { name: given } : given), object)
    .meta({
      shownAs: { anyOf: [{ type: 'string' }, z.toJSONSchema(object, { io: 'input', unrepresentable: 'any' })] },
    });
}

const Username = z
  .string()
  .regex(/^[a-z0-9._]{2,32}$/, 'A username has 2–32 lowercase letters (a–z), digits, dots and underscores.');

export const PersonSeed = z.strictObject({
  name: Username,
  displayName: name(limits.globalName.max).nullish().describe('The name that clients show. Default: none.'),
});

const OverwriteSeed = z
  .strictObject({
    role: z.string().optional().describe('A role of the server, or @everyone.'),
    person: z.string().optional(),
    application: z.string().optional(),
    allow: Permissions.default(0n),
    deny: Permissions.default(0n),
  })
  .refine(
    ({ role, person, application }) =>
      [role, person, application].filter((target) => target !== undefined).length === 1,
    'Name one target: role, person or application.',
  );

export const CHANNEL_TYPES = { text: 0, voice: 2, category: 4, announcement: 5 } as const;

export const ChannelSeed = z.strictObject({
  name: name(limits.channelName.max),
  type: z.enum(Object.keys(CHANNEL_TYPES) as (keyof typeof CHANNEL_TYPES)[]).default('text'),
  topic: z.string().max(limits.channelTopic).nullish(),
  nsfw: z.boolean().default(false),
  slowMode: z.int().min(0).max(limits.slowMode).default(0).describe('In seconds.'),
  category: z.string().nullish().describe('The name of a category above it in the list.'),
  overwrites: z.array(OverwriteSeed).default([]),
});

export const RoleSeed = z.strictObject({
  name: name(limits.roleName.max),
  permissions: Permissions.default(0n),
  color: z.int().min(0).max(0xff_ff_ff).default(0),
  hoist: z.boolean().default(false),
  mentionable: z.boolean().default(false),
  members: z.array(z.string()).default([]).describe('Names of people.'),
});

const GuildSeed = z.strictObject({
  name: name(limits.guildName.max),
  owner: z.string().optional().describe('The name of a person. Default: the first person.'),
  members: z.array(z.string()).optional().describe('Names of people. Default: all of them.'),
  channels: z.array(named(ChannelSeed)).default(() => [ChannelSeed.parse({ name: 'general' })]),
  roles: z.array(named(RoleSeed)).default([]).describe('From the lowest to the highest.'),
  everyone: Permissions.optional().describe("The permissions of @everyone. Default: Discord's."),
  box: z.boolean().default(false).describe('Whether the server is on the self-hosted box of the world.'),
});

const INTENTS = ['GUILD_MEMBERS', 'PRESENCES', 'MESSAGE_CONTENT'] as const;

const ApplicationSeed = z.strictObject({
  name: name(limits.applicationName.max).min(limits.applicationName.min),
  description: z.string().max(limits.applicationDescription).default(''),
  owner: z.string().optional().describe('The name of a person. Default: the first person.'),
  guilds: z.array(z.string()).optional().describe('Names of the servers in which it is installed. Default: all.'),
  permissions: Permissions.default(0n).describe("The permissions of the bot's own role."),
  privilegedIntents: z.array(z.enum(INTENTS)).default([...INTENTS]),
  public: z.boolean().default(true),
  publicClient: z.boolean().default(false).describe('Whether it may use OAuth2 without its secret, with PKCE.'),
  userInstall: z.boolean().default(false).describe('Whether people may install it to their account.'),
  redirectUris: z.array(z.url()).max(limits.redirectUris).default([]),
  interactionsEndpointUrl: z.url().nullish(),
  commands: z.array(z.looseObject({})).default([]).describe("Global commands, in Discord's format."),
  commandsFor: z
    .enum(['everyone', 'owner'])
    .default('everyone')
    .describe('The members who may run its commands without another rule: everyone, or only the owner of the server.'),
});

export const Seed = z.strictObject({
  name: name(64).optional().describe('A name for people who look at the portal.'),
  people: z
    .array(named(PersonSeed))
    .min(1)
    .max(100)
    .default(() => [{ name: 'ada' }, { name: 'grace' }]),
  guilds: z
    .array(named(GuildSeed))
    .max(20)
    .default(() => [GuildSeed.parse({ name: 'Test server' })]),
  applications: z
    .array(named(ApplicationSeed))
    .max(20)
    .default(() => [ApplicationSeed.parse({ name: 'Test bot' })]),
  rateLimits: z.enum(['off', 'real']).default('off').describe('Whether the rate limits of a real platform apply.'),
});

export type Seed = z.output<typeof Seed>;
export type PersonSeed = z.output<typeof PersonSeed>;
export type GuildSeed = Seed['guilds'][number];
export type ChannelSeed = z.output<typeof ChannelSeed>;
export type RoleSeed = z.output<typeof RoleSeed>;
export type ApplicationSeed = Seed['applications'][number];
