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
  /** Who may run its commands without another rule. Default: everyone. */
  commandsFor?: 'everyone' | 'owner' | undefined;
}

/**
 * What a world contains. Every part is optional: `{}` has the people ada and grace, the server "Test server" with the
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
}

export interface GuildDescription {
  id: string;
  name: string;
  /** The id of a person. */
  owner: string;
  channels: { id: string; name: string; type: number }[];
  roles: { id: string; name: string }[];
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

/** What a bot answered, as the person sees it. */
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
  /** The name and value of the portal's cookie. */
  cookie: string;
}

export interface ErrorDescription {
  code: string;
  message: string;
  fields?: { path: string; code: string; message: string }[];
}
