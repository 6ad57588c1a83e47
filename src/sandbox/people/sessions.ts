import { createHmac } from 'node:crypto';
import { ChannelType } from 'discord-api-types/v10';
import type { AppContext } from '../../context.js';
import { listChannels } from '../../domain/channels/index.js';
import { sessionCookie } from '../../http/page-sessions.js';
import { hashSecret, randomToken } from '../../infra/crypto/secrets.js';
import type { SessionDescription } from '../protocol.js';
import type { Named } from '../worlds/build.js';
import type { World } from '../worlds/world.js';

const LIFETIME_MS = 7 * 86_400_000;

/** Signs a person in without a password. */
export async function signIn(app: AppContext, { id }: Named): Promise<Omit<SessionDescription, 'portal'>> {
  const token = randomToken(24);
  const at = new Date(app.clock.now());
  await app.callOfNobody().writeOne((db) =>
    db.authSession.create({
      data: {
        id: String(app.nextId()),
        userId: String(id),
        token: hashSecret(token),
        createdAt: at,
        updatedAt: at,
        expiresAt: new Date(at.getTime() + LIFETIME_MS),
      },
    }),
  );
  const signature = createHmac('sha256', app.keys.accounts[0]).update(token).digest('base64');
  const cookie = `${sessionCookie(app.addresses.publicUrl)}=${encodeURIComponent(`${token}.${signature}`)}`;
  return { token, cookie };
}

/** The path of the first text channel that the person sees, or of the start page. */
export async function startPage(world: World, { id: userId, name }: Named): Promise<string> {
  const member = await world.app.db.reader.member.findFirst({
    where: { userId, guildId: { in: world.guilds.map(({ id }) => id) } },
    orderBy: { guildId: 'asc' },
  });
  if (!member) return '/portal';
  const channels = await listChannels(await world.as(name), member.guildId);
  const text = channels.find(({ channel }) => channel.type === ChannelType.GuildText);
  return `/portal/servers/${member.guildId}/channels${text ? `/${text.channel.id}` : ''}`;
}
