import type { Limit } from '../infra/rate-limits.js';

/** Lengths in characters and counts in rows, unless stated otherwise. */
export const limits = {
  /** For built-in commands. */
  awayNote: 300,
  reminder: 1_000,
  remindersPerPerson: 25,
  greeting: 1_000,
  password: { min: 8, max: 128 },
  /** A bot's username, which is free text. */
  username: { min: 2, max: 32 },
  globalName: { min: 1, max: 32 },
  personalTokenName: { min: 1, max: 80 },
  personalTokenDays: { min: 1, max: 366, default: 90 },
  personalTokensPerPerson: 50,
  applicationName: { min: 2, max: 32 },
  applicationDescription: 400,
  /** Includes the applications of the owner's teams. */
  applicationsPerOwner: 250,
  teamsPerOwner: 100,
  guildsPerOwner: 200,
  /** Bytes. */
  iconSize: 10 * 1024 * 1024,
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
  /** Bytes. */
  emojiSize: 256 * 1024,
  /** Applies to static and to animated emojis separately. */
  emojisPerGuild: 50,
  emojisPerApplication: 2_000,
  channelTopic: 1_024,
  channelsPerCategory: 50,
  /** Maximum of the database column. */
  channelPosition: 2 ** 31 - 1,
  /** Seconds. */
  slowMode: 21_600,
  /** Bits per second. */
  bitrate: { min: 8_000, max: 96_000 },
  voiceMembers: 99,
  overwritesPerChannel: 1_000,
  /** Every change to access reads all of them. */
  overwritesPerGuild: 10_000,
  /** In one request. */
  overwritesPerList: 100,
  roleName: { min: 1, max: 100 },
  nickname: 32,
  /** Seconds. */
  timeout: 28 * 86_400,
  bansAtOnce: 200,
  pruneDays: { min: 1, max: 30 },
  rolesPerPrune: 100,
  /** Seconds. */
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
  /** Per response, for a guild or a channel. */
  webhooksListed: 1_000,
  boxName: { min: 1, max: 100 },
  boxesPerOwner: 20,
  /** Including those of deleted boxes. */
  idSpacesPerOwner: 20,
  guildsPerBox: 1_000,
  /** Bots that the box announces as members. */
  botsPerBoxGuild: 1_000,
  /** Seconds. */
  enrolmentTokenAge: 604_800,
  /** Seconds that a box with a new key may omit guilds before they are removed. */
  rekeyedBoxGrace: 604_800,
  auditReason: 512,
  /** As on Discord. */
  integrationsShown: 50,
  commandName: { min: 1, max: 32 },
  commandDescription: { min: 1, max: 100 },
  optionsPerCommand: 25,
  choicesPerOption: 25,
  choiceName: { min: 1, max: 100 },
  choiceValue: 100,
  /** Maximum of a text option's length settings. */
  optionLength: 6_000,
  fileTypesPerOption: 10,
  /** Counts the longest translation of each text. */
  charactersPerCommand: 8_000,
  /** Characters of JSON, as many as one request body may have. */
  charactersPerCommandScope: 1024 * 1024,
  /** In each scope (Discord's documentation, Application Commands). */
  chatInputCommands: 100,
  userCommands: 15,
  messageCommands: 15,
  /** In each scope. */
  commandCreatesPerDay: 200,
  permissionsPerCommand: 100,
  /** Commands that the picker shows in one channel, and rows that it reads to find them. */
  commandsShown: 2_000,
  commandsConsidered: 10_000,
  installationsConsidered: 1_000,
} as const;

/** Invocations with files, each with at most {@link limits.attachmentsPerMessage} files. */
export const FILES_PER_PERSON: Limit = { name: 'given-files-a-person', points: 10, seconds: 10 };

const LARGE_BOT_GUILDS = 150_000;

/** Per application (Discord's documentation, Gateway, "Sharding for Very Large Bots"). */
export function identifyPerDay(guilds: number): Limit {
  const points = guilds < LARGE_BOT_GUILDS ? 1_000 : Math.max(2_000, Math.floor(guilds / 1_000) * 5);
  return { name: 'identify-a-day', points, seconds: 86_400 };
}

/** Number of `shard_id % max_concurrency` buckets. */
export const IDENTIFY_CONCURRENCY = 16;

/** Per application and bucket. */
export const IDENTIFY_PER_BUCKET: Limit = { name: 'identify-a-bucket', points: 1, seconds: 5 };

/** Complete lists on request, per bot and guild (Discord's documentation, Change Log of 14 August 2025). */
export const ALL_MEMBERS_PER_GUILD: Limit = { name: 'all-members', points: 1, seconds: 30 };

/** Per bot or person, or per address without a valid credential. */
export const REQUESTS_PER_CALLER: Limit = { name: 'global', points: 50, seconds: 1 };

/** Objects per person, or per address without a valid credential. */
export const GRAPHQL_PER_CALLER: Limit = { name: 'graphql', points: 100_000, seconds: 10 };

/** Shared by all entry points. */
export const SENDS_PER_CHANNEL: Limit = { name: 'messages', points: 5, seconds: 5 };
export const EDITS_PER_CHANNEL: Limit = { name: 'edit-message', points: 5, seconds: 5 };
export const DELETIONS_PER_CHANNEL: Limit = { name: 'delete-message', points: 10, seconds: 10 };
export const BULK_DELETIONS_PER_CHANNEL: Limit = { name: 'delete-messages', points: 10, seconds: 10 };
export const PINS_PER_CHANNEL: Limit = { name: 'pins', points: 10, seconds: 10 };
export const REACTIONS_PER_CHANNEL: Limit = { name: 'reactions', points: 10, seconds: 10 };

export const DIRECT_CHANNELS_PER_CALLER: Limit = { name: 'direct-channels', points: 10, seconds: 10 };
export const OPENING_TOO_FAST = 'You are opening direct messages too fast';

/** Separate limits, because each key press requests choices. */
export const INVOCATIONS_PER_PERSON: Limit = { name: 'invocations-a-person', points: 30, seconds: 10 };
export const AUTOCOMPLETIONS_PER_PERSON: Limit = { name: 'autocompletions-a-person', points: 60, seconds: 10 };

export const SIGN_UP_PER_ADDRESS: Limit = { name: 'sign-up-an-address', points: 20, seconds: 60 };

/** Failed sign-ins: to an account, from an address, and to an account from an address where it has a session. */
export const SIGN_IN_PER_ACCOUNT: Limit = { name: 'sign-in-an-account', points: 10, seconds: 600 };
export const SIGN_IN_PER_ADDRESS: Limit = { name: 'sign-in-an-address', points: 30, seconds: 60 };
/** Attempts to delete the own account with a wrong password. */
export const DELETIONS_PER_PERSON: Limit = { name: 'deletions-a-person', points: 10, seconds: 600 };

export const SIGN_IN_AT_HOME: Limit = { name: 'sign-in-at-home', points: 10, seconds: 600 };

export const VERIFICATION_MAILS_PER_PERSON: Limit = { name: 'verification-mails-a-person', points: 5, seconds: 3_600 };

/** To an e-mail address, with or without an account, and from a network address. */
export const PASSWORD_MAILS_PER_ACCOUNT: Limit = { name: 'password-mails-an-account', points: 5, seconds: 3_600 };
export const PASSWORD_MAILS_PER_ADDRESS: Limit = { name: 'password-mails-an-address', points: 20, seconds: 600 };

export const PASSWORD_RESETS_PER_ADDRESS: Limit = { name: 'password-resets-an-address', points: 30, seconds: 60 };

/** Also with a wrong password. */
export const DATA_EXPORTS_PER_PERSON: Limit = { name: 'data-exports-a-person', points: 5, seconds: 3_600 };

/** Each webhook costs a slow hash. */
export const WEBHOOKS_PER_CALLER: Limit = { name: 'webhooks-a-caller', points: 100, seconds: 60 };

/** Wrong tokens: from an address, for a webhook, and for a webhook from an address with a recent valid token. */
export const WEBHOOK_FAILURES_PER_ADDRESS: Limit = { name: 'webhook-failures-an-address', points: 50, seconds: 60 };
export const WEBHOOK_FAILURES_PER_WEBHOOK: Limit = { name: 'webhook-failures-a-webhook', points: 100, seconds: 60 };
export const WEBHOOK_FAILURES_AT_HOME: Limit = { name: 'webhook-failures-at-home', points: 50, seconds: 60 };

/** Tokens of one webhook from one address, including valid ones. Slightly more than the buckets allow. */
export const WEBHOOK_CHECKS: Limit = { name: 'webhook-checks', points: 100, seconds: 10 };

/** Tokens of all webhooks from one address. Less than half of what two cores can hash. */
export const WEBHOOK_CHECKS_PER_ADDRESS: Limit = { name: 'webhook-checks-an-address', points: 300, seconds: 10 };

/** The address counts if the client is unknown. */
export const TOKEN_REQUESTS_PER_CLIENT: Limit = { name: 'token-requests-a-client', points: 300, seconds: 60 };
export const TOKEN_REQUESTS_PER_ADDRESS: Limit = { name: 'token-requests-an-address', points: 300, seconds: 60 };

export const AUTHORIZATIONS_PER_PERSON: Limit = { name: 'authorizations-a-person', points: 30, seconds: 60 };

/** Removals of announced bots that are not installed. */
export const STRANGERS_PER_BOX: Limit = { name: 'strangers-a-box', points: 200, seconds: 600 };

export const USERNAMES_PER_BOT: Limit = { name: 'usernames-a-bot', points: 2, seconds: 3_600 };

/** Routes limit bots. */
export const ICONS_PER_PERSON: Limit = { name: 'icons-a-person', points: 30, seconds: 60 };

export const PERMISSION_MAILS_PER_GUILD: Limit = { name: 'permission-mails-a-guild', points: 10, seconds: 3_600 };

/** Each invitation may send a mail. */
export const INVITATIONS_PER_PERSON: Limit = { name: 'invitations-to-a-person', points: 30, seconds: 600 };

/** Each answer reveals whether an account exists. */
export const UNKNOWN_EMAILS_PER_PERSON: Limit = { name: 'unknown-emails-a-person', points: 20, seconds: 600 };

export const UNKNOWN_INTERACTIONS_PER_ADDRESS: Limit = {
  name: 'unknown-interactions-an-address',
  points: 300,
  seconds: 60,
};
/** Each probe sends two requests to an address of the caller's choice. */
export const PROBES_PER_CALLER: Limit = { name: 'probes-a-caller', points: 10, seconds: 60 };
export const PROBES_PER_APPLICATION: Limit = { name: 'probes-an-application', points: 10, seconds: 60 };
