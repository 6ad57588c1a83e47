import type {
  APIApplicationCommandOptionChoice,
  APIMessage,
  APIModalInteractionResponseCallbackData,
  PermissionFlagsBits,
  RESTPostAPIApplicationCommandsJSONBody,
} from 'discord-api-types/v10';

/** The control API's bodies and answers, for its clients. Ids are strings. */

export type PermissionName = keyof typeof PermissionFlagsBits;

export interface PersonSeed {
  /** 2 to 32 lowercase letters (a–z), digits, dots and underscores. */
  name: string;
  /** The name that clients show. Default: none. */
  displayName?: string | null | undefined;
}

export interface OverwriteSeed {
  /** A role of the server, or `@everyone`. Name one target. */
  role?: string | undefined;
  person?: string | undefined;
  application?: string | undefined;
  allow?: PermissionName[] | undefined;
  deny?: PermissionName[] | undefined;
}

export interface ChannelSeed {
  name: string;
  /** Default: `text`. */
  type?: 'text' | 'voice' | 'category' | 'announcement' | undefined;
  topic?: string | null | undefined;
  nsfw?: boolean | undefined;
  /** In seconds. */
  slowMode?: number | undefined;
  /** The name of a category above it in the list. */
  category?: string | null | undefined;
  overwrites?: OverwriteSeed[] | undefined;
}

export interface RoleSeed {
  name: string;
  permissions?: PermissionName[] | undefined;
  /** RGB value. */
  color?: number | undefined;
  hoist?: boolean | undefined;
  mentionable?: boolean | undefined;
  /** Names of people. */
  members?: string[] | undefined;
}

export interface GuildSeed {
  name: string;
  /** The name of a person. Default: the first person. */
  owner?: string | undefined;
  /** Names of people. Default: all of them. */
  members?: string[] | undefined;
  /** Default: the text channel `general`. */
  channels?: (string | ChannelSeed)[] | undefined;
  /** From the lowest to the highest. */
  roles?: (string | RoleSeed)[] | undefined;
  /** The permissions of `@everyone`. Default: Discord's. */
  everyone?: PermissionName[] | undefined;
  /** Whether the server is on the self-hosted box of the world. Default: false. */
  box?: boolean | undefined;
}

export interface ApplicationSeed {
  name: string;
  description?: string | undefined;
  /** The name of a person. Default: the first person. */
  owner?: string | undefined;
  /** Names of the servers in which it is installed. Default: all. */
  guilds?: string[] | undefined;
  /** The permissions of the bot's own role. Default: none beyond those of `@everyone`. */
  permissions?: PermissionName[] | undefined;
  /** Default: all. */
  privilegedIntents?: ('GUILD_MEMBERS' | 'PRESENCES' | 'MESSAGE_CONTENT')[] | undefined;
  public?: boolean | undefined;
  /** Whether it may use OAuth2 without its secret, with PKCE. */
  publicClient?: boolean | undefined;
  /** Whether people may install it to their account. */
  userInstall?: boolean | undefined;
  redirectUris?: string[] | undefined;
  interactionsEndpointUrl?: string | null | undefined;
  /** Global commands. */
  commands?: RESTPostAPIApplicationCommandsJSONBody[] | undefined;
  /** The members who may run its commands without another rule. Default: everyone. */
  commandsFor?: 'everyone' | 'owner' | undefined;
}

/**
 * The content of a world. Every part is optional: `{}` has the people ada and grace, the server "Test server" with the
 * channel general, and the application "Test bot" in it. A name alone stands for an object with that name.
 */
export interface Seed {
  /** A name for people who look at the portal. */
  name?: string | undefined;
  people?: (string | PersonSeed)[] | undefined;
  guilds?: (string | GuildSeed)[] | undefined;
  applications?: (string | ApplicationSeed)[] | undefined;
  /** Whether the rate limits of a real platform apply. Default: `off`. */
  rateLimits?: 'off' | 'real' | undefined;
}

export interface ApplicationDescription {
  /** Also the client id, and the id of its bot. */
  id: string;
  name: string;
  /** The bot's token. */
  token: string;
  clientSecret: string;
  /** In hex. */
  publicKey: string;
  /** Whether the bot is connected to the gateway. */
  isConnected: boolean;
}

export interface GuildDescription {
  id: string;
  name: string;
  /** The id of a person. */
  owner: string;
  channels: { id: string; name: string; type: number }[];
  roles: { id: string; name: string }[];
  /** Whether it is on the box of the world, where people have other ids. */
  isOnBox: boolean;
}

export interface InstanceDescription {
  origin: string;
  worlds: { id: string; name: string }[];
}

export interface WorldDescription {
  id: string;
  name: string;
  /** The base address of Discord libraries, without a version, such as `http://localhost:4000/api`. */
  api: string;
  gateway: string;
  portal: string;
  people: { id: string; name: string }[];
  guilds: GuildDescription[];
  applications: ApplicationDescription[];
}

/** A bot's answer, as the person sees it. */
export interface AnswerDescription {
  interaction: { id: string; type: number; name: string; channel: string };
  /** The new or updated message. Null for a modal, for choices, or if it was deleted. */
  message: APIMessage | null;
  modal: APIModalInteractionResponseCallbackData | null;
  choices: APIApplicationCommandOptionChoice[] | null;
}

/** A file to upload. */
export interface FileDescription {
  name: string;
  /** In base64. */
  content: string;
  contentType?: string | undefined;
}

export interface SessionDescription {
  /** For `Authorization: Bearer` at `/graphql` and the REST API. */
  token: string;
  /** The name and value of the portal's cookie. The answer also sets it. */
  cookie: string;
  /** The first channel that the person sees, as a path of the portal. There they write messages and run commands. */
  portal: string;
}

/** The redirect of the consent screen. All null if there is none, after an install. */
export interface AuthorizationDescription {
  redirectTo: string | null;
  code: string | null;
  state: string | null;
  /** Such as `access_denied`. */
  error: string | null;
}

/** A change of the clock, for programs whose timers follow it. */
export interface ClockMove extends ClockDescription {
  number: number;
}

export interface ClockDescription {
  /** The platform's time, in ISO 8601. */
  now: string;
  isFrozen: boolean;
}

export interface ErrorDescription {
  code: string;
  message: string;
  fields?: { path: string; code: string; message: string }[];
  /** The end of the world's transcript, if the test waited in vain. */
  transcript?: string;
}

export interface TranscriptEntry {
  /** Counts from 1. */
  number: number;
  /** ISO 8601, in real time. */
  at: string;
  /**
   * - `person`: a person of the world acted
   * - `refused`: the platform refused the action
   * - `event`: the gateway sent an event or another payload to a bot
   * - `gateway`: a bot sent a payload to the gateway, or its connection opened or closed
   * - `request`: a bot or a webhook called the REST API
   * - `endpoint`: the platform posted an interaction to an endpoint
   * - `fault`: a rule took effect
   * - `world`: the world is reset, or the clock is moved
   */
  kind: 'person' | 'refused' | 'event' | 'gateway' | 'request' | 'endpoint' | 'fault' | 'world';
  text: string;
  /** Bodies and payloads, without tokens. */
  data?: unknown;
}

/** `jsonl` has an entry in each line. `text` is for people, and ends with the calls to routes that do not exist. */
export type TranscriptFormat = 'json' | 'jsonl' | 'text';

/** The answer to the removal of a world. */
export interface DisposalDescription {
  /** The calls of its bots to routes that do not exist. */
  warning: string | null;
}

/** When a rule applies. Without any of these, it applies each time. */
export interface FaultOccasion extends FaultPeriod {
  /** Only the nth time, counted from 1. */
  nth?: number | undefined;
  /** Each nth time. */
  every?: number | undefined;
  /** From this time on, counted from 1. */
  from?: number | undefined;
  /** Up to this time. */
  to?: number | undefined;
  /** From 0 to 1. The same seed gives the same sequence. */
  probability?: number | undefined;
  seed?: number | undefined;
}

export interface FaultPeriod {
  /** The rule ends after so many milliseconds of real time. Default: when it is removed. */
  forMs?: number | undefined;
}

export interface RestFault extends FaultOccasion {
  /** Method and path without version, such as `POST /channels/:id/messages`. A parameter stands for one segment. */
  route: string;
  /** Only requests of this application. */
  application?: string | undefined;
  effect:
    | { type: 'status'; status: number; body?: object | undefined }
    | { type: 'delay'; ms: number }
    /** The request is never answered. */
    | { type: 'hang' }
    /** The connection breaks before the request is carried out. */
    | { type: 'reset' }
    /** The request is carried out, and the connection breaks in the middle of the answer. */
    | { type: 'cut' }
    | { type: 'rateLimit'; scope: 'user' | 'global' | 'shared'; retryAfterMs: number };
}

export interface GatewayFault extends FaultOccasion {
  /** The name of an event, such as `MESSAGE_CREATE`, or `*` for every event. Set this or `opcode`. */
  event?: string | undefined;
  /** Of a payload to the bot, such as 10 for HELLO or 11 for a heartbeat ACK; or of one from it, such as 2 or 6. */
  opcode?: number | undefined;
  application?: string | undefined;
  effect:
    | { type: 'drop' }
    | { type: 'duplicate' }
    | { type: 'delay'; ms: number }
    /** Holds this payload until `count` later ones were sent, which the rule does not hold. */
    | { type: 'reorder'; count: number }
    | { type: 'close'; code: number }
    /** Opcode 7. */
    | { type: 'reconnect' }
    /** Opcode 9. */
    | { type: 'invalidSession'; resumable: boolean }
    /** Changes the interval of HELLO, so of `opcode: 10`. */
    | { type: 'heartbeatInterval'; ms: number };
}

/** Effects that concern the connection and not one payload. */
export type ConnectionFault = Extract<GatewayFault['effect'], { type: 'close' | 'reconnect' | 'invalidSession' }>;

export interface EndpointFault extends FaultOccasion {
  /** Posts of interactions to an endpoint. */
  endpoint: true;
  application?: string | undefined;
  effect: /** The platform takes the answer this much later. After 3 s, it is too late. */
    | { type: 'delay'; ms: number }
    /** The interaction is posted twice. */
    | { type: 'twice' }
    | { type: 'badSignature' };
}

/** Applies from its start to its end. */
export interface GuildFault extends FaultPeriod {
  /** A server of the world. */
  guild: string;
  /** Bots receive GUILD_DELETE (unavailable), no event of the server, and GUILD_CREATE when the rule ends. */
  effect: { type: 'unavailable' };
}

/** Applies from its start to its end. */
export interface IdentifyFault extends FaultPeriod {
  identify: true;
  application?: string | undefined;
  /** `GET /gateway/bot` shows no IDENTIFY that is left, and IDENTIFY is answered with opcode 9. */
  effect: { type: 'budgetUsedUp' };
}

/** The box of the world, which has the servers with `box: true`. */
export interface BoxFault extends FaultOccasion {
  box: true;
  /** Only requests of this application. */
  application?: string | undefined;
  effect: /** The line of the box is cut from the start of the rule to its end, whatever the occasion. */
    | { type: 'offline' }
    /** Answers to requests of bots come this much later. */
    | { type: 'delay'; ms: number }
    /** The box carries out a write, and its answer is lost. */
    | { type: 'answerLost' };
}

export type FaultSeed = RestFault | GatewayFault | EndpointFault | GuildFault | IdentifyFault | BoxFault;

/** A set of rules. */
export type PresetName = 'flakyNetwork' | 'rateLimited' | 'rollingRestart' | 'outage';

export interface PresetOptions extends FaultPeriod {
  /** Only this application. Default: all of the world. */
  application?: string | undefined;
  /** The same seed gives the same sequence. Default: 1. */
  seed?: number | undefined;
}

export interface FaultDescription {
  id: string;
  rule: FaultSeed;
  /** How often something matched the rule. */
  seen: number;
  /** How often the rule took effect. */
  applied: number;
  /** Whether `forMs` is over. */
  isOver: boolean;
}
