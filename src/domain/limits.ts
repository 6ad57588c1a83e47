import type { Limit } from '../infra/rate-limits.js';

/** Lengths and counts, in characters and rows, and how often things may happen. */
export const limits = {
  /** Of what built-in commands keep, in characters. */
  awayNote: 300,
  reminder: 1_000,
  remindersPerPerson: 25,
  greeting: 1_000,
  password: { min: 8, max: 128 },
  /** A bot's, which is free text. */
  username: { min: 2, max: 32 },
  globalName: { min: 1, max: 32 },
  applicationName: { min: 2, max: 32 },
  applicationDescription: 400,
  /** Of a person, with those of the teams that they own. */
  applicationsPerOwner: 250,
  teamsPerOwner: 100,
  guildsPerOwner: 200,
  /** Bytes of an uploaded icon. */
  iconSize: 10 * 1024 * 1024,
  /** Scopes in the default install settings of one context. */
  installScopes: 25,
  scopeLength: 64,
  testersPerApplication: 100,
  membersPerTeam: 100,
  teamName: { min: 2, max: 32 },
  urlLength: 2_048,
  redirectUris: 10,
  redirectUriLength: 512,
  guildName: { min: 2, max: 100 },
  guildDescription: 300,
  channelsPerGuild: 500,
  rolesPerGuild: 250,
  channelName: { min: 1, max: 100 },
  emojiName: { min: 2, max: 32 },
  /** Bytes of an uploaded emoji. */
  emojiSize: 256 * 1024,
  /** Of those that stand still, and again of those that move. */
  emojisPerGuild: 50,
  emojisPerApplication: 2_000,
  channelTopic: 1_024,
  channelsPerCategory: 50,
  /** What fits the column. */
  channelPosition: 2 ** 31 - 1,
  /** Seconds. */
  slowMode: 21_600,
  /** Bits a second. */
  bitrate: { min: 8_000, max: 96_000 },
  voiceMembers: 99,
  overwritesPerChannel: 1_000,
  /** Every change of what decides access reads all of them. */
  overwritesPerGuild: 10_000,
  /** In one list of a caller's. */
  overwritesPerList: 100,
  roleName: { min: 1, max: 100 },
  nickname: 32,
  /** How far in the future a timeout may end, in seconds. */
  timeout: 28 * 86_400,
  bansAtOnce: 200,
  pruneDays: { min: 1, max: 30 },
  rolesPerPrune: 100,
  /** Whose messages a ban removes: those of the last so many seconds at most. */
  bannedMessagesAge: 604_800,
  invitesPerGuild: 1_000,
  /** Seconds. */
  inviteAge: 604_800,
  inviteUses: 100,
  messageContent: 4_000,
  nonce: 25,
  embedsPerMessage: 10,
  embedCharactersPerMessage: 6_000,
  attachmentsPerMessage: 10,
  attachmentDescription: 1_024,
  attachmentTitle: 1_024,
  /** Bytes. */
  fileSize: 10 * 1024 * 1024,
  /** Bytes. */
  requestSize: 25 * 1024 * 1024,
  reactionsPerMessage: 20,
  pinsPerChannel: 250,
  /** Discord's documentation, Message Resource. */
  pinsPerPage: 50,
  messagesPerBulkDelete: { min: 2, max: 100 },
  webhookName: { min: 1, max: 80 },
  webhooksPerApplication: 50,
  /** In one list of a server's or a channel's. */
  webhooksListed: 1_000,
  boxName: { min: 1, max: 100 },
  boxesPerOwner: 20,
  /** That are reserved for an owner's boxes, the deleted ones included. */
  idSpacesPerOwner: 20,
  guildsPerBox: 1_000,
  /** That are announced as members. */
  botsPerBoxGuild: 1_000,
  /** How long a token that enrols a box is good, in seconds. */
  enrolmentTokenAge: 604_800,
  /** How long servers stay known that a box with a new key does not have, in seconds. */
  rekeyedBoxGrace: 604_800,
  auditReason: 512,
  /** As on the reference platform. */
  integrationsShown: 50,
  commandName: { min: 1, max: 32 },
  commandDescription: { min: 1, max: 100 },
  optionsPerCommand: 25,
  choicesPerOption: 25,
  choiceName: { min: 1, max: 100 },
  choiceValue: 100,
  /** What a text option may be asked to have, in characters. */
  optionLength: 6_000,
  fileTypesPerOption: 10,
  /** Names, descriptions and values of a command with all it holds, of each the longest translation. */
  charactersPerCommand: 8_000,
  /** All commands of a scope as JSON, in characters: what a body may hold (decisions 170). */
  charactersPerCommandScope: 1024 * 1024,
  /** By type, in each scope (Discord's documentation, Application Commands). */
  chatInputCommands: 100,
  userCommands: 15,
  messageCommands: 15,
  /** In each scope. */
  commandCreatesPerDay: 200,
  permissionsPerCommand: 100,
  /** What the picker shows in one channel, and what is looked at for it at most. */
  commandsShown: 2_000,
  commandsConsidered: 10_000,
  installationsConsidered: 1_000,
} as const;

/** How often somebody gives files to commands and modals; each time {@link limits.attachmentsPerMessage} at most. */
export const FILES_PER_PERSON: Limit = { name: 'given-files-a-person', points: 10, seconds: 10 };

/** An application may identify this often a day (Discord's documentation, Gateway). */
export const IDENTIFY_PER_DAY: Limit = { name: 'identify-a-day', points: 1_000, seconds: 86_400 };

/** How many shards of an application may identify at the same time; the buckets of `shard_id % max_concurrency`. */
export const IDENTIFY_CONCURRENCY = 16;

/** One IDENTIFY in five seconds, for each application and bucket. */
export const IDENTIFY_PER_BUCKET: Limit = { name: 'identify-a-bucket', points: 1, seconds: 5 };

/** All that a bot or a person asks for or changes, and what comes from an address without a good credential. */
export const REQUESTS_PER_CALLER: Limit = { name: 'global', points: 50, seconds: 1 };

/** What a person's GraphQL operations make, or those of an address without a good credential, in objects (decisions 91). */
export const GRAPHQL_PER_CALLER: Limit = { name: 'graphql', points: 100_000, seconds: 10 };

/** What a bot or a person does with the messages of one channel (decisions 53), counted alike on every face. */
export const SENDS_PER_CHANNEL: Limit = { name: 'messages', points: 5, seconds: 5 };
export const EDITS_PER_CHANNEL: Limit = { name: 'edit-message', points: 5, seconds: 5 };
export const DELETIONS_PER_CHANNEL: Limit = { name: 'delete-message', points: 10, seconds: 10 };
export const BULK_DELETIONS_PER_CHANNEL: Limit = { name: 'delete-messages', points: 10, seconds: 10 };
export const PINS_PER_CHANNEL: Limit = { name: 'pins', points: 10, seconds: 10 };
export const REACTIONS_PER_CHANNEL: Limit = { name: 'reactions', points: 10, seconds: 10 };

/** Direct channels that somebody opens. */
export const DIRECT_CHANNELS_PER_CALLER: Limit = { name: 'direct-channels', points: 10, seconds: 10 };
export const OPENING_TOO_FAST = 'You are opening direct messages too fast';

/** Commands, components and modals that a person asks applications with, and choices, which are asked for with every key that is pressed. */
export const INVOCATIONS_PER_PERSON: Limit = { name: 'invocations-a-person', points: 30, seconds: 10 };
export const AUTOCOMPLETIONS_PER_PERSON: Limit = { name: 'autocompletions-a-person', points: 60, seconds: 10 };

export const SIGN_UP_PER_ADDRESS: Limit = { name: 'sign-up-an-address', points: 20, seconds: 60 };

/** Sign-ins that fail: of one account from anywhere, from one address, and of one account where it has a session already. */
export const SIGN_IN_PER_ACCOUNT: Limit = { name: 'sign-in-an-account', points: 10, seconds: 600 };
export const SIGN_IN_PER_ADDRESS: Limit = { name: 'sign-in-an-address', points: 30, seconds: 60 };
export const SIGN_IN_AT_HOME: Limit = { name: 'sign-in-at-home', points: 10, seconds: 600 };

/** Further mails with a link that verifies an address. */
export const VERIFICATION_MAILS_PER_PERSON: Limit = { name: 'verification-mails-a-person', points: 5, seconds: 3_600 };

/** Mails with a link for another password: to an address, whether or not anybody has an account with it, and at one network address. */
export const PASSWORD_MAILS_PER_ACCOUNT: Limit = { name: 'password-mails-an-account', points: 5, seconds: 3_600 };
export const PASSWORD_MAILS_PER_ADDRESS: Limit = { name: 'password-mails-an-address', points: 20, seconds: 600 };

/** Links for another password that one network address follows. */
export const PASSWORD_RESETS_PER_ADDRESS: Limit = { name: 'password-resets-an-address', points: 30, seconds: 60 };

/** Webhooks that somebody makes, each of which costs a slow hash. */
export const WEBHOOKS_PER_CALLER: Limit = { name: 'webhooks-a-caller', points: 100, seconds: 60 };

/** Wrong tokens of webhooks: from one address, of one webhook from anywhere, and of one at an address where its token was good lately. */
export const WEBHOOK_FAILURES_PER_ADDRESS: Limit = { name: 'webhook-failures-an-address', points: 50, seconds: 60 };
export const WEBHOOK_FAILURES_PER_WEBHOOK: Limit = { name: 'webhook-failures-a-webhook', points: 100, seconds: 60 };
export const WEBHOOK_FAILURES_AT_HOME: Limit = { name: 'webhook-failures-at-home', points: 50, seconds: 60 };

/** Tokens of one webhook that one address shows, good ones, too: somewhat more than the buckets let through. */
export const WEBHOOK_CHECKS: Limit = { name: 'webhook-checks', points: 100, seconds: 10 };

/** The same of all webhooks: less than half of what two cores check. */
export const WEBHOOK_CHECKS_PER_ADDRESS: Limit = { name: 'webhook-checks-an-address', points: 300, seconds: 10 };

/** Exchanges and revocations of OAuth2 tokens by a client, and those from an address that no client could be recognised by. */
export const TOKEN_REQUESTS_PER_CLIENT: Limit = { name: 'token-requests-a-client', points: 300, seconds: 60 };
export const TOKEN_REQUESTS_PER_ADDRESS: Limit = { name: 'token-requests-an-address', points: 300, seconds: 60 };

/** What a person allows on the authorization screen. */
export const AUTHORIZATIONS_PER_PERSON: Limit = { name: 'authorizations-a-person', points: 30, seconds: 60 };

/** Bots that a box is made to let go because it told of them and they are not installed. */
export const STRANGERS_PER_BOX: Limit = { name: 'strangers-a-box', points: 200, seconds: 600 };

/** How often a bot takes another username. */
export const USERNAMES_PER_BOT: Limit = { name: 'usernames-a-bot', points: 2, seconds: 3_600 };

/** Icons a person uploads; what a bot sends is limited by its route. */
export const ICONS_PER_PERSON: Limit = { name: 'icons-a-person', points: 30, seconds: 60 };

/** Mails that tell a guild's owner of permissions that its bots lost. */
export const PERMISSION_MAILS_PER_GUILD: Limit = { name: 'permission-mails-a-guild', points: 10, seconds: 3_600 };

/** Invitations of one person to another, each of which may send a mail. */
export const INVITATIONS_PER_PERSON: Limit = { name: 'invitations-to-a-person', points: 30, seconds: 600 };

/** E-mail addresses that nobody has an account with, in invitations of one person: each answer tells something about others. */
export const UNKNOWN_EMAILS_PER_PERSON: Limit = { name: 'unknown-emails-a-person', points: 20, seconds: 600 };

/** Tokens of interactions, shown by an address, that are no good. */
export const UNKNOWN_INTERACTIONS_PER_ADDRESS: Limit = {
  name: 'unknown-interactions-an-address',
  points: 300,
  seconds: 60,
};
/** Addresses that are tried as interactions endpoints, each with two requests to whoever is there. */
export const PROBES_PER_CALLER: Limit = { name: 'probes-a-caller', points: 10, seconds: 60 };
export const PROBES_PER_APPLICATION: Limit = { name: 'probes-an-application', points: 10, seconds: 60 };
