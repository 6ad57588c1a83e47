// The baseline of requests: bare Fastify and hand-written Prisma queries over the same rows, without callers,
// permissions and events.
import fastify from 'fastify';
import { openDatabase } from '../../dist/infra/database/index.js';
import { snowflakes, snowflakeTime } from '../../dist/infra/ids/ids.js';
import { createLogger } from '../../dist/infra/observability/logger.js';

const db = await openDatabase({ url: null, dataDir: process.env.DATA_DIR, pool: 1 }, await createLogger('silent'));
const nextId = snowflakes({ now: () => Date.now() }, 1);
const http = fastify();

// ---- One insert with the columns of a sent message.

let authorId;
http.post('/channels/:channelId/messages', async (request) => {
  authorId ??= (await db.reader.user.findFirstOrThrow({ where: { bot: true } })).id;
  const row = await db.writer.message.create({
    data: {
      id: nextId(),
      channelId: BigInt(request.params.channelId),
      authorId,
      type: 0,
      content: request.body.content,
      flags: 0,
      tts: false,
      embeds: [],
      components: [],
      mentionUserIds: [],
      mentionRoleIds: [],
      mentionEveryone: false,
    },
  });
  return { id: String(row.id), channel_id: String(row.channelId), content: row.content };
});

// ---- Replaces the set of commands.

http.put('/applications/:applicationId/commands', async (request) => {
  const applicationId = BigInt(request.params.applicationId);
  const data = request.body.map(({ name, description, options }) => {
    const id = nextId();
    return { id, applicationId, name, description, options, integrationTypes: [0], version: id };
  });
  await db.writer.$transaction(async (tx) => {
    await tx.applicationCommand.deleteMany({ where: { applicationId } });
    await tx.applicationCommand.createMany({ data });
  });
  return data.map((row) => ({
    ...row,
    id: String(row.id),
    application_id: String(row.applicationId),
    applicationId: undefined,
    version: String(row.version),
  }));
});

// ---- A page of members, and a search by the beginning of usernames, in wire format.

http.get('/guilds/:guildId/members', async (request) => {
  const rows = await membersOf(request.params.guildId, {}, { userId: 'asc' }, request.query.limit);
  return rows.map(wireMember);
});

http.get('/guilds/:guildId/members/search', async (request) => {
  const { query, limit } = request.query;
  const first = query.toUpperCase();
  const usernameKey = { gte: first, lt: `${first}\u{10FFFF}` };
  return (await membersOf(request.params.guildId, { usernameKey }, { usernameKey: 'asc' }, limit)).map(wireMember);
});

function membersOf(guildId, where, orderBy, limit) {
  return db.reader.member.findMany({
    where: { guildId: BigInt(guildId), ...where },
    orderBy,
    take: Number(limit),
    include: { user: true, roles: { select: { roleId: true } } },
  });
}

function wireMember(row) {
  return {
    user: wireUser(row.user),
    nick: row.nick,
    avatar: null,
    banner: null,
    roles: row.roles.map(({ roleId }) => String(roleId)),
    joined_at: row.joinedAt.toISOString(),
    premium_since: null,
    deaf: row.deaf,
    mute: row.mute,
    flags: 0,
    pending: false,
    communication_disabled_until: row.communicationDisabledUntil,
  };
}

// ---- Makes and deletes a channel, with audit entries.

http.post('/guilds/:guildId/channels', async (request) => {
  const guildId = BigInt(request.params.guildId);
  const { name } = request.body;
  const row = await db.writer.$transaction(async (tx) => {
    const created = await tx.channel.create({ data: { id: nextId(), guildId, name, position: 1 } });
    await tx.auditEntry.create({ data: entry('CHANNEL_CREATE', guildId, created.id, { name, type: 0 }) });
    return created;
  });
  return wireChannel(row);
});

http.delete('/channels/:channelId', async (request) => {
  const id = BigInt(request.params.channelId);
  const row = await db.writer.$transaction(async (tx) => {
    const removed = await tx.channel.delete({ where: { id } });
    await tx.auditEntry.create({ data: entry('CHANNEL_DELETE', removed.guildId, id, { name: removed.name, type: 0 }) });
    return removed;
  });
  return wireChannel(row);
});

function entry(action, guildId, targetId, changes) {
  return { id: nextId(), guildId, action, targetId, changes };
}

function wireChannel(row) {
  return {
    id: String(row.id),
    guild_id: String(row.guildId),
    type: row.type,
    name: row.name,
    topic: row.topic,
    position: row.position,
    parent_id: row.parentId,
    nsfw: row.nsfw,
    rate_limit_per_user: row.rateLimitPerUser,
    permission_overwrites: [],
    last_message_id: null,
  };
}

// ---- Deletes messages together, with an audit entry.

http.post('/channels/:channelId/messages/bulk-delete', async (request, reply) => {
  const channelId = BigInt(request.params.channelId);
  const ids = request.body.messages.map(BigInt);
  await db.writer.$transaction(async (tx) => {
    const { count } = await tx.message.deleteMany({ where: { id: { in: ids }, channelId } });
    await tx.auditEntry.create({ data: entry('MESSAGE_BULK_DELETE', channelId, channelId, { count }) });
  });
  return reply.code(204).send();
});

// ---- A page of messages in wire format.

http.get('/channels/:channelId/messages', async (request) => {
  const rows = await db.reader.message.findMany({
    where: { channelId: BigInt(request.params.channelId) },
    orderBy: { id: 'desc' },
    take: Number(request.query.limit),
    include: { author: true, attachments: true },
  });
  return rows.map(wireMessage);
});

function wireUser(row) {
  return {
    id: String(row.id),
    username: row.username,
    discriminator: '0',
    global_name: row.globalName,
    avatar: row.avatarHash,
    public_flags: 0,
    flags: 0,
    primary_guild: null,
    bot: row.bot,
  };
}

function wireMessage(row) {
  return {
    id: String(row.id),
    channel_id: String(row.channelId),
    type: row.type,
    author: wireUser(row.author),
    content: row.content,
    timestamp: `${new Date(snowflakeTime(row.id)).toISOString().slice(0, -1)}000+00:00`,
    edited_timestamp: row.editedAt,
    tts: row.tts,
    mention_everyone: row.mentionEveryone,
    mentions: row.mentionUserIds,
    mention_roles: row.mentionRoleIds,
    attachments: row.attachments.map((attachment) => ({ ...attachment, id: String(attachment.id) })),
    embeds: row.embeds,
    components: row.components,
    pinned: row.pinned,
    flags: row.flags,
  };
}

// ---- A guild with its channels and the last message of each, in the shape of the GraphQL response.

/** The obvious way: the relation with `take: 1`. */
http.post('/guild/nested', async (request) => {
  const { channels, ...guild } = await db.reader.guild.findUniqueOrThrow({
    where: { id: BigInt(request.body.id) },
    include: { channels: { include: { messages: { orderBy: { id: 'desc' }, take: 1, include: { author: true } } } } },
  });
  return guildAnswer(
    guild,
    channels.map((channel) => ({ ...channel, last: channel.messages[0] })),
  );
});

/** One aggregate for the ids of the last messages, then the messages. */
http.post('/guild/grouped', async (request) => {
  const { channels, ...guild } = await guildWithChannels(request.body.id);
  const groups = await db.reader.message.groupBy({
    by: ['channelId'],
    where: { channelId: { in: channels.map(({ id }) => id) } },
    _max: { id: true },
  });
  const messages = await db.reader.message.findMany({
    where: { id: { in: groups.map((group) => group._max.id) } },
    include: { author: true },
  });
  const lastOf = new Map(messages.map((message) => [message.channelId, message]));
  return guildAnswer(
    guild,
    channels.map((channel) => ({ ...channel, last: lastOf.get(channel.id) })),
  );
});

/** Concurrent queries, one for each channel's last message. */
http.post('/guild/each', async (request) => {
  const { channels, ...guild } = await guildWithChannels(request.body.id);
  const withLast = channels.map(async (channel) => ({
    ...channel,
    last: await db.reader.message.findFirst({
      where: { channelId: channel.id },
      orderBy: { id: 'desc' },
      include: { author: true },
    }),
  }));
  return guildAnswer(guild, await Promise.all(withLast));
});

function guildWithChannels(id) {
  return db.reader.guild.findUniqueOrThrow({ where: { id: BigInt(id) }, include: { channels: true } });
}

function guildAnswer(guild, channels) {
  return {
    data: {
      guild: {
        id: String(guild.id),
        name: guild.name,
        channels: channels.map(({ id, name, type, last }) => ({
          id: String(id),
          name,
          type,
          messages: { edges: last ? [{ node: messageNode(last) }] : [] },
        })),
      },
    },
  };
}

function messageNode(message) {
  return {
    id: String(message.id),
    content: message.content,
    createdAt: new Date(snowflakeTime(message.id)).toISOString(),
    author: { id: String(message.author.id), username: message.author.username },
  };
}

process.once('SIGTERM', async () => {
  await http.close();
  await db.close();
  process.exit(0);
});
console.log(JSON.stringify({ origin: await http.listen({ host: '127.0.0.1', port: 0 }) }));
