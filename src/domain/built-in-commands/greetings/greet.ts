import type { z } from 'zod';
import type { GreetingKind, User } from '../../../infra/database/index.js';
import type { CallContext, Write } from '../../call.js';
import { loadChannelAccess } from '../../channels/load-access.js';
import { DomainError } from '../../errors.js';
import { announce, PLATFORM_ID } from '../../platform/platform.js';
import type { GreetingPayload } from './payload.js';

/** A longer name might not fit a message. */
const NAME_SHOWN = 100;

/**
 * Queues the guild's greeting for a person who joins or leaves in this transaction. Does nothing without built-in
 * commands, which alone can change it.
 */
export async function greetWithin(
  call: CallContext,
  { db, addJob }: Write,
  { guildId, user, kind }: { guildId: bigint; user: User; kind: GreetingKind },
): Promise<void> {
  if (user.bot || user.deletedAt !== null || !call.hasBuiltIns) return;
  const greeting = await db.greeting.findUnique({ where: { guildId_kind: { guildId, kind } }, select: { kind: true } });
  if (!greeting) return;
  const payload = { guildId: String(guildId), userId: String(user.id), kind };
  await addJob({ kind: 'greeting', payload, dueAt: call.clock.now() });
}

/**
 * Posts the current text, if there is one.
 * @param key the same in every attempt, so that a retry posts nothing twice
 */
export async function greet(call: CallContext, payload: z.output<typeof GreetingPayload>, key: string): Promise<void> {
  if (!call.hasBuiltIns) return;
  const guildId = BigInt(payload.guildId);
  const [greeting, user] = await Promise.all([
    call.read.greeting.findUnique({
      where: { guildId_kind: { guildId, kind: payload.kind } },
      include: { guild: { select: { name: true } } },
    }),
    call.read.user.findUnique({ where: { id: BigInt(payload.userId) } }),
  ]);
  if (!greeting || !user) return;
  const place = await loadChannelAccess(call, greeting.channelId, PLATFORM_ID);
  if (place?.kind !== 'guild' || place.guildId !== guildId) return;
  const content = filledIn(greeting.message, { user: shown(user, payload.kind), server: greeting.guild.name });
  try {
    await announce(call, { place, content, mentions: payload.kind === 'WELCOME' ? [user.id] : [], key });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'UNKNOWN_CHANNEL') throw error;
  }
}

/** Clients cannot resolve mentions of users who left. */
function shown(user: User, kind: GreetingKind): string {
  return kind === 'WELCOME' ? `<@${user.id}>` : `**${(user.globalName ?? user.username).slice(0, NAME_SHOWN)}**`;
}

/** Does not replace placeholders in inserted values. */
function filledIn(message: string, values: { user: string; server: string }): string {
  return message.replace(/\{(user|server)\}/g, (_, name: keyof typeof values) => values[name]);
}
