import { hashSecret, randomToken } from '../../infra/crypto/secrets.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { type GuildRecord, WITH_ROLES_AND_EMOJIS } from '../guilds/record.js';
import { GuildUnavailable } from '../guilds/store.js';
import { type Scope, storedScopes } from '../installations/scopes.js';

/** Discord's documentation, OAuth2. */
export const ACCESS_TOKEN_SECONDS = 604_800;

/** Each refresh issues a new token. */
const REFRESH_TOKEN_SECONDS = 180 * 86_400;

/** The token response (RFC 6749, section 5.1). */
export interface IssuedTokens {
  accessToken: string;
  /** Null for client credentials. */
  refreshToken: string | null;
  /** In seconds. */
  expiresIn: number;
  scopes: Scope[];
  /** The bot's new server. Set only when a code is redeemed. */
  guild: GuildRecord | null;
}

interface StoredGrant {
  id: bigint;
  scopes: unknown;
}

interface TokenOptions {
  refresh: boolean;
  /** The whole grant by default. */
  scopes?: Scope[];
}

export async function issueTokens(
  call: CallContext,
  { db }: Write,
  grant: StoredGrant,
  { refresh, scopes = storedScopes(grant.scopes) }: TokenOptions,
): Promise<IssuedTokens> {
  const accessToken = randomToken(32);
  const refreshToken = refresh ? randomToken(32) : null;
  const expiry = (seconds: number) => new Date(call.clock.now() + seconds * 1000);
  await db.oAuthToken.createMany({
    data: [
      {
        hash: hashSecret(accessToken),
        grantId: grant.id,
        kind: 'ACCESS',
        scopes,
        expiresAt: expiry(ACCESS_TOKEN_SECONDS),
      },
      ...(refreshToken
        ? [
            {
              hash: hashSecret(refreshToken),
              grantId: grant.id,
              kind: 'REFRESH' as const,
              expiresAt: expiry(REFRESH_TOKEN_SECONDS),
            },
          ]
        : []),
    ],
  });
  const endsAt = expiry(refreshToken ? REFRESH_TOKEN_SECONDS : ACCESS_TOKEN_SECONDS);
  await db.oAuthGrant.updateMany({ where: { id: grant.id }, data: { endsAt } });
  return {
    accessToken,
    refreshToken,
    expiresIn: ACCESS_TOKEN_SECONDS,
    scopes,
    guild: null,
  };
}

/** Null also if its box is unreachable, because the tokens are valid without it. */
export async function guildOfGrant(call: CallContext, guildId: bigint | null): Promise<GuildRecord | null> {
  if (guildId === null) return null;
  if (!(await call.boxRoutes.ofGuild(guildId))) {
    return call.read.guild.findUnique({ where: { id: guildId }, include: WITH_ROLES_AND_EMOJIS });
  }
  try {
    return (await call.guilds.snapshot(guildId))?.guild ?? null;
  } catch (error) {
    if (error instanceof GuildUnavailable) return null;
    throw error;
  }
}

export async function removeExpiredTokens(call: CallContext, db: Write['db'], grant: { id: bigint }): Promise<void> {
  await db.oAuthToken.deleteMany({ where: { grantId: grant.id, expiresAt: { lt: new Date(call.clock.now()) } } });
}

/** Removes grants without a valid code or token. */
export async function removeSpentGrants(
  call: CallContext,
  db: Write['db'],
  of: { applicationId: bigint; userId: bigint },
): Promise<void> {
  const alive = { expiresAt: { gt: new Date(call.clock.now()) } };
  await db.oAuthGrant.deleteMany({ where: { ...of, codes: { none: alive }, tokens: { none: alive } } });
}

/** Called when a code or token was used twice. Ignores a missing grant. */
export async function endGrant(call: CallContext, grant: { id: bigint; applicationId: bigint; userId: bigint }) {
  const { id, applicationId, userId } = grant;
  const end = async ({ db, audit }: Write) => {
    const { count } = await db.oAuthGrant.deleteMany({ where: { id } });
    if (count > 0) await audit({ action: 'OAUTH_REUSE', applicationId, targetId: userId });
  };
  await call.write(end, { streams: [topics.application(applicationId)] });
}
