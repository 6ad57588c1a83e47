import { createBotToken } from '../../src/domain/applications/bot-tokens.js';
import type { ChannelRecord } from '../../src/domain/channels/record.js';
import type { MemberRecord } from '../../src/domain/members/record.js';
import type { MessageRecord } from '../../src/domain/messages/record.js';
import { DEFAULT_EVERYONE_PERMISSIONS } from '../../src/domain/permissions.js';
import type { Prisma, User } from '../../src/infra/database/index.js';
import type { Server } from '../../src/server.js';

type App = Server['app'];

export interface TestBot {
  id: bigint;
  token: string;
  user: User;
}

export interface TestGuild {
  id: bigint;
  owner: User;
  channel: ChannelRecord & { guildId: bigint };
}

let people = 0;

/** A person without an account. */
export function createPerson(app: App, name = `person${++people}`): Promise<User> {
  const id = app.nextId();
  return app.db.writer.user.create({ data: { id, username: name, handle: name, globalName: name } });
}

/** A bot user with its application and a token. */
export async function createBot(
  app: App,
  settings: Partial<Prisma.ApplicationUncheckedCreateInput> = {},
): Promise<TestBot> {
  const id = app.nextId();
  const { token, hash } = createBotToken(id, app.clock.now());
  const user = await app.db.writer.user.create({ data: botUser(id) });
  await app.db.writer.application.create({ data: { ...bareApplication(id), botTokenHash: hash, ...settings } });
  return { id, token, user };
}

/** Many bot users with their applications, at once and without tokens. */
export async function createBots(
  app: App,
  count: number,
  owner: Pick<Prisma.ApplicationUncheckedCreateInput, 'ownerUserId' | 'ownerTeamId'>,
): Promise<void> {
  const ids = Array.from({ length: count }, () => app.nextId());
  await app.db.writer.user.createMany({ data: ids.map(botUser) });
  await app.db.writer.application.createMany({ data: ids.map((id) => ({ ...bareApplication(id), ...owner })) });
}

const botUser = (id: bigint) => ({ id, username: `bot ${id}`, bot: true });

/** What an application has whatever it is for. */
const bareApplication = (id: bigint) => ({
  id,
  name: `bot ${id}`,
  publicKey: '00',
  privateKey: '00',
  serverInstallScopes: [],
  userInstallScopes: [],
  redirectUris: [],
});

/** A guild with `@everyone`, one text channel and its owner as a member. */
export async function createGuild(app: App, name = 'Guild', id = app.nextId()): Promise<TestGuild> {
  const owner = await createPerson(app);
  await app.db.writer.guild.create({ data: { id, name, ownerId: owner.id } });
  await app.db.writer.role.create({
    data: { id, guildId: id, name: '@everyone', permissions: DEFAULT_EVERYONE_PERMISSIONS },
  });
  await addMember(app, id, owner);
  const channel = await createChannel(app, id, 'general');
  return { id, owner, channel };
}

export async function createChannel(app: App, guildId: bigint, name: string) {
  const channel = await app.db.writer.channel.create({
    data: { id: app.nextId(), guildId, name },
    include: { overwrites: true },
  });
  return { ...channel, guildId };
}

/** Lets everybody in the guild do this, and nothing else. */
export async function permitEveryone(app: App, guildId: bigint, permissions: bigint): Promise<void> {
  const role = await app.db.writer.role.update({ where: { id: guildId }, data: { permissions } });
  app.publish({ type: 'GUILD_ROLE_UPDATE', role });
}

export function addMember(app: App, guildId: bigint, user: User, nick: string | null = null): Promise<MemberRecord> {
  return app.db.writer.member.create({
    data: { guildId, userId: user.id, nick, joinedAt: new Date(app.clock.now()) },
    include: { user: true, roles: { select: { roleId: true } } },
  });
}

/** What a message has beside its author and its place when it says `hello` and nothing else. */
export const PLAIN_MESSAGE = {
  type: 0,
  content: 'hello',
  flags: 0,
  tts: false,
  embeds: [],
  components: [],
  mentionUserIds: [],
  mentionRoleIds: [],
  mentionEveryone: false,
  mentionedUsers: [],
  pinned: false,
  nonce: null,
  enforcedNonceKey: null,
  referenceId: null,
  referenceChannelId: null,
  editedAt: null,
  attachments: [],
  reactions: [],
} satisfies Partial<MessageRecord>;

/** A message that is stored nowhere, for publishing. */
export function messageOf(app: App, guild: TestGuild, author: User, facts: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id: app.nextId(),
    channelId: guild.channel.id,
    guildId: guild.id,
    authorId: author.id,
    author,
    ...PLAIN_MESSAGE,
    ...facts,
  };
}

/** Publishes MESSAGE_CREATE with `content`. */
export function say(
  app: App,
  guild: TestGuild,
  author: User,
  content: string,
  facts: Partial<MessageRecord> = {},
): void {
  app.publish({ type: 'MESSAGE_CREATE', message: messageOf(app, guild, author, { content, ...facts }), member: null });
}
