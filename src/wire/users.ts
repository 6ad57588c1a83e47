import { type APIUser, Locale, type UserFlags, UserPremiumType } from 'discord-api-types/v10';
import type { User } from '../infra/database/index.js';

export function renderUser(user: User): APIUser {
  return {
    id: String(user.id),
    username: user.deletedAt ? 'Deleted User' : user.username,
    discriminator: '0',
    global_name: user.bot ? null : user.globalName,
    avatar: user.avatarHash,
    public_flags: 0 as UserFlags,
    flags: 0 as UserFlags,
    primary_guild: null,
    ...(user.bot ? { bot: true } : {}),
  };
}

/** A bot has no email. */
export function renderOwnUser(user: User, email: string | null): APIUser {
  return {
    ...renderUser(user),
    bot: user.bot,
    system: false,
    mfa_enabled: user.bot,
    verified: user.bot || email !== null,
    email,
    locale: Locale.EnglishUS,
    premium_type: UserPremiumType.None,
    banner: null,
    accent_color: null,
  };
}
