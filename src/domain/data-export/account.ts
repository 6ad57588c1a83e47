import { snowflakeTime } from '../../infra/ids/ids.js';
import { IMAGE_FORMATS } from '../../infra/images.js';
import { findServedIcon } from '../icons.js';
import { type ExportEntry, type ExportSource, fileEntry, jsonEntry } from './entries.js';

/** @throws an error if the person has no account */
export async function profileEntry({ read, userId }: ExportSource): Promise<ExportEntry> {
  const { user, ...account } = await read.authUser.findUniqueOrThrow({ where: { userId }, select: ACCOUNT });
  return jsonEntry('profile.json', {
    id: userId,
    username: user.username,
    displayName: user.globalName,
    createdAt: new Date(snowflakeTime(userId)),
    ...account,
    personalTokens: user.personalTokens.map((token) => ({ ...token, createdAt: new Date(snowflakeTime(token.id)) })),
  });
}

const ACCOUNT = {
  email: true,
  emailVerified: true,
  seenAt: true,
  operatorRole: true,
  suspendedAt: true,
  suspensionText: true,
  deletionAt: true,
  sessions: {
    orderBy: { createdAt: 'asc' },
    select: { id: true, createdAt: true, updatedAt: true, expiresAt: true, ipAddress: true, userAgent: true },
  },
  user: {
    select: {
      username: true,
      globalName: true,
      personalTokens: {
        orderBy: { id: 'asc' },
        select: { id: true, name: true, last4: true, forOperator: true, expiresAt: true, lastUsedAt: true },
      },
    },
  },
} as const;

/** Null without an avatar. */
export async function avatarEntry({ read, blobs, userId }: ExportSource): Promise<ExportEntry | null> {
  const user = await read.user.findUnique({ where: { id: userId }, select: { avatarHash: true } });
  if (!user?.avatarHash) return null;
  const [format] = IMAGE_FORMATS;
  const file = await findServedIcon(blobs, { of: 'avatars', id: userId, hash: user.avatarHash, format });
  return file && fileEntry(blobs, `avatar.${format}`, file.key);
}
