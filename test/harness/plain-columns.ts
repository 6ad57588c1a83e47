/** Default values of columns. */
export const PLAIN_GUILD = {
  afkChannelId: null,
  afkTimeout: 300,
  systemChannelId: null,
  systemChannelFlags: 0,
  verificationLevel: 0,
  defaultMessageNotifications: 0,
  explicitContentFilter: 0,
  preferredLocale: 'en-US',
  memberCount: 0,
  deletedAt: null,
};

export const PLAIN_CHANNEL = {
  bitrate: 64_000,
  userLimit: 0,
  lastPinAt: null,
  directKey: null,
};

export const PLAIN_MEMBER = {
  nick: null,
  usernameKey: '',
  globalNameKey: null,
  nickKey: null,
  communicationDisabledUntil: null,
  mute: false,
  deaf: false,
  temporary: false,
  awayMessage: null,
  awaySince: null,
};

export const PLAIN_APPLICATION = {
  suspendedAt: null,
  suspensionText: null,
  clientSecretPrefix: null,
  clientSecretLast4: null,
  clientSecretCreatedAt: null,
  clientSecretCreatedById: null,
  clientSecretLastUsedAt: null,
  botTokenLast4: null,
  botTokenCreatedAt: null,
  botTokenCreatedById: null,
  botTokenLastUsedAt: null,
  listenerId: null,
  listenerProcessId: null,
};
